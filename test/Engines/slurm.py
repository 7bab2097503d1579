#!/usr/bin/env python3
# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ck-jit prebuild over a real Slurm: a controller and three nodes on loopback,
# with munge and a Redis that all nodes share as remote tier. Kernels come by ninja
# with srun, by the job array that --slurm writes, or by one in which a node dies.
# Needs root (slurmd starts jobs as others) and Debian's slurm-wlm, munge and
# redis-tools; scripts/check --nightly=engines installs them.
#   slurm.py BUILD_DIR ninja|array|dying-node
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

BUILD, WHAT = os.path.abspath(sys.argv[1]), sys.argv[2]
CK_JIT = os.path.join(BUILD, "bin", "ck-jit")
NODES = ("n1", "n2", "n3")
KERNELS = 24
CLANG = shutil.which("clang++-22")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(what, is_so, seconds=300):
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            sys.exit("slurm.py: error: %s: not within %d s" % (what, seconds))
        time.sleep(0.2)


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Cluster:
    """Daemons in the foreground, children of this process, all in one folder."""

    def __init__(self, folder):
        self.folder, self.children = folder, {}

    def boot(self):
        folder = self.folder
        self.munge = os.path.join(folder, "munge.socket")
        key = os.path.join(folder, "munge.key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), "wb") as out:
            out.write(secrets.token_bytes(128))
        self.start("munged", "munged", "--foreground", "--key-file=" + key, "--socket=" + self.munge,
                   "--pid-file=%s/munged.pid" % folder, "--log-file=%s/munged.log" % folder,
                   "--seed-file=%s/munged.seed" % folder)
        wait_for("munge", lambda: os.path.exists(self.munge))
        self.redis = free_port()
        # redis-tools has the server, under a name by which it checks files.
        self.start("redis", "redis-server", "--port", str(self.redis), "--bind", "127.0.0.1", "--save", "",
                   "--dir", folder)
        wait_for("redis", lambda: b"PONG" in subprocess.run(
            ["redis-cli", "-p", str(self.redis), "ping"], capture_output=True).stdout)
        os.environ["SLURM_CONF"] = self.write_configuration()
        self.start("slurmctld", "slurmctld", "-D")
        for node in NODES:
            self.start(node, "slurmd", "-D", "-N", node)
        wait_for("three idle nodes", lambda: self.nodes("idle") == set(NODES))

    def write_configuration(self):
        host = socket.gethostname().split(".")[0]
        path = os.path.join(self.folder, "slurm.conf")
        with open(path, "w") as out:
            out.write("""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={munge}
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdTimeout=5
SlurmdParameters=config_overrides
PartitionName=all Nodes={nodes} Default=YES State=UP
""".format(host=host, port=free_port(), munge=self.munge, folder=self.folder, nodes=",".join(NODES)))
            for node in NODES:
                out.write("NodeName=%s NodeAddr=127.0.0.1 NodeHostname=%s Port=%d CPUs=2 State=UNKNOWN\n"
                          % (node, host, free_port()))
        os.mkdir(os.path.join(self.folder, "state"))
        return path

    def start(self, name, *command):
        log = open(os.path.join(self.folder, name + ".out"), "w")
        # A group of its own: a node dies with all that it runs.
        program = "redis-check-rdb" if name == "redis" else command[0]
        self.children[name] = subprocess.Popen(command, executable=shutil.which(program), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                               start_new_session=True)

    def nodes(self, state):
        out = subprocess.run(["sinfo", "-h", "-N", "-t", state, "-o", "%N"], capture_output=True, text=True).stdout
        return set(out.split())

    def processes_of(self, node):
        """The node's daemon, its jobs, and the daemons between them."""
        found = {self.children[node].pid}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if b"SLURMD_NODENAME=" + node.encode() not in open("/proc/%s/environ" % pid, "rb").read().split(b"\0"):
                    continue
                parent = open("/proc/%s/stat" % pid).read().rpartition(")")[2].split()[1]
                command = open("/proc/%s/cmdline" % parent, "rb").read()
            except OSError:
                continue
            found.add(int(pid))
            if command.startswith(b"slurmstepd"):
                found.add(int(parent))
        return found

    def kill_node(self, node):
        """As a machine that loses its power: nobody is left who could tell."""
        stopped = set()
        while not (found := self.processes_of(node)) <= stopped:
            for pid in found:
                send(pid, signal.SIGSTOP)
            stopped |= found
        for pid in stopped:
            send(pid, signal.SIGKILL)

    def close(self):
        for node in NODES:  # with their jobs, which outlive a slurmd
            if node in self.children and self.children[node].poll() is None:
                self.kill_node(node)
        for child in reversed(list(self.children.values())):
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGTERM)
        for child in self.children.values():
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)


