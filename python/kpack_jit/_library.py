# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libkpack_jit.so through ctypes: where it is, its structures, its errors.

The structures are those of kpack/kpack_jit.h, which says what their members mean. A
process has one such library: one that something else has mapped already is taken, so
that programs in C++ and Python share what is compiled. KPACK_JIT_LIBRARY names another.
"""
import ctypes
import os
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from enum import IntEnum
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

SONAME = "libkpack_jit.so.0"

COMPILE_ERROR = 32
PENDING = 33
REFRESH = 2
ONLY_LOADED = 4
KIND_HOST = 0
KIND_KERNEL = 1


class Detail(IntEnum):
    """What a failure was, more exactly than its status: kpack_jit_error_detail."""
    NONE = 0
    COMPILE_FAILED = 1
    COMPILER_CRASHED = 2
    COMPILE_TIMEOUT = 3
    SIGNATURE_MISMATCH = 4
    UNKNOWN_ENTRY = 5
    BAD_CONSTANT = 6
    UNSUPPORTED_OPTION = 7
    UNSUPPORTED_TYPE = 8
    MISSING_KERNEL = 9
    WRONG_ISA = 10
    LOAD_FAILED = 11
    NO_DEVICE = 12
    LAUNCH_FAILED = 13
    CACHE_UNUSABLE = 14
    CANCELLED = 15


class Error(RuntimeError):
    """What the library refuses. The attribute code is its kpack_jit_status, and detail
    tells apart what has one status."""

    def __init__(self, message: str, code: int = 1, detail: Detail = Detail.NONE) -> None:
        super().__init__(message)
        self.code = code
        self.detail = detail


class CompileError(Error):
    """The compiler refuses a text; the message has its words."""


class Header(Structure):
    _fields_ = [("name", c_char_p), ("text", c_char_p)]


class Constant(Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("value", c_char_p)]


class EntryPoint(Structure):
    _fields_ = [("expression", c_char_p), ("type", c_char_p)]


# Asked while a call of the library waits: not 0 ends the wait.
StopCallback = ctypes.CFUNCTYPE(c_int, c_void_p)


class ProgramSource(Structure):
    _fields_ = [("size", c_size_t), ("kind", c_int), ("name", c_char_p), ("text", c_char_p),
                ("headers", POINTER(Header)), ("header_count", c_size_t),
                ("constants", POINTER(Constant)), ("constant_count", c_size_t),
                ("entries", POINTER(EntryPoint)), ("entry_count", c_size_t),
                ("target", c_char_p), ("compiler", c_char_p), ("flags", POINTER(c_char_p)),
                ("types", c_void_p), ("type_count", c_size_t), ("should_stop", StopCallback),
                ("stop_user", c_void_p)]


class ProgramInfo(Structure):
    _fields_ = [("size", c_size_t), ("entry_count", c_size_t), ("target", c_char_p), ("log", c_char_p),
                ("key", c_char_p), ("image", c_void_p), ("image_size", c_uint64),
                ("compile_milliseconds", c_uint64)]


class CacheOptions(Structure):
    _fields_ = [("size", c_size_t), ("directory", c_char_p), ("system_directories", POINTER(c_char_p)),
                ("mode", c_int), ("max_bytes", c_uint64), ("max_entries", c_uint64),
                ("max_age_seconds", c_uint64), ("max_wait_seconds", c_double), ("prebuild_hint", c_char_p),
                ("on_event", c_void_p), ("user", c_void_p), ("compile_helper", c_char_p),
                ("remote", c_void_p), ("system_owners", POINTER(c_char_p)), ("max_programs", c_uint64)]


class Launch(Structure):
    _fields_ = [("size", c_size_t), ("grid", c_uint32 * 3), ("block", c_uint32 * 3),
                ("dynamic_shared_bytes", c_uint32), ("refuse_null", c_int), ("stream", c_void_p),
                ("checks", c_int), ("memory", c_void_p), ("memory_count", c_size_t)]


CHECKS = {"cheap": 0, "full": 1, "none": 2}


class StatisticsRow(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("target", c_char_p), ("hits", c_uint64),
                ("misses", c_uint64), ("compiles", c_uint64), ("failures", c_uint64), ("waits", c_uint64),
                ("compile_milliseconds", c_uint64), ("bytes", c_uint64), ("last_use", c_uint64),
                ("fetched", c_uint64)]


class KeyField(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class KeyDifference(Structure):
    _fields_ = [("field", c_char_p), ("before", c_char_p), ("after", c_char_p), ("meaning", c_char_p)]


class KeyExplanation(Structure):
    _fields_ = [("size", c_size_t), ("key", c_char_p), ("is_cached", c_int), ("nearest", c_char_p),
                ("fields", POINTER(KeyField)), ("field_count", c_size_t),
                ("differences", POINTER(KeyDifference)), ("difference_count", c_size_t)]


BytesCallback = ctypes.CFUNCTYPE(None, c_void_p, c_size_t, c_void_p)
ExplanationCallback = ctypes.CFUNCTYPE(None, POINTER(KeyExplanation), c_void_p)


# Result and arguments of what is called; all others give a status.
_FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "last_error": (c_char_p, []),
    "last_error_detail": (c_int, []),
    "version": (c_char_p, []),
    "process_cache": (c_int, [POINTER(c_void_p)]),
    "cache_open": (c_int, [POINTER(CacheOptions), POINTER(c_void_p)]),
    "cache_close": (None, [c_void_p]),
    "cache_get_statistics": (c_int, [c_void_p, POINTER(StatisticsRow)]),
    "cache_explain": (c_int, [c_void_p, POINTER(ProgramSource), ExplanationCallback, c_void_p]),
    "compile": (c_int, [c_void_p, POINTER(ProgramSource), c_uint, POINTER(c_void_p)]),
    "program_release": (None, [c_void_p]),
    "program_serialize": (c_int, [c_void_p, BytesCallback, c_void_p]),
    "program_deserialize": (c_int, [c_char_p, c_size_t, POINTER(c_void_p)]),
    "program_function": (c_int, [c_void_p, c_size_t, POINTER(c_void_p)]),
    "program_get_info": (c_int, [c_void_p, POINTER(ProgramInfo)]),
    "device_target": (c_int, [c_int, c_char_p, c_size_t]),
    "kernel_load": (c_int, [c_void_p, c_size_t, c_int, POINTER(c_void_p)]),
    "kernel_launch": (c_int, [c_void_p, POINTER(Launch), POINTER(c_void_p), c_size_t]),
    "program_entry": (c_int, [c_void_p, c_size_t, POINTER(c_char_p), POINTER(c_char_p), POINTER(c_char_p)]),
}


def _candidates() -> List[Tuple[str, int]]:
    """Names for dlopen, the first that is there is taken, and its modes."""
    named = os.environ.get("KPACK_JIT_LIBRARY")
    if named:
        return [(named, 0)]
    found = [(SONAME, os.RTLD_NOLOAD)]
    try:
        # Written where this package is installed together with the library.
        from ._installed import LIBRARY
        found.append((os.path.join(os.path.dirname(os.path.abspath(__file__)), LIBRARY), 0))
    except ImportError:
        pass
    return found + [(SONAME, 0)]


def _open() -> ctypes.CDLL:
    reasons = []
    for name, mode in _candidates():
        try:
            library = ctypes.CDLL(name, mode=os.RTLD_NOW | os.RTLD_LOCAL | mode)
        except OSError as error:
            if not mode:
                reasons.append(str(error))
            continue
        for function, (result, arguments) in _FUNCTIONS.items():
            try:
                entry = getattr(library, "kpack_jit_" + function)
            except AttributeError:
                raise ImportError("%s: has no kpack_jit_%s; install the library of the same version as this "
                                  "package" % (name, function)) from None
            entry.restype, entry.argtypes = result, arguments
        return library
    raise ImportError("%s: cannot be loaded (%s); install kpack, or name the file in KPACK_JIT_LIBRARY"
                      % (SONAME, "; ".join(reasons)))


_LIBRARY = _open()


def function(name: str) -> Callable[..., Any]:
    """kpack_jit_<name>, to be called."""
    return getattr(_LIBRARY, "kpack_jit_" + name)


def text(value: Optional[bytes]) -> str:
    """A text of the library. It may have bytes of file names that are no UTF-8."""
    return (value or b"").decode("utf-8", "surrogateescape")


def encoded(value: Any, what: str) -> bytes:
    """A text for the library, which ends at its first zero."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError("%s: %s; pass a str" % (what, type(value).__name__))
    data = os.fsencode(value)
    if b"\0" in data:
        raise ValueError("%s: has a zero byte; leave it out" % what)
    return data


def encoded_list(values: Sequence[Any], what: str) -> Any:
    """An array that ends with null. A str is no list: its letters would be one."""
    if isinstance(values, (str, bytes)):
        raise TypeError("%s: one text; pass a list of them" % what)
    data = [encoded(value, what) for value in values]
    return (c_char_p * (len(data) + 1))(*data, None)


def version() -> str:
    """Of the library: "0.1.0"."""
    return text(function("version")())


def check(status: int) -> None:
    """Raises what a status means."""
    if status == 0:
        return
    if status == PENDING:
        raise Error("not loaded yet", status)
    number = function("last_error_detail")()
    detail = Detail(number) if number in Detail.__members__.values() else Detail.NONE  # of a later version
    raise (CompileError if status == COMPILE_ERROR else Error)(text(function("last_error")()), status, detail)


def made(name: str, *arguments: Any) -> int:
    """The handle that a function writes to its last argument."""
    handle = c_void_p()
    check(function(name)(*arguments, byref(handle)))
    assert handle.value is not None
    return handle.value


def filled(name: str, handle: int, structure: Any) -> Any:
    """A structure that a function of the handle fills."""
    structure.size = ctypes.sizeof(structure)
    check(function(name)(handle, byref(structure)))
    return structure
