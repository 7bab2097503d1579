# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# switched.py PROGRAM KPACK LINKER SCENARIO...: root works on files and folders
# of another user, who puts something else in their places at one system call
# after another, at least 50 in each scenario (PROGRAM is switched.c). Needs a mount name
# space of its own and, in the current folder, the fat programs fat and users, the
# host-only ones app and users-app with their archives, the program plain, the code
# object a.co, and the objects main.o and fat.o. There is BYTES in those called users
# and in plain.
#
# Says of each scenario how often he got what only root may give or read.
import atexit, ctypes, glob, hashlib, os, shutil, stat, struct, subprocess, sys, time

PROGRAM, KPACK, LINKER = map(os.path.abspath, sys.argv[1:4])
USER, OTHER = 12346, 12347
SWITCHES = 50
NEVER = 10**9
TOP = "/mnt/top"
HOME = TOP + "/home"
SECRET = b"what only root may read\n" * 10
BYTES = b"bytes of the user"
CLOSED = b"\x77" * 16
HERE = os.getcwd()
CAPABILITY = "security.capability"
# Revision 2, effective: CAP_NET_BIND_SERVICE (capabilities(7)).
CAPABLE = struct.pack("<5I", 0x02000001, 1 << 10, 0, 0, 0)


def give(path, user, mode=None):
    os.chown(path, user, user, follow_symlinks=False)
    if mode is not None:
        os.chmod(path, mode)


def folder(path, user=0, mode=0o755):
    os.makedirs(path)
    give(path, user, mode)


def copy(name, to, user=0, mode=0o755):
    shutil.copyfile(os.path.join(HERE, name), to)
    give(to, user, mode)


def write(path, content, user=0, mode=0o644):
    with open(path, "wb") as file:
        file.write(content)
    give(path, user, mode)


# Descriptors of pipes, and processes, of one run.
READERS, PROCESSES = [], []


def pipe(path, user, mode=0o666):
    """A pipe that can be written to as if somebody reads it."""
    os.mkfifo(path)
    give(path, user, mode)
    READERS.append(os.open(path, os.O_RDWR | os.O_NONBLOCK))


def forget():
    while READERS:
        os.close(READERS.pop())
    while PROCESSES:
        process = PROCESSES.pop()
        os.kill(process, 9)
        os.waitpid(process, 0)


def fresh():
    """Root's files, and the home of a user who reads and writes there."""
    forget()
    shutil.rmtree(TOP, ignore_errors=True)
    folder(TOP)
    folder(HOME, USER)
    folder(TOP + "/out")
    write(TOP + "/secret", SECRET, mode=0o600)
    copy("fat", TOP + "/su", mode=0o4755)
    pipe(TOP + "/pipe", 0, 0o600)
    copy("fat", TOP + "/capable")
    os.setxattr(TOP + "/capable", CAPABILITY, CAPABLE)
    # What may look like the output, or like the input.
    folder(TOP + "/victim/sub", mode=0o700)
    folder(TOP + "/victim/.kpack", mode=0o700)
    for name in ("plain", "app", "a.co", "link"):
        write(TOP + "/victim/sub/" + name, SECRET, mode=0o600)
    os.chmod(TOP + "/victim", 0o700)


def tree(user, broken=False):
    """A tree with a file of each kind that pack-tree knows."""
    root = HOME + "/tree" if user == USER else TOP + "/tree"
    folder(root, user)
    folder(root + "/sub", user)
    write(root + "/sub/plain", BYTES * 1000, user)
    copy("users", root + "/sub/app", user)
    copy("a.co", root + "/sub/a.co", user)
    os.symlink("plain", root + "/sub/link")
    give(root + "/sub/link", user)
    if broken:
        with open(os.path.join(HERE, "fat"), "rb") as file:
            write(root + "/sub/zz", file.read()[:-64], user)
    return root


def facts(path):
    """All that root has said of a file or folder."""
    info = os.lstat(path)
    found = [path, info.st_uid, info.st_gid, oct(info.st_mode), info.st_mtime_ns]
    found += [(name, os.getxattr(path, name)) for name in os.listxattr(path, follow_symlinks=False)]
    if stat.S_ISREG(info.st_mode):
        with open(path, "rb") as file:
            found.append(hashlib.sha256(file.read()).hexdigest())
    return found


