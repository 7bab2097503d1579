# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a text to what is called: functions of this process, kernels of GPUs, caches."""
import ctypes
import operator
import os
import re
import struct
import threading
import weakref
from ctypes import byref, c_char_p, c_void_p
from functools import lru_cache
from typing import Any, Callable, Dict, Generator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _arrays, _hip
from . import _library as lib
from ._types import (ELEMENTS, NUMBERS, SHORT_NAMES, Number, Pointer, Signature, ctype_of, number_converter,
                     parse_signature)

MODES = {"rw": 0, "ro": 1, "off": 2, "strict": 3}


class Statistics(NamedTuple):
    """Sums over what a cache was asked for."""
    hits: int
    misses: int
    compiles: int  # also those that failed
    failures: int
    waits: int  # for a compile of another process
    compile_milliseconds: int
    fetched: int  # misses that a remote cache had


class Difference(NamedTuple):
    """A field of a key that is not as in the nearest entry. "": one of them has none."""

    field: str  # "source", "flag", "include a.h"
    before: str  # in the nearest entry
    after: str  # in what was asked for
    meaning: str  # "source edited"


class Explanation(NamedTuple):
    """What a key is made of, and what keeps it from being that of the nearest entry."""

    key: str
    is_cached: bool  # an entry of files has it
    nearest: str  # the key of the nearest entry of that name; "": there is none
    fields: Dict[str, List[str]]  # short and printable
    differences: List[Difference]


class Cache:
    """A cache in a folder. Who names none has the process's, which KPACK_JIT_... set up."""

    def __init__(self, directory: Union[str, "os.PathLike[str]"], *, mode: str = "rw", max_bytes: int = 0,
                 max_entries: int = 0, max_programs: int = 0) -> None:
        if mode not in MODES:
            raise ValueError("mode %r: there is none; take one of %s" % (mode, ", ".join(MODES)))
        options = lib.CacheOptions()
        options.size = ctypes.sizeof(options)
        options.directory = lib.encoded(os.path.abspath(directory), "directory")
        options.mode = MODES[mode]
        options.max_bytes, options.max_entries, options.max_programs = max_bytes, max_entries, max_programs
        self._handle = lib.made("cache_open", byref(options))
        # Not when the interpreter ends: other threads may be compiling then.
        weakref.finalize(self, lib.function("cache_close"), self._handle).atexit = False

    @classmethod
    def process(cls) -> "Cache":
        """That of the process. Errors: Error, a variable has a value that means nothing."""
        self = cls.__new__(cls)
        self._handle = lib.made("process_cache")
        return self

    def stats(self) -> Statistics:
        """What this process has asked it for."""
        row = lib.filled("cache_get_statistics", self._handle, lib.StatisticsRow())
        return Statistics(*(getattr(row, name) for name in Statistics._fields))


def stats(cache: Optional[Cache] = None) -> Statistics:
    """What this process has asked the cache for."""
    return (cache or Cache.process()).stats()


# ---- Constants ---------------------------------------------------------------

_CTYPES = {number.ctype: number for number in reversed(list(NUMBERS.values())) if number.ctype}


def _number_text(number: Number, value: Any) -> str:
    """Exactly this number; the same text as from C++, so that programs are shared."""
    if number.kind == "b":
        return "true" if value else "false"
    if number.kind == "i":
        return "-%dll - 1" % -(value + 1) if value < 0 else "%dll" % value
    if number.kind == "u":
        return "%dull" % value
    if number.size == 4:
        bits = struct.pack("<f", value)
        value = struct.unpack("<f", bits)[0]
    if value - value != 0:  # infinity or NaN
        if number.size == 4:
            return "__builtin_bit_cast(float, 0x%xu)" % struct.unpack("<I", bits)[0]
        return "__builtin_bit_cast(double, 0x%xull)" % struct.unpack("<Q", struct.pack("<d", value))[0]
    mantissa, exponent = float(value).hex().split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa + "p" + exponent + ("f" if number.size == 4 else "")


