// Prints every field that the generated Rust parsers find in the files named on standard input.
// The form of a line is told in test_parsers.py; `parse` is in a file that the test writes. Rust cannot list the
// fields of a structure, so what `{:?}` prints of it is read again.
include!("parsers.rs");

use std::io::BufRead;

enum Value {
    Number(i128),
    Text(String),
}

impl Value {
    fn text(self) -> String {
        match self {
            Value::Number(0) => String::new(),
            Value::Number(number) => number.to_string(),
            Value::Text(text) => text,
        }
    }
}

struct Printed<'a> {
    text: &'a [u8],
    at: usize,
    instances: Vec<&'a str>,
}

/// Returns a text without the escapes that `{:?}` gave it.
fn unescaped(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text.chars());
    while let Some(sign) = rest.next() {
        out.push(if sign != '\\' {
            sign
        } else {
            match rest.next().unwrap() {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                'u' => {
                    let hex: String = rest.by_ref().skip(1).take_while(|sign| *sign != '}').collect();
                    char::from_u32(u32::from_str_radix(&hex, 16).unwrap()).unwrap()
                }
                itself => itself,
            }
        });
    }
    out
}

impl<'a> Printed<'a> {
    fn next(&self) -> u8 {
        *self.text.get(self.at).unwrap_or(&0)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = self.text[self.at..].starts_with(sign.as_bytes());
        if found {
            self.at += sign.len();
        }
        found
    }

    fn word(&mut self) -> &'a str {
        let from = self.at;
        while self.next().is_ascii_alphanumeric() || b"_-.".contains(&self.next()) {
            self.at += 1;
        }
        std::str::from_utf8(&self.text[from..self.at]).unwrap()
    }

    fn string(&mut self) -> Value {
        let from = self.at;
        while self.next() != b'"' {
            self.at += if self.next() == b'\\' { 2 } else { 1 };
        }
        let inside = std::str::from_utf8(&self.text[from..self.at]).unwrap();
        self.at += 1;
        Value::Text(raw(unescaped(inside).as_bytes()))
    }

    fn list(&mut self) -> Value {
        let (mut numbers, mut texts) = (Vec::new(), Vec::new());
        while !self.takes("]") {
            match self.value() {
                Value::Number(number) => numbers.push(number),
                Value::Text(text) => texts.push(text),
            }
            self.takes(", ");
        }
        // What is printed does not say whether numbers are bytes.
        let octets: Vec<u8> = numbers.iter().flat_map(|number| u8::try_from(*number)).collect();
        let others = numbers.into_iter().map(|number| Value::Number(number).text());
        let octets_only = octets.len() == others.len();
        texts.extend(others.filter(|_| !octets_only));
        Value::Text(if texts.is_empty() { raw(&octets) } else { format!("[{}]", texts.join(",")) })
    }

    fn value(&mut self) -> Value {
        if self.takes("[") {
            return self.list();
        }
        if self.takes("\"") {
            return self.string();
        }
        let word = self.word();
        if self.takes("(") {
            let inner = self.value();
            assert!(self.takes(")"));
            return inner;
        }
        if self.takes(" { ") {
            return self.structure(matches!(word, "RefCell" | "Cell"));
        }
        if let Ok(number) = word.parse() {
            return Value::Number(number);
        }
        if let Ok(number) = word.parse::<f64>() {
            let whole = number.trunc() as i128;
            return if number.fract() == 0.0 { Value::Number(whole) } else { Value::Text(format!("~{whole}")) };
        }
        Value::Text(match word { "None" | "false" => "", "true" => "1", _ => word }.to_string())
    }

    fn structure(&mut self, is_cell: bool) -> Value {
        let mut parts = Vec::new();
        while !self.takes(" }") {
            let name = self.word();
            assert!(self.takes(": "));
            let value = self.value();
            if is_cell {
                assert!(self.takes(" }"));
                return value;
            }
            self.takes(", ");
            let (text, plain) = (value.text(), name.replace('_', ""));
            let own = name.starts_with('_') || name.starts_with("f_") || name.ends_with("_raw");
            if !text.is_empty() && !own && !self.instances.contains(&plain.as_str()) {
                parts.push(format!("{plain}={text}"));
            }
        }
        parts.sort();
        Value::Text(format!("{{{}}}", parts.join(" ")))
    }
}

fn raw(data: &[u8]) -> String {
    let hex = |part: &[u8]| part.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match data.len() {
        0 => String::new(),
        size if size <= 64 => format!("x{}", hex(data)),
        size => format!("x{size}:{}:{}", hex(&data[..16]), hex(&data[size - 16..])),
    }
}

/// A type within a schema has an empty root `R` above it.
fn read<T: KStruct<Root = R> + std::fmt::Debug + 'static, R: 'static>(
    data: Vec<u8>,
    init: &dyn Fn(&mut T) -> KResult<()>,
) -> KResult<String>
where
    R: Default,
{
    let (root, way): (OptRc<R>, SharedType<R>) = (std::rc::Rc::new(R::default()).into(), SharedType::default());
    way.set(Ok(root.clone()));
    let given = if std::any::TypeId::of::<T>() == std::any::TypeId::of::<R>() { None } else { Some(way) };
    let tree = T::read_into_with_init::<_, T>(&BytesReader::from(data), given, None, init)?;
    Ok(format!("{:?}", *tree))
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let parts: Vec<&str> = line.split('\t').collect();
        match parse(&format!("{} {}", parts[2], parts[3]), std::fs::read(parts[0]).unwrap()) {
            Ok(text) => {
                let instances = parts[4].split(',').collect();
                println!("{}", Printed { text: text.as_bytes(), at: 0, instances }.value().text());
            }
            Err(error) => println!("error {error:?}"),
        }
    }
}
