//! A harness for @FORMAT@: it answers the questions of `journalspec run`, one JSON object per line.
//! Build it with `cargo build --release`, then:
//! journalspec run --impl target/release/harness --format @FORMAT@
use std::io::{self, BufRead, Write};

const HELLO: &str = r#""protocol":1,"impl":{"name":"my-@FORMAT@","version":"0"},"formats":{"@FORMAT@":@CLAIMS@}"#;

/// What the files in `dir` hold: integers as decimal strings, bytes as hex digits, as in
/// `"ok":{"verdict":"clean","records":[...]}`.
fn read(_dir: &str, _edition: &str) -> String {
    r#""unsupported":{"what":"read"}"#.to_string()
}

/// What recovery keeps under `policy`.
fn recover(_dir: &str, _edition: &str, _policy: &str) -> String {
    r#""unsupported":{"what":"recover"}"#.to_string()
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let answer = match text(&line, "cmd").as_str() {
            "bye" => return Ok(()),
            "read" => read(&text(&line, "dir"), &text(&line, "edition")),
            "recover" => recover(&text(&line, "dir"), &text(&line, "edition"), &text(&line, "policy")),
            _ => HELLO.to_string(),
        };
        writeln!(out, "{{\"seq\":{},{}}}", member(&line, "seq"), answer)?;
        out.flush()?; // the runner waits for the line
    }
    Ok(())
}

/// The text of a member of an object; its escapes are undone.
fn text(line: &str, name: &str) -> String {
    let value = member(line, name);
    let mut units: Vec<u16> = Vec::new();
    let mut chars = value.trim_matches('"').chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend(c.encode_utf16(&mut [0; 2]).iter());
            continue;
        }
        match chars.next() {
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                units.push(u16::from_str_radix(&digits, 16).unwrap_or(0xfffd));
            }
            Some('b') => units.push(8),
            Some('f') => units.push(12),
            Some('n') => units.push(10),
            Some('r') => units.push(13),
            Some('t') => units.push(9),
            Some(other) => units.push(other as u16),
            None => {}
        }
    }
    String::from_utf16_lossy(&units)
}

/// The JSON of a member of an object, empty if it has none of this name.
fn member<'a>(line: &'a str, name: &str) -> &'a str {
    let bytes = line.as_bytes();
    let (mut depth, mut from, mut at) = (0, 0, 0);
    let mut key = "";
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let start = at + 1;
                at = start;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                if depth == 1 && key.is_empty() {
                    key = &line[start..at];
                }
            }
            b':' if depth == 1 => from = at + 1,
            b'{' | b'[' => depth += 1,
            b',' | b'}' | b']' => {
                if depth == 1 {
                    if key == name {
                        return line[from..at].trim();
                    }
                    key = "";
                }
                if bytes[at] != b',' {
                    depth -= 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    ""
}
