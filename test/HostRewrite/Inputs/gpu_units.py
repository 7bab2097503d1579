# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Translation units with kernels that say what they are, for gpu_matrix.py.

The kernel of unit N multiplies numbers, adds a number that only its own device code holds,
and writes for which target it was compiled. So what a program prints tells whose device code
has run, and that of which target. Hundreds of units are one object, whose number is changed
in its bytes."""
import os
import subprocess
import sys

import matrix

MANY = matrix.MANY
BASE = 0x5EED0000
TO_CHANGE = 0xF00D  # a unit that is copied has this number first
LANES = 128

UNIT = """#include "hip_subset.h"
extern "C" __global__ void kernel_%(n)04d(unsigned *Data, char *Text) {
  unsigned I = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  Data[I] = Data[I] * 3 + 0x%(number)xU;
#ifdef __HIP_DEVICE_COMPILE__
  const char Name[] = __amdgcn_target_id__;
  if (I < sizeof(Name))
    Text[I] = Name[I];
#endif
}
extern "C" void launch_%(n)04d(unsigned *Data, char *Text) {
  kernel_%(n)04d<<<dim3(%(lanes)d / 64), dim3(64)>>>(Data, Text);
}
"""

# What every binary has once: it calls all units on all GPUs, and prints what they say.
# %(list)s: X(0000) X(0001) ...
ALL = """#include "hip_subset.h"
#include <cstdio>
extern "C" int hipSetDevice(int);
#define X(N) extern "C" void launch_##N(unsigned *Data, char *Text);
%(list)s
#undef X
static void call(int Gpu, int Unit, void (*Launch)(unsigned *, char *)) {
  unsigned Data[%(lanes)d];
  char Text[%(lanes)d] = {};
  void *OnGpu = nullptr, *TextOnGpu = nullptr;
  for (unsigned I = 0; I != %(lanes)d; ++I)
    Data[I] = 7 * I + Unit;
  int Error = hipMalloc(&OnGpu, sizeof(Data)) | hipMalloc(&TextOnGpu, sizeof(Text));
  Error |= hipMemcpy(OnGpu, Data, sizeof(Data), hipMemcpyHostToDevice);
  Error |= hipMemcpy(TextOnGpu, Text, sizeof(Text), hipMemcpyHostToDevice);
  Launch(static_cast<unsigned *>(OnGpu), static_cast<char *>(TextOnGpu));
  Error |= hipGetLastError();
  Error |= hipMemcpy(Data, OnGpu, sizeof(Data), hipMemcpyDeviceToHost);
  Error |= hipMemcpy(Text, TextOnGpu, sizeof(Text), hipMemcpyDeviceToHost);
  unsigned Right = 0, Number = Data[0] - 3 * Unit;
  for (unsigned I = 0; I != %(lanes)d; ++I)
    Right += Data[I] == 3 * (7 * I + Unit) + Number;
  Text[sizeof(Text) - 1] = 0;
  std::printf("gpu %%d unit %%d: error %%d, %%x, %%u right, %%s\\n", Gpu, Unit, Error, Number, Right, Text);
}
extern "C" __attribute__((visibility("default"))) void check() {
  int Gpus = 0, Unit;
  std::printf("error %%d\\n", hipGetDeviceCount(&Gpus));
  for (int Gpu = 0; Gpu != Gpus; ++Gpu) {
    hipSetDevice(Gpu);
    Unit = 0;
#define X(N) call(Gpu, Unit++, launch_##N);
    %(list)s
  }
  std::fflush(stdout);
}
"""
MAIN = 'extern "C" void check();\nint main() { check(); }\n'
PLAIN_MAIN = "int main() {}\n"
# Libraries one after the other, in one process.
LOADER = """#include <cstdio>
#include <dlfcn.h>
int main(int Count, char **Names) {
  for (int I = 1; I != Count; ++I) {
    void *Library = dlopen(Names[I], RTLD_NOW | RTLD_LOCAL);
    void *Check = Library ? dlsym(Library, "check") : nullptr;
    std::printf("== %s %s\\n", Names[I], Check ? "" : dlerror());
    std::fflush(stdout);
    if (Check)
      reinterpret_cast<void (*)()>(Check)();
  }
}
"""

# A kind of units: for which targets each is compiled, and how.
OLD = ["-mcode-object-version=4"]  # what every ROCm reads
KINDS = {
    "two": ([["gfx90a", "gfx1030"], ["gfx90a", "gfx1030", "gfx906"]], OLD),
    "driver": ([["gfx90a", "gfx1030"]] * 2, [*OLD, "--offload-new-driver"]),
    "compressed": ([["gfx90a", "gfx1030"]] * 2, [*OLD, "--offload-compress"]),
    "uneven": ([["gfx906", "gfx1030"], ["gfx1030"]], OLD),
    "asan": ([["gfx90a", "gfx1030"]] * 2, [*OLD, "-fsanitize=address", "-Wno-option-ignored"]),
    "rdc": ([["gfx90a", "gfx1030"]] * 3, [*OLD, "-fgpu-rdc"]),
    "features": ([["gfx90a:xnack+", "gfx90a:xnack-", "gfx1030"],
                  ["gfx90a:sramecc+:xnack-", "gfx90a:sramecc-:xnack-", "gfx90a:sramecc+:xnack+", "gfx1030"]], OLD),
    "new": ([["gfx942", "gfx1030", "gfx1100", "gfx1201"], ["gfx942", "gfx1030", "gfx1100", "gfx1201"]], []),
    "generic": ([["gfx9-generic", "gfx10-3-generic", "gfx11-generic"],
                 ["gfx9-generic", "gfx10-3-generic", "gfx1100"]], ["-mcode-object-version=6"]),
}


def number(kind, unit):
    return BASE + unit if kind == "many" else BASE + 0x100 * list(KINDS).index(kind) + unit


def wait_for(jobs):
    """Two at a time, which is what test machines have."""
    running = []
    for job in jobs + [None, None]:
        if job:
            running.append(subprocess.Popen(job))
        if running and (len(running) == 2 or not job):
            if running.pop(0).wait() != 0:
                sys.exit("a compile has failed")


class Units:
    def __init__(self, clang, source):
        self.clang, self.source = clang, source
        self.hip = [clang, "-x", "hip", "-nogpulib", "-nogpuinc", "-O1", "-fPIC",
                    "-I", os.path.join(source, "examples")]

    def job(self, kind, unit, text_number=None):
        name = "%s-%d.hip" % (kind, unit)
        targets, options = KINDS["two" if kind == "many" else kind]
        with open(name, "w") as file:
            file.write(UNIT % {"n": unit, "number": text_number or number(kind, unit), "lanes": LANES})
        return [*self.hip, *options, *("--offload-arch=" + t for t in targets[unit]), "-c", name]

    def host(self, name, text, *options):
        with open(name + ".cpp", "w") as file:
            file.write(text)
        return [self.clang, "-O1", "-fPIC", "-Wno-ignored-attributes",
                "-I", os.path.join(self.source, "examples"), *options, "-c", name + ".cpp"]

    def all(self, count, *options, name=None):
        calls = " ".join("X(%04d)" % n for n in range(count))
        return self.host(name or "all-%d" % count, ALL % {"list": calls, "lanes": LANES}, *options)

    def compile(self, kinds):
        """kind-unit.o of each, all-COUNT.o, main.o and plain.o, many-N.o"""
        asan = "-fsanitize=address"
        jobs = [self.host("main", MAIN), self.host("plain", PLAIN_MAIN), self.all(1), self.all(2),
                self.all(3), self.all(MANY), self.all(2, asan, name="all-asan")]
        jobs += [self.job(kind, unit) for kind in kinds for unit in range(len(KINDS[kind][0]))]
        jobs.append(self.job("many", 0, BASE + TO_CHANGE))
        wait_for(jobs)
        self.make_many()
        with open("loader.cpp", "w") as file:
            file.write(LOADER)
        wait_for([[self.clang, "loader.cpp", "-o", "loader"],
                  [self.clang, asan, "loader.cpp", "-o", "loader-asan"]])

    def make_many(self):
        """Copies of one object, which differ in a number and in one name."""
        matrix.run("llvm-objcopy", "--keep-global-symbol=launch_0000", "many-0.o")
        with open("many-0.o", "rb") as file:
            text = file.read()
        old = (BASE + TO_CHANGE).to_bytes(4, "little")
        if text.count(old) != len(KINDS["two"][0][0]) or text.count(b"launch_0000") != 1:
            sys.exit("the object to be copied is not as it was thought to be")
        for unit in range(MANY):
            with open("many-%d.o" % unit, "wb") as file:
                file.write(text.replace(old, (BASE + unit).to_bytes(4, "little")).replace(
                    b"launch_0000", b"launch_%04d" % unit))
