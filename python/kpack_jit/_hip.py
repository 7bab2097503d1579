# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The HIP runtime, as far as kernels are launched with it.

The runtime that the process has already is taken, for streams and memory are its own; a
framework may have brought one that the system does not know. Only where there is none,
the system's is loaded.
"""
import ctypes
import re
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_void_p
from functools import lru_cache
from typing import Any, List, Optional, Tuple

from ._library import Error

_NAMES = ("libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5")
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


def device() -> int:
    """The current one of this thread."""
    number = c_int()
    call("hipGetDevice", byref(number))
    return number.value


@lru_cache(maxsize=None)
def _target_of(number: int) -> str:
    # The structure differs between versions of HIP, and what a target id looks like
    # does not: it is the one text of that form behind the device's name.
    properties = ctypes.create_string_buffer(1 << 14)
    getter = "hipGetDevicePropertiesR0600" if hasattr(_runtime(), "hipGetDevicePropertiesR0600") \
        else "hipGetDeviceProperties"
    call(getter, properties, c_int(number))
    found = re.search(rb"gfx[0-9a-f]+(?:-generic)?(?::[a-z]+[+-])*(?=\0)", properties.raw[256:])
    if not found:
        raise Error("GPU %d: HIP does not say what it is; name the target" % number)
    return found.group().decode("ascii")


def target() -> str:
    """The target id of the current device: gfx90a:sramecc+:xnack-."""
    return _target_of(device())


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


def load(image: int, symbol: str) -> Tuple[int, int]:
    """Module and function of a code object on the current device."""
    module, function = c_void_p(), c_void_p()
    call("hipModuleLoadData", byref(module), c_void_p(image))
    call("hipModuleGetFunction", byref(function), module, symbol.encode())
    assert module.value is not None and function.value is not None
    return module.value, function.value


def unload(number: int, module: int) -> None:
    """Of a device, when what runs there has ended. Where that cannot be waited for, as
    while a graph is captured, the module stays."""
    try:
        before = device()
        call("hipSetDevice", c_int(number))
        try:
            call("hipDeviceSynchronize")
            call("hipModuleUnload", c_void_p(module))
        finally:
            call("hipSetDevice", c_int(before))
    except Error:
        pass


def launch(function: int, grid: Tuple[int, int, int], block: Tuple[int, int, int], shared: int, stream: int,
           values: List[Any]) -> None:
    """Values are objects of ctypes; HIP has copied them when this returns."""
    places = (c_void_p * max(len(values), 1))(*[ctypes.addressof(value) for value in values])
    call("hipModuleLaunchKernel", c_void_p(function), *[c_uint(n) for n in grid + block], c_uint(shared),
         c_void_p(stream), places, None)


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