def roots():
    """Of all that is root's and none of the user's business."""
    found = [facts(TOP + "/" + name) for name in ("secret", "su", "capable", "victim", "pipe")]
    for at, folders, files in os.walk(TOP + "/victim"):
        found += [facts(os.path.join(at, name)) for name in folders + files]
    return sorted(found, key=lambda one: one[0])


def gained(output):
    """What the output has that only root may give or read."""
    for at, folders, files in os.walk(output):
        for name in files + folders:
            path = os.path.join(at, name)
            info = os.lstat(path)
            if stat.S_ISLNK(info.st_mode):
                continue
            content = b""
            if stat.S_ISREG(info.st_mode):
                with open(path, "rb") as file:
                    content = file.read()
            # A file of root's that was read as a whole may have all that it had.
            if BYTES in content or name == "a.co":
                if info.st_mode & (stat.S_ISUID | stat.S_ISGID):
                    return "set-id " + path
                if CAPABILITY in os.listxattr(path):
                    return "capability " + path
                if info.st_uid != USER:
                    return "another owner " + path
            if SECRET[:24] in content:
                return "secret " + path
            if CLOSED in content and info.st_mode & 0o077:
                return "open to all " + path
    return None


def replace(name, by):
    """The action that puts a link in the place of a file or a folder."""
    # A folder of root's can be renamed where it is, and only there.
    return ('name="%s"; ln -s "%s" %s/.new; [ ! -d "$name" ] || [ -L "$name" ] || mv -T "$name" "${name%%/*}/moved"; '
            'mv -T %s/.new "$name"' % (name, by, HOME, HOME))


# The same of a folder of his own, with links in it.
OWN_FOLDER = ('mv -T "$MATCH" "${MATCH%%/*}/moved"; mkdir "$MATCH"; ln -s %s/victim/sub "$MATCH/sub"; '
              'ln -s %s/victim/.kpack "$MATCH/.kpack"' % (TOP, TOP))


# Each makes its files and returns the command, what has to be open or there when the
# switches begin, and the actions.
def convert_input():
    copy("users", HOME + "/app", USER)
    return ([KPACK, "convert", HOME + "/app", "-o", TOP + "/out/app"], HOME + "/app", "",
            [replace(HOME + "/app", TOP + by) for by in ("/su", "/capable")])


def convert_output():
    copy("fat", TOP + "/app", OTHER, 0o4755)
    os.setxattr(TOP + "/app", CAPABILITY, CAPABLE)
    folder(HOME + "/out", USER)
    return ([KPACK, "convert", TOP + "/app", "-o", HOME + "/out/app"], "", HOME + "/out/app.tmp*",
            [replace("$MATCH", TOP + by) for by in ("/secret", "/su")])


def in_place(name):
    folder(HOME + "/sub", USER)
    copy(name, HOME + "/sub/app", USER)
    return ([KPACK, "convert", HOME + "/sub/app", "--in-place"], HOME + "/sub/app", "",
            [replace(HOME + "/sub/app", TOP + by) for by in ("/su", "/capable", "/victim/sub/app")] +
            [replace(HOME + "/sub", TOP + "/victim/sub")])


def convert_archives():
    # Root's archive has the name of the one that is written.
    copy("users", HOME + "/app", USER)
    folder(HOME + "/out", USER)
    write(TOP + "/victim/.kpack/app_gfx1100.kpack", SECRET, mode=0o600)
    return ([KPACK, "convert", HOME + "/app", "-o", HOME + "/out/app"], "", HOME + "/out/.kpack",
            [replace(HOME + "/out/.kpack", TOP + "/victim/.kpack")])


OTHERS = "users-app_gfx90a-xnack+.kpack"


def archives(*command):
    folder(HOME + "/sub", USER)
    for name in os.listdir(HERE + "/.kpack"):
        if name.startswith("users-app_"):
            copy(".kpack/" + name, HOME + "/sub/" + name, USER, 0o644)
            write(TOP + "/victim/sub/" + name, SECRET, mode=0o600)
    return ([KPACK, *command], HOME + "/sub/" + OTHERS, "", [replace(HOME + "/sub", TOP + "/victim/sub")])


