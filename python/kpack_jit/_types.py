# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ types as clang spells them, and what Python passes for each.

A converter takes a value and a list, and gives what ctypes is called with; it puts into
the list whatever must live until the call is over. What a type does not take is a
TypeError, ValueError or OverflowError, without the argument's name, which the caller of
the converter knows.
"""
import ctypes
import operator
import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

Converter = Callable[[Any, List[Any]], Any]


class Number(NamedTuple):
    """A type of numbers. The kind is that of arrays: i, u, f, b, c, or g for bfloat16."""
    name: str
    ctype: Any  # None: known as an element of arrays only
    kind: str
    size: int


_NUMBERS = [
    Number("bool", ctypes.c_bool, "b", 1),
    Number("char", ctypes.c_byte, "i", 1),
    Number("signed char", ctypes.c_byte, "i", 1),
    Number("unsigned char", ctypes.c_ubyte, "u", 1),
    Number("short", ctypes.c_short, "i", 2),
    Number("unsigned short", ctypes.c_ushort, "u", 2),
    Number("int", ctypes.c_int, "i", 4),
    Number("unsigned int", ctypes.c_uint, "u", 4),
    Number("long", ctypes.c_long, "i", 8),
    Number("unsigned long", ctypes.c_ulong, "u", 8),
    Number("long long", ctypes.c_longlong, "i", 8),
    Number("unsigned long long", ctypes.c_ulonglong, "u", 8),
    Number("float", ctypes.c_float, "f", 4),
    Number("double", ctypes.c_double, "f", 8),
    Number("_Float16", None, "f", 2),
    Number("__bf16", None, "g", 2),
    Number("_Complex float", None, "c", 8),
    Number("_Complex double", None, "c", 16),
    Number("std::complex<float>", None, "c", 8),
    Number("std::complex<double>", None, "c", 16),
]
NUMBERS: Dict[str, Number] = {number.name: number for number in _NUMBERS}

SHORT_NAMES = {"unsigned": "unsigned int", "short int": "short", "long int": "long", "size_t": "unsigned long",
               "std::size_t": "unsigned long"}

# The name of an array's elements, and what to call it in messages.
ELEMENTS: Dict[Tuple[str, int], str] = {
    (n.kind, n.size): n.name for n in reversed(_NUMBERS) if "long long" not in n.name and n.name != "char"}
_WORDS = {"i": "int", "u": "uint", "f": "float", "b": "bool", "c": "complex", "g": "bfloat"}
# What NumPy has besides numbers.
_OTHERS = {"M": "datetime64", "m": "timedelta64"}


def element_name(kind: str, size: int) -> str:
    """As NumPy calls it: float32."""
    if kind == "b":
        return "bool"
    if kind in _OTHERS:
        return _OTHERS[kind]
    return "%s%d" % (_WORDS[kind], 8 * size) if kind in _WORDS else "kind '%s' with %d bytes" % (kind, size)


class Pointer(NamedTuple):
    """A pointer to numbers, or to void (element is None)."""
    element: Optional[Number]
    is_const: bool
    name: str


class Signature(NamedTuple):
    """Of a function: types are a Number, a Pointer, or None for void."""
    result: Any
    arguments: Tuple[Any, ...]
    spelling: str


def _split(parameters: str) -> List[str]:
    """At commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(parameters):
        depth += (letter in "(<[") - (letter in ")>]")
        if letter == "," and depth == 0:
            parts.append(parameters[start:at])
            start = at + 1
    parts.append(parameters[start:])
    return [part.strip() for part in parts]


def parse_type(spelling: str) -> Any:
    """The type that clang spells like this. None: void. ValueError: it cannot be passed."""
    plain = spelling.strip()
    if plain == "void":
        return None
    if plain in NUMBERS:
        return NUMBERS[plain]
    if plain.endswith("*"):
        words = plain[:-1].strip()
        pointee = re.sub(r"^((const|volatile) )+", "", words)
        is_const = "const" in words[:len(words) - len(pointee)].split()
        if pointee == "void" or pointee in NUMBERS:
            return Pointer(NUMBERS.get(pointee), is_const, plain)
    raise ValueError("type '%s' cannot be passed from Python; take numbers, and pointers to numbers or void" % plain)


def parse_signature(spelling: str) -> Signature:
    """Of "int (const float *, long)". ValueError: something of it cannot be passed."""
    if not spelling.endswith(")"):
        raise ValueError("'%s' is not the type of a function; name one" % spelling)
    depth, at = 0, len(spelling)
    while at:
        at -= 1
        depth += (spelling[at] == ")") - (spelling[at] == "(")
        if depth == 0:
            break
    inside = spelling[at + 1:-1].strip()
    parts = [] if inside in ("", "void") else _split(inside)
    if "..." in parts:
        raise ValueError("'%s' takes any number of arguments; take a function with a fixed number" % spelling)
    arguments = tuple(parse_type(part) for part in parts)
    result = parse_type(spelling[:at])
    if isinstance(result, Number) and result.ctype is None:
        raise ValueError("type '%s' cannot be returned to Python; return float or double" % result.name)
    for argument in arguments:
        if isinstance(argument, Number) and argument.ctype is None:
            raise ValueError("type '%s' cannot be passed by value; take float or double, or a pointer"
                             % argument.name)
    return Signature(result, arguments, spelling)


def ctype_of(type_: Any) -> Any:
    """What ctypes calls a type. Pointers are addresses."""
    if type_ is None:
        return None
    return type_.ctype if isinstance(type_, Number) else ctypes.c_void_p


def _is_time(value: Any) -> bool:
    """Whether it is a datetime64 or timedelta64 of NumPy, whose unit no number has."""
    return getattr(getattr(value, "dtype", None), "kind", None) in ("M", "m")


def _integer(number: Number) -> Converter:
    bits = 8 * number.size
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if number.kind == "i" else (0, (1 << bits) - 1)

    def convert(value: Any, _: List[Any]) -> int:
        if type(value) is not int:
            try:
                value = operator.index(value)
            except TypeError:
                raise TypeError("%s for '%s'; pass %s"
                                % (type(value).__name__, number.name,
                                   "its number, value.astype('int64')" if _is_time(value) else "an integer")) from None
        if low <= value <= high:
            return value
        raise OverflowError("%d for '%s'; pass %d to %d" % (value, number.name, low, high))
    return convert


def _real(number: Number) -> Converter:
    high = 3.4028235677973366e+38 if number.size == 4 else float("inf")  # where float32 rounds to infinity

    def convert(value: Any, _: List[Any]) -> float:
        if type(value) is not float:
            try:
                if _is_time(value):
                    raise TypeError
                value = ctypes.c_double(value).value
            except TypeError:
                raise TypeError("%s for '%s'; pass a number" % (type(value).__name__, number.name)) from None
        if -high < value < high or value - value != 0:  # infinity and NaN are what they are
            return value
        raise OverflowError("%r for '%s'; pass less than %.8g" % (value, number.name, high))
    return convert


def _boolean(value: Any, _: List[Any]) -> bool:
    if type(value) is bool:
        return value
    # NumPy's have no index.
    if getattr(getattr(value, "dtype", None), "kind", "") == "b" and not getattr(value, "shape", (1,)):
        return bool(value)
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise TypeError("%s for 'bool'; pass True or False" % type(value).__name__)


def number_converter(number: Number) -> Converter:
    """Takes Python's and NumPy's numbers that the type can hold."""
    if number.kind == "b":
        return _boolean
    return _real(number) if number.kind == "f" else _integer(number)
