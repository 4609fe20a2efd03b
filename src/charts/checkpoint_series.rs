//! How a simulated run went over time: buffers in use at senders and receivers, records a second at
//! both ends of the job, and how long records take. The lines of a run that is pinned as A lie behind
//! them, dotted and thinner.

use super::lines::{Mark, Plot, Series as Curve, Stroke, draw_over};
use super::scale::{Quantity, ms_in_words};
use super::theme::{Theme, Tone};
use super::{Chart, ChartError};
use crate::checkpoint::record::{Series, TaskSeries};
use crate::checkpoint::report::CheckpointReport;
use crate::units::grouped;

/// The colours of vertices, in their order; after the last they begin again.
const TONES: [Tone; 4] = [Tone::Network, Tone::Accent, Tone::Managed, Tone::Late];

/// What is drawn over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Buffers in use by vertex.
    Queues,
    /// Records a second at both ends.
    Throughput,
    /// How long records take.
    Latency,
    /// How far sources are behind what they are offered.
    Behind,
}

/// Draws it, over that of a pinned run where there is one.
///
/// # Errors
/// No sample, or a width that no layout is made for.
pub fn draw(
    over: Over,
    run: (&Series, &CheckpointReport),
    pinned: Option<(&Series, &CheckpointReport)>,
    theme: Theme,
    width: u32,
) -> Result<Chart, ChartError> {
    let plot_of = |(series, report)| match over {
        Over::Queues => queues(series, report),
        Over::Throughput => throughput(series, report),
        Over::Latency => latency(series, report),
        Over::Behind => behind(series, report),
    };
    let of_a = pinned.map(|run| {
        let mut plot = plot_of(run);
        for line in &mut plot.series {
            line.stroke =
                if line.stroke == Stroke::Solid { Stroke::Dotted } else { Stroke::Sparse };
        }
        plot
    });
    draw_over(&plot_of(run), of_a.as_ref(), theme, width)
}

fn queues(series: &Series, report: &CheckpointReport) -> Plot {
    let mut curves = Vec::new();
    for (place, (vertex, tasks)) in by_vertex(series, report).into_iter().enumerate() {
        let tone = TONES[place % TONES.len()];
        let mut add = |side: &str, stroke, column: fn(&TaskSeries) -> &Vec<f64>| {
            let values = sum(&tasks, column);
            if values.iter().any(|value| *value > 0.0) {
                curves.push(curve(format!("{vertex} {side}"), tone, stroke, &values));
            }
        };
        add("output", Stroke::Solid, |it| &it.output_buffers);
        add("input", Stroke::Dashed, |it| &it.input_buffers);
    }
    let what = "Buffers in use at senders and receivers, over the run.";
    plot(series, report, ("Buffers", Quantity::Count), curves, what)
}

fn throughput(series: &Series, report: &CheckpointReport) -> Plot {
    let curves = vec![
        curve("made by sources".to_owned(), Tone::Accent, Stroke::Solid, &series.source_records),
        curve("taken by sinks".to_owned(), Tone::Late, Stroke::Dashed, &series.sink_records),
    ];
    let what = "Records a second made by sources and taken by the last vertex, over the run.";
    plot(series, report, ("Records/s", Quantity::Count), curves, what)
}

fn latency(series: &Series, report: &CheckpointReport) -> Plot {
    let whole = |value: &Option<f64>| value.map(|it| it.round().max(0.0) as u64);
    let curves = vec![Curve {
        name: "longest latency".to_owned(),
        tone: Tone::Accent,
        stroke: Stroke::Solid,
        values: series.latency_ms.iter().map(whole).collect(),
    }];
    let what = "The longest time of a record from a source to a sink, over the run.";
    plot(series, report, ("Source to sink", Quantity::Span), curves, what)
}

fn behind(series: &Series, report: &CheckpointReport) -> Plot {
    let most = |row: usize| {
        let of = series.tasks.iter().filter_map(|it| it.behind_ms.get(row));
        of.fold(0.0_f64, |most, it| most.max(*it))
    };
    let values: Vec<f64> = (0..series.time_ms.len()).map(most).collect();
    let curves = vec![curve("furthest behind".to_owned(), Tone::Late, Stroke::Solid, &values)];
    let what =
        "How far the source that is furthest behind is behind what it is offered, over the run.";
    plot(series, report, ("Behind", Quantity::Span), curves, what)
}

fn by_vertex<'a>(
    series: &'a Series,
    report: &CheckpointReport,
) -> Vec<(String, Vec<&'a TaskSeries>)> {
    let mut found: Vec<(String, Vec<&TaskSeries>)> = Vec::new();
    for (task, samples) in report.tasks.iter().zip(&series.tasks) {
        match found.iter_mut().find(|(vertex, _)| *vertex == task.vertex) {
            Some((_, all)) => all.push(samples),
            None => found.push((task.vertex.clone(), vec![samples])),
        }
    }
    found
}

fn sum(tasks: &[&TaskSeries], column: fn(&TaskSeries) -> &Vec<f64>) -> Vec<f64> {
    let mut all = Vec::new();
    for task in tasks {
        let values = column(task);
        all.resize(values.len(), 0.0);
        all.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    all
}

fn curve(name: String, tone: Tone, stroke: Stroke, values: &[f64]) -> Curve {
    let whole = |value: &f64| Some(value.round().max(0.0) as u64);
    Curve { name, tone, stroke, values: values.iter().map(whole).collect() }
}

fn plot(
    series: &Series,
    report: &CheckpointReport,
    (y_title, y_quantity): (&'static str, Quantity),
    curves: Vec<Curve>,
    what: &str,
) -> Plot {
    let xs: Vec<u64> = series.time_ms.iter().map(|ms| ms.round() as u64).collect();
    let readouts = (0..xs.len())
        .map(|row| {
            let value = |it: &Curve| {
                let words = match (it.values[row], y_quantity) {
                    (None, _) => "none".to_owned(),
                    (Some(ms), Quantity::Span) => ms_in_words(ms),
                    (Some(number), _) => grouped(i64::try_from(number).unwrap_or(i64::MAX)),
                };
                format!("{} {words}", it.name)
            };
            let values: Vec<String> = curves.iter().map(value).collect();
            let running = series.running.get(row).copied().unwrap_or(0.0);
            let checkpoint = if running > 0.0 { ", a checkpoint runs" } else { "" };
            format!("At {}: {}{checkpoint}", ms_in_words(xs[row]), values.join(", "))
        })
        .collect();
    let marks = report.checkpoints.iter().map(|it| Mark {
        x: it.triggered_ms,
        text: it.id.to_string(),
        is_danger: it.failure_ms.is_some(),
    });
    Plot {
        x_title: "Time; numbers are checkpoints triggered",
        x_quantity: Quantity::Span,
        y_title,
        y_quantity,
        xs,
        series: curves,
        marks: marks.collect(),
        readouts,
        description: what.to_owned(),
    }
}
