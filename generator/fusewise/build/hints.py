"""What to do about errors of compilers and of the system."""

from __future__ import annotations

import errno
import re

_OF_COMPILERS = {
    r"unsupported GNU version": "this nvcc does not take this g++: name an older g++ in CXX, or"
    " install a newer CUDA toolkit",
    r"Unsupported gpu architecture": "this nvcc does not know that architecture: install a newer"
    " CUDA toolkit, or name other architectures in FUSEWISE_ARCHS",
    r"is not defined for option 'std'|unrecognized command[- ]line option '-std=": "this compiler"
    " has no C++20: g++ has it from version 10, nvcc from version 12",
    r"No space left on device|Disk quota exceeded": "the disk is full: free some space",
    r"Killed signal terminated|nvcc error *: .* died due to signal 9": "memory ran out: fewer"
    " compilers at a time need less, as in MAX_JOBS=1",
}
NO_NVCC = "install the CUDA toolkit, or name its folder in CUDA_HOME"
_FULL = (errno.ENOSPC, errno.EDQUOT)
_NO_FOLDER = (errno.EEXIST, errno.ENOENT, errno.ENOTDIR)
NOT_WRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, *_NO_FOLDER, *_FULL)


def compiler_hint(said: str) -> str:
    """What to do about the errors of a compiler; empty for those of a source."""
    return next((hint for error, hint in _OF_COMPILERS.items() if re.search(error, said)), "")


def cache_hint(error: OSError) -> str:
    """What to do about a cache that cannot be written."""
    another = "name another folder in FUSEWISE_CACHE_DIR"
    return f"free some space, or {another}" if error.errno in _FULL else another
