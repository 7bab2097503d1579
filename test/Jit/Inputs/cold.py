# Sixteen processes want one key that nobody has. The compiler writes its
# program's number into a log and stops before it begins; it goes on when the
# file "go" is there. So everything happens in an order that is known: all others
# wait before the first compile goes on, or before its program is killed.
#   cold.py FOLDER KILLS COMMAND...
# Programs that compile are killed KILLS times; then one compile is let go on.
import atexit
import os
import signal
import subprocess
import sys
import time

folder, kills, *command = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
count = 16
log = folder + "/compiles"

def compiles():
    """The numbers of the programs whose compilers were started, in order."""
    return [int(line) for line in open(log)] if os.path.exists(log) else []

def until(what, most, condition):
    """The end after ten minutes is only so that a fault ends as one."""
    for _ in range(30000):
        if len(compiles()) > most:
            sys.exit("%d compile at once: %s" % (len(compiles()) - most + 1, compiles()))
        if condition():
            return
        time.sleep(0.02)
    for number in range(count):
        print(open("%s/out.%d" % (folder, number)).read())
    sys.exit("not within ten minutes: " + what)

def said(number):
    return open("%s/out.%d" % (folder, number)).read()

def runs(number):
    """Not one that has ended and that nobody has asked about yet."""
    try:
        with open("/proc/%d/stat" % number) as stat:
            return stat.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False

processes = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                              stdout=open("%s/out.%d" % (folder, number), "w")) for number in range(count)]
atexit.register(lambda: [process.kill() for process in processes])
alive = set(range(count))
for killed in range(kills + 1):
    until("compile %d" % (killed + 1), killed + 1, lambda: len(compiles()) == killed + 1)
    owner = compiles()[-1]
    number = next(n for n in alive if processes[n].pid == owner)
    # Each of the others has seen this one at work.
    until("the others wait", killed + 1, lambda: all("waiting for process %d" % owner in said(n) for n in alive - {number}))
    if killed == kills:
        break
    processes[number].kill()
    if processes[number].wait() != -signal.SIGKILL:
        sys.exit("was not killed")
    alive.remove(number)
    with open(folder + "/compilers") as lines:
        compiler = [int(line) for line in lines][killed]
    until("its compiler ends", killed + 2, lambda: not runs(compiler))
if len(compiles()) != kills + 1:
    sys.exit("more than one compiles: %s" % compiles())
open(folder + "/go", "w").close()
for number in alive:
    code = processes[number].wait()
    wanted = "hits=0 compiles=1" if processes[number].pid == owner else "hits=1 compiles=0"
    if code or "run<0> = 10" not in said(number) or wanted not in said(number):
        sys.exit("process %d: exit code %d, not '%s'\n%s" % (number, code, wanted, said(number)))
print("%d processes, %d killed, %d compiles" % (count, kills, len(compiles())))
print("locks left: %d" % len(os.listdir(os.environ["CK_JIT_CACHE_DIR"] + "/locks")))
