"""Numba's compiler with its disk cache, loaded when the first compiled function is called.

Numba and its decorators take a sixth of the time of ``import learnkernels.estimators``. Programs
that only print their options need none of it. The decorators therefore return `Deferred` functions.
The first call of any of them imports Numba and replaces all of them by Numba's functions in the
modules that define them, because compiled functions can only call functions that Numba knows.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import RLock
from typing import Any

Function = Callable[..., Any]

_waiting: list[Deferred] = []
_lock = RLock()


class Deferred:
    """Function that is compiled at its first call.

    Parameters
    ----------
    function : callable
        What to compile.
    compiler : callable
        Takes the function, imports Numba, and returns Numba's function.
    """

    def __init__(self, function: Function, compiler: Callable[[Function], Function]):
        self.function = function
        self.compiler = compiler
        self.made: Function | None = None
        self.__doc__ = function.__doc__
        with _lock:
            _waiting.append(self)

    def __call__(self, *args: Any) -> Any:
        if self.made is None:
            load_compiler()
        assert self.made is not None
        return self.made(*args)


def load_compiler() -> None:
    """Import Numba, and replace the deferred functions in the modules that define some."""
    with _lock:
        for deferred in _waiting:
            deferred.made = deferred.compiler(deferred.function)
        for deferred in _waiting:
            module = deferred.function.__globals__
            module |= {
                name: value.made for name, value in module.items() if isinstance(value, Deferred)
            }
        _waiting.clear()


def compiled(**options: Any) -> Callable[[Function], Function]:
    """Return a decorator like ``numba.njit(cache=True, nogil=True)`` that waits for a call.

    Where no folder can be written there is no disk cache.
    """

    def compiler(function: Function) -> Any:
        from numba import njit

        from learnkernels.compiled_cache import CheckedCache

        made: Any = njit(nogil=True, **options)(function)
        # A read-only installation and no home have no cache, nor has Python without the compiler.
        with suppress(RuntimeError, AttributeError):
            made._cache = CheckedCache(function)
        return made

    return lambda function: Deferred(function, compiler)


def intrinsic(python: Function) -> Callable[[Function], Function]:
    """Return a decorator like ``numba.extending.intrinsic`` that waits for a call.

    Parameters
    ----------
    python : callable
        The same function in Python, used with ``NUMBA_DISABLE_JIT=1``.
    """

    def compiler(function: Function) -> Function:
        from numba import config
        from numba.extending import intrinsic

        made: Function = python if config.DISABLE_JIT else intrinsic(function)
        return made

    return lambda function: Deferred(function, compiler)
