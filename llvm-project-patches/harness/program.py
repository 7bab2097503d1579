# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program whose images clang-linker-wrapper writes to files: linked with Debian's
clang and the patched wrapper, its images packed, and run on the emulated GPU.

LLVM's part ends with the images and an opaque reference; what ROCm's tools would do
with them is done here with the archive writer of our own tests."""
import importlib.util
import json
import os
import shutil
import subprocess

from common import SOURCE, run, say

ARCHES = ["gfx90a", "gfx1030"]
EXAMPLE = os.path.join(SOURCE, "examples", "multi_tu")
WRITER = os.path.join(SOURCE, "test", "tools", "kpack", "Inputs", "make-archive.py")
DRIVER = ["--offload-new-driver", "-fgpu-rdc", "-nogpulib", "-nogpuinc", "-mcode-object-version=4",
          *["--offload-arch=" + arch for arch in ARCHES]]
LINK = ["--hip-link", "-no-hip-rt", "-l:libamdhip64.so.5", "-Wno-unused-command-line-argument"]


def writer():
    spec = importlib.util.spec_from_file_location("make_archive", WRITER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def link(release, tools, folder, marker):
    """program, and fat, which is what the same command makes without the options."""
    prefix = "/usr/lib/llvm-%s/bin" % release["major"]
    clang = [prefix + "/clang++", *DRIVER, "-O2"]
    # The wrapper looks for clang beside itself, and then in PATH.
    options = {"cwd": folder, "env": dict(os.environ, PATH=prefix + ":" + os.environ["PATH"])}
    os.mkdir(os.path.join(folder, "images"))
    with open(os.path.join(folder, "reference"), "wb") as file:
        file.write(marker)
    for name in ("main", "saxpy"):
        run([*clang, "-x", "hip", "-c", "%s/%s.hip" % (EXAMPLE, name)], **options)
    objects = ["main.o", "saxpy.o", *LINK]
    run([*clang, *objects, "-o", "fat"], **options)
    run([*clang, "-B", tools, *objects, "-o", "program", "-Wl,--external-images=images",
         "-Wl,--external-reference=reference"], **options)


def archive(folder, arch):
    """What ROCm's packaging tools would make of an image."""
    spec = os.path.join(folder, arch + ".json")
    with open(spec, "w") as file:
        json.dump({"arches": [arch], "family": arch, "entries": [
            ["program#0", arch, "../images/program.amdgcn.%s.img" % arch]]}, file)
    writer().main(spec, os.path.join(folder, ".kpack", "program_%s.kpack" % arch))


def check(release, tools, kpack, folder, count):
    """Counts whether the program is right, and whether it is so by its archives."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, ".kpack"))
    link(release, tools, folder, writer().pack(
        {"kpack_search_paths": [".kpack/program_@GFXARCH@.kpack"], "kernel_name": "program"}))
    program = os.path.join(folder, "program")
    say("program: %d bytes with a fat binary, %d with a reference" % (
        os.path.getsize(os.path.join(folder, "fat")), os.path.getsize(program)))

    def attempt(*command):
        return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    done = attempt(kpack + "/kpack-run", "--gpu=gfx90a", program)
    count.add("program without archives", "" if "no device code for GPU" in done.stdout else done.stdout)
    for arch in ARCHES:
        archive(folder, arch)
    done = attempt(kpack + "/kpack", "verify", program)
    count.add("program: kpack verify", "" if done.returncode == 0 else done.stdout)
    for arch in ARCHES:
        done = attempt(kpack + "/kpack-run", "--gpu=" + arch, program)
        count.add("program on " + arch, "" if done.stdout == "1000 elements right\n" else done.stdout)
