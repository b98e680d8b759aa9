"""A disk cache of Numba that may be damaged or absent.

Numba unpickles the files of its cache without checking them. Here each has the SHA-256 of its
content. A file that is damaged, or that cannot be read or written, is not used: the function is
compiled in every process, and the first one warns with the folder.
"""

from __future__ import annotations

import hashlib
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

DIGEST = 32
# Folders about which a warning was raised in this process.
WARNED: set[str] = set()


class CheckedCache(FunctionCache):
    """The cache of one function; compile without it if a file is damaged."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        name = f"{self._impl.filename_base}.checked"
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = CheckedFiles(self._cache_path, name, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return compiled code for a signature, None if the cache does not have it."""
        try:
            return super().load_overload(sig, target_context)
        except MemoryError:
            raise
        except Exception as error:  # unpickling damaged bytes raises many types
            self.give_up(error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store compiled code for a signature."""
        try:
            super().save_overload(sig, data)
        except MemoryError:
            raise
        except Exception as error:
            self.give_up(error)

    def give_up(self, error: Exception) -> None:
        """Do not use this cache any more; warn once for each folder."""
        self.disable()
        folder = str(self._cache_path)
        if folder not in WARNED:
            WARNED.add(folder)
            reason = str(error) or type(error).__name__
            warnings.warn(
                f"the cache of compiled functions in {folder!r} cannot be used ({reason}), so they "
                "are compiled again in every process; delete the files *.nbi and *.nbc there.",
                UserWarning,
                stacklevel=2,
            )


class CheckedFiles(IndexDataCacheFile):
    """Index and data files with the SHA-256 of their content in front."""

    def _load_index(self) -> dict[Any, str]:
        try:
            version, stamp, overloads = pickle.loads(checked(Path(self._index_path)))
        except FileNotFoundError:
            return {}
        current = (version, stamp) == (self._version, self._source_stamp)
        return dict(overloads) if current else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        content = self._dump((self._version, self._source_stamp, overloads))
        with self._open_for_write(self._index_path) as file:
            file.write(hashlib.sha256(content).digest() + content)

    def _load_data(self, name: str) -> Any:
        return pickle.loads(checked(Path(self._data_path(name))))

    def _save_data(self, name: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(hashlib.sha256(content).digest() + content)


def checked(path: Path) -> bytes:
    """Return the content of a file without its checksum, or raise if it is damaged."""
    content = path.read_bytes()
    if hashlib.sha256(content[DIGEST:]).digest() != content[:DIGEST]:
        raise ValueError(f"{path.name} is damaged")
    return content[DIGEST:]
