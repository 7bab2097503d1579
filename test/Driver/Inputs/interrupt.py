# usage: interrupt.py TMPDIR SIGNAL COMMAND...
# Runs COMMAND, waits until it has started two compilers (each adds its process
# id to the file `pids`), sends SIGNAL and tells how everything ended. No time is
# looked at: the compilers run until they are ended, by this script at the latest.
import os, signal, subprocess, sys, time

name, command = sys.argv[2], sys.argv[3:]
number = getattr(signal, "SIG" + name)


def defaultAction():
    """Whatever started the tests may ignore or block it."""
    signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])


child = subprocess.Popen(
    command + ["--kpack-jobs=2"],
    env=dict(os.environ, TMPDIR=sys.argv[1]),
    preexec_fn=defaultAction,
)


def pids():
    try:
        return [int(line) for line in open("pids")]
    except FileNotFoundError:
        return []


def running(pid):
    try:
        with open("/proc/%d/stat" % pid) as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


# A child that has ended will start no more.
while len(pids()) < 2 and child.poll() is None:
    time.sleep(0.02)
child.send_signal(number)
code = child.wait()
print("ended by signal %d" % -code if code < 0 else "exit code %d" % code)
left = [pid for pid in pids() if running(pid)]
print("compilers started: %d, still running: %d" % (len(pids()), len(left)))
for pid in left:
    os.kill(pid, signal.SIGKILL)