def check(is_so, text):
    if not is_so:
        sys.exit("slurm.py: error: %s: %s" % (WHAT, text))


def make_sources(folder):
    """Kernels that take a moment each, for a node to die in."""
    with open(os.path.join(folder, "recorded.json"), "w") as manifest:
        for n in range(KERNELS):
            with open(os.path.join(folder, "blob_%d.cpp" % n), "w") as out:
                out.write("#include <map>\n#include <regex>\n#include <string>\n"
                          "int run_%d(const char *Text) {\n"
                          "  std::map<std::string, int> Found;\n  const std::regex Letter(\"a\");\n"
                          "  for (std::cregex_iterator I(Text, Text + 1, Letter), E; I != E; ++I)\n"
                          "    ++Found[I->str()];\n  return int(Found.size()) + %d;\n}\n" % (n, n))
            json.dump({"source": "blob_%d.cpp" % n, "cwd": folder, "argv": ["-O1", "-c", "blob_%d.cpp" % n]}, manifest)
            manifest.write("\n")


def prebuild(*words, **kinds):
    return subprocess.run([CK_JIT, "prebuild", *words], check=True, text=True, **kinds)


def run(cluster, folder):
    os.chdir(folder)
    make_sources(folder)
    os.environ["CK_JIT_REMOTE"] = "redis://127.0.0.1:%d" % cluster.redis
    build = ["build", "--manifest", "recorded.json", "--cache-dir", "cache", "--compiler", CLANG, "--all",
             "--pch", "off", "--trace", "trace"]
    if WHAT == "ninja":
        prebuild(*build, "--ninja", "all.ninja", "--launcher", "srun -n1 -c2")
        subprocess.run(["ninja", "-f", "all.ninja", "-j6"], check=True)
    else:
        prebuild(*build, "--slurm", "all.sbatch")
        job = subprocess.run(["sbatch", "--parsable", "-o", "task-%a.out", "all.sbatch"], check=True,
                             capture_output=True, text=True).stdout.strip()
        traced = lambda: len(os.listdir("trace")) if os.path.isdir("trace") else 0
        if WHAT == "dying-node":
            wait_for("a few kernels", lambda: traced() >= 4)
            cluster.kill_node("n2")
            print("node n2 killed; %d kernels were done" % traced())
        is_over = lambda: not subprocess.run(["squeue", "-h", "-j", job], capture_output=True, text=True).stdout.strip()
        wait_for("the end of the job", is_over, 600)
    judge(cluster)


def judge(cluster):
    listed = prebuild("list", "--manifest", "recorded.json", "--cache-dir", "cache", "--compiler", CLANG,
                      capture_output=True).stdout
    check(listed.count("cached") == KERNELS, "not everything is in the cache:\n" + listed)
    subprocess.run([CK_JIT, "cache", "verify", "--cache-dir=cache"], check=True)
    report = json.loads(prebuild("report", "trace", "--json", capture_output=True).stdout)
    compiled = [r["blob"] for r in report["records"] if r["state"] == "compiled"]
    workers = {r["worker"] for r in report["records"]}
    print(prebuild("report", "trace", capture_output=True).stdout)
    check(workers <= set(NODES) and len(workers) >= 2, "workers are %s" % workers)
    check(report["repeated"] == [], "compiled twice: %s" % report["repeated"])
    # A node may die between the cache and the trace.
    lost = KERNELS - len(set(compiled))
    check(lost == 0 or WHAT == "dying-node" and lost <= 2, "%d kernels are in no record" % lost)
    keys = subprocess.run(["redis-cli", "-p", str(cluster.redis), "dbsize"], capture_output=True, text=True).stdout
    print("keys of the shared tier: " + keys)
    check(int(keys.split()[-1]) >= KERNELS - lost, "the shared tier has %s keys" % keys)


folder = tempfile.mkdtemp(prefix="kpack-slurm-")
# munge asks that nobody else can write to what is above its socket.
os.chmod(folder, 0o755)
signal.signal(signal.SIGTERM, lambda *_: sys.exit("slurm.py: error: ended by a signal"))
cluster = Cluster(folder)
try:
    cluster.boot()
    os.mkdir(os.path.join(folder, "work"))
    run(cluster, os.path.join(folder, "work"))
    print("slurm.py: %s: %d kernels on %d nodes, each once" % (WHAT, KERNELS, len(NODES)))
finally:
    cluster.close()
    shutil.rmtree(folder, ignore_errors=True)
