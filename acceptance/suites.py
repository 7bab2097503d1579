# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ROCm's test suites as Debian packages them, and the releases that have them.

A suite's programs are in /usr/libexec/rocm/PACKAGE. Names of packages carry the
version of the library, so they differ from release to release. The suite "own" is
compiled from this tree (own.py), for every release.
"""
from typing import NamedTuple

from drivers import GOOGLE, THRUST, Driver


class Suite(NamedTuple):
    """A ROCm library's own tests."""
    packages: dict  # release: package; of this tree's own suite: release: None
    filter: str  # as GoogleTest's; where a suite has more tests than a day has seconds
    limit: float  # seconds of processor time for one test
    piece: int  # tests that one process is given at most
    slice: float  # seconds after which it gives way to processes of other programs
    pinned: float  # as many of its tests are pinned: a share of those listed, or a number
    gpus: int = 1  # how many of the kind a program gets
    first: str = ""  # a filter: tests that are run before the others, and pinned
    driver: Driver = GOOGLE
    only: tuple = ()  # GPUs that its library has code for, if it has none for others
    programs: tuple = ()  # paths, of a package whose programs are not where others have them
    environment: dict = {}  # variables that its programs read

    def to_pin(self, listed):
        """How many tests of those listed are to be pinned."""
        return self.pinned * (listed if self.pinned <= 1 else 1)


# Generations of ROCm, and the suite of Debian's archive that has them. The first is
# that of this machine's own Debian.
RELEASES = {"5.2": "/", "5.7": "trixie", "6.4": "unstable", "7.2": "experimental"}

# Suites of the archive that are no whole Debian, and the one that each is laid over.
BELOW = {"experimental": "unstable"}

# What every program needs, and a program to try the GPU with.
BASE_PACKAGES = ["libamdhip64-dev", "rocminfo"]


def suite(name_57, name_64=None, name_72=None, select="*", limit=10.0, piece=400,
          slice_seconds=15.0, pinned=0.602, first="", driver=GOOGLE):
    name_64 = name_64 or name_57
    return Suite({"5.7": name_57, "6.4": name_64, "7.2": name_72 or name_64}, select, limit, piece,
                 slice_seconds, pinned, first=first, driver=driver)


# rocSPARSE lists some 290,000 tests, rocBLAS more than a million, and to make them
# takes either program half a minute: few processes, and of the tests what they call
# quick, of functions of each kind. The first gemm of a process is the one that waits
# until the code object with all of them is read.
SPARSE = ["axpby", "axpyi", "bsrmv", "coo2csr", "coomv", "coosort", "cscsort", "csr2*", "csrmv",
          "csrsort", "dense2*", "doti", "dotci", "ellmv", "gather", "gthr*", "hybmv", "nnz",
          "rot*", "scatter", "sctr", "spmv_*", "spvv"]
BLAS = ["asum", "axpy", "copy", "dot", "dotc", "dgmm", "geam", "gemv", "ger", "gerc", "geru",
        "iamax", "iamin", "nrm2", "rot", "rotg", "rotm", "rotmg", "scal", "swap", "syr", "spr",
        "symv", "trsv", "set_get_*"]
GEMM = ["_/gemm.*quick_gemm_small_f32_r_*", "_/gemm.*quick_gemm_small_f64_r_*",
        "_/gemm.*quick_gemm_small_f16_r_*"]

# rocFFT compiles its kernels while it runs, a second or more for most of its 186,000 tests.
FFT = ["small_1D/*_len_%d_*_batch_1_*" % length for length in (14, 18, 21, 22, 26, 34, 39, 44, 51)]

SUITES = {
    "rocrand": suite("librocrand1-tests", limit=15.0, pinned=0.852),
    "hiprand": suite("libhiprand1-tests"),
    "rocprim": suite("librocprim-tests"),
    "hipcub": suite("libhipcub-tests", piece=100, slice_seconds=8.0, pinned=0.15),
    "rocthrust": suite("librocthrust-tests", piece=100, slice_seconds=8.0,
                       pinned=0.15, driver=THRUST),
    "rocsparse": suite("librocsparse0-tests", "librocsparse1-tests", piece=6000, slice_seconds=600,
                       pinned=5020, select=":".join("quick/%s.*" % name for name in SPARSE)),
    "rocblas": suite("librocblas0-tests", "librocblas4-tests", "librocblas5-tests", limit=90.0,
                     piece=6000, slice_seconds=600, pinned=5020,
                     select=":".join(["_/%s.*quick*" % name for name in BLAS] + GEMM),
                     first=":".join(GEMM)),
    # What it calls quick are 38,000 products, of matrices of one size or another.
    "hipsparselt": Suite({"7.2": "hipsparselt-tests"},
                         "_/*_test.conversion/quick_*:_/*_test.*/pre_checkin_aux*:"
                         "_/*_test.*/quick_*_8_8_8_*_CCCC:_/*_test.*/quick_*_72_72_72_*_CCCC",
                         limit=30.0, piece=6000, slice=600.0, pinned=3100, only=("gfx942",),
                         programs=("usr/bin/hipsparselt-test",)),
    # A test of a collective is eight cases and more: one GPU and two, ranks in a process of their
    # own or not. Each case is given five seconds, which is not enough on a busy machine. On gfx942
    # RCCL ends unless scratch memory stays, because it finds no version of the firmware.
    "rccl": Suite({"7.2": "librccl1-tests"},
                  "*.OutOfPlace:SendRecv.SinglePairs:GroupCall.Identical:NonBlocking.*:Standalone.*:"
                  "Recorder.*:ProxyTraceTestFixture.*:CollTraceUtilsTest.*",
                  limit=90.0, piece=1, slice=600.0, pinned=20, gpus=2,
                  first="*.OutOfPlace:SendRecv.SinglePairs",
                  environment={"UT_DATATYPES": "ncclFloat32", "UT_MIN_GPUS": "2",
                               "UT_TIMEOUT_US": "300000000", "HSA_NO_SCRATCH_RECLAIM": "1"}),
    "rocfft": suite("librocfft0-tests", limit=30.0, pinned=12, select=":".join(FFT)),
    "own": Suite(dict.fromkeys(RELEASES), "*", limit=60.0, piece=400, slice=60.0, pinned=1.0,
                 gpus=2),
}
