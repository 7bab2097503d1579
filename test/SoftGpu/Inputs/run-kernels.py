#!/usr/bin/env python3
"""Compiles a test's kernels for every emulated GPU, runs them, and compares with the CPU.

run-kernels.py --host PROGRAM --softgpu-run PROGRAM --source FILE --prefix PATH -- COMPILER FLAG...

PROGRAM is the same source compiled for the CPU (kernel_test.h): it lists the kernels and
writes input and expected output of one. Exit status 1, and a line for each kernel whose output
differs. KPACK_SOFTGPU_TEST narrows a run while looking for a bug: "gfx1100:2" is one GPU and
one optimisation level, "gfx1100:2:mix32" one kernel.
"""
import argparse
import os
import struct
import subprocess
import sys

# Wave size by default, and for which the compiler can be asked for the other one.
GPUS = {"gfx90a": [64], "gfx942": [64], "gfx1030": [32, 64], "gfx1100": [32, 64], "gfx1201": [32, 64]}


def words(path):
    with open(path, "rb") as f:
        data = f.read()
    return struct.unpack("<%dI" % (len(data) // 4), data)


def configurations(levels):
    for gpu, waves in GPUS.items():
        for level in levels:
            yield gpu, level, waves[0]
        # The other wave size at the level that programs are built with.
        for wave in waves[1:]:
            yield gpu, "2", wave


class Runner:
    def __init__(self, args, compiler):
        self.args = args
        self.compiler = compiler
        self.failures = []
        self.kernels = self.list_kernels()
        self.expected = {}

    def list_kernels(self):
        run = subprocess.run([self.args.host, "list"], check=True, capture_output=True, text=True)
        kernels = [line.split() for line in run.stdout.splitlines()]
        assert kernels, "no kernels"
        return sorted(kernels)

    def expect(self, name, wave):
        """Files with the input and the words of the output."""
        if (name, wave) not in self.expected:
            source = "%s.%s.in" % (self.args.prefix, name)
            result = "%s.%s.%d.expected" % (self.args.prefix, name, wave)
            subprocess.run([self.args.host, name, str(wave), source, result], check=True)
            self.expected[name, wave] = source, words(result)
        return self.expected[name, wave]

    def compile(self, gpu, level, wave):
        code = "%s.%s.%s.%d.co" % (self.args.prefix, gpu, level, wave)
        extra = ["-mwavefrontsize64"] if wave != GPUS[gpu][0] else []
        subprocess.run(
            [*self.compiler, "--offload-arch=" + gpu, "-O" + level, *extra, "-std=c++20",
             "-ffp-contract=off", "--offload-device-only", "--no-gpu-bundle-output",
             self.args.source, "-o", code], check=True)
        return code

    def run(self, code, wave, kernel):
        name, blocks, threads, lds = kernel
        source, want = self.expect(name, wave)
        actual = self.args.prefix + ".actual"
        run = subprocess.run(
            [self.args.softgpu_run, code, name, "--grid=" + blocks, "--block=" + threads,
             "--lds=" + lds, "--threads=2", "--arg=in:" + source,
             "--arg=out:%s:%d" % (actual, 4 * len(want))], capture_output=True, text=True)
        if run.returncode:
            return run.stderr.strip() or "exit status %d" % run.returncode
        got = words(actual)
        wrong = [i for i in range(len(want)) if want[i] != got[i]]
        if not wrong:
            return None
        i = wrong[0]
        return "%d words differ; word %d is %#x, expected %#x" % (len(wrong), i, got[i], want[i])

    def run_all(self, only):
        for gpu, level, wave in configurations(self.args.levels):
            if only and only[:2] != [gpu, level][:len(only)]:
                continue
            code = self.compile(gpu, level, wave)
            for kernel in self.kernels:
                if len(only) > 2 and only[2] != kernel[0]:
                    continue
                problem = self.run(code, wave, kernel)
                if problem:
                    self.failures.append("%s -O%s wave%d %s: %s"
                                         % (gpu, level, wave, kernel[0], problem))


def main():
    parser = argparse.ArgumentParser()
    for name in ("host", "softgpu-run", "source", "prefix"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--levels", default="0123", help="optimisation levels, one character each")
    parser.add_argument("compiler", nargs="+")
    args = parser.parse_args()
    runner = Runner(args, args.compiler)
    runner.run_all([part for part in os.environ.get("KPACK_SOFTGPU_TEST", "").split(":") if part])
    print("\n".join(runner.failures) or "all %d kernels agree" % len(runner.kernels))
    return 1 if runner.failures else 0


sys.exit(main())
