//! Why a whole stream was refused: by its source, by the window operator, or by what is measured.
//!
//! Source: none of Flink's; the refusals are those of the parts, with the path into these params.

use crate::event_time::run::RunError;
use crate::finding::Problem;
use crate::stream::StreamError;

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WholeError {
    /// The generator's.
    #[error(transparent)]
    Generator(StreamError),
    /// The reader's.
    #[error(transparent)]
    Reader(StreamError),
    /// What the choice of a bound is asked.
    #[error(transparent)]
    Disorder(StreamError),
    /// The operator's.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Bytes for a stream that reads none.
    #[error("This stream is not read from a file, or the file is read already.")]
    NoFile,
    /// A run before the end of the file.
    #[error("The file is not read to its end yet.")]
    Unread,
}

impl From<WholeError> for Problem {
    fn from(error: WholeError) -> Self {
        let code = match &error {
            WholeError::NoFile => "no_file",
            _ => "unread",
        };
        match error {
            WholeError::Generator(error) => below("source.generator", error.into()),
            WholeError::Reader(error) => below("source.reader", error.into()),
            WholeError::Disorder(error) => of_job(error.into()),
            WholeError::Run(error) => error.into(),
            WholeError::NoFile | WholeError::Unread => Self {
                code: code.to_owned(),
                message: error.to_string(),
                field: Some("source".to_owned()),
                option: None,
            },
        }
    }
}

/// What is measured is told by the settings of the job.
fn of_job(problem: Problem) -> Problem {
    const NAMES: [(&str, &str); 5] = [
        ("boundMs", "watermarks.rule.outOfOrderness"),
        ("allowedLatenessMs", "windows.allowedLateness"),
        ("window.gapMs", "windows.assigner.gap"),
        ("window.sizeMs", "windows.assigner.size"),
        ("window.slideMs", "windows.assigner.slide"),
    ];
    let own = problem.field.as_deref().unwrap_or_default();
    let Some((own, field)) = NAMES.into_iter().find(|(name, _)| *name == own) else {
        return problem;
    };
    let message = problem.message.replacen(own, field, 1);
    Problem { field: Some(field.to_owned()), message, ..problem }
}

fn below(path: &str, problem: Problem) -> Problem {
    Problem { field: problem.field.map(|field| format!("{path}.{field}")), ..problem }
}
