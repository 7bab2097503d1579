"""An array that speaks DLPack and nothing else, of any version, with any defect."""
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

CPU, CUDA, ROCM = 1, 2, 10


class Tensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class Managed(Structure):
    _fields_ = [("tensor", Tensor), ("context", c_void_p), ("deleter", c_void_p)]


class ManagedVersioned(Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", c_void_p),
                ("flags", c_uint64), ("tensor", Tensor)]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [c_void_p, ctypes.c_char_p, c_void_p]
NAMES = {0: b"dltensor", 1: b"dltensor_versioned", 2: b"dltensor_versioned"}


class Array:
    """Of a float32 address. Attributes are what a producer may get wrong, or refuse."""

    def __init__(self, address, shape, strides=None, *, version=1, flags=0, code=2, bits=32, lanes=1, offset=0,
                 device=CPU, error=None, capsule=None):
        self.version, self.device, self.error, self.capsule = version, device, error, capsule
        self.freed, self.asked, self.stream = False, None, None
        self.managed = (ManagedVersioned if version else Managed)()
        if version:
            self.managed.major, self.managed.flags = version, flags
        self.shape = (c_int64 * len(shape))(*shape)
        self.strides = (c_int64 * len(shape))(*strides) if strides else None
        self.managed.tensor = Tensor(address, device, 0, len(shape), code, bits, lanes, self.shape, self.strides, offset)

        def free(_):
            self.freed = True
        self.free = CFUNCTYPE(None, c_void_p)(free)

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **options):
        if not self.version and "max_version" in options:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        if self.error:
            raise self.error
        self.asked, self.stream = options.get("max_version"), options.get("stream")
        # A destructor of a capsule is called with the capsule, which nobody has taken over.
        return self.capsule or _new(ctypes.addressof(self.managed), NAMES[self.version],
                                    ctypes.cast(self.free, c_void_p))
