"""Annotations that are not evaluated by the interpreter."""
from __future__ import annotations

from kpack_jit import Constexpr, jit


@jit
def scaled(x: "float *", by: float, n: Constexpr["unsigned"]) -> float:
    """return x[n] * by;"""