def prune_folder():
    return archives("prune", "-q", "--arch=gfx1100", "--in-place", HOME + "/sub")


def merge_links():
    return archives("merge", "-q", "--link", "-o", TOP + "/out/all.kpack", HOME + "/sub/" + OTHERS)


def convert_in_place():
    return in_place("users")


def copy_in_place():
    return in_place("plain")


def copy_input():
    copy("plain", HOME + "/app", USER)
    return ([KPACK, "convert", HOME + "/app", "-o", TOP + "/out/app"], HOME + "/app", "",
            [replace(HOME + "/app", TOP + by) for by in ("/su", "/capable")])


def unpack_input():
    copy("users-app", HOME + "/app", USER)
    shutil.copytree(os.path.join(HERE, ".kpack"), HOME + "/.kpack")
    return ([KPACK, "unpack", HOME + "/app", "-o", TOP + "/out/app"], HOME + "/app", "",
            [replace(HOME + "/app", TOP + by) for by in ("/su", "/capable")])


def unpack_output():
    copy("app", TOP + "/app", OTHER, 0o4755)
    shutil.copytree(os.path.join(HERE, ".kpack"), TOP + "/.kpack")
    folder(HOME + "/out", USER)
    return ([KPACK, "unpack", TOP + "/app", "-o", HOME + "/out/app"], "", HOME + "/out/app.tmp*",
            [replace("$MATCH", TOP + by) for by in ("/secret", "/su")])


def pack_tree(root, output, *more):
    return [KPACK, "pack-tree", "-q", "--input=" + root, "--output=" + output, "--databases=pack", *more]


def tree_files():
    root = tree(USER)
    return (pack_tree(root, TOP + "/out/tree"), root, "",
            [replace(root + "/sub/" + name, TOP + by)
             for name in ("plain", "app", "a.co") for by in ("/secret", "/su", "/capable")])


def tree_folders():
    root = tree(USER)
    return (pack_tree(root, TOP + "/out/tree"), root, "",
            [replace(name, TOP + "/victim" + sub) for name, sub in ((root + "/sub", "/sub"), (root, ""))])


def tree_output():
    root = tree(USER)
    folder(HOME + "/out", USER)
    return (pack_tree(root, HOME + "/out/tree"), "", HOME + "/out/tree.tmp*",
            [replace("$MATCH", TOP + "/victim"), OWN_FOLDER])


def tree_output_refused():
    root = tree(0, broken=True)
    folder(HOME + "/out", USER)
    return (pack_tree(root, HOME + "/out/tree"), "", HOME + "/out/tree.tmp*",
            [replace("$MATCH", TOP + "/victim"), OWN_FOLDER])


def link(existing, by):
    folder(HOME + "/out", USER)
    for name in ("app", "app.map"):
        write(HOME + "/out/" + name, b"old", mode=0o755)
    command = [LINKER, "-o", HOME + "/out/app", HERE + "/main.o", HERE + "/fat.o", "--kpack=" + HOME + "/out/app.kpack",
               "-e", "main", "-Map=" + HOME + "/out/app.map"]
    return command, "", HOME + "/out/" + existing, [replace("$MATCH", TOP + "/" + name) for name in by]


def link_output():
    return link("app.tmp*-????????", ("secret", "su"))


def link_map():
    return link("app.map.tmp*-????????", ("secret",))


def link_to_pipe(option):
    # The user's own pipe may be written to.
    command, _, _, _ = link("app", ())
    pipe(HOME + "/out/pipe", USER)
    return command + [option + HOME + "/out/pipe"], "", HOME + "/out", [replace(HOME + "/out/pipe", TOP + "/pipe")]


def link_map_pipe():
    return link_to_pipe("-Map=")


def link_dependencies_pipe():
    return link_to_pipe("--dependency-file=")


def extract_pipe():
    folder(HOME + "/out", USER)
    pipe(HOME + "/out/pipe", USER)
    return ([KPACK, "extract", HERE + "/.kpack/app_gfx1100.kpack", "--arch=gfx1100", "-o", HOME + "/out/pipe"], "",
            HOME + "/out", [replace(HOME + "/out/pipe", TOP + "/pipe")])


