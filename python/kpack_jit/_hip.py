# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The HIP runtime, as far as memory and streams are wanted of it: libkpack_jit.so
launches kernels itself.

The runtime that the process has already is taken, as the library does, for streams and
memory are its own; a framework may have brought one that the system does not know.
"""
import ctypes
import re
from ctypes import byref, c_char_p, c_int, c_size_t, c_void_p
from functools import lru_cache
from typing import Any, Optional, Tuple

from ._library import Error

_NAMES = ("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5")
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2


def _mapped() -> Optional[str]:
    """The runtime's file, where the process has one."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            columns = line.rstrip("\n").split(maxsplit=5)
            if len(columns) == 6 and re.search(r"/libamdhip64[^/]*$", columns[5]):
                return columns[5]
    return None


@lru_cache(maxsize=None)
def _runtime() -> ctypes.CDLL:
    mapped = _mapped()
    for name in (mapped,) if mapped else _NAMES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise Error("libamdhip64.so: cannot be loaded; install a HIP runtime, or import what brings one first")


def call(name: str, *arguments: Any) -> None:
    """A function of HIP that gives an error code."""
    code = getattr(_runtime(), name)(*arguments)
    if code:
        describe = _runtime().hipGetErrorString
        describe.restype = c_char_p
        raise Error("%s: error %d, %s" % (name, code, (describe(code) or b"unknown").decode("utf-8", "replace")))


def stream_of(stream: Any) -> int:
    """The handle of a stream: a number, None for the default one, or an object that
    frameworks have for it."""
    for attribute in ("cuda_stream", "ptr", "value"):
        stream = getattr(stream, attribute, stream)
    if stream is None:
        return 0
    if type(stream) is not int:
        raise TypeError("stream: %s; pass a handle of HIP, or a framework's stream" % type(stream).__name__)
    return stream


def synchronize(stream: Any = None) -> None:
    """Waits for a stream."""
    call("hipStreamSynchronize", c_void_p(stream_of(stream)))


class DeviceArray:
    """Memory of the current GPU with the content of an array, for programs that have no
    framework for it:

        x = DeviceArray(numpy_array)
        kernel(x, x.size, grid=..., block=...)
        x.copy_to(numpy_array)
    """

    def __init__(self, host: Any) -> None:
        interface = host.__array_interface__
        if interface.get("strides") is not None:
            raise ValueError("array: is not contiguous; pass a copy in C order")
        self.shape: Tuple[int, ...] = tuple(interface["shape"])
        self.typestr: str = interface["typestr"]
        self.size = 1
        for extent in self.shape:
            self.size *= extent
        self._bytes = self.size * int(self.typestr[2:])
        memory = c_void_p()
        call("hipMalloc", byref(memory), c_size_t(max(self._bytes, 1)))
        self._address = memory.value or 0
        call("hipMemcpy", memory, c_void_p(interface["data"][0]), c_size_t(self._bytes), c_int(HOST_TO_DEVICE))

    @property
    def __cuda_array_interface__(self) -> Any:
        return {"shape": self.shape, "typestr": self.typestr, "data": (self._address, False), "version": 3}

    def copy_to(self, host: Any) -> Any:
        """Waits for the GPU, and gives the array back that it has copied to."""
        interface = host.__array_interface__
        if interface.get("strides") is not None or interface["typestr"] != self.typestr \
                or tuple(interface["shape"]) != self.shape or interface["data"][1]:
            raise ValueError("array: cannot take what is copied; pass a contiguous one that can be written, "
                             "of shape %s and type %s" % (self.shape, self.typestr))
        call("hipMemcpy", c_void_p(interface["data"][0]), c_void_p(self._address), c_size_t(self._bytes),
             c_int(DEVICE_TO_HOST))
        return host

    def __del__(self) -> None:
        address, self._address = getattr(self, "_address", 0), 0
        if address:
            try:
                call("hipFree", c_void_p(address))
            except Exception:  # the interpreter, or HIP, may be gone
                pass