def _string_literal(value: str) -> str:
    return '"%s"' % "".join(chr(b) if 0x20 <= b < 0x7f and chr(b) not in '"\\?' else "\\%03o" % b
                            for b in value.encode("utf-8", "surrogateescape"))


def literal_type(value: Any) -> Optional[str]:
    """The type of a number as a literal of C++: int, or long where it does not fit."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int" if -(1 << 31) <= value < 1 << 31 else "long"
    if isinstance(value, float) and type(value).__module__ == "builtins":
        return "double"
    kind = getattr(getattr(value, "dtype", None), "kind", None)  # a number of NumPy's
    if kind is not None and getattr(value, "shape", None) == ():
        return ELEMENTS.get((kind, value.dtype.itemsize))
    return None


def constant_text(name: str, value: Any, type_: Optional[str] = None) -> Tuple[str, str]:
    """Type and value of a constant as C++ has them. A pair of both is what it is."""
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, str) for part in value):
        return value[0], value[1]
    if isinstance(value, ctypes._SimpleCData) and type(value) in _CTYPES:
        type_, value = type_ or _CTYPES[type(value)].name, value.value
    if isinstance(value, str):
        return type_ or "auto", _string_literal(value)
    # A name that only the text knows (an alias, an enumeration) is the text's to check.
    own = NUMBERS.get(literal_type(value) or "")
    number = NUMBERS.get(SHORT_NAMES.get(type_ or "", type_ or ""), own)
    if own is None or number is None or number.ctype is None:
        raise TypeError("constant '%s': %s; pass a number, a str, or a number of ctypes"
                        % (name, type(value).__name__))
    try:
        value = number_converter(number)(value, [])
    except (TypeError, OverflowError) as error:
        raise type(error)("constant '%s': %s" % (name, error)) from None
    return type_ or number.name, _number_text(number, value)


def is_gpu(target: Optional[str]) -> bool:
    """Whether it is a GPU's target id, or "gpu"; else it is a processor."""
    return bool(target) and (target == "gpu" or re.match("(gfx|sm_)[0-9]", str(target)) is not None)


# ---- Interrupts --------------------------------------------------------------

class _Waiting(threading.local):
    """Whether this thread's compiles are to be given up."""

    def __init__(self) -> None:  # in each thread
        self.is_over: Callable[[], bool] = lambda: False


_waiting = _Waiting()


def give_up_when(is_over: Callable[[], bool]) -> None:
    """This thread's compiles end soon after that is true."""
    _waiting.is_over = is_over


class _Interrupts:
    """What Python's handlers of signals raise while the library waits, Ctrl-C above all.
    They run in the main thread when it runs Python's code, which is the question of the
    library whether to stop. That is a generator which has been started: at the beginning
    of a function an exception would be outside of its "try", and ctypes would drop it."""

    def __init__(self) -> None:
        self._caught: List[BaseException] = []
        answers = self._answers(_waiting.is_over)
        next(answers)
        self.callback = lib.StopCallback(answers.send)

    def _answers(self, is_over: Callable[[], bool]) -> Generator[int, Optional[int], None]:
        try:
            while not is_over():
                yield 0
        except GeneratorExit:
            return
        except BaseException as error:
            self._caught.append(error)
        while True:
            yield 1

    def check(self) -> None:
        """Raises it."""
        if self._caught:
            raise self._caught[0] from None


# ---- Requests ----------------------------------------------------------------

