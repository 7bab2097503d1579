# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages of Debian, out of suites that this machine need not be of.

They come from where the machine's own come from, are kept in a folder, and are never
installed: an apt with a state of its own finds and checks them."""
import os
import subprocess
import sys

import roots  # where packages come from

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def apt(cache, suite):
    """Options that make apt see this suite alone, and the machine's own state not at all."""
    state = os.path.join(cache, "apt-" + suite)
    for folder in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(state, folder), exist_ok=True)
    sources = os.path.join(state, "sources.list")
    with open(sources, "w") as file:
        file.write("deb [signed-by=%s] %s %s main\n" % (KEYRING, roots.mirror(), suite))
    options = {"Dir::State": state, "Dir::State::Lists": state + "/lists",
               "Dir::Cache": state + "/cache", "Dir::Etc::SourceList": sources,
               "Dir::Etc::SourceParts": "/dev/null", "Dir::State::Status": "/dev/null",
               # A mirror that stands still is old, not wrong: signatures are checked.
               "Acquire::Languages": "none", "Acquire::Check-Valid-Until": "false",
               "APT::Sandbox::User": "root" if os.geteuid() == 0 else ""}
    return ["-o%s=%s" % item for item in options.items() if item[1]]


def fetch(cache, suite, name):
    """The package's file in the cache. A stable suite's is used as it is; of others, the
    newest is asked for."""
    folder = os.path.join(cache, suite)
    os.makedirs(folder, exist_ok=True)
    there = [file for file in os.listdir(folder) if file.startswith(name + "_")]
    if suite not in ("unstable", "experimental") and there:
        return os.path.join(folder, there[0])
    options = apt(cache, suite)
    for command in ("update", "download"):
        words = [name] if command == "download" else []
        done = subprocess.run(["apt-get", "-qq", *options, command, *words], cwd=folder,
                              text=True, capture_output=True)
        if done.returncode != 0:
            if there:  # without a network, what is cached is tested
                return os.path.join(folder, sorted(there)[-1])
            sys.exit("real-packages: error: %s/%s: apt-get %s: failed:\n%s" % (
                suite, name, command, done.stderr))
    now = [file for file in os.listdir(folder) if file.startswith(name + "_")]
    new = [file for file in now if file not in there] or there
    for old in set(now) - set(new):
        os.remove(os.path.join(folder, old))
    return os.path.join(folder, new[0])


def version_of(package):
    """Of a file that fetch() has got."""
    return os.path.basename(package).split("_")[1].replace("%3a", ":")
