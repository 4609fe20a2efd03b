//! The same job as code: Java for the `DataStream` API, and SQL where it has such a window.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `DataStream`, `WindowedStream`, window functions of SQL.

use super::generator::WatermarkRule;
use super::kept::WindowFunction;
use super::params::{EmissionTime, EventTimeParams};
use super::trigger::Trigger;
use super::window::Assigner;
use crate::units::FlinkVersion;

/// A duration in Java; 2.x has no `Time` any more.
fn java(version: FlinkVersion, ms: i64) -> String {
    if version < FlinkVersion::V2_2 { format!("Time.milliseconds({ms})") } else { duration(ms) }
}

/// `java.time.Duration`, which watermark strategies take in all versions.
fn duration(ms: i64) -> String {
    if ms != 0 && ms % 1000 == 0 {
        format!("Duration.ofSeconds({})", ms / 1000)
    } else {
        format!("Duration.ofMillis({ms})")
    }
}

/// The job with the `DataStream` API.
pub fn data_stream(params: &EventTimeParams) -> String {
    let mut lines = strategy(params);
    if let EmissionTime::Periodic { interval } = params.watermarks.emission {
        lines.push(format!("env.getConfig().setAutoWatermarkInterval({interval});"));
    }
    lines.push(String::new());
    if params.windows.side_output {
        lines.push("OutputTag<Event> lateTag = new OutputTag<>(\"late\") {};".to_owned());
    }
    let assign = if params.source.per_partition {
        "env.fromSource(source, strategy, \"events\")"
    } else {
        "env.fromSource(source, WatermarkStrategy.noWatermarks(), \"events\")"
    };
    lines.push("SingleOutputStreamOperator<Result> results =".to_owned());
    lines.push(format!("    {assign}"));
    lines.push(format!("        .setParallelism({})", params.source.parallelism));
    if !params.source.per_partition {
        lines.push("        .assignTimestampsAndWatermarks(strategy)".to_owned());
        lines.push(format!("        .setParallelism({})", params.source.parallelism));
    }
    if let Some(ttl) = params.dedup_ttl {
        lines.push("        .keyBy(Event::getId)".to_owned());
        lines.push(format!(
            "        .process(new FirstOfId(StateTtlConfig.newBuilder({}).build()))",
            java(params.version, ttl)
        ));
    }
    lines.push("        .keyBy(Event::getKey)".to_owned());
    lines.push(format!("        .window({})", window(params)));
    if let Some(trigger) = trigger(&params.windows.trigger, params.version) {
        lines.push(format!("        .trigger({trigger})"));
    }
    let lateness = params.windows.allowed_lateness.get();
    if lateness != 0 {
        lines.push(format!("        .allowedLateness({})", java(params.version, lateness)));
    }
    if params.windows.side_output {
        lines.push("        .sideOutputLateData(lateTag)".to_owned());
    }
    lines.push(match params.kept.function {
        WindowFunction::Incremental => "        .aggregate(new CountAndSum())".to_owned(),
        WindowFunction::Full => "        .process(new AllRecords())".to_owned(),
    });
    if let Some(max) = params.max_parallelism {
        lines.push(format!("        .setMaxParallelism({max})"));
    }
    lines.push(format!("        .setParallelism({});", params.parallelism));
    if params.windows.side_output {
        lines.push(String::new());
        lines.push("DataStream<Event> late = results.getSideOutput(lateTag);".to_owned());
    }
    lines.join("\n")
}

