//! Reading the little of a request that matters: method and path.

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    /// A file, by the names of the folders down to it; without content for HEAD.
    File { path: Vec<String>, with_content: bool },
    /// Another method than GET and HEAD.
    OtherMethod,
    /// Nothing that HTTP allows, or a path that would leave the folder.
    Unreadable,
}

/// Whether the head has ended.
pub fn is_complete(head: &[u8]) -> bool {
    head.windows(4).any(|it| it == b"\r\n\r\n") || head.windows(2).any(|it| it == b"\n\n")
}

/// Reads the head of a request.
pub fn read(head: &[u8]) -> Request {
    let end = head.iter().position(|byte| *byte == b'\n');
    let Some(line) = end.and_then(|end| std::str::from_utf8(&head[..end]).ok()) else {
        return Request::Unreadable;
    };
    let words: Vec<&str> = line.trim_end_matches('\r').split(' ').collect();
    let [method, target, version] = words[..] else { return Request::Unreadable };
    if !version.starts_with("HTTP/1.") {
        return Request::Unreadable;
    }
    let with_content = match method {
        "GET" => true,
        "HEAD" => false,
        _ => return Request::OtherMethod,
    };
    match path(target) {
        Some(path) => Request::File { path, with_content },
        None => Request::Unreadable,
    }
}

/// The names in a target such as `/elements/a%20b.js?x=1`; none of them leads upwards.
fn path(target: &str) -> Option<Vec<String>> {
    let target = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let mut names = Vec::new();
    for name in target.split('/').filter(|name| !name.is_empty() && *name != ".") {
        let name = percent_decoded(name)?;
        let leads_elsewhere =
            name == ".." || name.contains(['/', '\\', '\0', ':']) || name.starts_with('.');
        if leads_elsewhere {
            return None;
        }
        names.push(name);
    }
    if target.is_empty() || target.ends_with('/') {
        names.push("index.html".to_owned());
    }
    Some(names)
}

fn percent_decoded(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let value = digit(rest.next())? * 16 + digit(rest.next())?;
        bytes.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, want: Option<&[&str]>) {
        let got = read(format!("{line}\r\nHost: x\r\n\r\n").as_bytes());
        let want = want.map_or(Request::Unreadable, |path| Request::File {
            path: path.iter().map(|&name| name.to_owned()).collect(),
            with_content: true,
        });
        assert_eq!(got, want);
    }

    #[test]
    fn paths_are_read() {
        check("GET / HTTP/1.1", Some(&["index.html"]));
        check("GET /weir.js?x=/../y HTTP/1.0", Some(&["weir.js"]));
        check("GET //elements/./a%20b.js HTTP/1.1", Some(&["elements", "a b.js"]));
        check("GET /help/ HTTP/1.1", Some(&["help", "index.html"]));
    }

    #[test]
    fn no_path_leaves_the_folder() {
        for target in [
            "/../Cargo.toml",
            "/%2e%2e/Cargo.toml",
            "/a/..%2f..%2fb",
            "/a%5c..%5cb",
            "/a%00",
            "/C:/x",
            "/.git/config",
            "relative",
            "/%zz",
            "/%2",
            "/%ff%fe",
            "http://elsewhere/",
        ] {
            check(&format!("GET {target} HTTP/1.1"), None);
        }
    }

    #[test]
    fn garbage_is_unreadable_and_other_methods_are_named() {
        for head in [&b""[..], b"\n", b"GET\n", b"GET / HTTP/2\r\n\r\n", b"\xff\xfe / HTTP/1.1\n"] {
            assert_eq!(read(head), Request::Unreadable);
        }
        assert_eq!(read(b"POST / HTTP/1.1\r\n\r\n"), Request::OtherMethod);
    }

    #[test]
    fn a_head_ends_with_an_empty_line() {
        assert!(is_complete(b"GET / HTTP/1.1\r\n\r\n"));
        assert!(!is_complete(b"GET / HTTP/1.1\r\n"));
    }
}
