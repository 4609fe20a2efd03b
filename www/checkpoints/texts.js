// @ts-check
/** Which pasted texts are the Checkpoints tool's. Loaded with the page, so it says no more than that. */

/** Fields that only the REST answers about checkpoints and back pressure have. */
const CHECKPOINT_FIELDS = /"(?:end_to_end_duration|num_acknowledged_subtasks|latest_ack_timestamp|alignment_buffered|backpressure-?[lL]evel|tolerable_failed_checkpoints|checkpointed_size)"\s*:/;

/**
 * Says so where a text looks like REST answers about checkpoints; what is in them the engine reads.
 * @param {string} text
 */
export function checkpointAnswers(text) {
  return /^\s*[[{]/.test(text) && CHECKPOINT_FIELDS.test(text) ? "Answers of Flink’s REST API about checkpoints, for the Checkpoints tool." : null;
}
