// @ts-check
/**
 * The settings that result, as texts for Flink, the sink, the broker and the reader. Pure text.
 * @import { ExactlyScenario } from "./codec.js"
 * @import { Written } from "./params.js"
 */

import { connectorOf, hasTransactions, isKafka } from "./params.js";

/**
 * @param {ExactlyScenario} scenario
 * @param {Written} written
 * @returns {{ name: string, text: string }[]}
 */
export function configTexts(scenario, written) {
  const { flink, settings } = scenario;
  const { ms, count } = written;
  const connector = connectorOf(scenario);
  const file = flink === "1.18" ? "flink-conf.yaml" : "config.yaml";
  /** @param {(string | null)[]} rows */
  const lines = (rows) => rows.filter((row) => row !== null).join("\n");
  /** @param {string} key @param {string} id */
  const flinkMs = (key, id) => (ms(id) === null ? null : `${key}: ${ms(id)} ms`);
  /** @param {string} key @param {string} id */
  const kafkaMs = (key, id) => (ms(id) === null ? null : `${key}=${ms(id)}`);
  const interval = settings.checkpointing === "on" ? flinkMs("execution.checkpointing.interval", "intervalMs") : null;
  const isTransactional = settings.guarantee === "exactlyOnce" && hasTransactions(settings);
  const guarantee = { exactlyOnce: "exactly-once", atLeastOnce: "at-least-once", none: "none" }[settings.guarantee];
  const sql = [
    "'connector' = 'kafka'",
    guarantee ? `'sink.delivery-guarantee' = '${guarantee}'` : null,
    isTransactional && settings.prefix.trim() !== "" ? `'sink.transactional-id-prefix' = '${settings.prefix.trim().replaceAll("'", "''")}'` : null,
    isTransactional && connector >= "4.0" ? `'sink.transaction-naming-strategy' = '${settings.naming.toUpperCase()}'` : null,
    ms("timeoutMs") === null ? null : `'properties.transaction.timeout.ms' = '${ms("timeoutMs")}'`,
    ms("maxBlockMs") === null ? null : `'properties.max.block.ms' = '${ms("maxBlockMs")}'`,
  ];
  const restart = { exponentialDelay: "exponential-delay", fixedDelay: "fixed-delay", failureRate: "failure-rate", none: "none" }[settings.restart];
  const kafka = [
    { name: `Sink, flink-connector-kafka ${connector}, as SQL options`, text: `WITH (\n  ${sql.filter((row) => row !== null).join(",\n  ")}\n)` },
    {
      name: "Kafka broker, server.properties",
      text: lines([
        kafkaMs("transaction.max.timeout.ms", "brokerMaxMs") ?? "# transaction.max.timeout.ms is not known",
        kafkaMs("transaction.abort.timed.out.transaction.cleanup.interval.ms", "abortScanMs"),
        kafkaMs("transactional.id.expiration.ms", "idExpirationMs"),
        // A feature level of the cluster, which kafka-features.sh sets, not a property.
        settings.transactionVersion === "tv2" ? "# kafka-features.sh upgrade --feature transaction.version=2" : "# transaction.version is 0 or 1 (kafka-features.sh describe)",
      ]),
    },
    { name: "Reader, consumer properties", text: settings.isolation === "" ? "# isolation.level is not set: read_uncommitted" : `isolation.level=${settings.isolation}` },
  ];
  return [
    {
      name: `Flink ${flink}, ${file}`,
      text: lines([
        interval,
        flinkMs("execution.checkpointing.timeout", "checkpointTimeoutMs"),
        `execution.checkpointing.tolerable-failed-checkpoints: ${count("failures")}`,
        `execution.checkpointing.max-concurrent-checkpoints: ${count("maxConcurrentCheckpoints")}`,
        `execution.checkpointing.checkpoints-after-tasks-finish.enabled: ${settings.checkpointsAfterTasksFinish === "on"}`,
        // Before 1.19 the key of the strategy was another one.
        `${flink === "1.18" ? "restart-strategy" : "restart-strategy.type"}: ${restart}`,
        settings.restart === "fixedDelay" ? flinkMs("restart-strategy.fixed-delay.delay", "restartDelayMs") : null,
        settings.restart === "fixedDelay" && count("maxAutoRestarts") !== null ? `restart-strategy.fixed-delay.attempts: ${count("maxAutoRestarts")}` : null,
        flinkMs("heartbeat.timeout", "detectionMs"),
        // Flink 1.18 has no such option.
        settings.sink === "kafkaSink" && flink !== "1.18" ? `sink.committer.retries: ${count("committerRetries")}` : null,
      ]),
    },
    ...(isKafka(settings) ? kafka : []),
  ];
}
