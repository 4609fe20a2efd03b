//! Chromium and the driver that tests steer it with.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::apt;
use crate::process;

const BROWSERS: [&str; 4] = ["chromium", "google-chrome", "google-chrome-stable", "chrome"];

/// A browser and its driver.
#[derive(Debug, Clone)]
pub struct Browser {
    /// Chromium or Chrome.
    pub program: PathBuf,
    /// The chromedriver of the same version.
    pub driver: PathBuf,
}

/// Finds both, from Debian's packages where the machine has none.
pub fn ensure() -> Result<Browser> {
    let packages = match (browser(), driver()) {
        (Some(program), Some(driver)) => return Ok(Browser { program, driver }),
        (Some(_), None) => vec!["chromium-driver"],
        // The font is what the studio's text is measured with in screenshots.
        (None, _) => vec!["chromium", "chromium-driver", "fonts-dejavu-core"],
    };
    apt::ensure(&packages, "The tests in a browser need Chromium and chromedriver")?;
    Ok(Browser {
        program: browser().context("Chromium was installed but is not on PATH; set CHROME")?,
        driver: driver()
            .context("chromedriver was installed but is not on PATH; set CHROMEDRIVER")?,
    })
}

fn browser() -> Option<PathBuf> {
    named_by("CHROME").or_else(|| BROWSERS.iter().find_map(|name| process::find(name)))
}

fn driver() -> Option<PathBuf> {
    named_by("CHROMEDRIVER").or_else(|| process::find("chromedriver"))
}

/// The program an environment variable names, by path or by name.
fn named_by(variable: &str) -> Option<PathBuf> {
    let value = PathBuf::from(std::env::var_os(variable)?);
    if process::is_program(&value) { Some(value) } else { process::find(value.to_str()?) }
}
