# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that are written in Python's form with a body in C++.

    @jit
    def add(a: int, b: int, print_result: Constexpr) -> int:
        r\"\"\"if constexpr (print_result)
                 __builtin_printf("Result: %d\\n", a + b);
               return a + b;\"\"\"

A call compiles for its constants, once, and calls. What is compiled for which constants
is kept with the function; below that are the process's cache and its files.
"""
import __future__

import ast
import ctypes
import functools
import inspect
import re
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union, overload

from . import _arrays
from . import _library as lib
from ._compile import (Executor, Explanation, Kernel, compile_text, constant_text, device_target, explain_text,
                       give_up_when, is_gpu, literal_type, processors, try_get_text)
from ._types import NUMBERS

Compiled = Union[Executor, Kernel]


class Constexpr:
    """Marks a parameter that is a constant of the compile, and no argument of what is
    compiled. Constexpr["unsigned int"] says its type, too; else the value does."""

    def __class_getitem__(cls, type_: Any) -> "_Constant":
        return _Constant(type_)


class _Constant(NamedTuple):
    type: Any


_PLAIN = {int: "int", float: "double", bool: "bool", None: "void", type(None): "void"}


def _spelling(annotation: Any, where: str) -> str:
    """The C++ type that an annotation means."""
    if isinstance(annotation, str):
        return annotation
    try:
        if annotation in _PLAIN:
            return _PLAIN[annotation]
    except TypeError:
        pass
    if inspect.isclass(annotation):
        for number in NUMBERS.values():
            if number.ctype is annotation:
                return number.name
        if issubclass(annotation, ctypes._Pointer):
            return _spelling(annotation._type_, where) + " *"
        if annotation is ctypes.c_void_p:
            return "void *"
        if annotation.__module__ == "numpy" and literal_type(annotation()):
            return str(literal_type(annotation()))
    raise TypeError("%s: annotation %r is no type; write int, float, bool, a type of ctypes, or a C++ type as a text"
                    % (where, annotation))


class _Parameter(NamedTuple):
    name: str
    type: Optional[str]  # None: that of the argument
    is_constant: bool
    is_left_out: bool = False  # of what is compiled: the object of a method


def _annotations(function: Callable[..., Any]) -> Dict[str, Any]:
    """As they are written, also below "from __future__ import annotations"."""
    found = dict(function.__annotations__)
    if function.__code__.co_flags & __future__.annotations.compiler_flag:
        for name, text in found.items():
            found[name] = eval(text, function.__globals__)  # what the interpreter does without
    return found


def _parameters(function: Callable[..., Any], annotations: Mapping[str, Any]) -> List[_Parameter]:
    parameters = []
    for parameter in inspect.signature(function).parameters.values():
        where = "%s: parameter '%s'" % (function.__name__, parameter.name)
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError("%s: is not one that has a place; name each" % where)
        annotation = annotations.get(parameter.name, parameter.empty)
        if annotation is Constexpr:
            parameters.append(_Parameter(parameter.name, None, True))
        elif isinstance(annotation, _Constant):
            parameters.append(_Parameter(parameter.name, _spelling(annotation.type, where), True))
        else:
            type_ = None if annotation is parameter.empty else _spelling(annotation, where)
            parameters.append(_Parameter(parameter.name, type_, False))
    return parameters


def _place_of(function: Callable[..., Any]) -> Tuple[str, int]:
    """File and line where the body begins; line 0: it is in no file."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
        return inspect.getsourcefile(function) or "", first + tree.body[0].body[0].lineno - 1  # type: ignore
    except (OSError, SyntaxError, TypeError, AttributeError, IndexError):
        return "", 0


# Equal values of these are one constant; floats have zeros and NaNs that are not.
_EXACT = (int, bool, str)


