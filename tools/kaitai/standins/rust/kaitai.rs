//! The interface of Kaitai Struct's Rust runtime as far as generated parsers use it, and nothing behind it.
//!
//! That runtime is in no package registry, so what is generated for Rust is type-checked against this. It
//! cannot read a file: every body is `unimplemented!()`.

use std::cell::RefCell;
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
    UndecidedEndianness { src_path: String },
    ValidationFailed(ValidationFailedError),
    UnknownVariant(i64),
    CastError,
}

impl From<std::convert::Infallible> for KError {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

/// A shared value that may not have been read yet.
#[derive(Debug)]
pub struct OptRc<T>(Option<Rc<T>>);

impl<T> OptRc<T> {
    pub fn is_none(&self) -> bool {
        self.0.is_none()
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
        self.0.as_ref().expect("read before")
    }
}

impl<T> From<Rc<T>> for OptRc<T> {
    fn from(value: Rc<T>) -> Self {
        OptRc(Some(value))
    }
}

/// A value's way up to its parent or root.
#[derive(Debug)]
pub struct SharedType<T>(RefCell<Weak<T>>);

impl<T> SharedType<T> {
    pub fn get_value(&self) -> &RefCell<Weak<T>> {
        &self.0
    }
    pub fn get(&self) -> KResult<OptRc<T>> {
        unimplemented!()
    }
    pub fn set(&self, _value: KResult<OptRc<T>>) {
        unimplemented!()
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

    fn read_into<S: KStream, T: KStruct + Default + 'static>(
        _io: &S,
        _root: Option<SharedType<T::Root>>,
        _parent: Option<SharedType<T::Parent>>,
    ) -> KResult<OptRc<T>> {
        unimplemented!()
    }

    fn read_into_with_init<S: KStream, T: KStruct + Default + 'static>(
        _io: &S,
        _root: Option<SharedType<T::Root>>,
        _parent: Option<SharedType<T::Parent>>,
        _init: &dyn Fn(&mut T) -> KResult<()>,
    ) -> KResult<OptRc<T>> {
        unimplemented!()
    }
}

#[derive(Clone, Debug, Default)]
pub struct KStructUnit;

impl KStruct for KStructUnit {
    type Root = KStructUnit;
    type Parent = KStructUnit;

    fn read<S: KStream>(
        _self_rc: &OptRc<Self>,
        _io: &S,
        _root: SharedType<Self::Root>,
        _parent: SharedType<Self::Parent>,
    ) -> KResult<()> {
        unimplemented!()
    }
}

pub trait KStream {
    fn clone(&self) -> BytesReader;
    fn is_eof(&self) -> bool;
    fn pos(&self) -> usize;
    fn size(&self) -> usize;
    fn seek(&self, position: usize) -> KResult<()>;
    fn read_u1(&self) -> KResult<u8>;
    fn read_u2be(&self) -> KResult<u16>;
    fn read_u4be(&self) -> KResult<u32>;
    fn read_u8be(&self) -> KResult<u64>;
    fn read_s1(&self) -> KResult<i8>;
    fn read_s2be(&self) -> KResult<i16>;
    fn read_s4be(&self) -> KResult<i32>;
    fn read_s8be(&self) -> KResult<i64>;
    fn read_f4be(&self) -> KResult<f32>;
    fn read_f8be(&self) -> KResult<f64>;
    fn read_bytes(&self, count: usize) -> KResult<Vec<u8>>;
    fn read_bytes_full(&self) -> KResult<Vec<u8>>;
}

#[derive(Clone, Debug, Default)]
pub struct BytesReader;

impl From<Vec<u8>> for BytesReader {
    fn from(_bytes: Vec<u8>) -> Self {
        BytesReader
    }
}

impl KStream for BytesReader {
    fn clone(&self) -> BytesReader { unimplemented!() }
    fn is_eof(&self) -> bool { unimplemented!() }
    fn pos(&self) -> usize { unimplemented!() }
    fn size(&self) -> usize { unimplemented!() }
    fn seek(&self, _position: usize) -> KResult<()> { unimplemented!() }
    fn read_u1(&self) -> KResult<u8> { unimplemented!() }
    fn read_u2be(&self) -> KResult<u16> { unimplemented!() }
    fn read_u4be(&self) -> KResult<u32> { unimplemented!() }
    fn read_u8be(&self) -> KResult<u64> { unimplemented!() }
    fn read_s1(&self) -> KResult<i8> { unimplemented!() }
    fn read_s2be(&self) -> KResult<i16> { unimplemented!() }
    fn read_s4be(&self) -> KResult<i32> { unimplemented!() }
    fn read_s8be(&self) -> KResult<i64> { unimplemented!() }
    fn read_f4be(&self) -> KResult<f32> { unimplemented!() }
    fn read_f8be(&self) -> KResult<f64> { unimplemented!() }
    fn read_bytes(&self, _count: usize) -> KResult<Vec<u8>> { unimplemented!() }
    fn read_bytes_full(&self) -> KResult<Vec<u8>> { unimplemented!() }
}

pub fn bytes_to_str(_bytes: &Vec<u8>, _encoding: &str) -> KResult<String> {
    unimplemented!()
}
