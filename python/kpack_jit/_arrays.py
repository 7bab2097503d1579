# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses of arrays, checked: type of the elements, contiguity, who may write.

Host memory is described by __array_struct__, which is __array_interface__ in C and much
faster to read, by __array_interface__ itself, or by DLPack; memory of a GPU by DLPack or
by __cuda_array_interface__, which HIP's frameworks have as well. DLPack's capsule is
asked for with version 1 and, where the array's library is older, without. It is never
taken over: it stays as it is until the call is over, and then frees what it holds.
"""
import ctypes
from ctypes import POINTER, Structure, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from enum import Enum
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from . import _hip
from ._types import ELEMENTS, Converter, Number, Pointer, element_name


class Place(Enum):
    """Where an array's memory has to be."""
    HOST = 0
    GPU = 1
    ANY = 2  # functions of the host that launch kernels take both


CPU, CUDA, CPU_PINNED_CUDA, ROCM, CPU_PINNED_ROCM, CUDA_MANAGED = 1, 2, 3, 10, 11, 13
_HOST_DEVICES = (CPU, CPU_PINNED_CUDA, CPU_PINNED_ROCM)
_GPU_DEVICES = (CUDA, CPU_PINNED_CUDA, ROCM, CPU_PINNED_ROCM, CUDA_MANAGED)

# Of __array_struct__: contiguous in C's order, aligned, of this machine's byte order.
_USABLE = 0x1 | 0x100 | 0x200
_WRITEABLE = 0x400


class _ArrayStruct(Structure):
    """Size of an element (an int) and flags (another) are read as one number, since each
    attribute that is read costs."""
    _pack_ = 4
    _layout_ = "ms"  # what the packing means, which Python asks for from 3.14 on
    _fields_ = [("two", c_int), ("nd", c_int), ("typekind", ctypes.c_ubyte), ("size_and_flags", c_uint64),
                ("unused", c_int), ("shape", c_void_p), ("strides", c_void_p), ("data", c_void_p)]


class _DLTensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class _DLManagedVersioned(Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", c_void_p),
                ("flags", c_uint64), ("tensor", _DLTensor)]


class _DLVector(Structure):
    """A _DLTensor whose numbers that are compared together are read as one."""
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("axes_and_type", c_uint64),
                ("shape", c_void_p), ("strides", c_void_p), ("byte_offset", c_uint64)]


_DL_READ_ONLY, _DL_COPIED = 1, 2
_DL_KINDS = {0: "i", 1: "u", 2: "f", 4: "g", 5: "c", 6: "b"}

_capsule_pointer = ctypes.pythonapi["PyCapsule_GetPointer"]
_capsule_pointer.restype, _capsule_pointer.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]
_capsule_is_valid = ctypes.pythonapi["PyCapsule_IsValid"]
_capsule_is_valid.restype, _capsule_is_valid.argtypes = c_int, [ctypes.py_object, ctypes.c_char_p]


# Types that were described by DLPack, and whether by version 1. An array's library is asked
# once what it has; the table begins anew before it is long.
_dlpack_types: Dict[type, bool] = {}


class Array(NamedTuple):
    """What is known of an array's memory."""
    address: int
    kind: str  # as of _types.Number
    size: int  # of an element
    read_only: bool
    is_copy: bool  # what is written to it nobody sees
    contiguous: bool
    aligned: bool
    swapped: bool
    on_gpu: bool
    on_host: bool
    keeps: Any  # what must live as long as the address is used


def _is_contiguous(shape: Sequence[int], strides: Optional[Sequence[int]], unit: int) -> bool:
    if strides is None or 0 in shape:
        return True
    for extent, stride in zip(reversed(shape), reversed(strides)):
        if extent != 1 and stride != unit:
            return False
        unit *= extent
    return True


def _size_in(typestr: str) -> int:
    """The number of "<f4"; those of times have a unit, "<M8[ns]"."""
    return int(typestr[2:].partition("[")[0] or 0)


def _instead(kind: str, element: Optional[Number]) -> str:
    """What to pass in the place of an array with elements of that kind."""
    if kind in "Mm" and (element is None or (element.kind, element.size) == ("i", 8)):
        return "its numbers, array.view('int64')"
    return "one of " + (element_name(element.kind, element.size) if element else "numbers")


def _of_dictionary(interface: Any, keeps: Any, on_gpu: bool) -> Array:
    """Of __array_interface__, and of the other, which has the same members."""
    typestr, data = interface["typestr"], interface.get("data")
    if not isinstance(data, tuple):
        raise TypeError("an array without an address; pass one that has its data in memory")
    kind, size, address = typestr[1], _size_in(typestr), int(data[0] or 0)
    contiguous = _is_contiguous(interface["shape"], interface.get("strides"), size)
    alignment = min(size, 8) if kind != "c" else size // 2
    return Array(address, kind, size, bool(data[1]), False, contiguous, address % max(alignment, 1) == 0,
                 typestr[0] == ">", on_gpu, not on_gpu, keeps)


