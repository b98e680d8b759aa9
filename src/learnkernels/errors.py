"""Every error and warning of the library, so that a user can catch or filter them by name.

Bad input raises `InputError` (a `ValueError`; where a type is wrong, a `TypeError` too) whose
message is a sentence: what was found, what was expected, what to do.
"""

__all__ = [
    "ConstantKernelWarning",
    "InputError",
    "InputTypeError",
    "MemoryWarning",
    "UndefinedAlignmentWarning",
]


class InputError(ValueError):
    """The data or a parameter cannot be used; the message says what to do."""


class InputTypeError(InputError, TypeError):
    """The same where it is the type that is wrong."""


class ConstantKernelWarning(UserWarning):
    """A base kernel is constant on the training data and gets weight zero."""


class MemoryWarning(UserWarning):
    """Another machine was trained, or a slower way taken, than memory would have to allow."""


class UndefinedAlignmentWarning(UserWarning):
    """The target says nothing about the kernels, so weights by alignment do not exist."""
