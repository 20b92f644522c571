"""Distances of a few queries to a tile of points, with the sums held in registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils as untyped_cgutils
from numba.core import types
from numba.extending import intrinsic

__all__ = ["BYTES", "four_absolute", "four_squared", "one_absolute", "one_squared"]

cgutils: Any = untyped_cgutils
BYTES = 64  # of the values of a feature in a tile: two registers of AVX2, one of AVX-512


def _tile(count: int, squared: bool) -> Callable[..., Any]:
    """
    Make the function that measures `count` queries against one tile.

    Its arguments are ``(points, first, features, queries, own, out, place, row)``: three arrays of
    one floating type, each with the position of the first number that is meant, and the length of a
    row of `out`. A tile is (features × lanes), a query follows the other. Each distance is the sum
    of its terms in the order of the features, written in the compiler's vector types, because it
    does not find out by itself that the sums can stay in registers.
    """

    @intrinsic
    def measure(
        typing_context: Any,
        points: Any,
        first: Any,
        features: Any,
        queries: Any,
        own: Any,
        out: Any,
        place: Any,
        row: Any,
    ) -> Any:
        kinds = (points, first, features, queries, own, out, place, row)

        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            scalar = context.get_value_type(points.dtype)
            word = context.get_value_type(types.intp)
            size = points.dtype.bitwidth // 8
            lanes = BYTES // size
            vector = ir.VectorType(scalar, lanes)
            fabs = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(vector, [vector]),
                f"llvm.fabs.v{lanes}f{points.dtype.bitwidth}",
            )

            def bytes_of(numbers: Any) -> Any:
                return builder.mul(numbers, ir.Constant(word, size))

            def address(array: int, position: Any) -> Any:
                data = context.make_array(kinds[array])(context, builder, values[array]).data
                return builder.add(builder.ptrtoint(data, word), bytes_of(position))

            def pointer(start: Any, offset: Any, kind: Any) -> Any:
                return builder.inttoptr(builder.add(start, offset), kind.as_pointer())

            def times(number: int, step: Any) -> Any:
                return builder.mul(ir.Constant(word, number), step)

            def spread(number: Any) -> Any:
                undefined = ir.Constant(vector, ir.Undefined)
                zero = ir.Constant(ir.IntType(32), 0)
                every = ir.Constant(ir.VectorType(ir.IntType(32), lanes), None)
                single = builder.insert_element(undefined, number, zero)
                return builder.shuffle_vector(single, undefined, every)

            tile, query, target = (
                address(0, values[1]),
                address(3, values[4]),
                address(5, values[6]),
            )
            nothing = ir.Constant(vector, None)
            sums = [cgutils.alloca_once_value(builder, nothing) for _ in range(count)]
            with cgutils.for_range(builder, values[2]) as loop:
                here = builder.load(pointer(tile, times(BYTES, loop.index), vector), align=size)
                for number, total in enumerate(sums):
                    offset = builder.add(loop.index, times(number, values[2]))
                    there = builder.load(pointer(query, bytes_of(offset), scalar), align=size)
                    gap = builder.fsub(here, spread(there))
                    term = builder.fmul(gap, gap) if squared else builder.call(fabs, [gap])
                    builder.store(builder.fadd(builder.load(total), term), total)
            for number, total in enumerate(sums):
                offset = bytes_of(times(number, values[7]))
                builder.store(builder.load(total), pointer(target, offset, vector), align=size)
            return context.get_dummy_value()

        return types.void(*kinds), generate

    return measure


one_absolute, one_squared = _tile(1, False), _tile(1, True)
four_absolute, four_squared = _tile(4, False), _tile(4, True)