def _capsule_of(value: Any, stream: Optional[int]) -> Any:
    """Of version 1 where the array's library has it. The stream is for memory of GPUs."""
    on_stream = {} if stream is None else {"stream": stream}
    if _dlpack_types.get(type(value)) is not False:
        try:
            return value.__dlpack__(max_version=(1, 0), **on_stream)
        except TypeError:  # an unknown argument; what else is wrong is wrong again
            pass
    return value.__dlpack__(**on_stream)


def _of_capsule(capsule: Any) -> Array:
    flags = 0
    if _capsule_is_valid(capsule, b"dltensor_versioned"):
        managed = _DLManagedVersioned.from_address(_capsule_pointer(capsule, b"dltensor_versioned"))
        if managed.major != 1:
            raise TypeError("an array of DLPack %d.%d; pass one of DLPack 1" % (managed.major, managed.minor))
        flags, tensor = managed.flags, managed.tensor
    elif _capsule_is_valid(capsule, b"dltensor"):
        tensor = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    else:
        raise TypeError("its __dlpack__ gives no capsule of DLPack; pass an array")
    if tensor.lanes != 1 or tensor.bits % 8:
        raise TypeError("an array with elements of %d times %d bits; pass one of plain numbers"
                        % (tensor.lanes, tensor.bits))
    shape = tensor.shape[:tensor.ndim]
    strides = tensor.strides[:tensor.ndim] if tensor.strides else None
    size = tensor.bits // 8
    address = (tensor.data or 0) + tensor.byte_offset
    return Array(address, _DL_KINDS.get(tensor.code, "?"), size, bool(flags & _DL_READ_ONLY),
                 bool(flags & _DL_COPIED), _is_contiguous(shape, strides, 1), address % min(max(size, 1), 8) == 0,
                 False, tensor.device_type in _GPU_DEVICES, tensor.device_type in _HOST_DEVICES, capsule)


def _check_place(on_host: bool, on_gpu: bool, place: Place) -> None:
    if place is Place.GPU and not on_gpu:
        raise ValueError("memory of the host for a kernel; copy the array to the GPU")
    if place is Place.HOST and not on_host:
        raise ValueError("memory of a GPU for a function of the host; copy the array to the host")


def describe(value: Any, place: Place = Place.ANY, stream: Optional[int] = None) -> Optional[Array]:
    """None: it is no array."""
    kind = type(value)
    has_dlpack = hasattr(kind, "__dlpack__")
    if place is not Place.GPU or not has_dlpack:
        interface = getattr(value, "__array_interface__", None)
        if interface is not None:
            # A number of NumPy's is described like an array, by a copy of itself.
            return _of_dictionary(interface, value, False)._replace(is_copy=not hasattr(kind, "__setitem__"))
    if has_dlpack:
        device = int(value.__dlpack_device__()[0])
        _check_place(device in _HOST_DEVICES, device in _GPU_DEVICES, place)
        try:
            if device in (CUDA, CUDA_MANAGED) and stream == 0:
                stream = 1  # DLPack's number for CUDA's default stream
            capsule = _capsule_of(value, None if device in _HOST_DEVICES else stream)
            if len(_dlpack_types) >= 64:
                _dlpack_types.clear()
            _dlpack_types[kind] = bool(_capsule_is_valid(capsule, b"dltensor_versioned"))
            return _of_capsule(capsule)
        except BufferError as error:
            raise ValueError("array that its library does not share (%s); pass a copy" % error) from None
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is None:
        return None
    producer = interface.get("stream")
    if producer is not None and producer != stream:
        _hip.synchronize(producer)
    return _of_dictionary(interface, value, True)


def _check(array: Array, pointer: Pointer, place: Place) -> None:
    """Errors: TypeError or ValueError says what is wrong with it."""
    _check_place(array.on_host, array.on_gpu, place)
    element = pointer.element
    if element is not None:
        name = element_name(array.kind, array.size)
        is_byte = element.name == "char" and array.kind == "u"
        if array.size != element.size or (array.kind != element.kind and not is_byte):
            raise TypeError("array of %s for '%s'; pass %s" % (name, pointer.name, _instead(array.kind, element)))
    if array.swapped:
        raise ValueError("array of the other byte order; pass one of this machine's")
    if not array.contiguous:
        raise ValueError("array that is not contiguous; pass a copy in C order (numpy.ascontiguousarray)")
    if not array.aligned:
        raise ValueError("array that is not aligned; pass a copy")
    if not pointer.is_const and array.read_only:
        raise ValueError("read-only array for '%s'; pass one that can be written, or declare the pointer const"
                         % pointer.name)
    if not pointer.is_const and array.is_copy:
        raise ValueError("copy of an array for '%s', which would be lost; pass one on this device" % pointer.name)


