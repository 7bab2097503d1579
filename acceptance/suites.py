# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ROCm's test suites as Debian packages them, and the releases that have them.

A suite's programs are in /usr/libexec/rocm/PACKAGE. Names of packages carry the
version of the library, so they differ from release to release.
"""
from typing import NamedTuple


class Release(NamedTuple):
    """A generation of ROCm, in the suite of Debian's archive that has it."""
    debian: str
    hip: str


class Suite(NamedTuple):
    """A ROCm library's own tests."""
    packages: dict  # release: package
    filter: str  # of GoogleTest; where a suite has more tests than a day has seconds
    limit: float  # seconds of processor time for one test


RELEASES = {
    "5.7": Release("trixie", "libamdhip64.so.5"),
    "6.4": Release("unstable", "libamdhip64.so.6"),
}

# What every program needs, and a program to try the GPU with.
BASE_PACKAGES = ["libamdhip64-dev", "rocminfo"]


def suite(name_57, name_64=None, select="*", limit=10.0):
    return Suite({"5.7": name_57, "6.4": name_64 or name_57}, select, limit)


SUITES = {
    "rocrand": suite("librocrand1-tests"),
    "hiprand": suite("libhiprand1-tests"),
    "rocprim": suite("librocprim-tests"),
    "hipcub": suite("libhipcub-tests"),
    "rocthrust": suite("librocthrust-tests"),
    "rocsparse": suite("librocsparse0-tests", "librocsparse1-tests", select="*quick*"),
    "rocblas": suite("librocblas0-tests", "librocblas4-tests", select="*quick*"),
}
