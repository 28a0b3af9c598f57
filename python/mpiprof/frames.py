"""Tables as pandas.DataFrame, pyarrow.Table and scipy.sparse. Each package is imported on demand.

Every column gets the type that tables.py documents. A column that must be known but is missing in a
report of an older mprof gets the nullable type.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Sequence, Tuple

from .program import MissingPackage, MprofError
from .tables import Column, Row

if TYPE_CHECKING:
    import pandas

_LARGEST = 2**63 - 1


def optional_package(name: str, purpose: str, distribution: str = "") -> Any:
    """The package, or an error that says how to get it: `distribution` if pip knows it by another
    name."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingPackage(distribution or name.partition(".")[0], purpose) from error


def _by_column(columns: Sequence[Column], rows: Iterable[Row]) -> List[List[Any]]:
    turned = [list(values) for values in zip(*rows)]
    return turned or [[] for _ in columns]


def _series(pandas_module: Any, column: Column, values: List[Any]) -> Any:
    dtype = column.dtype
    if not column.has_null and None in values:
        dtype = {"int64": "Int64", "bool": "boolean"}.get(dtype, dtype)
    if column.type == "int" and any(v is not None and v > _LARGEST for v in values):
        dtype = "UInt64"
    return pandas_module.Series(values, dtype=dtype, name=column.name)


def data_frame(columns: Sequence[Column], rows: Iterable[Row], about: str) -> pandas.DataFrame:
    """The table with a fresh index from 0. Its attrs have the units: `frame.attrs["units"]`."""
    module = optional_package("pandas", "A table")
    lists = _by_column(columns, rows)
    frame = module.DataFrame({column.name: _series(module, column, values)
                              for column, values in zip(columns, lists)})
    frame.attrs["about"] = about
    frame.attrs["units"] = {column.name: column.unit for column in columns if column.unit}
    result: pandas.DataFrame = frame
    return result


@functools.lru_cache(maxsize=None)
def arrow_schema(columns: Tuple[Column, ...]) -> Any:
    """The pyarrow.Schema: unit and meaning are in the metadata of each field."""
    module = optional_package("pyarrow", "Arrow")
    types = {"int": module.int64(), "float": module.float64(), "bool": module.bool_(),
             "text": module.string()}
    return module.schema([
        module.field(column.name, types[column.type],
                     metadata={"unit": column.unit, "meaning": column.meaning})
        for column in columns])


def _arrow_values(column: Column, values: List[Any]) -> List[Any]:
    if column.type != "int" or all(v is None or v <= _LARGEST for v in values):
        return values
    raise MprofError(f"a number of the column {column.name} does not fit in 64 bit with a sign")


def arrow_table(columns: Sequence[Column], rows: Iterable[Row]) -> Any:
    """The table as pyarrow.Table, with arrow_schema()."""
    module = optional_package("pyarrow", "Arrow")
    schema = arrow_schema(tuple(columns))
    lists = [_arrow_values(*pair) for pair in zip(columns, _by_column(columns, rows))]
    arrays = [module.array(values, type=field.type) for values, field in zip(lists, schema)]
    return module.Table.from_arrays(arrays, schema=schema)


def sparse_matrix(rows: Iterable[Dict[str, Any]], size: int, values: str) -> Any:
    """scipy.sparse, [source, destination], of one of the figures of the matrix."""
    sparse = optional_package("scipy.sparse", "The matrix as scipy.sparse")
    make = getattr(sparse, "coo_array", None) or sparse.coo_matrix  # scipy before 1.8
    cells = list(rows)
    places = ([cell["source"] for cell in cells], [cell["destination"] for cell in cells])
    numbers = [cell[values] for cell in cells]
    kind = "float64" if values == "time_s" else "int64"
    return make((numbers, places), shape=(size, size), dtype=kind)
