"""Attributes that are derived from others when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

__all__ = ["derived"]

Value = TypeVar("Value")


class derived(Generic[Value]):
    """A property that is computed once and kept in the instance, as `functools.cached_property` is.

    That of Python 3.11 has a lock for all instances of a class, which a process that is forked
    while another thread holds it would wait for in vain. Here two threads may both compute it.

    Examples
    --------
    >>> class Circle:
    ...     radius = 2.0
    ...
    ...     @derived
    ...     def area(self):
    ...         print("computed")
    ...         return 3.14 * self.radius**2
    >>> circle = Circle()
    >>> circle.area, circle.area
    computed
    (12.56, 12.56)
    """

    def __init__(self, function: Callable[[Any], Value]):
        self.function = function
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> derived[Value]: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.function(instance)
        return value