fn strategy(params: &EventTimeParams) -> Vec<String> {
    let maker = match params.watermarks.rule {
        WatermarkRule::BoundedOutOfOrderness { out_of_orderness } => {
            format!(".<Event>forBoundedOutOfOrderness({})", duration(out_of_orderness))
        }
        WatermarkRule::Ascending => ".<Event>forMonotonousTimestamps()".to_owned(),
        // The built-in strategy takes 1 ms more than SQL does.
        WatermarkRule::Sql { out_of_orderness }
        | WatermarkRule::SqlAssigner { out_of_orderness }
            if out_of_orderness > 0 =>
        {
            format!(".<Event>forBoundedOutOfOrderness({})", duration(out_of_orderness - 1))
        }
        WatermarkRule::Sql { .. } | WatermarkRule::SqlAssigner { .. } => {
            ".<Event>forGenerator(context -> new OnEventGenerator())".to_owned()
        }
        WatermarkRule::Explicit => {
            ".<Event>forGenerator(context -> new PunctuatedGenerator())".to_owned()
        }
    };
    let mut lines = vec![
        "WatermarkStrategy<Event> strategy = WatermarkStrategy".to_owned(),
        format!("    {maker}"),
    ];
    if let Some(timeout) = params.watermarks.idle_timeout {
        lines.push(format!("    .withIdleness({})", duration(timeout)));
    }
    lines.push(
        "    .withTimestampAssigner((event, recordTimestamp) -> event.getTimestamp());".to_owned(),
    );
    lines
}

fn window(params: &EventTimeParams) -> String {
    let time = |ms: i64| java(params.version, ms);
    let with_offset = |class: &str, mut arguments: Vec<String>, offset: i64| {
        if offset != 0 {
            arguments.push(time(offset));
        }
        format!("{class}.of({})", arguments.join(", "))
    };
    match &params.windows.assigner {
        Assigner::Tumbling { size, offset } => {
            with_offset("TumblingEventTimeWindows", vec![time(*size)], *offset)
        }
        Assigner::Sliding { size, slide, offset } => {
            with_offset("SlidingEventTimeWindows", vec![time(*size), time(*slide)], *offset)
        }
        Assigner::Session { gap } => {
            format!("EventTimeSessionWindows.withGap({})", time(*gap))
        }
        Assigner::DynamicSession => {
            "EventTimeSessionWindows.withDynamicGap(event -> event.getValue())".to_owned()
        }
        Assigner::Global => "GlobalWindows.create()".to_owned(),
        Assigner::Zoned { .. } => {
            "/* DataStream has fixed offsets only; a time zone needs an assigner of your own */"
                .to_owned()
        }
    }
}

fn trigger(trigger: &Trigger, version: FlinkVersion) -> Option<String> {
    match trigger {
        Trigger::EventTime => None,
        Trigger::Count { count } => Some(format!("CountTrigger.of({count})")),
        Trigger::Continuous { interval } => {
            Some(format!("ContinuousEventTimeTrigger.of({})", java(version, *interval)))
        }
        Trigger::EarlyCount { count } => {
            Some(format!("new EarlyTrigger<>(CountTrigger.of({count}))"))
        }
        Trigger::EarlyProcessingTime { interval } => Some(format!(
            "new EarlyTrigger<>(ContinuousProcessingTimeTrigger.of({}))",
            java(version, *interval)
        )),
        Trigger::Purging { of } => {
            let inner = self::trigger(of, version)
                .unwrap_or_else(|| "EventTimeTrigger.create()".to_owned());
            Some(format!("PurgingTrigger.of({inner})"))
        }
    }
}

