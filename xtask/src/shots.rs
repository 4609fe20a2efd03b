//! `cargo xtask shots`: the studio as a reader sees it, into the ignored folder `shots/`.

use anyhow::{Context, Result, bail};

use crate::setup::{self, Need, node};
use crate::{build, process, project, serve};

/// Builds the studio and takes the pictures, all or those of some presets.
pub fn run(rest: &[&str]) -> Result<()> {
    let presets = presets(rest)?;
    let kit = setup::ensure(&[setup::BUILD, &[Need::Browser]].concat())?;
    build::studio(&kit)?;
    let folder = project::root().join("shots");
    std::fs::create_dir_all(&folder).context("cannot create shots/")?;
    let address = serve::in_background(project::dist())?;
    let mut script = node(project::root().join("xtask/scripts/shots.mjs"));
    script.arg(folder).args(presets);
    process::run(script.env("WEIR_URL", address).env("CHROME", &kit.browser()?.program))
}

fn presets(rest: &[&str]) -> Result<Option<String>> {
    match rest {
        [] => Ok(None),
        ["--presets", list] => Ok(Some((*list).to_owned())),
        _ => bail!("`shots` takes nothing, or --presets with ids separated by commas"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_may_be_chosen() {
        assert_eq!(presets(&[]).unwrap(), None);
        assert_eq!(presets(&["--presets", "stock,tiny"]).unwrap().as_deref(), Some("stock,tiny"));
        assert!(presets(&["stock"]).is_err());
    }
}
