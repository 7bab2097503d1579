# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs without code objects in them, by the patched tools, on the emulated GPU.

One has images that clang-linker-wrapper writes to files. LLVM's part ends with these
and an opaque reference; what ROCm's tools would do with them is done here with the
archive writer of our own tests. The other is linked by the patched lld with --kpack,
from objects of kpack-clang++. ld.kpack has to make the same of them, byte for byte."""
import filecmp
import importlib.util
import itertools
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


def attempt(*command, **options):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


def runs(kpack, program, count):
    for arch in ARCHES:
        done = attempt(kpack + "/kpack-run", "--gpu=" + arch, program)
        count.add("%s on %s" % (os.path.basename(program), arch),
                  "" if done.stdout == "1000 elements right\n" else done.stdout)


def check_images(release, tools, kpack, folder, count):
    """Counts whether the program is right, and whether it is so by its archives."""
    os.makedirs(os.path.join(folder, ".kpack"))
    link(release, tools, folder, writer().pack(
        {"kpack_search_paths": [".kpack/program_@GFXARCH@.kpack"], "kernel_name": "program"}))
    program = os.path.join(folder, "program")
    say("program: %d bytes with a fat binary, %d with a reference" % (
        os.path.getsize(os.path.join(folder, "fat")), os.path.getsize(program)))

    done = attempt(kpack + "/kpack-run", "--gpu=gfx90a", program)
    count.add("program without archives", "" if "no device code for GPU" in done.stdout else done.stdout)
    for arch in ARCHES:
        archive(folder, arch)
    done = attempt(kpack + "/kpack", "verify", program)
    count.add("program: kpack verify", "" if done.returncode == 0 else done.stdout)
    runs(kpack, program, count)


# What lays the output out in other ways, and what archives are written.
WAYS = [[], ["-no-pie"], ["-shared"], ["-Wl,-z,pack-relative-relocs"], ["-Wl,--build-id"],
        ["-Wl,--gc-sections", "-Wl,--icf=all"], ["-Wl,--strip-all"], ["-Wl,--kpack-compression=none"],
        ["-Wl,--kpack-compression=zstd:19", "-Wl,--kpack-name=other", "-Wl,--kpack-group=group",
         "-Wl,--kpack-search-path=/opt/other.kpack"]]
# The symbols of fat objects are in another order.
FAT_WAYS = [["-Wl,--strip-all"]]
PATHS = ["linked.kpack", ".kpack/linked_@GFXARCH@.kpack"]


def same_files(first, second):
    """What is different in two folders; empty if nothing is."""
    names = {os.path.relpath(os.path.join(where, name), top) for top in (first, second)
             for where, _, names in os.walk(top) for name in names}
    _, mismatch, missing = filecmp.cmpfiles(first, second, sorted(names), shallow=False)
    return " ".join(mismatch + missing)


def compile_parts(command, folder):
    os.makedirs(folder)
    for name in ("main", "saxpy"):
        run([*command, "-c", "%s/%s.hip" % (EXAMPLE, name)], cwd=folder)


def link_both(release, linkers, folder, number, options):
    """What is different of what two linkers make of main.o and saxpy.o."""
    outputs = []
    for name, linker in sorted(linkers.items()):
        outputs.append("%s/%s-%d" % (folder, name, number))
        os.mkdir(outputs[-1])
        run(["/usr/lib/llvm-%s/bin/clang++" % release["major"], "-fuse-ld=lld", "--ld-path=" + linker,
             folder + "/main.o", folder + "/saxpy.o", "-l:libamdhip64.so.5", *options, "-o", "linked"],
            cwd=outputs[-1])
    return same_files(*outputs)


def check_lld(release, tools, kpack, folder, count):
    """Links the same objects by both linkers in many ways, and runs a program of each kind."""
    prefix = "/usr/lib/llvm-%s/bin" % release["major"]
    options = ["-nogpulib", "-nogpuinc", "-O2", *["--offload-arch=" + arch for arch in [*ARCHES, "gfx942:xnack+"]]]
    ours = [kpack + "/kpack-clang++", *options, "--emit-kpack"]
    theirs = [prefix + "/clang++", *options, "-x", "hip", "-mcode-object-version=4"]
    kinds = {"kpack": (ours, WAYS), "lto": ([*ours, "-flto=thin"], [["-flto=thin"]]),
             "fat": (theirs, FAT_WAYS), "compressed": ([*theirs, "--offload-compress"], FAT_WAYS)}
    linkers = {"lld": tools + "/ld.lld", "ours": kpack + "/ld.kpack"}
    for kind, (command, ways) in kinds.items():
        parts = os.path.join(folder, kind)
        compile_parts(command, parts)
        for number, (way, path) in enumerate(itertools.product(ways, PATHS)):
            count.add(" ".join(["ld.lld", kind, "--kpack=" + path, *way]),
                      link_both(release, linkers, parts, number, [*way, "-Wl,--kpack=" + path]))
        program = parts + "/lld-0/linked"
        done = attempt(kpack + "/kpack", "verify", program)
        count.add(kind + ": kpack verify", "" if done.returncode == 0 else done.stdout)
        runs(kpack, program, count)


def check_unchanged(release, tools, folder, count):
    """Without the option, lld makes what Debian's makes."""
    prefix = "/usr/lib/llvm-%s/bin" % release["major"]
    command = [prefix + "/clang++", "-nogpulib", "-nogpuinc", "-g", "-x", "hip", "--offload-arch=gfx90a"]
    linkers = {"lld": tools + "/ld.lld", "stock": prefix + "/ld.lld"}
    for kind in ([], ["-flto=thin"]):
        parts = os.path.join(folder, "".join(["unchanged", *kind]))
        compile_parts([*command, *kind], parts)
        for number, way in enumerate(way for way in WAYS if "kpack" not in "".join(way)):
            count.add(" ".join(["ld.lld as before", *kind, *way]),
                      link_both(release, linkers, parts, number, [*kind, *way]))


