// @ts-check
/** Which pasted texts are the Exactly-once tool's. Loaded with the page, so it says no more than that. */

/** Words that only messages, properties and tables about Kafka transactions have. */
const SIGNS =
  /KafkaCommitter|FlinkKafkaProducer|ProducerFenced|PRODUCER_FENCED|InvalidPidMapping|INVALID_PRODUCER_ID_MAPPING|InvalidTxn|INVALID_TXN|InvalidProducerEpoch|UnknownProducerId|transactionalIdPrefix|TransactionalId|transaction(?:al\.id\.expiration|\.max\.timeout|\.timeout|\.version|\.abort)|isolation\.level|Too many ongoing snapshots|exceeding the transaction timeout|rollback of ongoing transaction|transaction timeout is larger|transaction naming strategy|sink\.(?:transaction|delivery-guarantee)|CurrentTransactionStartOffset|CoordinatorEpoch\s+StartOffset/;

/**
 * Says so where a text looks like one about Kafka transactions; what is in it the engine reads.
 * @param {string} text
 */
export function transactionText(text) {
  return SIGNS.test(text) ? "A text about Kafka transactions, for the Exactly-once tool." : null;
}
