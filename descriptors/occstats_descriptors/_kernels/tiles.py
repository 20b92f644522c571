"""
Sums of products or distances over small tiles of matrices, held in vector registers.

The functions are written in the compiler's vector types, because the compiler does not keep the
sums in registers by itself. Each sum is in the order of its terms, without fused operations: its
digits depend neither on the tile nor on the processor.

Benefit: distances are 3.5 to 6 times as fast as plain loops over the same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types

from occstats_descriptors._kernels.jit import cgutils, intrinsic

# A function of the instruction builder and two vectors, which returns a vector.
Term = Callable[[Any, Any, Any], Any]


def product(builder: Any, a: Any, b: Any) -> Any:
    """Return a b."""
    return builder.fmul(a, b)


def squared_difference(builder: Any, a: Any, b: Any) -> Any:
    """Return (a − b)²."""
    gap = builder.fsub(a, b)
    return builder.fmul(gap, gap)


def absolute_difference(builder: Any, a: Any, b: Any) -> Any:
    """Return \\|a − b\\|."""
    kind = a.type
    bits = 64 if kind.element == ir.DoubleType() else 32
    function = ir.FunctionType(kind, [kind])
    name = f"llvm.fabs.v{kind.count}f{bits}"
    fabs = cgutils.get_or_insert_function(builder.module, function, name)
    return builder.call(fabs, [builder.fsub(b, a)])


def tile(
    rows: int, lanes: int, term: Term, *, transposed: bool = False, add: bool = False
) -> Callable[..., None]:
    """
    Make the function that computes `lanes` columns of `rows` rows of C = S + Σ_t term(A_rt, B_tc).

    Each of its arrays a, b, s and c, of one floating type, is followed by the position of its first
    number and by the length of its rows; the last argument is the number of terms. With
    `transposed`, a holds the transpose of A. Without `add`, S is zero and s is not read.
    """

    @intrinsic
    def sums(
        typing_context: Any,
        a: Any,
        a_first: Any,
        a_row: Any,
        b: Any,
        b_first: Any,
        b_row: Any,
        s: Any,
        s_first: Any,
        s_row: Any,
        c: Any,
        c_first: Any,
        c_row: Any,
        terms: Any,
    ) -> Any:
        kinds = (a, a_first, a_row, b, b_first, b_row, s, s_first, s_row, c, c_first, c_row)

        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            vector = ir.VectorType(context.get_value_type(a.dtype), lanes)
            align = a.dtype.bitwidth // 8
            undefined = ir.Constant(vector, ir.Undefined)
            first_lane = ir.Constant(ir.IntType(32), 0)
            every_lane = ir.Constant(ir.VectorType(ir.IntType(32), lanes), None)

            def start(array: int) -> Any:
                data = context.make_array(kinds[array])(context, builder, values[array]).data
                return builder.gep(data, [values[array + 1]])

            starts = {array: start(array) for array in (0, 3, 6, 9)}

            def pointer(array: int, row: Any, column: Any) -> Any:
                place = builder.add(builder.mul(row, values[array + 2]), column)
                return builder.gep(starts[array], [place])

            def vector_pointer(array: int, row: Any) -> Any:
                return builder.bitcast(pointer(array, row, zero), vector.as_pointer())

            def spread(number: Any) -> Any:
                single = builder.insert_element(undefined, number, first_lane)
                return builder.shuffle_vector(single, undefined, every_lane)

            zero, *_ = numbers = [ir.Constant(values[1].type, row) for row in range(rows)]
            totals = []
            for row in numbers:
                zeros = ir.Constant(vector, None)
                first = builder.load(vector_pointer(6, row), align=align) if add else zeros
                totals.append(cgutils.alloca_once_value(builder, first))
            with cgutils.for_range(builder, values[12]) as loop:
                there = builder.load(vector_pointer(3, loop.index), align=align)
                for row, total in zip(numbers, totals, strict=True):
                    place = (loop.index, row) if transposed else (row, loop.index)
                    here = spread(builder.load(pointer(0, *place)))
                    value = term(builder, here, there)
                    builder.store(builder.fadd(builder.load(total), value), total)
            for row, total in zip(numbers, totals, strict=True):
                builder.store(builder.load(total), vector_pointer(9, row), align=align)
            return context.get_dummy_value()

        return types.void(*kinds, terms), generate

    return sums
