# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that fail because of what their packages contain.

An entry is written only after the code was disassembled: a code object that computes
something else than its source says, or from memory that nothing has written, or a
program whose expectations are of another arithmetic than the device's. The test then
fails on a GPU as well, or may.
Such a test is a "defect" here, with the reason, and is not pinned where it passes by luck.
A test that wants a GPU's speed stays "failed", with that reason.
"""
import fnmatch
from typing import NamedTuple


class Known(NamedTuple):
    releases: list
    gpus: str  # patterns, as of file names
    test: str  # "suite/program:test"
    why: str
    states: tuple = ("failed",)  # of the outcomes that it explains
    state: str = "defect"  # what is made of these


# Of two 16-bit values in a register the low one is taken for both: a - b becomes b - b, both
# ends of a run go to one bin (mended in LLVM 22, llvm-project #148715 and #149861).
HALVES = "miscompiled by LLVM 21: takes the low half of a register for both (llvm #148715)"
# The copy of a high half that another load is to overwrite is left out: an item is lost.
OVERWRITTEN = "miscompiled by LLVM 21: overwrites the high half of a register before it is read"
# Neighbours of 8 bits that change places: those of a high half become those of the low one.
SWAPPED = "miscompiled by LLVM 21: swaps the bytes of a register's low half for its high half"

# rocPRIM 5.7 loads a block through shared memory and assigns to it what was never constructed
# there: ds_read_b32 of an object's magic number, and a store only if it is the right one.
UNWRITTEN = "reads shared memory that nothing has written (rocPRIM 5.7's load of a block)"

# The number of a block and its items share memory, and no barrier is between a wave that reads
# the number and one that stores items: a wave that comes late takes an item for the number.
UNSYNCED = "races in shared memory: items overwrite the block's number before each wave has read it"

# Numbers of the typed tests of rocPRIM's FloatingHalf suites that are of bfloat16.
BFLOAT16 = ("1[6-9]", "2?", "3[01]")

# Debian builds rocSPARSE's test program without fma (its no-fma-instructions.patch), upstream
# with it: the host rounds each product of c*x + s*y, and of q*q + 1 in a modulus, the device
# does not. Only instructions with one right result are involved; each of them has it.
UNFUSED = "compares with sums of the host that Debian builds without fma (rocSPARSE #500)"

# The mean of twenty collectives after a warm-up, by the clock of the host.
TIMED = "wants the speed of a GPU: a collective in less than five milliseconds"

KNOWN = [
    *(Known(["5.7"], gpu, "rocthrust/test_thrust_copy:TestCopyIfNonTrivial", UNWRITTEN)
      for gpu in ("gfx90a", "gfx1030", "gfx1100")),
    # v_lshlrev_b32 v9, 16, v3 for either half, and v_sub_f32 v10, v9, v9
    Known(["6.4"], "gfx1100",
          "rocprim/test_device_adjacent_difference:RocprimDeviceAdjacentDifferenceTests/3.*",
          HALVES),
    # bfloat16: v_lshlrev_b32 v4, 16, v3 for either half, and v_add_f32 v4, v4, v4
    *(Known(["6.4"], "gfx1100", "rocprim/test_block_adjacent_difference:"
            "RocprimBlockAdjacentDifferenceFloatingHalf/%s.*" % types, HALVES)
      for types in BFLOAT16),
    # v_lshlrev_b32 v3, 16, v2; v_and_b32 v10, 0xffff, v2; v_lshlrev_b32 v5, 16, v10; and
    # v_cmp_eq_f32 v5, v3
    *(Known(["6.4"], "gfx1100", "rocprim/test_block_discontinuity:"
            "RocprimBlockDiscontinuityFloatingHalf/%s.FlagHeads*" % types, HALVES)
      for types in BFLOAT16),
    # Flags of four items in a register: v_and_b32 v25, 1, v25 decides on the first and the third.
    # In the kernel of each test that fails, and of no other, a bit is compared with 1 for two
    # items: v_cmp_eq_u32 s0, 1, v25 twice, or one v_cmp_eq_u32 and two v_cndmask_b32 of it.
    *(Known(["6.4"], "gfx1100", "%s:%s/%d.Flagged" % (program, suite, types), HALVES)
      for program, suite, numbers in (
          ("rocprim/test_device_select", "RocprimDeviceSelectTests", (0, 1, 2, 3, 4, 5, 6, 9)),
          ("rocprim/test_device_partition", "RocprimDevicePartitionTests",
           (0, 1, 2, 5, 6, 7, 8, 10)),
          ("hipcub/test_hipcub_device_select", "HipcubDeviceSelectTests", range(6)),
          ("hipcub/test_hipcub_device_partition", "HipcubDevicePartitionTests",
           (0, 1, 2, 3, 4, 6)))
      for types in numbers),
    # Keys or values of 16 bits: ds_load_b96 v[4:6], v_lshl_or_b32 v2, v6, 16, v1, and then
    # ds_load_u16_d16_hi v6 without a v_mov_b16 v6.l, v6.h before it: item 6 becomes item 5
    *(Known(["6.4"], "gfx1100",
            "rocprim/test_device_merge_sort:RocprimDeviceSortTests/%d.SortKey" % types, OVERWRITTEN)
      for types in (0, 12)),
    *(Known(["6.4"], "gfx1100",
            "hipcub/test_hipcub_device_merge_sort:HipcubDeviceMergeSort/" + test, OVERWRITTEN)
      for test in ("1.SortPairs", "1.SortPairsCopy", "1.StableSortPairs", "2.StableSortKeys",
                   "2.StableSortKeysCopy", "12.SortPairs", "12.SortPairsCopy",
                   "12.StableSortPairs")),
    # bfloat16: v_cmp_lt_f32 v4, v4
    *(Known(["6.4"], "gfx1100", "rocprim/test_device_merge_sort:RocprimDeviceSortTests/" + test,
            HALVES) for test in ("10.SortKey", "10.SortKeyValue")),
    *(Known(["6.4"], "gfx1100",
            "hipcub/test_hipcub_device_merge_sort:HipcubDeviceMergeSort/%d.%s" % (types, test),
            HALVES)
      for types in (9, 10) for test in ("StableSortKeys", "StableSortKeysCopy", "SortPairs",
                                        "SortPairsCopy", "StableSortPairs")),
    # Keys of 8 bits: v_perm_b32 v14, 0, v6, 0xc0c0001 for k2 and k3 of v6, as for k0 and k1;
    # the tests pass if the literals are 0xc0c0203
    *(Known(["6.4"], "gfx1100", "rocprim/test_device_merge_sort:RocprimDeviceSortTests/" + test,
            SWAPPED) for types in "178" for test in (types + ".SortKey", types + ".SortKeyValue")),
    *(Known(["6.4"], "gfx1100",
            "hipcub/test_hipcub_device_merge_sort:HipcubDeviceMergeSort/0." + test, SWAPPED)
      for test in ("StableSortKeys", "StableSortKeysCopy", "SortPairs", "SortPairsCopy",
                   "StableSortPairs")),
    Known(["6.4"], "gfx1100",
          "rocthrust/test_thrust_zip_iterator_sort_by_key:TestZipIteratorStableSortByKey",
          SWAPPED),
    # v_cmpx_ne_u16 v1.l, v1.h, and two stores to the place of v1.l
    Known(["6.4"], "gfx1100",
          "hipcub/test_hipcub_block_histogram:HipcubBlockHistogramInputArrayTests/23.*", HALVES),
    Known(["6.4"], "gfx1100",
          "hipcub/test_hipcub_block_histogram:HipcubBlockHistogramInputArrayTests/26.*", HALVES),
    # v_fmac_f32 and v_fma_f32 -v7; those of f32 are not fused on gfx90a, and pass there
    Known(["6.4"], "gfx1[01]*", "rocsparse/rocsparse-test:quick/roti.level1/f32_r_12000_500_*",
          UNFUSED),
    Known(["6.4"], "*", "rocsparse/rocsparse-test:quick/roti.level1/f64_r_12000_500_*", UNFUSED),
    # Moduli within 2 ulp of the tolerance, 1; where the device keeps nothing, the program reads
    # what is not there.
    Known(["6.4"], "*",
          "rocsparse/rocsparse-test:quick/csr2csr_compress.conversion/f??_c_*_1_rand",
          UNFUSED, ("failed", "fault", "crash")),
    # gfx1100: s_barrier, ds_load_b32 v2, v1 of the number at 0, and then ds_store_b32 v21, v3 to 0
    # 0x6e4 bytes on without an s_barrier; gfx90a: ds_read_b32 v1, v1 and ds_write_b32 v32, v17.
    # Which wave comes first is a matter of luck. The test numbers its block by ordered_block_id;
    # the library does so by block_id_wrapper, which has the barrier.
    Known(["7.2"], "*",
          "rocprim/test_device_scan:RocprimDeviceScanTests/*.LookBackScanGetCompleteValue",
          UNSYNCED, ("failed", "fault", "crash")),
    Known(["7.2"], "*", "rccl/rccl-UnitTests:Standalone.RegressionTiming", TIMED, state="failed"),
]


def find(release, gpu, program, test):
    """The entries of a test."""
    return [known for known in KNOWN
            if release in known.releases and fnmatch.fnmatchcase(gpu, known.gpus)
            and fnmatch.fnmatchcase(program + ":" + test, known.test)]


def judge(release, gpu, program, outcome):
    """The outcome, a failure that is known as one."""
    if outcome.state == "passed":
        return outcome
    for known in find(release, gpu, program, outcome.test):
        if outcome.state in known.states:
            return outcome._replace(state=known.state, why=known.why)
    return outcome