class Request:
    """A source as the C API has it, with the bytes that it points to."""

    def __init__(self, text: str, entry: str, signature: Optional[str] = None, *,
                 constants: Optional[Mapping[str, Any]] = None, target: Optional[str] = None,
                 cache: Optional[Cache] = None, stream: Any = None, headers: Optional[Mapping[str, str]] = None,
                 name: Optional[str] = None, opt: int = 3, fast_math: bool = False, line_info: bool = False,
                 warnings_as_errors: bool = False, defines: Sequence[str] = (),
                 include_dirs: Sequence[Union[str, "os.PathLike[str]"]] = (), flags: Sequence[str] = (),
                 compiler: Optional[str] = None, refresh: bool = False, kernel: Optional[bool] = None,
                 checks: str = "cheap") -> None:
        if opt not in (0, 1, 2, 3):
            raise ValueError("opt: %r; pass 0, 1, 2 or 3" % (opt,))
        self.is_kernel = is_gpu(target) if kernel is None else kernel
        if checks not in lib.CHECKS:
            raise ValueError("checks: %r; pass %s" % (checks, ", ".join(map(repr, lib.CHECKS))))
        self.entry, self.stream, self.refresh, self.checks = entry, stream, refresh, checks
        self.cache = cache or Cache.process()
        source = self.source = lib.ProgramSource()
        source.size = ctypes.sizeof(source)
        source.kind = lib.KIND_KERNEL if self.is_kernel else lib.KIND_HOST
        source.name = None if name is None else lib.encoded(name, "name")
        source.text = lib.encoded(text, "source")
        self._set("header", lib.Header, [(k, v) for k, v in (headers or {}).items()])
        self._set("constant", lib.Constant, [(k, *constant_text(k, v)) for k, v in (constants or {}).items()])
        point = lib.EntryPoint(lib.encoded(entry, "entry"),
                               None if signature is None else lib.encoded(signature, "signature"))
        self._point = source.entries = (lib.EntryPoint * 1)(point)
        source.entry_count = 1
        # Without one a kernel, or what launches kernels, is for the current device.
        source.target = None if target in (None, "gpu") else lib.encoded(target, "target")
        source.compiler = None if compiler is None else lib.encoded(compiler, "compiler")
        words = ["-O%d" % opt]
        words += ["-ffast-math"] if fast_math else []
        words += ["-gline-tables-only"] if line_info else []
        words += ["-Werror"] if warnings_as_errors else []
        words += ["-D" + define for define in _list(defines, "defines")]
        for folder in _list(include_dirs, "include_dirs"):
            words += ["-I", os.fspath(folder)]
        self._flags = lib.encoded_list(words + _list(flags, "flags"), "flags")
        source.flags = ctypes.cast(self._flags, ctypes.POINTER(c_char_p))

    def _set(self, member: str, structure: Any, rows: List[Tuple[str, ...]]) -> None:
        encoded = [structure(*(lib.encoded(value, member) for value in row)) for row in rows]
        setattr(self.source, member + "s", (structure * len(encoded))(*encoded))
        setattr(self.source, member + "_count", len(encoded))

    def explain(self) -> Explanation:
        found: List[Explanation] = []

        def take(of: Any, _: Any) -> None:
            it = of.contents
            fields: Dict[str, List[str]] = {}
            for field in it.fields[:it.field_count]:
                fields.setdefault(lib.text(field.name), []).append(lib.text(field.value))
            found.append(Explanation(
                lib.text(it.key), bool(it.is_cached), lib.text(it.nearest), fields,
                [Difference(*map(lib.text, (d.field, d.before, d.after, d.meaning)))
                 for d in it.differences[:it.difference_count]]))

        lib.check(lib.function("cache_explain")(self.cache._handle, byref(self.source),
                                                lib.ExplanationCallback(take), None))
        return found[0]

    def compile(self, flags: int = 0) -> "Union[Executor, Kernel]":
        flags |= lib.REFRESH if self.refresh and not flags & lib.ONLY_LOADED else 0
        interrupts = _Interrupts()
        self.source.should_stop = interrupts.callback
        try:
            program = _Program(lib.made("compile", self.cache._handle, byref(self.source), flags))
        except lib.Error:
            interrupts.check()
            raise
        interrupts.check()
        return Kernel(program, self.stream, self.checks) if self.is_kernel else Executor(program)


def _list(values: Sequence[Any], what: str) -> List[Any]:
    if isinstance(values, (str, bytes)):
        raise TypeError("%s: one text; pass a list of them" % what)
    return list(values)


