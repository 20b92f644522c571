"""Writing what the compiler does not find by itself: vectors whose sums stay in registers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic as untyped_intrinsic

__all__ = ["F64", "I1", "I8", "I32", "I64", "Writer", "cgutils", "intrinsic", "word"]

cgutils: Any = untyped_cgutils
# It is called without the context that it is declared with.
intrinsic: Callable[[Callable[..., Any]], Callable[..., Any]] = untyped_intrinsic
I1, I8, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 32, 64))
F64 = ir.DoubleType()


def word(number: int) -> Any:
    """Make a constant of the size of an address."""
    return ir.Constant(I64, number)


@dataclass
class Writer:
    """Writes the instructions of an intrinsic; places in memory are integers."""

    context: Any
    builder: Any
    kinds: tuple[Any, ...]
    values: Any

    def address(self, array: int, position: Any = None) -> Any:
        kind, value = self.kinds[array], self.values[array]
        data = self.context.make_array(kind)(self.context, self.builder, value).data
        start = self.builder.ptrtoint(data, I64)
        if position is None:
            return start
        return self.plus(start, self.times(kind.dtype.bitwidth // 8, position))

    def length(self, array: int, axis: int) -> Any:
        made = self.context.make_array(self.kinds[array])
        shape = made(self.context, self.builder, self.values[array]).shape
        return self.builder.extract_value(shape, axis)

    def plus(self, *numbers: Any) -> Any:
        total = numbers[0]
        for number in numbers[1:]:
            total = self.builder.add(total, number)
        return total

    def times(self, number: int, other: Any) -> Any:
        return self.builder.mul(word(number), other)

    def load(self, place: Any, kind: Any) -> Any:
        return self.builder.load(self.builder.inttoptr(place, kind.as_pointer()), align=1)

    def store(self, value: Any, place: Any) -> None:
        pointer = self.builder.inttoptr(place, value.type.as_pointer())
        self.builder.store(value, pointer, align=1)

    def spread(self, number: Any, kind: Any) -> Any:
        undefined = ir.Constant(kind, ir.Undefined)
        single = self.builder.insert_element(undefined, number, ir.Constant(I32, 0))
        every = ir.Constant(ir.VectorType(I32, kind.count), None)
        return self.builder.shuffle_vector(single, undefined, every)

    def add_to(self, total: Any, term: Any, add: Any) -> None:
        self.builder.store(add(self.builder.load(total), term), total)
