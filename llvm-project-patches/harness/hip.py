# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What clang needs to be told of Debian's HIP, which is older than it and elsewhere.

kpack-clang++ adds most of that by itself, and a plugin for what HIP 5 expects of its own
compiler. Here no tool of this project may help: device libraries are named one by one,
with hip.bc, in which the older runtime has what its headers declare."""
import glob
import os

from common import fail

FOLDERS = ["/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "/usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode"]
LIBRARIES = ["hip", "ocml", "ockl", "oclc_daz_opt_off", "oclc_unsafe_math_off", "oclc_finite_only_off",
             "oclc_correctly_rounded_sqrt_on", "oclc_abi_version_400"]
# Headers of HIP take it for granted; clang has dropped it.
WAVEFRONT = "-D__AMDGCN_WAVEFRONT_SIZE="
# hip_fp16.h of HIP before 5.6 calls what clang's headers had up to 19.
RECIPROCALS = ["-D__llvm_amdgcn_rcp_f16(X)=((_Float16)1/(X))", "-D__llvm_amdgcn_rcp_2f16(X)=((__2f16)1/(__2f16)(X))"]


def device_libraries():
    """The folder with Debian's."""
    found = [folder for pattern in FOLDERS for folder in sorted(glob.glob(pattern))
             if os.path.exists(folder + "/ockl.bc")]
    if not found:
        fail("ockl.bc: not found; install rocm-device-libs, or that of another number")
    return found[-1]


def of_arch(arch):
    """What only this architecture is compiled with."""
    wave = 64 if arch.startswith("gfx9") else 32
    only = "-Xarch_" + arch
    libraries = ["oclc_isa_version_" + arch[len("gfx"):], "oclc_wavefrontsize64_" + ("on" if wave == 64 else "off")]
    options = [WAVEFRONT + str(wave), *["--hip-device-lib=%s.bc" % name for name in libraries]]
    return [word for option in options for word in (only, option)]


def options(release, arches):
    """For programs that include <hip/hip_runtime.h>. Its runtime takes code objects of version 4."""
    folder = device_libraries()
    return ["-mcode-object-version=4", "--rocm-device-lib-path=" + folder, "--hip-device-lib-path=" + folder,
            *["--hip-device-lib=%s.bc" % name for name in LIBRARIES if os.path.exists("%s/%s.bc" % (folder, name))],
            "-Xarch_host", WAVEFRONT + "64", *(RECIPROCALS if int(release["major"]) > 19 else []),
            *[word for arch in arches for word in ("--offload-arch=" + arch, *of_arch(arch))]]


def options_without(_, arches):
    """For programs that declare by themselves what they call."""
    return ["-nogpulib", "-nogpuinc", "-mcode-object-version=4", *["--offload-arch=" + arch for arch in arches]]
