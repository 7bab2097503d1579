"""Interrupts a command at every step in which its files change, or lets such a
step fail, and checks that its directory holds all of its files or what was
there before.

usage: interrupt.py signal|fail|anytime|driver DIRECTORY -- COMMAND...

signal   a signal at each system call that creates, renames or removes a file
fail     each rename and link fails in turn
anytime  signals to the whole process, threads and all, at some time
driver   as signal, for a command that ends by the signal also when it comes
         after the last step, and that leaves no directory either

All but the third run the command under strace, which counts the calls of the main
thread and acts at the one with the right number: nothing depends on the time
that anything takes. In the third a signal may come too late, or before the
command has begun; what is checked holds whenever it comes.
"""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
# The ways to change which files there are, by any C library.
CHANGES = "openat,open,creat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir"


def files(directory, withDirectories=False):
    found = {}
    for base, folders, names in os.walk(directory):
        if withDirectories:
            found.update((os.path.join(base, name) + "/", None) for name in folders)
        for name in names:
            path = os.path.join(base, name)
            with open(path, "rb") as content:
                found[os.path.relpath(path, directory)] = content.read()
    return found


def prepare(directory, before):
    shutil.rmtree(directory, ignore_errors=True)
    os.mkdir(directory)
    for name, content in before.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(content)


def defaultActions():
    """Whatever started the tests may ignore or block signals, or want cores."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def start(directory, command, **options):
    return subprocess.Popen(command, cwd=directory, preexec_fn=defaultActions, **options)


def traced(directory, command, trace, *options):
    """Runs the command with the main thread alone under strace; what it said."""
    # A leak sanitizer cannot work beside another tracer.
    environment = dict(os.environ)
    environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    strace = ["strace", "-qq", "-o", os.path.abspath(trace), *options, "--"]
    process = start(directory, strace + command, env=environment, stderr=subprocess.PIPE, text=True)
    errors = process.communicate()[1]
    return process.returncode, errors


def changingCalls(trace):
    """(name, how many of this name there were) of calls that change names."""
    counts, calls = {}, []
    for line in open(trace):
        name = re.match(r"(\w+)\(", line)
        if not name:
            continue
        name = name[1]
        counts[name] = counts.get(name, 0) + 1
        if not name.startswith("open") or "O_CREAT" in line:
            calls.append((name, counts[name]))
    return calls


def check(step, code, expected, left, before, everything):
    good = code in expected and left == (everything if code == 0 else before)
    assert good, (step, code, sorted(left))


def sweep(directory, command, everything, before, inject, expected, calls):
    """Acts at each of the calls; returns how many of the runs were ended."""
    ended = 0
    for step, (name, number) in enumerate(calls):
        what, codes = inject(step), expected(step)
        prepare(directory, before)
        option = "inject=%s:%s:when=%d" % (name, what, number)
        code, errors = traced(directory, command, "trace", "-e", "trace=" + CHANGES, "-e", option)
        check((option, errors), code, codes, files(directory), before, everything)
        ended += code != 0
    return ended


def signals(directory, command, everything, before):
    prepare(directory, before)
    code, errors = traced(directory, command, "trace", "-e", "trace=" + CHANGES)
    assert code == 0 and files(directory) == everything, (code, errors)
    calls = changingCalls("trace")
    renames = sum(name.startswith("rename") for name, _ in calls)
    assert renames >= len(everything), calls
    ended = sweep(
        directory, command, everything, before,
        lambda step: "signal=%d" % SIGNALS[step % len(SIGNALS)],
        lambda step: (0, -SIGNALS[step % len(SIGNALS)]),
        calls,
    )
    # Before the files get their names it ends the command, then no longer.
    late = len(calls) - ended
    assert ended >= len(everything) and late >= renames, (ended, late, calls)


def failures(directory, command, everything, before):
    prepare(directory, before)
    code, errors = traced(directory, command, "trace", "-e", "trace=" + CHANGES)
    assert code == 0, (code, errors)
    calls = [call for call in changingCalls("trace") if call[0].startswith("rename")]
    ended = sweep(
        directory, command, everything, before,
        lambda step: "error=EIO", lambda step: (1,), calls,
    )
    assert ended == len(calls) >= len(everything), (ended, calls)
    if not before:
        return
    # A file system without hard links: twice as many renames, each of which may
    # fail; those after it, which put things back, do not.
    for number in range(1, 2 * len(calls) + 2):
        prepare(directory, before)
        code, errors = traced(
            directory, command, "trace", "-e", "trace=" + CHANGES,
            "-e", "inject=link,linkat:error=EPERM",
            "-e", "inject=rename:error=EIO:when=%d" % number,
        )
        last = number == 2 * len(calls) + 1
        check(number, code, (0 if last else 1,), files(directory), before, everything)


def anytime(directory, command, everything, before):
    prepare(directory, before)
    begin = time.monotonic()
    assert start(directory, command).wait() == 0
    duration = time.monotonic() - begin
    steps = 12
    for step in range(steps):
        prepare(directory, before)
        process = start(directory, command)
        time.sleep(duration * step / steps)
        number = SIGNALS[step % 3]
        process.send_signal(number)
        check(step, process.wait(), (0, -number), files(directory), before, everything)


def driver(directory, command, everything, before):
    if before:
        return  # a compiler that fails removes its output
    prepare(directory, {})
    code, errors = traced(directory, command, "trace", "-e", "trace=" + CHANGES)
    assert code == 0, (code, errors)
    none = complete = 0
    for step, (name, number) in enumerate(changingCalls("trace")):
        prepare(directory, {})
        option = "inject=%s:signal=%d:when=%d" % (name, SIGNALS[step % 3], number)
        code, errors = traced(directory, command, "trace", "-e", "trace=" + CHANGES, "-e", option)
        left = files(directory, withDirectories=True)
        assert left in ({}, everything), (option, code, errors, sorted(left))
        assert code == -SIGNALS[step % 3], (option, code, errors)
        none += left == {}
        complete += left == everything
    # The first step makes the temporary directory, the last one removes it.
    assert none and complete, (none, complete)


def main():
    mode, directory, command = sys.argv[1], sys.argv[2], sys.argv[4:]
    prepare(directory, {})
    code = start(directory, command).wait()
    everything = files(directory)
    assert code == 0 and everything, (code, everything)
    older = {name: b"before " + name.encode() for name in everything}
    for before in ({}, older):
        {"signal": signals, "fail": failures, "anytime": anytime, "driver": driver}[mode](
            directory, command, everything, before
        )
        print(mode, "with files before:" if before else "with no files:", "good")


main()
