# The lit suite: its folders mirror those of lib/ and tools/. Every tool a test
# needs is installed by scripts/check; nothing is skipped for want of one.
# %inputs and %ck_inputs are the inputs that several folders share.
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from chosen import ShTest

config.name = "kpack"
def not_sanitized():
    """Reads the paths of tests in which a sanitizer sees nothing."""
    listed = os.path.join(os.path.dirname(__file__), "not-sanitized.txt")
    with open(listed, encoding="utf-8") as file:
        paths = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    for path in paths:
        if os.path.normpath(path) != path or not os.path.exists(os.path.join(os.path.dirname(__file__), path)):
            lit_config.fatal("%s: %s: no such test; remove the line, or give it the new name" % (listed, path))
    return paths

config.test_format = ShTest(config.kpack_tested.split(";"), config.kpack_not_tested.split(";"),
                            not_sanitized() if config.sanitize else [])
config.suffixes = [".test", ".hip", ".ll", ".cpp", ".c", ".s", ".yaml", ".md"]
config.excludes = ["Inputs", "CMakeLists.txt", "README.md"]
config.test_source_root = os.path.dirname(__file__)

build = config.kpack_build_dir
source = config.kpack_source_dir
llvm = config.llvm_tools_dir
# RUN lines do not quote: `rm -rf %t` would remove something else.
for folder in (build, source):
    if any(c.isspace() for c in folder):
        lit_config.fatal("%s: a space in the path; test in a folder without" % folder)
hip_inputs = os.path.join(source, "test", "Inputs", "hip")

config.environment["PATH"] = os.pathsep.join(
    [llvm, "/usr/lib/llvm-22/bin", config.environment["PATH"]]
)
# Messages are compared: no translations, no colours, no outside settings.
config.environment["LC_ALL"] = "C"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "TMPDIR", "HOME", "KPACK_CONV_COMPILED",
             "KPACK_CONV_COMPILERS", "KPACK_CONV_NUMPY", "KPACK_CONV_SEED", "KPACK_TEST_GRAPH_SEEDS",
             "KPACK_TEST_GRAPH_SIZES", "KPACK_TEST_GRAPH_TIMES", "KPACK_TEST_INSTRUCTIONS", "KPACK_TEST_LITMUS_ROUNDS",
             "KPACK_TEST_LITMUS_WORKERS", "KPACK_TEST_MUTATIONS", "KPACK_TEST_PACKED", "KPACK_TEST_REPLAYS",
             "KPACK_TEST_SEEDS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

def tool(name):
    return os.path.join(build, "bin", name)

# With --param=patched=FOLDER the clang++ and ld.lld there, which LLVM's patches in
# llvm-project-patches/ are in, take the places of kpack-clang++ and ld.kpack.
compiler, linker = tool("kpack-clang++"), tool("ld.kpack")
patched = lit_config.params.get("patched")
if patched:
    compiler, linker = (os.path.join(os.path.abspath(patched), name) for name in ("clang++", "ld.lld"))
    config.available_features.add("patched")

lib = os.path.join(build, "lib")
# Longest names first: lit replaces them one after another.
config.substitutions += [
    ("%clang\\+\\+", os.path.join(llvm, "clang++")),
    ("%hipflags", "-x hip -nogpulib -nogpuinc -I " + hip_inputs),
    ("%kpack_clang", compiler),
    ("%ck_jit_hipcc", tool("ck-jit-hipcc")),
    ("%ck_jit", tool("ck-jit")),
    ("%conv_builder", tool("conv-builder")),
    ("%hipcc", tool("hipcc")),
    ("%ld_kpack", linker),
    ("%ld_name", os.path.basename(linker)),
    ("%kpack_plugin", os.path.join(lib, "KpackPlugin.so")),
    ("%clang_kpack", os.path.join(lib, "ClangKpack.so")),
    ("%kpack", tool("kpack")),
    ("%fakehip", "-L{0} -Wl,-rpath,{0} -lfakehip".format(lib)),
    ("%inputs", os.path.join(source, "test", "Inputs")),
    ("%ck_inputs", os.path.join(source, "test", "CkJit", "Inputs")),
    ("%srcroot", source),
    ("%buildroot", build),
    ("%libdir", lib),
    ("%llvm_tools", llvm),
    ("%cmake", config.cmake),
    ("%host_cxx", config.cxx),
    ("%host_cc", config.cc),
    ("%python", "python3"),
]
config.available_features.add("llvm-" + config.llvm_version)
if config.sanitize:
    config.available_features.add("sanitizer")
if "address" in config.sanitize:
    config.available_features.add("asan")

def if_possible(feature, lost, *command):
    """What tests need from the machine is tried, not assumed: what cannot be had
    here is said aloud, and tests that need it are UNSUPPORTED, or test less."""
    try:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).returncode
    except OSError:
        ended = -1
    if ended == 0:
        config.available_features.add(feature)
    else:
        lit_config.warning("'%s' is not possible here: %s are not tested" % (" ".join(command), lost))

if_possible("ptrace", "errors of and signals at system calls, and which calls there are",
            "strace", "-f", "-o", "/dev/null", "-e", "inject=getcwd:error=EIO", "true")
# Of processor time, not of the processor's counters, which virtual machines lack.
if_possible("perf", "samples of a profiler",
            "perf", "record", "-q", "-B", "-N", "-e", "cpu-clock:u", "-o", "/dev/null", "true")
# On the file system that tests are run on: the list of an owner, the group, a mask and others.
if_possible("acl", "access control lists", "python3", "-c", """
import os, struct, tempfile
with tempfile.NamedTemporaryFile(dir=%r) as file:
    os.setxattr(file.name, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(
        struct.pack("<HHI", tag, 4, 0xffffffff) for tag in (1, 4, 16, 32)))
""" % build)
# Not sanitized: programs of tests could not load a library that is.
if not config.sanitize:
    if_possible("mounts", "full disks, read-only and noexec file systems, foreign owners", "unshare", "-m", "sh", "-c",
                "mount -t tmpfs -o size=64k none /mnt && chown 12345 /mnt && mount -o remount,ro /mnt")
    if_possible("other-users", "caches that one user fills for others", "setpriv", "--reuid=12345", "--regid=12345",
                "--clear-groups", "test", "-x", lib)
    if_possible("setuid", "programs with more rights than their user", "unshare", "-m", "sh", "-c",
                "mount -t tmpfs none /mnt && cp $(command -v id) /mnt/id && chown 12345 /mnt/id && chmod 4755 /mnt/id && "
                "test $(setpriv --reuid=12346 --regid=12346 --clear-groups /mnt/id -u) = 12345 && "
                "setpriv --reuid=12346 --regid=12346 --clear-groups test -x '%s'" % lib)
    # Not in a chroot.
    if_possible("user-namespaces", "user name spaces of other users", "setpriv", "--reuid=12346", "--regid=12346",
                "--clear-groups", "unshare", "-r", "true")
# A checkout of ComposableKernel is nothing that tests can install.
if os.environ.get("CK_DIR"):
    config.available_features.add("ck-dir")
    config.substitutions.append(("%ck_dir", os.path.abspath(os.environ["CK_DIR"])))
