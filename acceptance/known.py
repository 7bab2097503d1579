# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that fail because of what their packages contain.

An entry is written only after the code object was disassembled and computes
something else than its source says, so that the test fails on a GPU as well.
Such a test never passes here: it is a "defect", with the reason.
"""
import fnmatch
from typing import NamedTuple


class Known(NamedTuple):
    releases: list
    gpus: str  # patterns, as of file names
    test: str  # "suite/program:test"
    why: str


# a - b of the two halves of a register becomes a - a: LLVM 21 takes both halves for the low
# one (mended in LLVM 22, llvm-project #148715 and #149861).
BFLOAT_HALVES = "miscompiled by LLVM 21: subtracts bfloat16 values from themselves (llvm #148715)"

KNOWN = [
    Known(["6.4"], "gfx1[12]*",
          "rocprim/test_device_adjacent_difference:RocprimDeviceAdjacentDifferenceTests/3.*",
          BFLOAT_HALVES),
]


def judge(release, gpu, program, outcome):
    """The outcome, a failure that is known as one."""
    if outcome.state != "failed":
        return outcome
    for known in KNOWN:
        if (release in known.releases and fnmatch.fnmatchcase(gpu, known.gpus)
                and fnmatch.fnmatchcase(program + ":" + outcome.test, known.test)):
            return outcome._replace(state="defect", why=known.why)
    return outcome
