"""Files inside downloaded archives, also where archives lie within archives."""

import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

from occstats.errors import DataError

__all__ = ["find_members"]

DEEPEST = 3
# The largest of the fifty unpacks to 90 MB.
LARGEST_MEMBER = 1024**3


def find_members(content: bytes, wanted: list[str], *, source: str) -> dict[str, bytes]:
    """The wanted files of an archive by base name; a file that is no archive is its own member.

    Parameters
    ----------
    content : bytes
        The downloaded file.
    wanted : list of str
        Names without folders, without the ending ``.Z`` of packed files.
    source : str
        What to call the archive in errors.

    Examples
    --------
    >>> packed = io.BytesIO()
    >>> with zipfile.ZipFile(packed, "w") as archive:
    ...     archive.writestr("folder/wine.data", "1,2")
    >>> find_members(packed.getvalue(), ["wine.data"], source="wine.zip")
    {'wine.data': b'1,2'}
    """
    found: dict[str, bytes] = {}
    for name, member in _members(PurePosixPath(source).name, content, source, DEEPEST):
        if name in wanted and name not in found:
            found[name] = member
    lacking = [name for name in wanted if name not in found]
    if lacking:
        raise DataError(f"{source}: the archive has no file {', '.join(lacking)}")
    return {name: found[name] for name in wanted}


def _members(name: str, content: bytes, source: str, depth: int) -> Iterator[tuple[str, bytes]]:
    inner = _opened(content, source) if depth else None
    if inner is None:
        if name.endswith(".Z"):
            yield name.removesuffix(".Z"), _uncompressed(content, source)
        else:
            yield name, content
        return
    for member, data in inner:
        yield from _members(PurePosixPath(member).name, data, source, depth - 1)


def _opened(content: bytes, source: str) -> Iterator[tuple[str, bytes]] | None:
    """The members of an archive, or None where the content is no archive."""
    stream = io.BytesIO(content)
    # Spreadsheets are zip files too, but not archives of data files.
    if zipfile.is_zipfile(stream) and b"xl/workbook" not in content:
        return _from_zip(stream, source)
    stream.seek(0)
    if content[257:262] == b"ustar" or content[:2] == b"\x1f\x8b":
        return _from_tar(stream, source)
    return None


def _from_zip(stream: io.BytesIO, source: str) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(stream) as archive:
            for information in archive.infolist():
                _check_size(information.file_size, information.filename, source)
                if not information.is_dir():
                    yield information.filename, archive.read(information)
    except (zipfile.BadZipFile, OSError, RuntimeError) as error:
        raise DataError(f"{source}: a broken archive ({error})") from error


def _from_tar(stream: io.BytesIO, source: str) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(fileobj=stream) as archive:
            for information in archive:
                _check_size(information.size, information.name, source)
                file = archive.extractfile(information) if information.isfile() else None
                if file is not None:
                    yield information.name, file.read()
    except (tarfile.TarError, OSError, EOFError) as error:
        raise DataError(f"{source}: a broken archive ({error})") from error


def _check_size(size: int, name: str, source: str) -> None:
    if size > LARGEST_MEMBER:
        raise DataError(f"{source}: {name} unpacks to {size} bytes, more than any of the data sets")


def _uncompressed(content: bytes, source: str) -> bytes:
    try:
        from unlzw3 import unlzw
    except ImportError as error:
        raise DataError(
            f"{source}: holds .Z files, which need a package: pip install 'occstats[fetch]'"
        ) from error
    data: bytes = unlzw(content)
    return data