class _Program:
    """One count of a program of the library, for as long as somebody has this."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        # At the end of the interpreter its functions may still be running.
        weakref.finalize(self, lib.function("program_release"), handle).atexit = False
        self.info = lib.filled("program_get_info", handle, lib.ProgramInfo())
        words = [c_char_p(), c_char_p(), c_char_p()]
        lib.check(lib.function("program_entry")(handle, 0, *map(byref, words)))
        self.expression, self.symbol, self.type = (lib.text(word.value) for word in words)


# ---- What is called ----------------------------------------------------------

class _Compiled:
    """What functions and kernels have in common."""

    def __init__(self, program: _Program) -> None:
        self._program = program
        self.entry: str = program.expression
        try:
            self._signature: Signature = parse_signature(program.type)
        except ValueError as error:
            raise TypeError("%s: %s" % (self.entry, error)) from None

    @property
    def signature(self) -> str:
        """The function's type as clang spells it: "int (int, const float *)"."""
        return self._signature.spelling

    @property
    def key(self) -> str:
        """Of the cache's entry; the same for what is one program."""
        return lib.text(self._program.info.key)

    @property
    def log(self) -> str:
        """What the compiler printed."""
        return lib.text(self._program.info.log)

    @property
    def compile_milliseconds(self) -> int:
        """What its compile has taken, whichever process did it."""
        return int(self._program.info.compile_milliseconds)

    def __repr__(self) -> str:
        return "<kpack_jit.%s %s: %s>" % (type(self).__name__, self.entry, self.signature)

    def serialize(self) -> bytes:
        """All of it, for deserialize() in another process or on another machine. Pickle
        takes this way, too."""
        found: List[bytes] = []

        def take(data: int, size: int, _: Any) -> None:
            found.append(ctypes.string_at(data, size))

        lib.check(lib.function("program_serialize")(self._program.handle, lib.BytesCallback(take), None))
        return found[0]

    def __reduce__(self) -> Tuple[Any, ...]:
        return deserialize, (self.serialize(),)

    def _check_count(self, arguments: Tuple[Any, ...]) -> None:
        if len(arguments) != len(self._signature.arguments):
            raise TypeError("%s: %d arguments for '%s'; pass %d"
                            % (self.entry, len(arguments), self.signature, len(self._signature.arguments)))


class Executor(_Compiled):
    """A compiled function. Call it, from any thread; Python's lock is released meanwhile."""

    def __init__(self, program: _Program) -> None:
        super().__init__(program)
        address = c_void_p()
        lib.check(lib.function("program_function")(program.handle, 0, byref(address)))
        self.address: int = address.value or 0  # of the code, which lives as long as this object
        types = self._signature.arguments
        self._count = len(types)
        # One with kernels of its own takes what they take.
        pointer_converter = _arrays.any_converter if self._program.info.target else _arrays.host_converter
        self._converters = tuple(pointer_converter(type_) if isinstance(type_, Pointer)
                                 else number_converter(type_) for type_ in types)
        prototype = ctypes.CFUNCTYPE(ctype_of(self._signature.result), *map(ctype_of, types))
        self._call = prototype(self.address)

    def __call__(self, *arguments: Any) -> Any:
        if len(arguments) != self._count:
            self._check_count(arguments)
        keep: List[Any] = []  # what pointers lead to, until this returns
        try:
            values = [convert(value, keep) for convert, value in zip(self._converters, arguments)]
        except (TypeError, ValueError, OverflowError):
            self._blame(arguments)
            raise
        return self._call(*values)

    def _blame(self, arguments: Tuple[Any, ...]) -> None:
        """Raises the error of the first argument that is wrong, with its number."""
        for number, (convert, value) in enumerate(zip(self._converters, arguments), 1):
            try:
                convert(value, [])
            except (TypeError, ValueError, OverflowError) as error:
                raise type(error)("%s: argument %d: %s" % (self.entry, number, error)) from None


Size = Union[int, Sequence[int]]