def check_rdc(release, tools, kpack, folder, count):
    """The device code is linked by Debian's clang, and then taken out of what it made. clang's
    temporary files have other names each time, of which an archive has one."""
    prefix = "/usr/lib/llvm-%s/bin" % release["major"]
    clang = [prefix + "/clang++", "--no-offload-new-driver", "-fgpu-rdc", "-nogpulib", "-nogpuinc", "-O2",
             "-mcode-object-version=4", *["--offload-arch=" + arch for arch in ARCHES]]
    compile_parts([*clang, "-x", "hip"], folder)
    run([*clang, "--hip-link", "-fuse-ld=lld", "--ld-path=" + tools + "/ld.lld", "main.o", "saxpy.o", "-no-hip-rt",
         "-Wno-unused-command-line-argument", "-l:libamdhip64.so.5", "-Wl,--kpack=rdc.kpack", "-o", "rdc"],
        cwd=folder, env=dict(os.environ, PATH=prefix + ":" + os.environ["PATH"]))
    done = attempt(kpack + "/kpack", "verify", folder + "/rdc")
    count.add("rdc: kpack verify", "" if done.returncode == 0 else done.stdout)
    runs(kpack, folder + "/rdc", count)


def check_new_rdc(release, tools, kpack, folder, count):
    """With the new driver clang-linker-wrapper links the device code. The patched lld takes it out of
    what that made, and notices where it was not run."""
    prefix = "/usr/lib/llvm-%s/bin" % release["major"]
    clang = [prefix + "/clang++", *DRIVER, "-O2"]
    compile_parts([*clang, "-x", "hip"], folder)
    linker = ["-fuse-ld=lld", "--ld-path=" + tools + "/ld.lld", "-Wl,--kpack=linked.kpack"]
    done = attempt(prefix + "/clang++", *linker, "main.o", "saxpy.o", "-l:libamdhip64.so.5", "-o", "refused",
                   cwd=folder)
    count.add("new driver: not without clang-linker-wrapper",
              "" if "main.o: -fgpu-rdc object of the new offload driver" in done.stdout else done.stdout)
    run([*clang, "main.o", "saxpy.o", *LINK, *linker, "-o", "linked"],
        cwd=folder, env=dict(os.environ, PATH=prefix + ":" + os.environ["PATH"]))
    done = attempt(kpack + "/kpack", "verify", folder + "/linked")
    count.add("new driver: kpack verify", "" if done.returncode == 0 else done.stdout)
    runs(kpack, folder + "/linked", count)


def check(release, tools, kpack, folder, count):
    shutil.rmtree(folder, ignore_errors=True)
    if "clang-linker-wrapper" in release["tools"]:
        check_images(release, tools, kpack, os.path.join(folder, "images"), count)
    check_lld(release, tools, kpack, os.path.join(folder, "lld"), count)
    check_unchanged(release, tools, folder, count)
    check_rdc(release, tools, kpack, os.path.join(folder, "rdc"), count)
    check_new_rdc(release, tools, kpack, os.path.join(folder, "new-rdc"), count)
