"""columns: a column of names or weights, of whatever library it is, as the memory that the engine takes.

Names are integers, as int64, or texts, as bytes and offsets in the layout of Arrow's large_utf8. Nothing is copied that
has this form already. What is wrong is a ValueError with the column's name and the row, counted from 0.
"""

import decimal
import numbers

import numpy as np


def refuse(what: str, where: str, expected: str) -> ValueError:
    """The error for bad input: where, what, and what would be right."""
    return ValueError(f"{where}: {what}, expected {expected}")


class Texts:
    """A column of texts: `bytes` as uint8, `offsets` [length + 1] as int64."""

    def __init__(self, data, offsets):
        self.bytes = data
        self.offsets = offsets

    def __len__(self):
        return len(self.offsets) - 1


def names(column, where: str):
    """An int64 array or Texts."""
    refuse_masked(column, "no name", where, "an integer or a text")
    if type(column).__module__.partition(".")[0] == "pyarrow":
        return _from_arrow(column, where)
    dtype = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "iuf":
        return _integers(np.asarray(column), where)
    if isinstance(dtype, np.dtype) and dtype.kind == "U":
        return _texts_of(column.tolist(), where)
    if dtype is not None and not isinstance(dtype, np.dtype):
        return _from_extension(column, dtype, where)
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    return _from_objects(values, where)


def weights(column, where: str):
    """A float64 array of finite numbers; Python's Fraction and Decimal are some, too."""
    if type(column).__module__.partition(".")[0] == "pyarrow":
        if column.null_count:
            raise refuse("no weight", f"{where}, row {_first(column.is_null())}", "a number")
        column = column.to_numpy(zero_copy_only=False)
    refuse_masked(column, "no weight", where, "a number")
    if hasattr(getattr(column, "dtype", None), "na_value") and (missing := column.isna()).any():
        raise refuse("no weight", f"{where}, row {_first(missing)}", "a number")
    try:
        values = np.asarray(column)
    except (OverflowError, TypeError, ValueError) as problem:
        # NumPy has no array of rows that differ in length; integers of any size are objects.
        values = np.empty(len(column), object)
        if any(np.ndim(value) for value in column):
            raise refuse(str(problem), where, "numbers") from None
        values[:] = list(column)
    if values.ndim != 1:
        raise refuse(f"an array of {values.ndim} dimensions", where, "numbers with one dimension")
    if values.dtype.kind == "O" or (values.dtype.kind not in "biuf" and isinstance(column, (list, tuple))):
        values = np.array([number(value, f"{where}, row {row}") for row, value in enumerate(column)], np.float64)
    elif values.dtype.kind not in "biuf":
        raise refuse(f"a column of {values.dtype}", where, "numbers")
    with np.errstate(over="ignore"):  # of longer floats, which are refused by their row
        values = np.ascontiguousarray(values, dtype=np.float64)
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise refuse(f"the weight {values[row]}", f"{where}, row {row}", "a finite number")
    return values


def number(value, where: str) -> float:
    """The float of a real number of Python's or NumPy's, which may be infinite or NaN."""
    if value is None:
        raise refuse("no weight", where, "a number")
    # NumPy's durations are integers of its.
    if not isinstance(value, (numbers.Real, decimal.Decimal, np.bool_)) or isinstance(value, np.timedelta64):
        raise refuse(f"the weight {value!r}", where, "a number")
    try:
        return float(value)
    except (OverflowError, ValueError):
        raise refuse(f"a weight that is a {type(value).__name__} above 1.8e308, or none", where,
                     "a finite number") from None


def refuse_masked(column, what: str, where: str, expected: str) -> None:
    """Refuses a masked array with an element that does not count, whose memory has some number in its place."""
    if isinstance(column, np.ma.MaskedArray) and (mask := np.ma.getmaskarray(column)).any():
        raise refuse(what, f"{where}, row {int(np.argwhere(mask)[0][0])}", expected)


def _first(mask) -> int:
    return int(np.argmax(np.asarray(mask)))


