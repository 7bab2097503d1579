# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Many processes call a variant that nobody has compiled. One compiles, and all
# compute what the reference says; when the one is killed in the middle of it,
# or its helper is, another one compiles: the one whose helper is gone has no
# result, and says so. "In the middle" is where the compiler
# reads from a pipe that this script opens when it is time to.
import os
import select
import shutil
import subprocess
import sys
import time

from minick_library import Library, arguments

DEADLINE = time.monotonic() + 900  # against a test that hangs; nothing waits that long


def compiler(folder, clang):
    """Stops in its first compile of a host half, and says for whom that is."""
    os.mkdir(folder)
    for name in ("reached", "go"):
        os.mkfifo(os.path.join(folder, name))
    path = os.path.join(folder, "clang++")
    with open(path, "w") as f:
        f.write('#!/bin/sh\n'
                'case " $* " in *" -### "*) ;; *" -c -o "*"/host.o "*)\n'
                '  parent() { read -r STAT < /proc/$1/stat; set -- ${STAT##*) }; echo $2; }\n'
                '  echo "$(parent $PPID) $PPID $$" >> %(at)s/compiles\n'
                '  if mkdir %(at)s/first 2>/dev/null; then\n'
                '    echo > %(at)s/reached; read -r GO < %(at)s/go\n'
                '  fi\n'
                'esac\n'
                'exec %(clang)s "$@"\n' % dict(at=folder, clang=clang))
    os.chmod(path, 0o755)
    return path


def wait_for(file, what):
    """Until there is something to read; what is there."""
    if not select.select([file], [], [], max(0, DEADLINE - time.monotonic()))[0]:
        sys.exit("no %s" % what)
    return os.read(file, 65536).decode(errors="replace")


class Process:
    def __init__(self, library, number, settings):
        self.name = "process %d" % number
        self.output = "out.%d" % number
        self.process = subprocess.Popen(library.command("variants", self.output), text=False,
                                        env=library.environment("rewrite", **settings),
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.err = ""

    def until(self, *words):
        """Reads its messages up to one that has one of the words."""
        while not any(w in self.err for w in words):
            text = wait_for(self.process.stderr.fileno(), "%s of %s; it said:\n%s" % (words, self.name, self.err))
            if not text:
                sys.exit("%s ended; it said:\n%s" % (self.name, self.err))
            self.err += text

    def end(self):
        """Exit status and what it printed."""
        out, err = self.process.communicate(timeout=max(1, DEADLINE - time.monotonic()))
        self.err += err.decode(errors="replace")
        return self.process.returncode, out.decode(errors="replace")


def cold(library, name, count, kill):
    """Processes that all want the one blob; kill says whom, once all others wait."""
    folder = os.path.join(library.o.work, name)
    settings = dict(CK_JIT_COMPILER=compiler(folder, library.o.clang),
                    CK_JIT_CACHE_DIR=os.path.join(folder, "cache"))
    reached = os.open(os.path.join(folder, "reached"), os.O_RDWR)
    go = os.open(os.path.join(folder, "go"), os.O_RDWR)
    processes = [Process(library, n, settings) for n in range(count)]
    wait_for(reached, "compile")
    for p in processes:
        p.until("waiting for process", "ck-jit: compiling")
    owners = [p for p in processes if "ck-jit: compiling" in p.err]
    if len(owners) != 1:
        sys.exit("%s: %d processes compile at once" % (name, len(owners)))
    with open(os.path.join(folder, "compiles")) as f:
        (line,) = f.readlines()
    program, helper, stopped = map(int, line.split())
    ended = os.pidfd_open(stopped)
    if kill == "nobody":
        os.write(go, b"go\n")
    else:
        os.kill({"program": program, "helper": helper}[kill], 9)
        # The compiler must not go on for a helper that is no more.
        if not select.select([ended], [], [], max(0, DEADLINE - time.monotonic()))[0]:
            sys.exit("%s: the compiler still runs" % name)
    exact, outputs = 0, set()
    for p in processes:
        status, out = p.end()
        if status == 0 and ": exact" in out:
            exact += 1
            with open(p.output, "rb") as f:
                outputs.add(f.read())
        elif p is not owners[0] or (status, kill) not in ((137, "program"), (3, "helper")):
            sys.exit("%s: %s: status %d:\n%s%s" % (name, p.name, status, out, p.err))
    with open(os.path.join(folder, "compiles")) as f:
        compiles = len(f.readlines())
    if len(outputs) != 1:
        sys.exit("%s: results differ" % name)
    left = os.listdir(os.path.join(folder, "cache", "locks"))
    print("%s: %d processes, %d exact, compiler started %d times, %d locks left" % (
        name, count, exact, compiles, len(left)))
    for file in (reached, go, ended):
        os.close(file)


library = Library(arguments().parse_args())
library.rewritten()
library.program("rewrite")
cold(library, "sixteen", 16, "nobody")
cold(library, "program-killed", 4, "program")
cold(library, "helper-killed", 4, "helper")
shutil.rmtree(library.o.work)
