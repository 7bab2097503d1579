#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs llama.cpp of Debian unstable on emulated GPUs. Called by scripts/accept applications.

  applications.py --build=FOLDER [--gpu=GPU,...] [--converted] [--part=PART,...]

The programs are those of the packages, in a Debian of roots.py; with --converted the GPU's
library of ggml is what `kpack convert` has made of it. A model with random weights
(tiny_model.py) is completed on the CPU and on the GPU, greedily. What differs is a failure,
as is a completion for which the GPU was not used. The last line is "N passed, M failed"."""
import argparse
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import converted
import roots
from suites import RELEASES

RELEASE = "6.4"
PACKAGES = ["llama.cpp-tools", "llama.cpp-tests", "libggml0-backend-hip", "python3-gguf"]
BACKEND = "usr/lib/x86_64-linux-gnu/ggml/backends0/libggml-hip.so"
OPERATOR_TESTS = "usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-backend-ops"

KINDS = ("f16", "q8_0", "q4_0")
# Both compute with 32-bit sums. What the CPU and the GPU make of four-bit weights differs
# by more than random weights forgive.
EXACT = ("f16", "q8_0")
PARTS = ("completion", "server", "operators")
# With this one no two words are close at any of these tokens: the second best is worse by an
# eighth of the standard deviation of all, in f16 and in q8_0. So rounding changes no token.
SEED, OTHER_SEED = 1169, 1170
PROMPT = "device code apart"
TOKENS = 16
# Fewer different words say nothing: a model that repeats itself forgives every error.
DIFFERENT = 8
# The server is on this machine, so proxies of the environment are ignored.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
LIMIT = 600  # seconds of a busy machine, for a program
# The last that llama-completion says. It ends without waiting for the thread that writes,
# here and there, with a GPU or without: what it has said before is whole if that is there.
LAST_LINE = re.compile(r"common_memory_breakdown_print: .*- Host\b")
TRIES = 5
ON_GPU = re.compile(r"offloaded (\d+)/\1 layers to GPU")

# (operators, a regular expression of their parameters): what the completions use, with
# sizes that an emulated GPU has done in seconds. All of ggml's tests would take far too long.
OPERATORS = [
    ("MUL_MAT", r"type_a=(f16|q8_0|q4_0),.*m=16,n=\d+,k=256,bs=\[1,1\],nr=\[1,1\]"),
    ("FLASH_ATTN_EXT", r"hsk=64,hsv=64,.*kv=113,nb=(1|3),"),
    ("ROPE", r"ne_a=\[128,32,2,1\]"),
    ("RMS_NORM", r"ne=\[64,5,4,3\]"),
    ("SOFT_MAX", r"ne=\[16,(2|16),"),
    ("GET_ROWS", r"type=(f16|f32|q8_0|q4_0),n=256,m=5,r=4,be1=1"),
    ("SET_ROWS,CPY,SWIGLU,SCALE", r"."),
    ("ADD,MUL", r"type=f32,ne=\[(10|16|1),5,"),
]


def complaint(kind, expected, words):
    """What is wrong with a completion; empty: nothing."""
    for where, found in (("CPU", expected), ("GPU", words)):
        if len(found) != TOKENS:
            return "%d tokens on the %s instead of %d" % (len(found), where, TOKENS)
    if len(set(expected)) < DIFFERENT:
        return "%d different tokens on the CPU, too few to tell anything" % len(set(expected))
    if kind not in EXACT:
        return ""
    for at, (right, word) in enumerate(zip(expected, words)):
        if right != word:
            return "token %d is '%s' on the GPU and '%s' on the CPU" % (at, word, right)
    return ""


class Problem(Exception):
    """A program did not do what it was to do."""


def run(command):
    """(what it printed, what it said)"""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Problem("%s: not done after %d s" % (os.path.basename(command[0]), LIMIT)) from None
    if done.returncode:
        raise Problem("%s: exit %d: %s" % (
            " ".join(command[:4]), done.returncode, "\n".join(done.stderr.splitlines()[-5:])))
    return done.stdout, done.stderr


class Machine:
    """A Debian and a GPU, or none."""

    def __init__(self, launcher, root, gpu=None):
        self.root, self.gpu = root, gpu
        self.launcher = launcher + ["--rocm=" + root, "--gpu=" + (gpu or "gfx1100"), "--threads=2", "--"]

    def command(self, program, *words):
        return [*self.launcher, os.path.join(self.root, program), *words]

    def model_options(self, model):
        return ["-m", model, "-c", "128", "-t", "1", "--no-warmup", "--verbosity", "4",
                *(["-ngl", "99"] if self.gpu else ["--device", "none"])]

    def check(self, said):
        if self.gpu and not ON_GPU.search(said):
            raise Problem("llama.cpp did not use the GPU")

    def complete(self, model):
        """The words of the completion of the prompt."""
        command = self.command(
            "usr/bin/llama-completion", *self.model_options(model), "-p", PROMPT, "-n", str(TOKENS), "--temp", "0",
            "--seed", "1", "--ignore-eos", "-no-cnv", "--no-display-prompt", "--simple-io")
        for _ in range(TRIES):
            text, said = run(command)
            if LAST_LINE.search(said):
                self.check(said)
                return text.split()
        raise Problem("llama-completion ended before it had written all, %d times" % TRIES)

    def serve(self, model, folder):
        """The same words, from the server."""
        log = os.path.join(folder, "server.log")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = self.command("usr/bin/llama-server", *self.model_options(model), "--host", "127.0.0.1",
                               "--port", str(port), "-np", "1")
        with running(command, log) as server:
            address = "http://127.0.0.1:%d" % port
            wait_for(address + "/health", server, log)
            answer = ask(address + "/completion", {
                "prompt": PROMPT, "n_predict": TOKENS, "temperature": 0, "seed": 1, "ignore_eos": True})
        with open(log, errors="replace") as file:
            self.check(file.read())
        return answer["content"].split()


@contextlib.contextmanager
def running(command, log):
    """A process that is ended, with all that it has started."""
    with open(log, "w") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                   process_group=0)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            pass
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(address, process, log):
    until = time.monotonic() + LIMIT
    while time.monotonic() < until and process.poll() is None:
        try:
            with DIRECT.open(address, timeout=LIMIT):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)  # it loads the model
    with open(log, errors="replace") as file:
        raise Problem("llama-server does not answer: %s" % "\n".join(file.read().splitlines()[-5:]))


def ask(address, question):
    request = urllib.request.Request(address, json.dumps(question).encode(), {"Content-Type": "application/json"})
    try:
        with DIRECT.open(request, timeout=LIMIT) as answer:
            return json.load(answer)
    except (urllib.error.URLError, OSError) as problem:
        raise Problem("llama-server: %s" % problem) from None


class Models:
    """Files with the same weights, of each kind, and one with others."""

    def __init__(self, machine, folder):
        self.folder = folder
        self.path = {kind: os.path.join(folder, kind + ".gguf") for kind in KINDS}
        self.other = os.path.join(folder, "other.gguf")
        writer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tiny_model.py")
        for path, seed in ((self.path["f16"], SEED), (self.other, OTHER_SEED)):
            run(machine.command("usr/bin/python3", "-B", writer, path, str(seed)))
        for kind in KINDS[1:]:
            run(machine.command("usr/bin/llama-quantize", self.path["f16"], self.path[kind], kind))


class Judge:
    """Counts, and says what it counts."""

    def __init__(self, name):
        self.name, self.passed, self.failed = name, 0, 0

    def note(self, what, wrong="", right=""):
        self.passed, self.failed = self.passed + (not wrong), self.failed + bool(wrong)
        print("%s: %s %s: %s" % ("failed" if wrong else "passed", self.name, what, wrong or right), flush=True)


def complete(judge, gpu, models, expected):
    for kind in KINDS:
        try:
            words = gpu.complete(models.path[kind])
            judge.note(kind, complaint(kind, expected[kind], words), " ".join(words))
        except Problem as problem:
            judge.note(kind, str(problem))


def serve(judge, gpu, models, expected):
    try:
        words = gpu.serve(models.path["f16"], models.folder)
        judge.note("llama-server", complaint("f16", expected["f16"], words), " ".join(words))
    except Problem as problem:
        judge.note("llama-server", str(problem))


def operators(judge, gpu):
    for names, parameters in OPERATORS:
        try:
            done = subprocess.run(gpu.command(OPERATOR_TESTS, "test", "-b", "ROCm0", "-o", names, "-p", parameters),
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  timeout=LIMIT)
        except subprocess.TimeoutExpired:
            judge.note("operators " + names, "not done after %d s" % LIMIT)
            continue
        tests = results_of(done.stdout)
        wrong = [test for test, state in tests.items() if state == "FAIL"]
        if done.returncode and not wrong:
            wrong = ["exit %d: %s" % (done.returncode, (done.stderr.splitlines() or ["no message"])[-1])]
        if not wrong and "OK" not in tests.values():
            wrong = ["no test was run"]
        judge.note("operators " + names, "; ".join(wrong), "%d tests" % list(tests.values()).count("OK"))


def results_of(text):
    """{test: OK, FAIL or not supported}"""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return dict(re.findall(r"^\s+([A-Z_]+\(.*\)): (?:.* )?(OK|FAIL|not supported)", plain, re.M))


def expected_words(cpu, models):
    """{kind: words}, and that others come of other weights."""
    expected = {kind: cpu.complete(path) for kind, path in models.path.items()}
    if cpu.complete(models.other) == expected["f16"]:
        raise Problem("other weights give the same words")
    return expected


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/accept applications", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--gpu", default="gfx90a,gfx1030,gfx1100", help="default: gfx90a,gfx1030,gfx1100")
    parser.add_argument("--converted", action="store_true", help="with the GPU's library that kpack convert makes")
    parser.add_argument("--part", default=",".join(PARTS), help="of " + ", ".join(PARTS))
    parser.add_argument("--roots", metavar="FOLDER", help="where the Debians are, or are made")
    parser.add_argument("--launch", help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.part = args.part.split(",")
    for part in args.part:
        if part not in PARTS:
            parser.error("--part=%s: no such part; there are %s" % (part, ", ".join(PARTS)))
    args.build = os.path.abspath(args.build)
    args.out = os.path.join(args.build, "acceptance")
    args.roots = os.path.abspath(args.roots or os.path.join(args.out, "roots"))
    return args


def prepared(args):
    """(the Debian as it is, that with which the GPU is tried)"""
    root = os.path.join(args.roots, RELEASES[RELEASE])
    if not args.launch:
        roots.prepare(root, RELEASE, [], PACKAGES)
    if not args.converted:
        return root, root
    return root, converted.make(root, os.path.join(args.out, "converted", "applications"),
                                os.path.join(args.build, "bin", "kpack"), [BACKEND], "kpack")


def main():
    args = arguments()
    original, root = prepared(args)
    launcher = [args.launch or os.path.join(args.build, "bin", "kpack-run")]
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="applications-") as folder:
        cpu = Machine(launcher, original)
        try:
            models = Models(cpu, folder)
            expected = expected_words(cpu, models)
        except Problem as problem:
            sys.exit("accept: error: %s" % problem)
        for name in args.gpu.split(","):
            gpu = Machine(launcher, root, name)
            judge = Judge(name + ", converted" if args.converted else name)
            if "completion" in args.part:
                complete(judge, gpu, models, expected)
            if "server" in args.part:
                serve(judge, gpu, models, expected)
            if "operators" in args.part:
                operators(judge, gpu)
            passed, failed = passed + judge.passed, failed + judge.failed
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
