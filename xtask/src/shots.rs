pub fn run(_: &[&str]) -> anyhow::Result<()> {
    Ok(())
}