/// The same windows with a window function of SQL; `None` where SQL has none for them.
pub fn sql(params: &EventTimeParams) -> Option<String> {
    // Window functions know no lateness, no trigger and no process function ahead of them.
    let is_late = params.windows.allowed_lateness.get() > 0;
    if params.windows.trigger != Trigger::EventTime || params.dedup_ttl.is_some() || is_late {
        return None;
    }
    let function = match &params.windows.assigner {
        Assigner::Tumbling { size, offset } => {
            format!("TUMBLE(TABLE events, DESCRIPTOR(ts), {}{})", interval(*size), shift(*offset))
        }
        Assigner::Zoned { size, .. } => {
            format!("TUMBLE(TABLE events, DESCRIPTOR(ts), {})", interval(*size))
        }
        Assigner::Sliding { size, slide, offset } if size % slide == 0 => format!(
            "HOP(TABLE events, DESCRIPTOR(ts), {}, {}{})",
            interval(*slide),
            interval(*size),
            shift(*offset)
        ),
        // The window function SESSION came with 1.20.
        Assigner::Session { gap } if params.version >= FlinkVersion::V1_20 => format!(
            "SESSION(TABLE events PARTITION BY user_key, DESCRIPTOR(ts), {})",
            interval(*gap)
        ),
        _ => return None,
    };
    let bound = match params.watermarks.rule {
        WatermarkRule::BoundedOutOfOrderness { out_of_orderness } => out_of_orderness + 1,
        WatermarkRule::Sql { out_of_orderness }
        | WatermarkRule::SqlAssigner { out_of_orderness } => out_of_orderness,
        WatermarkRule::Ascending => 1,
        WatermarkRule::Explicit => return None,
    };
    let watermark = if bound == 0 { "ts".to_owned() } else { format!("ts - {}", interval(bound)) };
    let mut lines = Vec::new();
    if let Some(zone) = time_zone(&params.windows.assigner) {
        lines.push(format!("SET 'table.local-time-zone' = '{}';", literal(zone)));
    }
    if let Some(timeout) = params.watermarks.idle_timeout {
        lines.push(format!("SET 'table.exec.source.idle-timeout' = '{timeout} ms';"));
    }
    if let EmissionTime::Periodic { interval } = params.watermarks.emission {
        lines.push(format!("SET 'pipeline.auto-watermark-interval' = '{interval} ms';"));
    }
    lines.extend([
        "CREATE TABLE events (".to_owned(),
        "  user_key STRING,".to_owned(),
        "  amount BIGINT,".to_owned(),
        "  ts TIMESTAMP_LTZ(3),".to_owned(),
        format!("  WATERMARK FOR ts AS {watermark}"),
        ") WITH (...);".to_owned(),
        String::new(),
        "SELECT user_key, window_start, window_end, COUNT(*), SUM(amount)".to_owned(),
        format!("FROM {function}"),
        "GROUP BY user_key, window_start, window_end;".to_owned(),
    ]);
    Some(lines.join("\n"))
}

/// The zone in which windows over a `TIMESTAMP_LTZ` are cut; sessions are cut in none.
fn time_zone(assigner: &Assigner) -> Option<&str> {
    match assigner {
        Assigner::Zoned { zone, .. } => zone.as_deref(),
        Assigner::Tumbling { .. } | Assigner::Sliding { .. } => Some("UTC"),
        _ => None,
    }
}

/// What stands between the quotes of a literal.
fn literal(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect::<String>().replace('\'', "''")
}

fn shift(offset: i64) -> String {
    if offset == 0 { String::new() } else { format!(", {}", interval(offset)) }
}

/// An interval literal in the largest unit that divides it.
fn interval(ms: i64) -> String {
    const UNITS: [(i64, &str); 4] =
        [(86_400_000, "DAY"), (3_600_000, "HOUR"), (60_000, "MINUTE"), (1000, "SECOND")];
    let whole = UNITS.into_iter().find(|(size, _)| ms != 0 && ms % size == 0 && ms / size < 100);
    match whole {
        Some((size, unit)) => format!("INTERVAL '{}' {unit}", ms / size),
        None => {
            let sign = if ms < 0 { "-" } else { "" };
            let ms = ms.unsigned_abs();
            format!("INTERVAL '{sign}{}.{:03}' SECOND({})", ms / 1000, ms % 1000, digits(ms / 1000))
        }
    }
}

/// Leading digits of the seconds; the default precision is two.
fn digits(seconds: u64) -> usize {
    seconds.to_string().len().max(2)
}

#[cfg(test)]
mod tests {
    use super::literal;

    #[test]
    fn a_quote_stays_inside_its_literal() {
        assert_eq!(literal("a'; DROP TABLE x;\n--"), "a''; DROP TABLE x;--");
    }
}