def _slow(value: Any, keep: List[Any], pointer: Pointer, stream: Optional[int], place: Place) -> Optional[int]:
    """Whatever is no plain array of the host."""
    if value is None:
        return None
    if isinstance(value, c_void_p):
        return value.value
    array = describe(value, place, stream)
    if array is None:
        raise TypeError("%s for '%s'; pass an array (NumPy, DLPack), None, or ctypes.c_void_p"
                        % (type(value).__name__, pointer.name))
    keep.append(array.keeps)
    _check(array, pointer, place)
    return array.address


def _dlpack_converter(pointer: Pointer) -> Callable[[Any, List[Any], bool], Optional[int]]:
    """Takes what has one axis, as most have, and is right at the first look."""
    element = pointer.element
    code = next((c for c, kind in _DL_KINDS.items() if element and kind == element.kind), -1)
    size = element.size if element else 0
    wanted = 1 | code << 32 | size * 8 << 40 | 1 << 48 if code >= 0 else -1
    refused = 0 if pointer.is_const else _DL_READ_ONLY | _DL_COPIED
    mask = min(max(size, 1), 8) - 1
    flags_at, tensor_at = _DLManagedVersioned.flags.offset, _DLManagedVersioned.tensor.offset
    at, flags_of, stride_of, pointer_of = (_DLVector.from_address, c_uint64.from_address, c_int64.from_address,
                                           _capsule_pointer)

    def convert(value: Any, keep: List[Any], is_versioned: bool) -> Optional[int]:
        try:
            # What is elsewhere may be made ready for us when it is asked for.
            if value.__dlpack_device__()[0] != CPU:
                raise ValueError
            if is_versioned:
                capsule = value.__dlpack__(max_version=(1, 0))
                managed = pointer_of(capsule, b"dltensor_versioned")
                is_right = c_uint32.from_address(managed).value == 1 and not flags_of(managed + flags_at).value & refused
                tensor = at(managed + tensor_at)
            else:
                capsule = value.__dlpack__()
                tensor, is_right = at(pointer_of(capsule, b"dltensor")), True
        except (TypeError, ValueError, BufferError):
            is_right = False  # _slow() finds out why
        if is_right and tensor.axes_and_type == wanted and tensor.device_type == CPU:
            strides = tensor.strides
            address = (tensor.data or 0) + tensor.byte_offset
            if not address & mask and (not strides or stride_of(strides).value == 1):
                keep.append(capsule)
                return address
        return _slow(value, keep, pointer, None, Place.HOST)
    return convert


def host_converter(pointer: Pointer) -> Converter:
    """Takes arrays in host memory. What is right at the first look costs little."""
    kind = ord(pointer.element.kind) if pointer.element else 0
    wanted = (_USABLE | (0 if pointer.is_const else _WRITEABLE)) << 32
    mask = wanted
    if pointer.element:
        wanted, mask = wanted | pointer.element.size, mask | 0xffffffff
    at, pointer_of, is_const = _ArrayStruct.from_address, _capsule_pointer, pointer.is_const
    by_dlpack, types = _dlpack_converter(pointer), _dlpack_types

    def convert(value: Any, keep: List[Any]) -> Optional[int]:
        capsule = getattr(value, "__array_struct__", None)
        if capsule is None:
            is_versioned = types.get(type(value))
            if is_versioned is None:
                return _slow(value, keep, pointer, None, Place.HOST)
            return by_dlpack(value, keep, is_versioned)
        array = at(pointer_of(capsule, None))
        if array.size_and_flags & mask == wanted and (array.typekind == kind or not kind) and (is_const or array.nd):
            keep.append(capsule)
            return array.data
        return _slow(value, keep, pointer, None, Place.HOST)
    return convert


def any_converter(pointer: Pointer) -> Converter:
    """Takes arrays wherever they are."""
    def convert(value: Any, keep: List[Any]) -> Optional[int]:
        return _slow(value, keep, pointer, None, Place.ANY)
    return convert


def gpu_address(value: Any, keep: List[Any], pointer: Pointer, stream: int) -> Optional[int]:
    """Of an array in the memory of GPUs, ready for what the stream does next."""
    return _slow(value, keep, pointer, stream, Place.GPU)


def pointer_type_of(value: Any) -> Optional[str]:
    """C++'s type of a pointer to the array's elements. None: it is no array."""
    array = describe(value)
    if array is None:
        return None
    name = ELEMENTS.get((array.kind, array.size))
    if name is None:
        raise TypeError("array of %s; pass %s" % (element_name(array.kind, array.size), _instead(array.kind, None)))
    return "%s%s *" % ("const " if array.read_only else "", name)