def _integers(values, where):
    if values.dtype.kind == "f":
        whole = np.isfinite(values) & (values == np.floor(values)) & (np.abs(values) < 2.0**53)
        if not whole.all():
            row = int(np.argmin(whole))
            raise refuse(f"the name {values[row]}", f"{where}, row {row}", "an integer or a text")
    if values.dtype.kind == "u" and values.dtype.itemsize == 8 and len(values) and values.max() > 2**63 - 1:
        raise refuse(f"the name {values.max()}", f"{where}, row {int(values.argmax())}", "an integer of 64 bits")
    return np.ascontiguousarray(values, dtype=np.int64)


def _arrow():
    try:
        import pyarrow
    except ImportError:
        return None
    return pyarrow


def _from_extension(column, dtype, where):
    """pandas' own types: categories, strings, integers with missing values; and polars' columns."""
    if hasattr(column, "isna") and (missing := column.isna()).any():
        raise refuse("no name", f"{where}, row {_first(missing)}", "an integer or a text")
    if (kind := getattr(dtype, "kind", None)) in ("i", "u"):
        return _integers(column.to_numpy(dtype=np.uint64 if kind == "u" else np.int64), where)
    if (arrow := _arrow()) is not None:
        if hasattr(column, "to_arrow"):
            return _from_arrow(column.to_arrow(), where)
        return _from_arrow(arrow.array(column, from_pandas=True), where)
    return _from_objects(list(column), where)


def _from_arrow(column, where):
    arrow = _arrow()
    if arrow.types.is_dictionary(column.type):
        kind = column.type.value_type
        kind = arrow.large_string() if arrow.types.is_string_view(kind) else kind  # of which Arrow takes no elements
        parts = column.chunks if isinstance(column, arrow.ChunkedArray) else [column]
        column = arrow.chunked_array([part.dictionary.cast(kind).take(part.indices) for part in parts], kind)
    # Also a value of a dictionary may be null.
    if column.null_count:
        raise refuse("no name", f"{where}, row {_first(column.is_null())}", "an integer or a text")
    if isinstance(column, arrow.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, arrow.ChunkedArray):
            column = arrow.concat_arrays(column.chunks) if column.num_chunks else arrow.array([], column.type)
    if arrow.types.is_integer(column.type):
        return _integers(column.to_numpy(zero_copy_only=False), where)
    if arrow.types.is_floating(column.type):
        return _integers(column.to_numpy(zero_copy_only=False), where)
    if not (arrow.types.is_string(column.type) or arrow.types.is_large_string(column.type)
            or arrow.types.is_string_view(column.type)):
        raise refuse(f"a column of {column.type}", where, "integers or texts")
    column = column.cast(arrow.large_string())
    _, offsets, data = column.buffers()
    if len(column) == 0:
        return Texts(np.zeros(0, np.uint8), np.zeros(1, np.int64))
    ends = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    return Texts(np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8), ends)


def _from_objects(values, where):
    kinds = {type(value) for value in values}
    if not kinds or all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds):
        try:
            return np.array(values, dtype=np.int64)
        except OverflowError:
            row = next(i for i, value in enumerate(values) if not -(2**63) <= value < 2**63)
            raise refuse(f"the name {values[row]}", f"{where}, row {row}", "an integer of 64 bits") from None
    if all(issubclass(kind, str) for kind in kinds):
        return _texts_of(values, where)
    first = type(values[0])
    row, value = next(((i, v) for i, v in enumerate(values) if not isinstance(v, (str, int)) or isinstance(v, bool)),
                      (None, None))
    if row is None:
        row, value = next((i, v) for i, v in enumerate(values) if type(v) is not first)
        raise refuse(f"mixed names: {values[0]!r} and {value!r}", f"{where}, row {row}", "all integers or all texts")
    raise refuse(f"the name {value!r}", f"{where}, row {row}", "an integer or a text")


def _texts_of(values, where):
    try:
        encoded = [value.encode() for value in values]
    except UnicodeEncodeError as problem:
        raise refuse(f"a text that is not UTF-8 ({problem.reason})", where, "valid text") from None
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
    return Texts(np.frombuffer(b"".join(encoded), np.uint8), offsets)