def _size(value: Size, what: str) -> Tuple[int, int, int]:
    numbers: Tuple[int, ...]
    try:  # NumPy's integers, too
        numbers = (operator.index(value),)  # type: ignore
    except TypeError:
        try:
            numbers = tuple(map(operator.index, value))  # type: ignore
        except TypeError:
            raise TypeError("%s: %r; pass one to three integers from 1 on" % (what, value)) from None
    if not 1 <= len(numbers) <= 3 or not all(0 < n < 1 << 32 for n in numbers):
        raise ValueError("%s: %r; pass one to three numbers from 1 on" % (what, value))
    x, y, z = numbers + (1,) * (3 - len(numbers))
    return x, y, z


class Kernel(_Compiled):
    """A compiled __global__ function. A call launches it on the current device, where it
    is loaded by the first one, and does not wait for its end."""

    def __init__(self, program: _Program, stream: Any, checks: str = "cheap") -> None:
        super().__init__(program)
        self.stream, self._checks = stream, lib.CHECKS[checks]
        self._numbers = [None if isinstance(type_, Pointer) else number_converter(type_)
                         for type_ in self._signature.arguments]

    @property
    def target(self) -> str:
        return lib.text(self._program.info.target)

    def __call__(self, *arguments: Any, grid: Optional[Size] = None, block: Size = 1, shared: int = 0,
                 stream: Any = None) -> None:
        self._check_count(arguments)
        if grid is None:
            raise TypeError("%s: no grid for its launch; pass grid=, block= and, if need be, shared= and stream="
                            % self.entry)
        on = _hip.stream_of(self.stream if stream is None else stream)
        shape = _size(grid, "grid"), _size(block, "block")
        keep: List[Any] = []
        values = []
        for number, (type_, convert, value) in enumerate(
                zip(self._signature.arguments, self._numbers, arguments), 1):
            try:
                passed = convert(value, keep) if convert else _arrays.gpu_address(value, keep, type_, on)
            except (TypeError, ValueError, OverflowError) as error:
                raise type(error)("%s: argument %d: %s" % (self.entry, number, error)) from None
            values.append(ctype_of(type_)(passed))
        if not hasattr(shared, "__index__") or not 0 <= shared < 1 << 32:
            raise ValueError("shared: %r; pass a number of bytes" % (shared,))
        # Whichever device is current now; it is loaded there once.
        kernel = lib.made("kernel_load", self._program.handle, 0, -1)
        launch = lib.Launch(ctypes.sizeof(lib.Launch), shape[0], shape[1], shared, 0, on, self._checks)
        places = (c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        lib.check(lib.function("kernel_launch")(kernel, byref(launch), places, len(values)))


def device_target() -> str:
    """The target id of the current device: gfx90a:sramecc+:xnack-."""
    name = ctypes.create_string_buffer(256)
    lib.check(lib.function("device_target")(-1, name, len(name)))
    return lib.text(name.value)


def deserialize(data: bytes) -> Union[Executor, Kernel]:
    """What serialize() has given. Only of who may run code here: it is code."""
    handle = lib.made("program_deserialize", bytes(data), len(data))
    program = _Program(handle)
    return Kernel(program, None) if program.info.image else Executor(program)


# ---- What users call ---------------------------------------------------------

def compile_text(text: str, entry: str, signature: Optional[str] = None, **options: Any) -> Union[Executor, Kernel]:
    return Request(text, entry, signature, **options).compile()


def try_get_text(text: str, entry: str, signature: Optional[str] = None,
                 **options: Any) -> Optional[Union[Executor, Kernel]]:
    try:
        return Request(text, entry, signature, **options).compile(lib.ONLY_LOADED)
    except lib.Error as error:
        if error.code == lib.PENDING:
            return None
        raise


def explain_text(text: str, entry: str, signature: Optional[str] = None, **options: Any) -> Explanation:
    """What the key of this compile is made of."""
    return Request(text, entry, signature, **options).explain()


@lru_cache(maxsize=None)
def processors() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0))
