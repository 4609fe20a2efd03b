//! What is this pasted text, and what does a Flink of this version make of it?
//!
//! Recognised are `flink-conf.yaml`, `config.yaml` and `-D key=value` properties. The version
//! decides between the two files: 1.18 reads the first only, 2.2 the second only; 1.20 reads
//! either, so there a text with nesting, quotes or lists counts as `config.yaml`. A file name
//! decides over all that. Values of sensitive keys are replaced on the way in and kept nowhere.
//!
//! Source: `GlobalConfiguration` and `DynamicPropertiesUtil` of Flink 1.18.1, 1.20.5 and 2.2.1.

pub(crate) mod dynamic;
pub(crate) mod notes;
pub(crate) mod recognise;

use serde::{Deserialize, Serialize};

use crate::config::error::ConfigError;
use crate::config::files::Format;
use crate::config::report::{ConfigEntry, Reading, SkippedLine};
use crate::config::sensitive::{HIDDEN_CONTENT, is_sensitive};
use crate::finding::{Derivation, Finding};
use crate::units::FlinkVersion;

/// Params of `readPaste`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PasteParams {
    /// Whose rules to read by.
    pub version: FlinkVersion,
    /// Anything from the clipboard.
    pub text: String,
    /// A file name, when the text came from a file or the reader chose a format.
    pub file_name: Option<String>,
}

/// A configuration that was pasted; what is answered about any text is `reading::PasteReport`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastedConfig {
    /// What the text is.
    pub kind: ConfigKind,
    /// One sentence: what it was recognised as, and why.
    pub recognised: String,
    /// Keys and values in the order of the text, each key once.
    pub entries: Vec<PastedEntry>,
    /// Lines that Flink drops, with the reason; the first
    /// [`MAX_SKIPPED_LINES`](crate::config::report::MAX_SKIPPED_LINES) of them.
    pub skipped: Vec<SkippedLine>,
}

/// The forms a configuration is pasted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigKind {
    /// `flink-conf.yaml`, read by the line parser.
    FlinkConf,
    /// `config.yaml`, read as YAML.
    ConfigYaml,
    /// `-D key=value` of a command line or a start-up log.
    DynamicProperties,
}

/// A pasted key with what the version makes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PastedEntry {
    /// The full key.
    pub key: String,
    /// The value, or `******` for a sensitive key.
    pub value: String,
    /// Line of the value, from 1.
    pub line: usize,
    /// What the key is to this version.
    pub status: EntryStatus,
    /// Why.
    pub note: Option<String>,
}

/// What a pasted key is to a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum EntryStatus {
    /// The memory tool reads it.
    Used,
    /// A Flink option of another subject.
    Other,
    /// No key of this version's own options.
    Unknown,
}

/// Reads a pasted text as a Flink of that version would.
pub fn read_paste(params: &PasteParams) -> Result<Derivation<PastedConfig>, ConfigError> {
    let PasteParams { version, text, file_name } = params;
    let recognised = recognise::recognise(*version, text, file_name.as_deref())?;
    let reading = match recognised.kind {
        ConfigKind::FlinkConf => Format::FlinkConf.read(text)?,
        ConfigKind::ConfigYaml => Format::ConfigYaml.read(text)?,
        ConfigKind::DynamicProperties => dynamic::parse(text)?,
    };
    if reading.entries.is_empty() {
        return Err(ConfigError::NoKey);
    }
    let Reading { entries, skipped, skipped_more, notices } = reading;
    let entries: Vec<ConfigEntry> = entries.into_iter().map(hide).collect();
    let mut findings: Vec<Finding> = recognised.finding.into_iter().collect();
    findings.extend(notes::about_reading(*version, recognised.kind, &notices, skipped_more));
    let (entries, about_keys) = notes::classify(*version, entries);
    findings.extend(about_keys);
    let (kind, recognised) = (recognised.kind, recognised.sentence);
    Ok(Derivation { value: PastedConfig { kind, recognised, entries, skipped }, findings })
}

