//! The questions about exactly-once delivery into Kafka, in a module of their own: it is fetched when
//! the Exactly-once tool is opened.
