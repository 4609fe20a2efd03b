// @ts-check
/**
 * The fields of the form: their names in Flink and Kafka, what they take, and when they count.
 * @import { EventField } from "../event-time/fields.js"
 *
 * @typedef {{ name: string, isMore?: boolean, fields: EventField[] }} Group   `isMore`: folded away
 */

/** @type {[string, string][]} */
const ON_OFF = [
  ["on", "on"],
  ["off", "off"],
];
/** @type {[string, string][]} */
const YES_NO = [
  ["yes", "yes"],
  ["no", "no"],
];
/** @type {[string, string][]} */
const KNOWN = [["", "not known"], ...YES_NO];

/** @param {string} id @param {...string} values @returns {(settings: Record<string, string>) => boolean} */
const when = (id, ...values) => (settings) => values.includes(settings[id]);

/**
 * @param {string} id
 * @param {string} label
 * @param {string} api
 * @param {string} hint
 * @param {Partial<EventField>} [more]
 * @returns {EventField}
 */
const duration = (id, label, api, hint, more = {}) => ({ id, label, api, kind: "duration", path: id, hint, ...more });

/** @type {(id: string, label: string, api: string, hint: string, more?: Partial<EventField>) => EventField} */
const count = (id, label, api, hint, more = {}) => ({ id, label, api, kind: "count", path: id, hint, ...more });

/** @type {(id: string, label: string, api: string, choices: [string, string][], hint: string, more?: Partial<EventField>) => EventField} */
const choice = (id, label, api, choices, hint, more = {}) => ({ id, label, api, kind: "choice", choices, path: id, hint, ...more });

/** @type {(id: string, label: string, api: string, hint: string, more?: Partial<EventField>) => EventField} */
const text = (id, label, api, hint, more = {}) => ({ id, label, api, kind: "text", path: id, hint, ...more });

/** Files and tables have no broker, no transactional ids and no timeouts. @param {Record<string, string>} settings */
const inKafka = ({ sink }) => sink !== "file" && sink !== "table";
/** @param {Record<string, string>} settings */
const hasIds = (settings) => inKafka(settings) && settings.sink !== "upsert";
/** @type {(shown: NonNullable<EventField["shown"]>, fields: EventField[]) => EventField[]} */
const only = (shown, fields) => fields.map((field) => ({ ...field, shown: (settings) => shown(settings) && (field.shown?.(settings) ?? true) }));

const UNKNOWN = { empty: "not known, counts nothing" };

