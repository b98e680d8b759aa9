"""Every error and warning of the library, so that a user can catch or filter them by name.

Bad input raises `InputError` (a `ValueError`; where a type is wrong, a `TypeError` too) whose
message is a sentence: what was found, what was expected, what to do.
"""

__all__ = [
    "ConstantKernelWarning",
    "InputError",
    "InputTypeError",
    "MachineWarning",
    "UndefinedAlignmentWarning",
]


class InputError(ValueError):
    """The data or a parameter cannot be used; the message says what to do."""


class InputTypeError(InputError, TypeError):
    """The same where it is the type that is wrong."""


class ConstantKernelWarning(UserWarning):
    """A base kernel is constant on the training data and gets weight zero."""


class MachineWarning(UserWarning):
    """Another machine was trained than usual, since memory does not allow that one."""


class UndefinedAlignmentWarning(UserWarning):
    """The target says nothing about the kernels, so weights by alignment do not exist."""