def changing_process():
    """A process of the user's in a folder of his. When he asks for it, it becomes
    root's and has another current folder, as one that starts a set-uid program."""
    process = os.fork()
    if process:
        PROCESSES.append(process)
        while not os.path.exists(HOME + "/ready"):
            time.sleep(0.001)
        return process
    os.chdir(HOME + "/sub")
    os.setresgid(USER, USER, 0)
    os.setresuid(USER, USER, 0)
    PR_SET_DUMPABLE = 4
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    open(HOME + "/ready", "w").close()
    while not os.path.exists(HOME + "/go"):
        time.sleep(0.001)
    os.setresuid(0, 0, 0)
    os.chdir(TOP + "/victim/sub")
    open(HOME + "/gone", "w").close()
    while True:
        time.sleep(1000)


def convert_process_refused():
    folder(HOME + "/sub", USER)
    folder(HOME + "/out", USER)
    os.symlink("/proc/%d/cwd/app" % changing_process(), HOME + "/out/app")
    give(HOME + "/out/app", USER)
    return ([KPACK, "convert", HERE + "/fat", "-o", HOME + "/out/app", "--archive-dir=" + TOP + "/out"], HERE + "/fat", "",
            ["touch %s/go; while [ ! -e %s/gone ]; do sleep 0.001; done" % (HOME, HOME)])


def readers(command, archive, *more):
    """Of a file with CLOSED that only root may read; the link that leads to it leads to
    one without it that all may read afterwards."""
    closed, opened, link = TOP + "/closed", HOME + "/open", HOME + "/in" + os.path.splitext(archive)[1]
    copy("closed/" + archive, closed, mode=0o600)
    copy("open/" + archive, opened, USER, 0o644)
    os.symlink(closed, link)
    give(link, USER)
    return [KPACK, command, link, *more], closed, "", [replace(link, opened)]


def extract_readers():
    return readers("extract", "one.kpack", "--arch=gfx1100", "-o", TOP + "/out/b.co")


def merge_readers():
    return readers("merge", "one.kpack", "-q", "-o", TOP + "/out/a.kpack")


def prune_readers():
    return readers("prune", "both.kpack", "-q", "--arch=gfx1100", "-o", TOP + "/out/a.kpack")


def strip_readers():
    return readers("strip", "b.co", "-q", "-o", TOP + "/out/b.co")


def run_one(make, number, action):
    """Whether he switched, how many calls there were, and what he has got."""
    fresh()
    command, opened, existing, actions = make()
    before = roots()
    done = subprocess.run([PROGRAM, str(USER), opened, existing, str(number), actions[action % len(actions)], *command],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))  # not while it is traced
    status = "exit status 1\n" if make.__name__.endswith("refused") else "exit status 0\n"
    if done.returncode != 0 or (number == NEVER and not done.stderr.endswith(status)):
        sys.exit("%s: %s" % (make.__name__, done.stderr))
    said = done.stdout.split()[-1]
    if os.environ.get("VERBOSE"):
        print(make.__name__, number, said, done.stderr.strip())
    problem = "root's files changed" if roots() != before else None
    if not problem:
        outputs = [TOP + "/out"] + [path for path in (HOME + "/out", HOME) if make.__name__.endswith("in_place")]
        problem = next((p for p in map(gained, outputs) if p), None)
    return said == "switched", 0 if said == "switched" else int(said), problem


def run(make):
    # Without a switch nothing is gained, and the command has done its work.
    _, calls, problem = run_one(make, NEVER, 0)
    if problem or calls == 0:
        sys.exit("%s: %d calls, %s" % (make.__name__, calls, problem))
    fresh()
    rounds = max(SWITCHES, 4 * len(make()[3]))
    switched = succeeded = 0
    first = ""
    for i in range(4 * rounds):
        if switched == rounds:
            break
        number = i * calls // rounds if calls >= rounds else i % calls
        did, _, problem = run_one(make, number % calls, i)
        switched += did
        if problem:
            succeeded += 1
            first = first or " (%s)" % problem
    print("%s: %d switches, %d succeeded%s" % (make.__name__, switched, succeeded, first), flush=True)


atexit.register(forget)
os.umask(0o022)
for scenario in sys.argv[4:]:
    run(globals()[scenario])
shutil.rmtree(TOP)
