# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a wheel that carries libkpack_jit.so and the program that it compiles with.

No module is compiled, so any Python 3 will do, on one kind of machine. Both files are
of a build of kpack, in KPACK_BUILD_DIR, and lie to each other as they do there, which is
how they find each other. They need what every system has, and zstd and OpenSSL 3; the
compiler is that of the system. What compiles small texts faster, with LLVM's libraries
of Debian, is carried where the build has it and does nothing where those are not there.
"""
import os
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

FASTER = os.path.join("lib", "kpack_jit_server.so")
FILES = [os.path.join("lib", "libkpack_jit.so.0"), os.path.join("bin", "kpack-jit-compile")]


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        build = os.environ.get("KPACK_BUILD_DIR")
        if not build:
            raise SystemExit("KPACK_BUILD_DIR: not set; name a build of kpack, whose library the wheel carries")
        package = os.path.join(self.build_lib, "kpack_jit")
        for file in FILES + [FASTER] * os.path.exists(os.path.join(build, FASTER)):
            to = os.path.join(package, file)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(os.path.join(build, file), to)  # the file, not the link
        with open(os.path.join(package, "_installed.py"), "w", encoding="utf-8") as out:
            out.write('LIBRARY = "%s"\n' % FILES[0])


class WithBinaries(Distribution):
    def has_ext_modules(self):
        return True


class PlatformWheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(distclass=WithBinaries, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
