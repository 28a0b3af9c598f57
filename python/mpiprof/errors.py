"""The only exception that the module raises on purpose."""

from __future__ import annotations

import sys
from typing import Optional


class MprofError(Exception):
    """What went wrong, in words that can be shown to a user.

    `status` is the exit status of the program mprof if that is who said it (2: the input is of no
    use, or the arguments are wrong), else None.
    """

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        self.status = status


class MissingPackage(MprofError, ImportError):
    """An optional package is not installed. The text says which, and how to get it."""

    def __init__(self, package: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the Python package {package}, which is not installed. "
            f"To install it: {sys.executable or 'python3'} -m pip install {package}")
