# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One program or library with device code: converted, verified, and taken through the
tools of those who make packages."""
import os
import subprocess
import time

import converted  # packagers' tools
import matrix  # what checkers find

# What a conversion may add to a file: the marker, its table entries, a page.
SLACK = 8192


def archives_of(folder, stem):
    """{architecture: size} of the archives in a folder."""
    folder = os.path.join(folder, ".kpack")
    return {name[len(stem) + 1:-len(".kpack")]: os.path.getsize(os.path.join(folder, name))
            for name in sorted(os.listdir(folder))}


def sections(path):
    """{name: (address, size)} of what is loaded."""
    listed = subprocess.run(["readelf", "-SW", path], text=True, capture_output=True, check=True).stdout
    rows = (line.replace("[ ", "[").split() for line in listed.splitlines()
            if line.startswith("  [") and " A " in line)
    return {words[1]: (int(words[3], 16), int(words[5], 16)) for words in rows}


def moved_size(before, after):
    """Bytes of the tables that had to make room for one more program header: whole sections
    move, and the place where one of them was stays empty."""
    old, new = sections(before), sections(after)
    return sum(size for name, (address, size) in old.items()
               if address < old[".hip_fatbin"][0] and new.get(name, (address,))[0] != address)


class Check:
    """One file, converted in a folder of its own."""

    def __init__(self, kpack, path, folder):
        self.kpack, self.path, self.folder = kpack, path, folder
        self.name = os.path.basename(path)
        self.output = os.path.join(folder, self.name)
        self.problems = []

    def run(self, what, *command):
        """Whether the command succeeded; what it said is a problem if not."""
        done = subprocess.run(command, text=True, capture_output=True, errors="replace")
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
            self.problems.append("%s: exit %d: %s" % (what, done.returncode, said[0]))
        return done.returncode == 0

    def convert(self):
        """What it took, memory with mapped files; None if it failed."""
        began = time.monotonic()
        process = subprocess.Popen([self.kpack, "-q", "convert", self.path, "-o", self.output],
                                   stderr=subprocess.PIPE, text=True)
        said = process.stderr.read().strip()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            self.problems.append("convert: exit %d: %s" % (process.returncode, said))
            return None
        return {"seconds": round(time.monotonic() - began, 2), "kib": usage.ru_maxrss,
                "cpu": round(usage.ru_utime + usage.ru_stime, 2)}

    def verify(self):
        archives = os.path.join(self.folder, ".kpack")
        self.run("verify", self.kpack, "-q", "verify", self.output,
                 *(os.path.join(archives, name) for name in sorted(os.listdir(archives))))
        self.run("verify --against", self.kpack, "-q", "verify", "--against=" + self.path,
                 self.output)
        self.problems += matrix.news(self.path, self.output)

    def sizes(self):
        """What goes to the table."""
        device = matrix.device_size(self.path)
        before, after = os.path.getsize(self.path), os.path.getsize(self.output)
        most = before - device + SLACK + moved_size(self.path, self.output)
        if after > most:
            self.problems.append("%d bytes, more than %d" % (after, most))
        return {"file": self.name, "before": before, "device": device, "host": after,
                "archives": archives_of(self.folder, self.name)}

    def tools(self):
        """The result is a file like any other for those who make packages."""
        output = os.path.join(self.folder, "tool")
        for tool in converted.TOOLS:
            if all([self.run(" ".join(command), *command)
                    for command in converted.by_tool(tool, self.output, output)]):
                self.run("verify after " + tool, self.kpack, "-q", "verify", output)
            for path in (output, output + ".debug"):
                if os.path.exists(path):
                    os.remove(path)


def check_file(kpack, path, folder):
    """(what was measured or None, problems)"""
    check = Check(kpack, path, folder)
    spent = check.convert()
    if not spent:
        return None, check.problems
    check.verify()
    row = check.sizes()
    row.update(spent)
    check.tools()
    return row, check.problems