/// The entry without its secret.
pub(crate) fn hide(mut entry: ConfigEntry) -> ConfigEntry {
    if is_sensitive(&entry.key) {
        entry.value = HIDDEN_CONTENT.to_owned();
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(version: FlinkVersion, file_name: Option<&str>, text: &str, want: &str) {
        let file_name = file_name.map(str::to_owned);
        let got = match read_paste(&PasteParams { version, text: text.to_owned(), file_name }) {
            Ok(got) => {
                let mut lines = vec![got.value.recognised];
                lines.extend(got.value.entries.iter().map(|e| {
                    let note = e.note.as_deref().map_or(String::new(), |n| format!(" ({n})"));
                    format!("{}={} {:?}{note}", e.key, e.value, e.status)
                }));
                lines.extend(got.value.skipped.iter().map(|s| format!("!{} {}", s.line, s.reason)));
                lines.extend(got.findings.iter().map(|f| format!("{:?} {}", f.severity, f.title)));
                lines.join("\n")
            }
            Err(error) => format!("{}: {error}", error.code()),
        };
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn the_version_decides_between_the_two_files() {
        let text = "taskmanager.memory.process.size: 4g\n";
        check(
            FlinkVersion::V1_18,
            None,
            text,
            "Read as flink-conf.yaml, the only configuration file of Flink 1.18.\n\
             taskmanager.memory.process.size=4g Used",
        );
        check(
            FlinkVersion::V1_20,
            None,
            text,
            "Read as flink-conf.yaml: it is flat, and Flink 1.20 still prefers that file.\n\
             taskmanager.memory.process.size=4g Used",
        );
        check(
            FlinkVersion::V1_20,
            None,
            "taskmanager:\n  numberOfTaskSlots: 4\n",
            "Read as config.yaml, because line 2 is nested.\n\
             taskmanager.numberOfTaskSlots=4 Used",
        );
        check(
            FlinkVersion::V2_2,
            Some("conf/flink-conf.yaml"),
            text,
            "Read as flink-conf.yaml, because that is its name.\n\
             taskmanager.memory.process.size=4g Used\n\
             Error Flink 2.2 does not read flink-conf.yaml",
        );
    }

    #[test]
    fn a_key_says_what_becomes_of_it() {
        check(
            FlinkVersion::V2_2,
            None,
            "taskmanager.heap.size: 1g\n\
             taskmanager.memory.size: 1g\n\
             taskmanager.memory.proces.size: 1g\n\
             rest.port: 8081\n\
             my.connector.key: 1\n\
             fs.s3a.secret.key: abc\n",
            "Read as config.yaml, the only configuration file of Flink 2.2.\n\
             taskmanager.heap.size=1g Unknown (not a key of Flink 2.2; it was removed after 1.20)\n\
             taskmanager.memory.size=1g Used (the old name of taskmanager.memory.managed.size, still read)\n\
             taskmanager.memory.proces.size=1g Unknown (not a key of Flink 2.2; did you mean taskmanager.memory.process.size?)\n\
             rest.port=8081 Other\n\
             my.connector.key=1 Unknown (not a key of Flink 2.2's own options; connectors and plugins may read it)\n\
             fs.s3a.secret.key=****** Other (one of the keys fs.*, which Flink passes on)\n\
             Warning taskmanager.heap.size has no effect in Flink 2.2\n\
             Note taskmanager.memory.size is called taskmanager.memory.managed.size now\n\
             Warning taskmanager.memory.proces.size has no effect in Flink 2.2",
        );
    }

    #[test]
    fn the_backend_is_used_since_findings_follow_from_it() {
        check(
            FlinkVersion::V1_20,
            None,
            "state.backend.type: rocksdb\n\
             state.backend.rocksdb.memory.managed: false\n\
             state.backend.rocksdb.localdir: /tmp\n\
             parallelism.default: 4\n",
            "Read as flink-conf.yaml: it is flat, and Flink 1.20 still prefers that file.\n\
             state.backend.type=rocksdb Used\n\
             state.backend.rocksdb.memory.managed=false Used\n\
             state.backend.rocksdb.localdir=/tmp Other\n\
             parallelism.default=4 Other",
        );
    }

    #[test]
    fn what_the_line_parser_loses_is_said() {
        check(
            FlinkVersion::V1_18,
            None,
            "state.checkpoints.dir: s3://b#c\n\
             parallelism.default: 1\n\
             parallelism.default: '2'\n\
             taskmanager:\n  numberOfTaskSlots: 4\n\
             rest.port:8081\n",
            "Read as flink-conf.yaml, the only configuration file of Flink 1.18.\n\
             state.checkpoints.dir=s3://b Other\n\
             parallelism.default='2' Other\n\
             numberOfTaskSlots=4 Unknown (not a key of Flink 1.18's own options; connectors and plugins may read it)\n\
             !4 there is no value on this line, and the line parser sees no nesting\n\
             !6 the colon has no blank after it\n\
             Warning Text after # is lost on line 1\n\
             Warning The quotes on line 3 stay part of the value\n\
             Warning parallelism.default stands twice, on lines 2 and 3\n\
             Warning The nesting of line 5 is lost",
        );
    }

    #[test]
    fn dynamic_properties_are_read_from_commands_and_logs() {
        check(
            FlinkVersion::V1_20,
            None,
            "./bin/flink run -D taskmanager.memory.process.size=2g \\\n \
             -Denv.java.opts.all=\"-XX:+UseG1GC -Dx=y\" -Drest.port='8081' app.jar",
            "Read as -D properties, as on a command line or in a start-up log.\n\
             taskmanager.memory.process.size=2g Used\n\
             env.java.opts.all=-XX:+UseG1GC -Dx=y Other\n\
             rest.port=8081 Other",
        );
        check(
            FlinkVersion::V2_2,
            None,
            "2026-01-02 03:04:05,678 INFO  org.apache.flink.runtime.Main [] -     -D\n\
             2026-01-02 03:04:05,678 INFO  org.apache.flink.runtime.Main [] -     \
             taskmanager.memory.network.min=134217730b\n",
            "Read as -D properties, as on a command line or in a start-up log.\n\
             taskmanager.memory.network.min=134217730b Used",
        );
    }

    #[test]
    fn other_things_are_refused_by_name() {
        let v = FlinkVersion::V1_20;
        let check = |text: &str, what: &str| {
            let sentence = "Weir reads config files, -D properties, JVM argument lines, start-up logs, exceptions and kill lines here.";
            let want = format!("paste_not_a_config: This looks like {what}; {sentence}");
            check(v, None, text, &want);
        };
        check("-Xmx536870902 -Xms536870902 -XX:MaxMetaspaceSize=268435456", "a JVM argument line");
        check("java -Xmx1g -Dlog.file=/x org.example.Main", "a JVM argument line");
        check("{\"taskmanager\": 1}", "JSON");
        check("a,b,c\n1,2,3\n", "CSV");
        for thrown in [
            "java.lang.OutOfMemoryError: Metaspace\n\tat a.b.C.d(C.java:1)",
            "java.lang.IllegalArgumentException: The shared cache is gone",
            "\norg.apache.flink.runtime.memory.MemoryAllocationException: Could not allocate 512 pages",
            "IllegalStateException: one\nCaused by: a.b.SomeException: two\n",
        ] {
            check(thrown, "a Java exception that is not known here");
        }
        check(
            "Memory cgroup out of memory: Killed process 1 (java)",
            "a message about a killed process",
        );
        check("<configuration></configuration>", "XML or HTML");
        check("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: b\n", "a Kubernetes manifest");
        check("parallelism.default=3\nrest.port=1\n", "a properties file");
    }

    #[test]
    fn a_text_without_a_key_is_refused() {
        let garbage = "0123 -D%;( :-D{x} \u{1}[: -Dab.c)~=1 ".repeat(30_000);
        for text in ["", "  \n", "hello world", "# a: b\n", "a.b:1\n", &garbage] {
            for version in FlinkVersion::ALL {
                let params = PasteParams { version, text: text.to_owned(), file_name: None };
                let error = read_paste(&params).unwrap_err();
                assert_eq!(error.code(), "paste_without_key", "{text:?} in {version}");
            }
        }
    }
}
