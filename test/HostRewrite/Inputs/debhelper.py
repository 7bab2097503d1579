# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds Debian packages of a program and its library, by all of debhelper's steps.

  debhelper.py BUILD CLANG INCLUDES [DEVICE-OPTIONS...]

The folder has main.hip and lib.hip. Both files of a package were converted, linked by
ld.kpack, or unpacked again. What the package installs has its sections in order and no
debug information, the library's symbols and its dependencies are known, the package of debug
information has been through dwz, and the program finds the device code of both files."""
import glob
import os
import subprocess
import sys

import section_order

CONTROL = """Source: demo
Section: libs
Priority: optional
Maintainer: Nobody <nobody@example.org>
Rules-Requires-Root: no
Build-Depends: debhelper-compat (= 13)
Standards-Version: 4.6.2

Package: libdemo1
Architecture: any
Depends: ${shlibs:Depends}, ${misc:Depends}
Description: a program and a library with kernels
 For a test.
"""
CHANGELOG = """demo (1.0) unstable; urgency=medium

  * For a test.

 -- Nobody <nobody@example.org>  Tue, 14 Nov 2023 22:13:20 +0000
"""
# The runtime of the test is in no package.
RULES = """#!/usr/bin/make -f
%:
\tdh $@
override_dh_auto_install:
\tcp -a $(TREE)/. debian/libdemo1
override_dh_shlibdeps:
\tdh_shlibdeps -l$(RUNTIME) -- --ignore-missing-info
"""
APP, LIBRARY = "usr/bin/app", "usr/lib/libdemo.so.1"


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    if done.returncode != 0:
        raise RuntimeError("%s: exit %d\n%s" % (" ".join(command), done.returncode, done.stdout))
    return done.stdout


class Packages:
    def __init__(self, build, clang, includes, options):
        self.lib, self.clang = build + "/lib", clang
        self.kpack, self.linker = build + "/bin/kpack", build + "/bin/ld.kpack"
        self.plugin = self.lib + "/KpackPlugin.so"
        # dwz of Debian 12 knows DWARF 4 of clang, but not DWARF 5.
        self.hip = [clang, "-x", "hip", "-nogpulib", "-nogpuinc", "-I", includes, "--offload-arch=gfx1100",
                    "-gdwarf-4", "-O2", "-fPIC", *options]

    def compile(self):
        for unit in ("main", "lib"):
            run(*self.hip, "-cuid=" + unit, "-c", unit + ".hip", "-o", unit + ".o")
            run(*self.hip, "-cuid=" + unit, "-fpass-plugin=" + self.plugin, "-c", unit + ".hip", "-o", unit + ".k.o")

    def link(self, root, suffix, *how):
        """The library, and the program that needs it, in a new tree."""
        for name in (APP, LIBRARY):
            os.makedirs(os.path.dirname(root + "/" + name))
        library, runtime = root + "/" + LIBRARY, ["-L" + self.lib, "-lfakehip"]
        kpack = lambda name: ["-Wl,--kpack=%s/usr/lib/.kpack/%s.kpack,--kpack-name=%s" % (root, name, name)]
        run(self.clang, *how, "-shared", "-Wl,-soname,libdemo.so.1,--build-id", "lib" + suffix, "-o", library, *runtime,
            *(kpack("libk") if suffix == ".k.o" else []))
        run(self.clang, *how, "-Wl,--build-id", "main" + suffix, library, "-o", root + "/" + APP, *runtime,
            *(kpack("app") if suffix == ".k.o" else []))

    def trees(self):
        """Name and folder of what is packaged."""
        for linker in ("bfd", "lld"):
            self.link("fat-" + linker, ".o", "-fuse-ld=" + linker)
            run(self.kpack, "pack-tree", "--input=fat-%s/usr" % linker, "--output=packed-%s/usr" % linker, "--group-name=k")
            yield "packed-" + linker
        self.link("linked", ".k.o", "-fuse-ld=lld", "--ld-path=" + self.linker)
        yield "linked"
        self.link("unpacked", ".o", "-fuse-ld=lld")
        for name in (APP, LIBRARY):
            run(self.kpack, "unpack", "packed-lld/" + name, "-o", "unpacked/" + name)
        yield "unpacked"

    def check(self, name):
        top, work = os.path.abspath("."), "build-%s/demo-1.0" % name
        os.makedirs(work + "/debian/source")
        for file, text in (("control", CONTROL), ("changelog", CHANGELOG), ("rules", RULES),
                           ("source/format", "3.0 (native)\n")):
            with open(work + "/debian/" + file, "w") as out:
                out.write(text)
        os.chmod(work + "/debian/rules", 0o755)
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": top, "TMPDIR": top, "RUNTIME": self.lib,
                       "TREE": top + "/" + name, "SOURCE_DATE_EPOCH": "1700000000"}
        run("dpkg-buildpackage", "-b", "-us", "-uc", "-d", cwd=work, env=environment)
        self.check_packages(name, os.path.dirname(work))

    def check_packages(self, name, folder):
        package, = glob.glob(folder + "/libdemo1_1.0_*.deb")
        symbols, = glob.glob(folder + "/libdemo1-dbgsym_1.0_*.deb")
        files, debug = folder + "/files", folder + "/debug"
        run("dpkg-deb", "-R", package, files)
        run("dpkg-deb", "-R", symbols, debug)
        for path in (files + "/" + APP, files + "/" + LIBRARY):
            # GNU strip puts the header of .dynstr behind those of all tables that use it.
            for problem in section_order.problems(path):
                if not problem.startswith(".dynstr has a lower "):
                    print("%s: %s: %s" % (name, path, problem))
            if ".debug_info" in run("readelf", "-SW", path):
                print("%s: %s: has debug information" % (name, path))
        self.want(name, "shlibs", "libdemo 1 libdemo1", open(files + "/DEBIAN/shlibs").read())
        self.want(name, "Depends", "libc6", run("dpkg-deb", "-f", package, "Depends"))
        self.want(name, "debug files", "/.dwz/", run("find", debug))
        environment = dict(os.environ, FAKE_HIP_ARCHS="gfx1100", LD_LIBRARY_PATH=files + "/usr/lib:" + self.lib)
        said = run(os.path.abspath(files + "/" + APP), env=environment)
        self.want(name, "run", "functions=_Z5kmainPi", said)
        self.want(name, "run", "functions=_Z4klibPi", said)
        if name != "unpacked":
            self.want(name, "run", "kernels=_Z5kmainPi", said)
            self.want(name, "run", "kernels=_Z4klibPi", said)
            run(self.kpack, "verify", files + "/" + APP, files + "/" + LIBRARY)

    def want(self, name, what, wanted, found):
        if wanted not in found:
            print("%s: %s: no '%s' in:\n%s" % (name, what, wanted, found))


def main():
    build, clang, includes, *options = sys.argv[1:]
    packages = Packages(build, clang, includes, options)
    packages.compile()
    count = 0
    for name in packages.trees():
        packages.check(name)
        count += 1
    print("%d packages" % count)


if __name__ == "__main__":
    main()
