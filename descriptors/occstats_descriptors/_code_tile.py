"""Sums of differences of bytes, and distances of chosen rows, with the sums held in registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types

from occstats_descriptors._writer import F64, I1, I8, I32, I64, Writer, cgutils, intrinsic, word

__all__ = ["LANES", "ORDER", "eight_rows", "measure_codes", "tile_of_codes", "trailing_zeros"]

LANES = 8  # points of a tile, each a word of eight codes
ORDER = (0, 2, 4, 6, 1, 3, 5, 7)  # of the points in memory: see how their sums are joined


def _best(context: Any) -> tuple[str | None, int]:
    """Choose the instruction of the processor that is compiled for, and its number of bytes."""
    triple, _, features = context.codegen().magic_tuple()
    if not triple.startswith("x86_64"):
        return None, 16
    if "+avx2" in features.split(","):
        return "llvm.x86.avx2.psad.bw", 32
    return "llvm.x86.sse2.psad.bw", 16  # every x86-64 has it


def _adder(builder: Any, instruction: str | None, size: int) -> Callable[[Any, Any], Any]:
    """Make the function that adds up |a − b| over each eight of `size` bytes."""
    codes, words = ir.VectorType(I8, size), ir.VectorType(I64, size // 8)
    if instruction:
        kind = ir.FunctionType(words, [codes, codes])
        function = cgutils.get_or_insert_function(builder.module, kind, instruction)
        return lambda a, b: builder.call(function, [a, b])

    def add_up(a: Any, b: Any) -> Any:
        above = builder.icmp_unsigned(">", a, b)
        gaps = builder.select(above, builder.sub(a, b), builder.sub(b, a))
        sums = builder.bitcast(gaps, words)
        for bits, mask in ((8, 0x00FF00FF00FF00FF), (16, 0x0000FFFF0000FFFF), (32, 0xFFFFFFFF)):
            shift, low = (ir.Constant(words, [value] * words.count) for value in (bits, mask))
            other = builder.and_(builder.lshr(sums, shift), low)
            sums = builder.add(builder.and_(sums, low), other)
        return sums

    return add_up


def tile_of_codes(portable: bool = False) -> Callable[..., Any]:
    """
    Make the function that measures four queries against a block of points in codes.

    Its arguments are ``(points, first, tiles, groups, queries, own, limits, out, masks, row)``. A
    tile is (groups × 8 points), in words of eight codes; a query of `groups` words follows the
    other. Sums go to the rows of `out`, and in `masks`, `row` words a query, the bits are set of
    those points whose sum is at most the limit of the query.
    """

    @intrinsic
    def measure(
        typing_context: Any,
        points: Any,
        first: Any,
        tiles: Any,
        groups: Any,
        queries: Any,
        own: Any,
        limits: Any,
        out: Any,
        masks: Any,
        row: Any,
    ) -> Any:
        kinds = (points, first, tiles, groups, queries, own, limits, out, masks, row)

        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            instruction, size = (None, 16) if portable else _best(context)
            add_up = _adder(builder, instruction, size)
            codes, words = ir.VectorType(I8, size), ir.VectorType(I64, size // 8)
            joined = ir.VectorType(I32, size // 4)
            pieces, half = 8 * LANES // size, 4 * LANES // size
            upper = ir.Constant(words, [32] * words.count)
            write = Writer(context, builder, kinds, values)
            plus, times = write.plus, write.times
            start, query = write.address(0, values[1]), write.address(4, values[5])
            limit, target, mask = (write.address(array) for array in (6, 7, 8))
            length, row_bytes = times(8, values[3]), times(4 * LANES, values[2])
            bounds = [
                write.spread(write.load(plus(limit, word(4 * number)), I32), joined)
                for number in range(4)
            ]
            sums = [[cgutils.alloca_once(builder, words) for _ in range(pieces)] for _ in range(4)]
            with cgutils.for_range(builder, values[2]) as outer:
                tile = plus(start, builder.mul(outer.index, times(LANES, length)))
                for total in (total for own_sums in sums for total in own_sums):
                    builder.store(ir.Constant(words, None), total)
                with cgutils.for_range(builder, values[3]) as inner:
                    place = plus(tile, times(8 * LANES, inner.index))
                    here = [
                        write.load(plus(place, word(size * piece)), codes)
                        for piece in range(pieces)
                    ]
                    for number, own_sums in enumerate(sums):
                        place = plus(query, times(8, inner.index), times(number, length))
                        there = write.spread(write.load(place, I64), words)
                        for part, total in zip(here, own_sums, strict=True):
                            term = add_up(part, builder.bitcast(there, codes))
                            write.add_to(total, term, builder.add)
                for number, own_sums in enumerate(sums):
                    totals = [builder.load(total) for total in own_sums]
                    bits = ir.Constant(I8, 0)
                    for piece in range(half):
                        # sums have less than 32 bits: those of the second half go between
                        later = builder.shl(totals[half + piece], upper)
                        both = builder.bitcast(builder.or_(totals[piece], later), joined)
                        place = plus(target, times(4 * LANES, outer.index), word(size * piece))
                        write.store(both, plus(place, times(number, row_bytes)))
                        within = builder.icmp_signed("<=", both, bounds[number])
                        some = builder.bitcast(within, ir.IntType(joined.count))
                        if joined.count < LANES:
                            some = builder.zext(some, I8)
                            some = builder.shl(some, ir.Constant(I8, piece * joined.count))
                        bits = builder.or_(bits, some)
                    write.store(bits, plus(mask, outer.index, times(8 * number, values[9])))
            return context.get_dummy_value()

        return types.void(*kinds), generate

    return measure


measure_codes = tile_of_codes()


@intrinsic
def eight_rows(
    typing_context: Any, rows: Any, m: Any, query: Any, chosen: Any, first: Any, out: Any
) -> Any:
    """
    Write the Manhattan distances of a query to eight chosen rows, from place `first` on.

    Each is the sum of its terms in the order of the attributes; the eight are added up side by
    side, of which the compiler does not make vectors by itself.
    """
    kinds = (rows, m, query, chosen, first, out)

    def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        vector = ir.VectorType(F64, 4)
        kind = ir.FunctionType(vector, [vector])
        fabs = cgutils.get_or_insert_function(builder.module, kind, "llvm.fabs.v4f64")
        write = Writer(context, builder, kinds, values)
        start, own = write.address(0), write.address(2)
        names, target = write.address(3, values[4]), write.address(5, values[4])
        length = write.times(8, values[1])
        places = [
            write.plus(
                start,
                builder.mul(length, write.load(write.plus(names, word(8 * lane)), I64)),
            )
            for lane in range(8)
        ]
        nothing = ir.Constant(vector, None)
        sums = [cgutils.alloca_once_value(builder, nothing) for _ in range(2)]
        with cgutils.for_range(builder, values[1]) as loop:
            offset = write.times(8, loop.index)
            there = write.spread(write.load(write.plus(own, offset), F64), vector)
            for half, total in enumerate(sums):
                here = ir.Constant(vector, ir.Undefined)
                for lane in range(4):
                    number = write.load(write.plus(places[4 * half + lane], offset), F64)
                    here = builder.insert_element(here, number, ir.Constant(I32, lane))
                term = builder.call(fabs, [builder.fsub(here, there)])
                write.add_to(total, term, builder.fadd)
        for half, total in enumerate(sums):
            write.store(builder.load(total), write.plus(target, word(32 * half)))
        return context.get_dummy_value()

    return types.void(*kinds), generate


@intrinsic
def trailing_zeros(typing_context: Any, word: Any) -> Any:
    """Position of the lowest bit of a word that is set."""

    def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.Constant(I1, 1))

    return types.int64(word), generate