class JitFunction:
    """What @jit makes of a function."""

    def __init__(self, function: Callable[..., Any], prelude: str, uses: Sequence[str],
                 options: Mapping[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._name: str = function.__name__
        self._body = function.__doc__ or ""
        if not self._body.strip():
            raise TypeError("%s: has no docstring, which is its body in C++; write one (python -OO removes it)"
                            % function.__name__)
        annotations = _annotations(function)
        self._parameters = _parameters(function, annotations)
        self._result = _spelling(annotations["return"], function.__name__ + ": result") \
            if "return" in annotations else "auto"
        self._signature = inspect.signature(function)
        self._prelude, self._uses, self._options = prelude, tuple(uses), dict(options)
        self._is_kernel = is_gpu(options.get("target"))
        self._asks_for_gpu = options.get("target") == "gpu"
        self._instances: Dict[Any, Compiled] = {}
        self._sort_parameters()

    def _sort_parameters(self) -> None:
        kept = [(i, p) for i, p in enumerate(self._parameters) if not p.is_left_out]
        self._arguments = tuple(i for i, p in kept if not p.is_constant)
        self._deciding = [(i, p) for i, p in kept if p.is_constant or not p.type]
        self._is_fixed = not self._uses and not self._deciding and not self._asks_for_gpu \
            and len(kept) == len(self._parameters)

    def __reduce__(self) -> str:
        """Pickled as functions are, by its name in its module."""
        return self._function.__qualname__

    def __get__(self, instance: Any, owner: Optional[type] = None) -> "Union[JitFunction, JitMethod]":
        return self if instance is None else JitMethod(self, instance)

    def _of_object(self) -> "JitFunction":
        """This function as a method: its first parameter is the object, of which what is
        compiled knows nothing unless an annotation says what it is there."""
        first = self._parameters[0] if self._parameters else None
        if not first or first.is_constant or first.type is not None:
            return self
        method: Optional[JitFunction] = self.__dict__.get("_method")
        if method is None:
            method = JitFunction.__new__(JitFunction)
            method.__dict__.update(self.__dict__)
            method._parameters = [first._replace(is_left_out=True)] + self._parameters[1:]
            method._instances = {}
            method._sort_parameters()
            return self.__dict__.setdefault("_method", method)  # that of the thread that was first
        return method

    def __repr__(self) -> str:
        return "<kpack_jit.JitFunction %s%s>" % (self._name, self._signature)

    @property
    def instances(self) -> Mapping[Any, Compiled]:
        """What has been compiled by calls, a view: one for each choice of constants and of
        types that are not declared."""
        return MappingProxyType(self._instances)

    def clear(self) -> None:
        """Forgets them. The cache below does not."""
        self._instances.clear()

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Compiles unless that is done, and calls. Kernels: with grid, block, stream."""
        if self._is_fixed:  # nothing depends on the arguments
            compiled = self._instances.get(())
            if compiled is not None and len(arguments) == len(self._parameters) and (self._is_kernel or not options):
                return compiled(*arguments, **options)
        arguments, options = self._bound(arguments, options)
        compiled = self.get(*arguments)
        return compiled(*[arguments[i] for i in self._arguments], **options)

    def get(self, *arguments: Any) -> Compiled:
        """What a call with these arguments calls, the same object each time."""
        arguments = self._bound(arguments, {})[0]
        key = self._key(arguments)
        found = self._instances.get(key)
        if found is None:
            types, constants = self._choice(arguments)
            found = self._instances.setdefault(key, self._compile(types, constants, {}))
        return found

    def compile(self, *arguments: Any, **options: Any) -> Compiled:
        """For constants and types of these arguments. Kept by the caller, not here."""
        types, constants = self._choice(self._bound(arguments, {})[0])
        return self._compile(types, constants, options)

    def try_get(self, *arguments: Any, **options: Any) -> Optional[Compiled]:
        """The same if this process has it, and nothing else: never waits."""
        types, constants = self._choice(self._bound(arguments, {})[0])
        options = self._merged(options, constants)
        return try_get_text(self._text(types, is_gpu(options.get("target"))), self._name, **options)

    def explain(self, *arguments: Any, **options: Any) -> Explanation:
        """What the key of compile(*arguments) is made of."""
        types, constants = self._choice(self._bound(arguments, {})[0])
        options = self._merged(options, constants)
        return explain_text(self._text(types, is_gpu(options.get("target"))), self._name, **options)

    def source(self, *arguments: Any) -> str:
        """The text that is compiled for these arguments, below its constants."""
        return self._text(self._choice(self._bound(arguments, {})[0])[0], self._is_kernel)

    def _bound(self, arguments: Tuple[Any, ...], options: Mapping[str, Any]) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
        """All arguments by their place, with defaults; and what is an option of launches."""
        if not options and len(arguments) == len(self._parameters):
            return arguments, {}
        launch = {k: v for k, v in options.items() if self._is_kernel and k not in self._signature.parameters}
        named = {k: v for k, v in options.items() if k not in launch}
        try:
            bound = self._signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError("%s: %s; it is %s%s" % (self._name, error, self._name, self._signature)) from None
        bound.apply_defaults()
        return bound.args, launch

    def _key(self, arguments: Tuple[Any, ...]) -> Tuple[Any, ...]:
        """What of a call decides which instance it is. 1, 1.0 and True are three keys."""
        key: List[Any] = []
        for index, parameter in self._deciding:
            value = arguments[index]
            if parameter.is_constant:
                type_ = type(value)
                key.append((type_, value) if type_ in _EXACT else constant_text(parameter.name, value, parameter.type))
            else:
                key.append(self._type_of(parameter, value))
        for name in self._uses:
            key.append(constant_text(name, self._variable(name)))
        if self._asks_for_gpu:
            key.append(device_target())
        return tuple(key)

    def _choice(self, arguments: Tuple[Any, ...]) -> Tuple[List[Tuple[str, str]], Dict[str, Any]]:
        """Parameters with their types, and constants."""
        pairs = [(p, value) for p, value in zip(self._parameters, arguments) if not p.is_left_out]
        types = [(p.type or self._type_of(p, value), p.name) for p, value in pairs if not p.is_constant]
        constants = {p.name: constant_text(p.name, value, p.type) for p, value in pairs if p.is_constant}
        for name in self._uses:
            constants[name] = constant_text(name, self._variable(name))
        return types, constants

    def _type_of(self, parameter: _Parameter, value: Any) -> str:
        """Of a parameter that declares none."""
        try:
            type_ = literal_type(value) or _arrays.pointer_type_of(value)
        except (TypeError, ValueError) as error:
            raise type(error)("%s: parameter '%s': %s" % (self._name, parameter.name, error)) from None
        if type_ is None:
            raise TypeError("%s: parameter '%s': %s has no type of C++; annotate the parameter"
                            % (self._name, parameter.name, type(value).__name__))
        return type_

    def _variable(self, name: str) -> Any:
        variables = self._function.__globals__
        if name not in variables:
            raise NameError("%s: its module has no variable '%s', which it uses" % (self._name, name))
        return variables[name]

    def _text(self, types: Sequence[Tuple[str, str]], is_kernel: bool) -> str:
        declared = ", ".join("%s %s" % pair for pair in types)
        head = "%s%s %s(%s) {" % ("__global__ " if is_kernel else "", self._result, self._name, declared)
        before = '#line 1 "prelude"\n%s\n' % self._prelude if self._prelude else ""
        return '%s#line 1 "%s"\n%s%s\n}\n' % (before, self._name, head, self._body)

    def _merged(self, options: Mapping[str, Any], constants: Mapping[str, Any]) -> Dict[str, Any]:
        """Options of a call above those of the decorator, and all constants."""
        merged = {**self._options, **options}
        merged["constants"] = {**(merged.get("constants") or {}), **constants}
        return merged

    def _compile(self, types: Sequence[Tuple[str, str]], constants: Mapping[str, Any],
                 options: Mapping[str, Any]) -> Compiled:
        options = self._merged(options, constants)
        try:
            return compile_text(self._text(types, is_gpu(options.get("target"))), self._name, **options)
        except lib.CompileError as error:
            raise lib.CompileError(self._placed(str(error)), error.code, error.detail) from None

    def _placed(self, message: str) -> str:
        """The compiler's words with the file and lines of the body."""
        file, line = _place_of(self._function)
        if line:
            message = re.sub(r"^%s:(\d+)(?=:)" % self._name,
                             lambda m: "%s:%d" % (file, line + int(m.group(1)) - 1), message, flags=re.M)
        if "missing terminating" in message:
            message += '\n%s: a text in its body ends early; begin the docstring with r""", so that \\n stays \\n' \
                % self._name
        return message


class JitMethod:
    """A JitFunction with the object that it was taken from, which is its first argument."""

    def __init__(self, function: JitFunction, instance: Any) -> None:
        self.__func__, self.__self__ = function, instance
        self._function = function._of_object()

    def __repr__(self) -> str:
        return "<kpack_jit.JitMethod %s of %r>" % (self.__func__._name, self.__self__)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, JitMethod) and self.__func__ is other.__func__ and self.__self__ is other.__self__

    def __hash__(self) -> int:
        return hash((self.__func__, id(self.__self__)))

    def __reduce__(self) -> Tuple[Any, ...]:
        return getattr, (self.__self__, self.__func__._name)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._function(self.__self__, *arguments, **options)

    @property
    def instances(self) -> Mapping[Any, Compiled]:
        """Those of all objects: see JitFunction."""
        return self._function.instances

    def clear(self) -> None:
        self._function.clear()

    def get(self, *arguments: Any) -> Compiled:
        return self._function.get(self.__self__, *arguments)

    def compile(self, *arguments: Any, **options: Any) -> Compiled:
        return self._function.compile(self.__self__, *arguments, **options)

    def try_get(self, *arguments: Any, **options: Any) -> Optional[Compiled]:
        return self._function.try_get(self.__self__, *arguments, **options)

    def explain(self, *arguments: Any, **options: Any) -> Explanation:
        return self._function.explain(self.__self__, *arguments, **options)

    def source(self, *arguments: Any) -> str:
        return self._function.source(self.__self__, *arguments)


@overload
def jit(function: Callable[..., Any]) -> JitFunction: ...
@overload
def jit(*, prelude: str = ..., uses: Sequence[str] = ..., **options: Any) -> Callable[..., JitFunction]: ...


def jit(function: Optional[Callable[..., Any]] = None, *, prelude: str = "", uses: Sequence[str] = (),
        **options: Any) -> Any:
    """Makes a function of C++ out of one whose docstring is its body: annotations are
    types, Constexpr marks constants. prelude: C++ before the function (#include).
    uses: variables of the module, which are constants with the value that they have at
    a call. The options are those of compile()."""
    if function is not None:
        return JitFunction(function, prelude, uses, options)
    return lambda decorated: JitFunction(decorated, prelude, uses, options)


def compile(source: Union[str, JitFunction, JitMethod], /, *arguments: Any, **options: Any) -> Any:
    """compile(text, entry, signature=None, **options), or compile(jit_function, *arguments,
    **options): an Executor, or where the target is a GPU's, a Kernel. From memory, from
    files, or compiled. Errors: CompileError, Error."""
    if isinstance(source, (JitFunction, JitMethod)):
        return source.compile(*arguments, **options)
    return compile_text(source, *arguments, **options)


def try_get(source: Union[str, JitFunction, JitMethod], /, *arguments: Any, **options: Any) -> Any:
    """What compile() would give if this process has it loaded, else None. Never waits."""
    if isinstance(source, (JitFunction, JitMethod)):
        return source.try_get(*arguments, **options)
    return try_get_text(source, *arguments, **options)


def explain(source: Union[str, JitFunction, JitMethod], /, *arguments: Any, **options: Any) -> Explanation:
    """What the key of compile(...) is made of, whether files have it, and how it differs
    from the nearest entry that they have. Nothing is compiled."""
    if isinstance(source, (JitFunction, JitMethod)):
        return source.explain(*arguments, **options)
    return explain_text(source, *arguments, **options)


def compile_all(requests: Sequence[Sequence[Any]], *, return_exceptions: bool = False, **options: Any) -> List[Any]:
    """compile(*request, **options) of each, as many at once as there are processors; in
    their order. All are compiled before the first failure is raised; with
    return_exceptions failures stand in the places of results."""
    def one(request: Sequence[Any]) -> Any:
        try:
            return compile(*request, **options)
        except Exception as error:
            return error
    if not requests:
        return []
    over = threading.Event()
    with ThreadPoolExecutor(min(len(requests), processors()), initializer=give_up_when,
                            initargs=(over.is_set,)) as pool:
        try:
            results = list(pool.map(one, requests))
        except BaseException:  # Ctrl-C
            over.set()
            raise
    for result in results:
        if isinstance(result, Exception) and not return_exceptions:
            raise result
    return results
