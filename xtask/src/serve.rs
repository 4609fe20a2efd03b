//! A server for the built studio on this machine alone.
//!
//! It answers GET and HEAD for files below one folder and nothing else. What it is sent may be
//! anything: the size of a request, the time it takes and the number served at once are bounded.

mod answer;
mod request;

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::{build, project, setup};

const PORT: u16 = 8080;
/// The longest head of a request that is read [bytes].
const HEAD_MAX: usize = 16 * 1024;
/// Requests answered at the same time; more are turned away.
const REQUESTS_MAX: usize = 128;
const PATIENCE: Duration = Duration::from_secs(10);

/// Sets up, builds and serves until it is stopped.
pub fn run(rest: &[&str]) -> Result<()> {
    let options = Options::read(rest)?;
    // A taken port is said before the build, not after.
    let listener = listen(options.port)?;
    let kit = setup::ensure(setup::BUILD)?;
    build::studio(&kit)?;
    let address = format!("http://127.0.0.1:{}/", listener.local_addr()?.port());
    println!("Weir is at {address} (stop it with Ctrl-C)");
    if options.open {
        open(&address);
    }
    answer_all(&listener, &project::dist())
}

/// Serves `folder` on a free port from a thread of its own, and returns the address.
pub fn in_background(folder: PathBuf) -> Result<String> {
    let listener = listen(0)?;
    let address = format!("http://127.0.0.1:{}/", listener.local_addr()?.port());
    std::thread::spawn(move || answer_all(&listener, &folder));
    Ok(address)
}

#[derive(Debug, PartialEq, Eq)]
struct Options {
    port: u16,
    open: bool,
}

impl Options {
    fn read(rest: &[&str]) -> Result<Self> {
        let mut options = Self { port: PORT, open: false };
        let mut rest = rest.iter();
        while let Some(argument) = rest.next() {
            match *argument {
                "--open" => options.open = true,
                "--port" => {
                    let value = rest.next().context("--port needs a number")?;
                    options.port = value
                        .parse()
                        .with_context(|| format!("`{value}` is not a port; it is 0 to 65535"))?;
                }
                other => bail!("`serve` does not know `{other}`; it takes --port N and --open"),
            }
        }
        Ok(options)
    }
}

fn listen(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => {
            anyhow::anyhow!("port {port} is taken by another program; choose one with --port N")
        }
        ErrorKind::PermissionDenied => {
            anyhow::anyhow!("port {port} is not allowed to this user; choose one above 1023")
        }
        _ => anyhow::anyhow!("cannot listen on port {port}: {error}"),
    })
}

fn answer_all(listener: &TcpListener, folder: &Path) -> Result<()> {
    let folder: Arc<Path> = folder.into();
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        // A connection that is gone before it is accepted is nobody's concern.
        let Ok(stream) = stream else {
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        if open.load(Ordering::SeqCst) >= REQUESTS_MAX {
            continue;
        }
        open.fetch_add(1, Ordering::SeqCst);
        let place = Place(Arc::clone(&open));
        let folder = Arc::clone(&folder);
        // Where no thread can be had, the closure is dropped, and the place with it.
        let _ = std::thread::Builder::new().spawn(move || {
            let _place = place;
            let _ = serve_one(stream, &folder);
        });
    }
    Ok(())
}

/// Counts a request as over when it is dropped.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn serve_one(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = read_head(&mut stream)?;
    stream.write_all(&answer::to(&request::read(&head), folder))?;
    stream.shutdown(std::net::Shutdown::Write)?;
    // Unread input would make the system reset the connection before the answer is read.
    let mut rest = [0; 1024];
    let mut budget = 64;
    while budget > 0 && stream.read(&mut rest).is_ok_and(|count| count > 0) {
        budget -= 1;
    }
    Ok(())
}

fn read_head(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut piece = [0; 2048];
    let deadline = std::time::Instant::now() + PATIENCE;
    while head.len() < HEAD_MAX && !request::is_complete(&head) {
        let count = stream.read(&mut piece)?;
        if count == 0 || std::time::Instant::now() > deadline {
            break;
        }
        head.extend_from_slice(&piece[..count]);
    }
    Ok(head)
}

/// Opens the default browser; where that fails the printed address is enough.
fn open(address: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(opener);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        println!("No program to open a browser was found (`{opener}`); open the address by hand.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_mistakes_named() {
        let read = |words: &[&str]| Options::read(words);
        assert_eq!(read(&[]).unwrap(), Options { port: 8080, open: false });
        assert_eq!(read(&["--port", "9", "--open"]).unwrap(), Options { port: 9, open: true });
        assert!(read(&["--port", "66000"]).unwrap_err().to_string().contains("66000"));
        assert!(read(&["--prot"]).is_err());
    }

    #[test]
    fn a_taken_port_is_a_sentence() {
        let taken = listen(0).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = listen(port).unwrap_err().to_string();
        assert!(error.contains("is taken by another program"), "{error}");
    }

    #[test]
    fn garbage_gets_an_answer_and_the_next_request_too() {
        let folder = std::env::temp_dir().join(format!("weir-serve-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("index.html"), "<p>hello").unwrap();
        let address = in_background(folder.clone()).unwrap();
        let host = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let ask = |bytes: &[u8]| {
            let mut stream = TcpStream::connect(&host).unwrap();
            let _ = stream.write_all(bytes);
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            String::from_utf8_lossy(&answer).into_owned()
        };
        assert!(ask(&[0xff, 0, 13, 10, 13, 10]).starts_with("HTTP/1.1 400"));
        assert!(ask(b"").starts_with("HTTP/1.1 400"));
        assert!(ask(&[b'a'; 60_000]).starts_with("HTTP/1.1 400"));
        assert!(ask(b"GET / HTTP/1.1\r\n\r\n").ends_with("\r\n\r\n<p>hello"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
