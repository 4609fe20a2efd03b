//! What goes back: a file with its type, or a short refusal.

use std::path::{Path, PathBuf};

use super::request::Request;

/// The bytes of the whole answer to `request` from the files below `folder`.
pub fn to(request: &Request, folder: &Path) -> Vec<u8> {
    match request {
        Request::Unreadable => refusal("400 Bad Request", "", true),
        Request::OtherMethod => refusal("405 Method Not Allowed", "Allow: GET, HEAD\r\n", true),
        Request::File { path, with_content } => match find(folder, path) {
            Some((file, content)) => {
                let head = format!("Content-Type: {}\r\n", content_type(&file));
                whole("200 OK", &head, &content, *with_content)
            }
            None => refusal("404 Not Found", "", *with_content),
        },
    }
}

/// Reads a file below `folder`; a link that leads out of it is not found.
fn find(folder: &Path, names: &[String]) -> Option<(PathBuf, Vec<u8>)> {
    let folder = folder.canonicalize().ok()?;
    let file = names.iter().fold(folder.clone(), |path, name| path.join(name));
    let file = file.canonicalize().ok()?;
    if !file.starts_with(&folder) || !file.is_file() {
        return None;
    }
    let content = std::fs::read(&file).ok()?;
    Some((file, content))
}

fn refusal(status: &str, head: &str, with_content: bool) -> Vec<u8> {
    let head = format!("{head}Content-Type: text/plain; charset=utf-8\r\n");
    whole(status, &head, format!("{status}\n").as_bytes(), with_content)
}

fn whole(status: &str, head: &str, content: &[u8], with_content: bool) -> Vec<u8> {
    let length = content.len();
    let mut answer = format!(
        "HTTP/1.1 {status}\r\n{head}Content-Length: {length}\r\nCache-Control: no-cache\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )
    .into_bytes();
    if with_content {
        answer.extend_from_slice(content);
    }
    answer
}

/// The media type by the extension of the name.
fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|it| it.to_str()).unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" | "ts" | "yaml" | "log" => "text/plain; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(request: &Request, folder: &Path) -> String {
        String::from_utf8_lossy(&to(request, folder)).into_owned()
    }

    fn file(path: &[&str], with_content: bool) -> Request {
        Request::File { path: path.iter().map(|&name| name.to_owned()).collect(), with_content }
    }

    #[test]
    fn wasm_and_modules_have_the_types_browsers_insist_on() {
        assert_eq!(content_type(Path::new("weir_bg.wasm")), "application/wasm");
        assert!(content_type(Path::new("weir.js")).starts_with("text/javascript"));
        assert_eq!(content_type(Path::new("LICENSE")), "application/octet-stream");
    }

    #[test]
    fn files_are_found_and_links_out_of_the_folder_are_not() {
        let folder = std::env::temp_dir().join(format!("weir-answer-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("in")).unwrap();
        std::fs::write(folder.join("in/a.js"), "1").unwrap();
        std::fs::write(folder.join("secret"), "2").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("../secret", folder.join("in/link.js")).unwrap();
        let inside = folder.join("in");
        assert!(text(&file(&["a.js"], true), &inside).ends_with("\r\n\r\n1"));
        let head = text(&file(&["a.js"], false), &inside);
        assert!(head.contains("Content-Length: 1\r\n") && head.ends_with("\r\n\r\n"));
        assert!(text(&file(&["link.js"], true), &inside).starts_with("HTTP/1.1 404"));
        assert!(text(&file(&[".."], true), &inside).starts_with("HTTP/1.1 404"));
        assert!(text(&Request::OtherMethod, &inside).contains("Allow: GET, HEAD\r\n"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
