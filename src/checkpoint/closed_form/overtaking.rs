//! Barriers that overtake: how long they still take, and what they write.
//!
//! Source: Flink 1.20.5, PipelinedSubpartition#addBuffer (a barrier with priority goes before all data),
//! RemoteInputChannel#checkpointStarted, ChannelStateWriterImpl; that a barrier then waits for the record in
//! service only, and the sizes, were measured on 1.20.5.

use super::conditions::Conditions;
use super::{Derived, FormStep, Queue, Sum};
use crate::checkpoint::params::Mode;
use crate::checkpoint::random::ServiceTime;

impl Conditions<'_> {
    /// The timeout, where aligned it would take longer.
    pub fn timeout(&self, queue: &Derived) -> Derived {
        let it = &self.scenario.checkpointing;
        if it.mode != Mode::Timeout || it.aligned_checkpoint_timeout_ms == 0 {
            return Err("Barriers do not overtake after a timeout in this mode.".to_owned());
        }
        if !self.job.lags.is_empty() {
            return Err(
                "A source that blocks its thread lets its barriers overtake only when it is free again; \
                 there is no sum for that."
                    .to_owned(),
            );
        }
        let Sum { ms: aligned_ms, queue, mut steps, .. } = queue.clone()?;
        let timeout_ms = it.aligned_checkpoint_timeout_ms as f64;
        if aligned_ms <= timeout_ms {
            return Err(format!(
                "Aligned it takes {aligned_ms:.0} ms, less than the timeout of {timeout_ms} ms."
            ));
        }
        if self.job.edges.iter().any(|it| !it.exchange.can_be_overtaken()) {
            return Err(
                "A forward, rescale or broadcast exchange stays aligned after the timeout."
                    .to_owned(),
            );
        }
        if let Some(queue) = queue {
            self.has_time(timeout_ms, queue.fill_ms)?;
        }
        if self.has_snapshot() {
            return Err("What a snapshot adds depends on when each subtask switches.".to_owned());
        }
        steps.push(FormStep {
            title: "Barriers overtake what is still in front of them".to_owned(),
            formula: "the smaller of the aligned time and the timeout",
            numbers: format!(
                "min({aligned_ms:.0} ms, {timeout_ms} ms); on Flink 10 to 73 ms more were measured"
            ),
            result: timeout_ms,
            unit: "ms",
            source: "execution.checkpointing.aligned-checkpoint-timeout, Flink 1.20.5",
        });
        let persisted_bytes = self.persisted(queue, timeout_ms, aligned_ms, &mut steps);
        Ok(Sum { ms: timeout_ms, phase_ms: 0.0, queue, persisted_bytes, steps })
    }

    /// Barriers that overtake full channels.
    pub fn unaligned(&self, queue: &Derived) -> Derived {
        let it = &self.scenario.checkpointing;
        let at_once = it.mode == Mode::Unaligned
            || (it.mode == Mode::Timeout && it.aligned_checkpoint_timeout_ms == 0);
        if !at_once {
            return Err("Barriers do not overtake at once in this mode.".to_owned());
        }
        if !self.job.lags.is_empty() {
            return Err("A source blocks its thread, and no barrier leaves it before.".to_owned());
        }
        let Sum { ms: drained_ms, queue, steps, .. } = queue.clone()?;
        let queue = queue.ok_or("No channel is full.")?;
        if self.job.edges.iter().any(|it| !it.exchange.can_be_overtaken()) {
            return Err("A forward, rescale or broadcast exchange is never overtaken.".to_owned());
        }
        if self.has_snapshot() || it.upload.is_some() {
            return Err("What a snapshot or its upload adds depends on when each subtask takes it; there is no \
                        sum for it with barriers that overtake."
                .to_owned());
        }
        let services = self.job.vertices.iter().flat_map(|it| &it.service);
        if services.clone().any(|it| !matches!(it, ServiceTime::Constant { .. })) {
            return Err("The record in service may take any time, since service times are drawn."
                .to_owned());
        }
        let longest_ms: f64 = self
            .job
            .vertices
            .iter()
            .map(|it| it.service.iter().map(|it| it.mean_us() / 1000.0).fold(0.0, f64::max))
            .sum();
        let mut steps: Vec<FormStep> =
            steps.into_iter().filter(|it| it.unit != "ms" && it.unit != "records/s").collect();
        steps.push(FormStep {
            title: "Until the records in service are done".to_owned(),
            formula: "half of the service times of all vertices; each may be over or only begun",
            numbers: format!(
                "{longest_ms:.1} ms / 2; Flink itself then needs 15 to 97 ms (24 runs measured), for which \
                 there is no sum"
            ),
            result: longest_ms / 2.0,
            unit: "ms",
            source: "Flink 1.20.5, StreamTask (a priority event is read before the next record)",
        });
        self.has_time(longest_ms, queue.fill_ms)?;
        let persisted_bytes = self.persisted(Some(queue), 0.0, drained_ms, &mut steps);
        let half = longest_ms / 2.0;
        Ok(Sum { ms: half, phase_ms: half, queue: Some(queue), persisted_bytes, steps })
    }

    /// What of a queue is still in front of the barriers after a while. A barrier closes a buffer that is
    /// not full, so where checkpoints follow each other before all is read there is no sum for it.
    fn persisted(
        &self,
        queue: Option<Queue>,
        after_ms: f64,
        drained_ms: f64,
        steps: &mut Vec<FormStep>,
    ) -> Option<f64> {
        let Queue { records, capacity, record_bytes, .. } = queue?;
        let bytes = record_bytes.filter(|_| drained_ms <= self.between_triggers_ms())?;
        let left = records - capacity * after_ms / 1000.0;
        let persisted = left * bytes as f64;
        steps.push(FormStep {
            title: "Written into the checkpoint".to_owned(),
            formula: "(records in front of the barriers − those taken until they overtake) × bytes of a record",
            numbers: format!("({records:.0} − {capacity:.2} per s × {after_ms} ms) × {bytes} B"),
            result: persisted,
            unit: "B",
            source: "Flink 1.20.5, ChannelStateWriterImpl; checkpoints that follow sooner find less, since \
                     each barrier closes a buffer that is not full",
        });
        Some(persisted)
    }
}
