//! Kaitai Struct's Rust runtime as far as generated parsers use it.
//!
//! That runtime is in no package registry. This one behaves as it does where a parser can notice: the stream that a
//! structure keeps is a clone, made when its reading starts, so its position stays there; clones share their bytes;
//! a parent or root is held weakly, and what is not there is an error.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::{Rc, Weak};

pub type KResult<T> = Result<T, KError>;

#[derive(Clone, Debug, PartialEq)]
pub enum ValidationKind {
    NotEqual,
    LessThan,
    GreaterThan,
    NotAnyOf,
    NotInEnum,
    Expr,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ValidationFailedError {
    pub kind: ValidationKind,
    pub src_path: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum KError {
    Eof { requested: usize, available: usize },
    MissingParent,
    UndecidedEndianness { src_path: String },
    ValidationFailed(ValidationFailedError),
    UnknownEncoding { name: String },
    CastError,
}

/// A shared value that may not have been read yet.
#[derive(Debug)]
pub struct OptRc<T>(Option<Rc<T>>);

impl<T> OptRc<T> {
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }
    pub fn get(&self) -> Rc<T> {
        self.0.as_ref().unwrap().clone()
    }
}

impl<T> Clone for OptRc<T> {
    fn clone(&self) -> Self {
        OptRc(self.0.clone())
    }
}

impl<T> Default for OptRc<T> {
    fn default() -> Self {
        OptRc(None)
    }
}

impl<T> Deref for OptRc<T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0.as_ref().unwrap()
    }
}

impl<T> From<Rc<T>> for OptRc<T> {
    fn from(value: Rc<T>) -> Self {
        OptRc(Some(value))
    }
}

/// A value's way up to its parent or root.
pub struct SharedType<T>(RefCell<Weak<T>>);

impl<T> std::fmt::Debug for SharedType<T> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "SharedType")
    }
}

impl<T> SharedType<T> {
    pub fn get_value(&self) -> &RefCell<Weak<T>> {
        &self.0
    }
    pub fn get(&self) -> KResult<OptRc<T>> {
        self.0.borrow().upgrade().map(OptRc::from).ok_or(KError::MissingParent)
    }
    pub fn set(&self, value: KResult<OptRc<T>>) {
        *self.0.borrow_mut() = value.map_or(Weak::new(), |found| Rc::downgrade(&found.get()));
    }
}

impl<T> Clone for SharedType<T> {
    fn clone(&self) -> Self {
        SharedType(RefCell::new(self.0.borrow().clone()))
    }
}

impl<T> Default for SharedType<T> {
    fn default() -> Self {
        SharedType(RefCell::new(Weak::new()))
    }
}

pub trait KStruct: Default {
    type Root: KStruct + 'static;
    type Parent: KStruct + 'static;

    fn read<S: KStream>(
        self_rc: &OptRc<Self>,
        io: &S,
        root: SharedType<Self::Root>,
        parent: SharedType<Self::Parent>,
    ) -> KResult<()>;

    fn read_into<S: KStream, T: KStruct + 'static>(
        io: &S,
        root: Option<SharedType<T::Root>>,
        parent: Option<SharedType<T::Parent>>,
    ) -> KResult<OptRc<T>> {
        Self::read_into_with_init(io, root, parent, &|_: &mut T| Ok(()))
    }

    fn read_into_with_init<S: KStream, T: KStruct + 'static>(
        io: &S,
        root: Option<SharedType<T::Root>>,
        parent: Option<SharedType<T::Parent>>,
        init: &dyn Fn(&mut T) -> KResult<()>,
    ) -> KResult<OptRc<T>> {
        let mut value = T::default();
        init(&mut value)?;
        let found = OptRc::from(Rc::new(value));
        let root = root.unwrap_or_else(|| itself(&found).expect("only a root has none above it"));
        let parent = parent.unwrap_or_else(|| itself(&found).unwrap_or_default());
        T::read(&found, io, root, parent)?;
        Ok(found)
    }
}

/// The way to a value from itself, if it is a `U`.
fn itself<T: 'static, U: 'static>(value: &OptRc<T>) -> Option<SharedType<U>> {
    let same = (&value.get() as &dyn Any).downcast_ref::<Rc<U>>().map(Rc::downgrade);
    same.map(|found| SharedType(RefCell::new(found)))
}

#[derive(Clone, Debug, Default)]
pub struct KStructUnit;

impl KStruct for KStructUnit {
    type Root = KStructUnit;
    type Parent = KStructUnit;

    fn read<S: KStream>(
        _: &OptRc<Self>,
        _: &S,
        _: SharedType<KStructUnit>,
        _: SharedType<KStructUnit>,
    ) -> KResult<()> {
        Ok(())
    }
}

macro_rules! numbers {
    ($from:ident: $($name:ident $kind:ty),*) => {
        $(fn $name(&self) -> KResult<$kind> {
            Ok(<$kind>::$from(self.read_bytes(size_of::<$kind>())?.try_into().unwrap()))
        })*
    };
}

pub trait KStream {
    fn clone(&self) -> BytesReader;
    fn pos(&self) -> usize;
    fn size(&self) -> usize;
    fn seek(&self, position: usize) -> KResult<()>;
    fn read_bytes(&self, count: usize) -> KResult<Vec<u8>>;

    fn is_eof(&self) -> bool {
        self.pos() >= self.size()
    }
    fn read_bytes_full(&self) -> KResult<Vec<u8>> {
        self.read_bytes(self.size().saturating_sub(self.pos()))
    }
    numbers!(
        from_be_bytes: read_u1 u8, read_u2be u16, read_u4be u32, read_u8be u64, read_s1 i8, read_s2be i16, read_s4be i32,
        read_s8be i64, read_f4be f32, read_f8be f64
    );
    numbers!(
        from_le_bytes: read_u2le u16, read_u4le u32, read_u8le u64, read_s2le i16, read_s4le i32, read_s8le i64,
        read_f4le f32, read_f8le f64
    );
}

#[derive(Clone, Default)]
pub struct BytesReader {
    bytes: Rc<Vec<u8>>,
    pos: Cell<usize>,
}

impl std::fmt::Debug for BytesReader {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "BytesReader")
    }
}

impl From<Vec<u8>> for BytesReader {
    fn from(bytes: Vec<u8>) -> Self {
        BytesReader { bytes: Rc::new(bytes), pos: Cell::new(0) }
    }
}

impl KStream for BytesReader {
    fn clone(&self) -> BytesReader {
        Clone::clone(self)
    }
    fn pos(&self) -> usize {
        self.pos.get()
    }
    fn size(&self) -> usize {
        self.bytes.len()
    }
    fn seek(&self, position: usize) -> KResult<()> {
        self.pos.set(position);
        Ok(())
    }
    fn read_bytes(&self, count: usize) -> KResult<Vec<u8>> {
        let (at, available) = (self.pos(), self.size().saturating_sub(self.pos()));
        if count > available {
            return Err(KError::Eof { requested: count, available });
        }
        self.pos.set(at + count);
        Ok(self.bytes[at..at + count].to_vec())
    }
}

/// Only the encodings that the schemas name.
pub fn bytes_to_str(bytes: &Vec<u8>, encoding: &str) -> KResult<String> {
    match encoding {
        "UTF-8" => Ok(String::from_utf8_lossy(bytes).into_owned()),
        "ASCII" | "ISO-8859-1" => Ok(bytes.iter().map(|byte| char::from(*byte)).collect()),
        _ => Err(KError::UnknownEncoding { name: encoding.to_string() }),
    }
}
