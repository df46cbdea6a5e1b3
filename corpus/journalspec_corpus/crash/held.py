"""Tuples of arrays that compiled functions hand on by address.

Numba passes a tuple of arrays as one argument for each array's address, length and stride: hundreds of them
where a trace is passed, all of which it compiles in every function. :func:`held` makes one of it. It is a
tuple as before where nothing is compiled. This module needs Numba.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.imputils import impl_ret_borrowed
from numba.core.types.containers import BaseTuple
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, register_model

T = TypeVar("T")


class Held(types.Type):
    """The address of a named tuple, in compiled code."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        super().__init__(f"Held({inner})")


def _record(manager: Any, inner: Any) -> Any:
    """Return what compiled code has at the address: the tuple's fields, under a short name."""
    record = ir.global_context.get_identified_type(f"held.{inner.instance_class.__name__}.{hash(inner):x}")
    if record.is_opaque:
        record.set_body(*(manager.lookup(each).get_value_type() for each in inner.types))
    return record


@register_model(Held)
class _Model(models.PrimitiveModel):  # type: ignore[misc]  # Numba has no types
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _record(manager, kind.inner).as_pointer())


@infer_getattr
class _Attributes(AttributeTemplate):  # type: ignore[misc]  # Numba has no types
    key = Held

    def generic_resolve(self, kind: Any, name: str) -> Any:
        """Return the type of a field."""
        inner = kind.inner
        return inner.types[inner.fields.index(name)] if name in inner.fields else None


@lower_getattr_generic(Held)  # type: ignore[untyped-decorator]  # Numba has no types
def _field(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    at = kind.inner.fields.index(name)
    data = builder.load(cgutils.gep_inbounds(builder, value, 0, at))
    return impl_ret_borrowed(
        context, builder, kind.inner.types[at], _lent(context, builder, kind.inner.types[at], data)
    )


def _lent(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return a value whose arrays nobody owns, so that no references to them are counted.

    They are there as long as the tuple is held. Counting is atomic, and each field is read all the time.
    """
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()  # what Numba calls it
    if isinstance(kind, BaseTuple):
        for at, each in enumerate(kind.types):
            part = _lent(context, builder, each, builder.extract_value(value, at))
            value = builder.insert_value(value, part, at)
    return value


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _held(typing: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = cgutils.alloca_once(builder, _record(context.data_model_manager, value))
        context.nrt.incref(builder, value, args[0])
        for at in range(len(value.types)):
            field = builder.extract_value(args[0], at)
            builder.store(field, cgutils.gep_inbounds(builder, place, 0, at))
        return place

    return Held(value)(value), codegen


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _let_go(typing: Any, kind: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        for at, each in enumerate(kind.inner.types):
            field = builder.load(cgutils.gep_inbounds(builder, args[0], 0, at))
            context.nrt.decref(builder, each, field)
        return context.get_dummy_value()

    return types.none(kind), codegen


def _plain_held(value: T) -> T:
    """Return the address of a named tuple; give it to :func:`let_go` in the same function.

    There is one address for each place in the code where this is called: the next call there reuses it.
    What is read of it is lent: no array of it, and no part of one, may be used after that, or be returned.
    """
    return value


def _plain_let_go(value: Any) -> None:
    """Let what is :func:`held` go: its arrays may be freed."""


held: Any = _plain_held if numba.config.DISABLE_JIT else _held
let_go: Any = _plain_let_go if numba.config.DISABLE_JIT else _let_go