/** @type {Group[]} */
export const GROUPS = [
  {
    name: "Timeouts",
    fields: [
      duration("timeoutMs", "Transaction timeout", "transaction.timeout.ms", "The producer’s setting. Its clock starts with the first record of a transaction and ends when the coordinator accepts the commit.", { empty: "Flink’s preset, 1 h", shown: hasIds }),
      duration("brokerMaxMs", "The broker’s maximum", "transaction.max.timeout.ms", "The broker refuses a producer with a longer timeout. Its default is 15 min.", { empty: "not known", shown: hasIds }),
      duration("intervalMs", "Checkpoint interval", "execution.checkpointing.interval", "One transaction for each interval and subtask."),
      duration("durationMs", "Checkpoint duration", "End to End Duration", "From the trigger to the completion of a checkpoint, as the web UI shows it."),
      duration("notifyMs", "Completion to commit", "notifyCheckpointComplete", "Until the tasks have heard of it and commit."),
      count("failures", "Failed checkpoints in a row", "execution.checkpointing.tolerable-failed-checkpoints", "A transaction of a declined checkpoint stays open until the next one succeeds; its age grows by an interval.", { shown: inKafka }),
      duration("patienceMs", "Readers may stand still for", "read_committed", "Behind a transaction that nobody ends. Where nothing is set, the run calls readers stuck after twice the interval and the duration.", { empty: "no limit", shown: inKafka }),
    ],
  },
  {
    name: "Downtime",
    fields: [
      duration("detectionMs", "Detection", "heartbeat.timeout", "50 s by default, where a process vanishes without a word.", UNKNOWN),
      duration("restartDelayMs", "Restart delay", "restart-strategy.fixed-delay.delay", "What the restart strategy waits for.", UNKNOWN),
      duration("schedulingMs", "Slots and images", "slot.request.timeout", "Until the new TaskManagers are there.", UNKNOWN),
      duration("restoreMs", "Restore of state", "State restore", "Until the tasks have their state back.", UNKNOWN),
      duration("probingMs", "Clean-up of old transactions", "initTransactions", "Until the transactions of earlier attempts are aborted.", UNKNOWN),
    ],
  },
  {
    name: "Sink",
    fields: [
      choice(
        "sink",
        "Sink",
        "org.apache.flink.connector.kafka.sink",
        [
          ["kafkaSink", "KafkaSink"],
          ["flinkKafkaProducer", "FlinkKafkaProducer (legacy)"],
          ["upsert", "idempotent upsert"],
          ["file", "files, finished by a rename"],
          ["table", "table, one snapshot for all subtasks"],
        ],
        "The legacy sink is in connectors before 4.0. The upsert writes each key again, without transactions. Files and tables commit with the same checkpoints, and nothing of theirs times out.",
      ),
      choice(
        "guarantee",
        "Delivery guarantee",
        "sink.delivery-guarantee",
        [
          ["exactlyOnce", "exactly-once"],
          ["atLeastOnce", "at-least-once"],
          ["none", "none"],
          ["", "not set"],
        ],
        "KafkaSink’s default is none; that of SQL and of FlinkKafkaProducer is at-least-once.",
        { shown: hasIds },
      ),
      choice(
        "connector",
        "Connector",
        "flink-connector-kafka",
        [
          ["", "the one of this Flink version"],
          ["3.2", "3.2"],
          ["3.3", "3.3"],
          ["3.4", "3.4"],
          ["4.0", "4.0"],
          ["5.0", "5.0"],
        ],
        "3.2 goes with Flink 1.18, 3.4 with 1.20, 5.0 with 2.2. Names can be pooled from 4.0 on; the legacy sink ends with 3.x.",
        { shown: inKafka },
      ),
      choice(
        "naming",
        "Naming strategy",
        "sink.transaction-naming-strategy",
        [
          ["incrementing", "INCREMENTING"],
          ["pooling", "POOLING"],
        ],
        "A new id for each checkpoint, or a few that are used again.",
        { shown: when("sink", "kafkaSink") },
      ),
      choice(
        "transactionVersion",
        "Transaction protocol",
        "transaction.version",
        [
          ["tv1", "0 or 1"],
          ["tv2", "2 (KIP-890)"],
        ],
        "2 is the default of clusters that begin with Kafka 4.0. It moves the epoch on with each end of a transaction.",
        { shown: hasIds },
      ),
      text("prefix", "Prefix of transactional ids", "sink.transactional-id-prefix", "Must be its own for each sink of a cluster.", { empty: "not set", shown: hasIds }),
      count("parallelism", "Sink subtasks", "sink.parallelism", "Each writes a transaction of its own."),
      choice(
        "isolation",
        "The reader",
        "isolation.level",
        [
          ["read_committed", "read_committed"],
          ["read_uncommitted", "read_uncommitted"],
          ["", "not set (read_uncommitted)"],
        ],
        "The verdict is about this reader.",
        { shown: inKafka },
      ),
    ],
  },
  {
    name: "What is written",
    isMore: true,
    fields: [
      count("recordsPerInterval", "Records an interval", "source", "Over all subtasks; half of them early, half late in the interval."),
      count("intervals", "Intervals of input", "source", "How many checkpoints the run has, without faults."),
      duration("firstRecordMs", "First half after the barrier", "source", "When the first record of a transaction is written: its clock starts there."),
      duration("lastRecordMs", "Second half after the barrier", "source", "When the second half is written.", { empty: "1 s before the next barrier" }),
      choice("idleTail", "Nothing late in the interval", "source", ON_OFF, "All records are written at the first offset; nothing is sent that could notice an abort."),
      choice(
        "layout",
        "Partitions",
        "partitions of the topic",
        [
          ["one_per_subtask", "one for each subtask"],
          ["shared", "one, shared by all writers"],
        ],
        "On a shared partition one open transaction holds back every writer’s records.",
        { shown: inKafka },
      ),
      duration("observeMs", "Watched on for", "readers", "How long the readers are watched once all is committed."),
      choice(
        "judge",
        "The verdict is about",
        "job",
        [
          ["A", "this job"],
          ["B", "another job on its partition"],
        ],
        "The other job has the same settings, a prefix of its own and no faults.",
      ),
      choice(
        "otherWriter",
        "The other job writes",
        "sink.delivery-guarantee",
        [
          ["", "as this one"],
          ["at_least_once", "at-least-once"],
        ],
        "Without transactions its records are held back all the same.",
        { shown: when("judge", "B") },
      ),
      count("maxAutoRestarts", "Restarts after failures", "restart-strategy.fixed-delay.attempts", "How often the job restarts by itself. A run has to end: without a number it tries 4. With restart strategy none there is no restart.", { empty: "without end" }),
    ],
  },
  {
    name: "Broker and committer",
    isMore: true,
    fields: only(inKafka, [
      duration("abortScanMs", "Abort scan", "transaction.abort.timed.out.transaction.cleanup.interval.ms", "The coordinator looks for transactions past their timeout this often; 10 s by default."),
      duration("idExpirationMs", "Ids expire after", "transactional.id.expiration.ms", "7 d by default. An id with an open transaction never expires."),
      duration("checkpointTimeoutMs", "Checkpoint timeout", "execution.checkpointing.timeout", "10 min by default."),
      text("broker", "Broker version", "kafka", "Written like 3.7.", { empty: "not known" }),
      count("committerRetries", "Retries of a commit", "sink.committer.retries", "10 by default. Each may block for max.block.ms; then the job fails over."),
      duration("maxBlockMs", "A call may block for", "max.block.ms", "60 s by default."),
      count("maxConcurrentCheckpoints", "Concurrent checkpoints", "execution.checkpointing.max-concurrent-checkpoints", "1 by default."),
      count("poolSize", "Pool of the legacy sink", "kafkaProducersPoolSize", "5 by default.", { shown: when("sink", "flinkKafkaProducer") }),
      count("idsInRotation", "Pooled ids in rotation", "TransactionNamingStrategy.POOLING", "2 for each subtask if each commit lands before the next barrier.", { shown: when("naming", "pooling") }),
    ]),
  },
  {
    name: "Facts for the rules",
    isMore: true,
    fields: [
      choice("checkpointing", "Checkpointing", "execution.checkpointing.interval", ON_OFF, "Without checkpoints nothing is committed. The run plays them all the same."),
      choice("bounded", "The input ends", "source", YES_NO, "A bounded job needs a checkpoint after its last record; without the final one the run ends at its last record."),
      choice("checkpointsAfterTasksFinish", "Final checkpoint", "execution.checkpointing.checkpoints-after-tasks-finish.enabled", ON_OFF, "On by default."),
      text("otherPrefixes", "Prefixes of other sinks", "sink.transactional-id-prefix", "Separated by commas.", { empty: "none" }),
      choice("sharedTopic", "Another sink writes to the topic", "topic", YES_NO, "LISTING looks at all transactions of the topic."),
      choice("prefixChanged", "Prefix or uid changed", "uid", YES_NO, "Since the last run."),
      choice("stateRestored", "Started from state", "execution.savepoint.path", YES_NO, "From a checkpoint or a savepoint."),
      choice(
        "previousNaming",
        "The state was written by",
        "TransactionNamingStrategy",
        [
          ["", "the same strategy, or there is none"],
          ["incrementing", "4.x with INCREMENTING"],
          ["pooling", "4.x with POOLING"],
          ["connector3", "a 3.x connector"],
        ],
        "Not every state can be restored with every strategy.",
      ),
      count("plannedParallelism", "Subtasks after the next restart", "sink.parallelism", "Where a rescale is planned.", { empty: "the same" }),
      choice("firstCheckpointDone", "A checkpoint was completed", "checkpoint", YES_NO, "State knows which ids there are."),
      choice(
        "restart",
        "Restart strategy",
        "restart-strategy.type",
        [
          ["exponentialDelay", "exponential-delay"],
          ["fixedDelay", "fixed-delay"],
          ["failureRate", "failure-rate"],
          ["none", "none"],
        ],
        "With none the run ends at the first failure of its own; a restore that is placed starts it again.",
      ),
      choice("canDescribeTopics", "READ on the topics", "kafka-acls", KNOWN, "POOLING lists the transactions of the topics."),
      choice("canWriteTransactionalId", "WRITE on the ids", "kafka-acls", KNOWN, "For the pattern prefix*."),
      choice("dynamicTopics", "Topics chosen by record", "KafkaRecordSerializationSchema", YES_NO, "POOLING needs to know the topics."),
      duration("savepointAgeMs", "Age of the state to restore", "savepoint", "Where an old savepoint is to be restored.", { empty: "none is planned" }),
      choice(
        "stop",
        "How the job is stopped",
        "flink stop",
        [
          ["", "not said"],
          ["stopWithSavepoint", "stop with savepoint"],
          ["cancelWithSavepoint", "savepoint, then cancel"],
        ],
        "Only stop with savepoint commits.",
      ),
      duration("otherTimeoutMs", "Timeout of another writer", "transaction.timeout.ms", "Of a transactional writer on one of its partitions.", { empty: "none" }),
    ],
  },
];

/** @type {EventField[]} */
export const FIELDS = GROUPS.flatMap(({ fields }) => fields);

/** The option that a finding applies, and the field that takes it. @type {Record<string, string>} */
export const FIELD_OF_OPTION = {
  "transaction.timeout.ms": "timeoutMs",
  "transaction.max.timeout.ms": "brokerMaxMs",
  "execution.checkpointing.interval": "intervalMs",
  "transactional.id.expiration.ms": "idExpirationMs",
  "sink.transaction-naming-strategy": "naming",
  "isolation.level": "isolation",
  "restart-strategy.type": "restart",
  "sink.delivery-guarantee": "guarantee",
  "execution.checkpointing.checkpoints-after-tasks-finish.enabled": "checkpointsAfterTasksFinish",
};

/** Values of options that a field spells in another way. @type {Record<string, string>} */
export const VALUE_OF_OPTION = { "exponential-delay": "exponentialDelay", "exactly-once": "exactlyOnce", true: "on", false: "off" };
