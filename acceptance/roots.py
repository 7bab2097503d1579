# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders with a Debian each, that has one generation of ROCm and its tests.

Made with debootstrap and apt, which need root; programs in them are run from
outside, by kpack-run --rocm, which needs none. A folder that is there is used,
and gets the packages that it lacks.
"""
import os
import shutil
import subprocess
import sys

from suites import BASE_PACKAGES, BELOW, RELEASES


def say(text):
    print("==> " + text, flush=True)


def as_root(command, **options):
    if os.geteuid() != 0:
        if not shutil.which("sudo"):
            sys.exit("accept: error: %s: needs root; run as root or install sudo" % command[0])
        command = ["sudo"] + command
    run = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         **options)
    if run.returncode:
        sys.exit("accept: error: %s: failed:\n%s" % (
            " ".join(command[:4]), "\n".join(run.stdout.splitlines()[-20:])))
    return run.stdout


def mirror():
    """Where this machine's own packages come from."""
    with open("/etc/os-release") as file:
        fields = dict(line.rstrip().split("=", 1) for line in file if "=" in line)
    own = fields.get("VERSION_CODENAME", "").strip('"') + " main"
    targets = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(COMPONENT)",
         "Created-By: Packages"], text=True, capture_output=True).stdout.splitlines()
    for site, _, part in (line.partition(" ") for line in targets):
        if part == own:
            return site
    sys.exit("accept: error: apt: no source of %s; add one" % own)


def make_debian(root, debian):
    """Makes a minimal Debian, whole or not there. Of a suite that lies over another one it is
    that other one's, with the suite as a second source of packages."""
    say("%s: a Debian of the suite %s" % (root, debian))
    os.makedirs(os.path.dirname(root), exist_ok=True)
    new = root + ".new"
    as_root(["rm", "-rf", "--one-file-system", new])
    site = mirror()
    as_root(["debootstrap", "--variant=minbase", BELOW.get(debian, debian), new, site])
    if debian in BELOW:
        as_root(["sh", "-c", 'echo "deb $1 $2 main" >"$3"', "sh", site, debian,
                 os.path.join(new, "etc/apt/sources.list.d", debian + ".list")])
    policy = os.path.join(new, "usr/sbin/policy-rc.d")
    as_root(["sh", "-c", 'printf "#!/bin/sh\\nexit 101\\n" >"$1" && chmod 755 "$1"', "sh", policy])
    as_root(["mv", new, root])


def installed(root):
    """{package: version} of what dpkg has there."""
    try:
        with open(os.path.join(root, "var/lib/dpkg/status"), errors="replace") as status:
            blocks = status.read().split("\n\n")
    except FileNotFoundError:
        return {}
    found = {}
    for block in blocks:
        fields = dict(line.split(": ", 1) for line in block.splitlines()
                      if ": " in line and not line.startswith(" "))
        if fields.get("Status", "").endswith(" installed"):
            found[fields["Package"]] = fields["Version"]
    return found


def end_of_links(root, path):
    """Where the links from path end for a program whose root that is."""
    for _ in range(8):  # an alternative is a link to a link
        if not os.path.islink(path):
            break
        target = os.readlink(path)
        path = root + target if target.startswith("/") else os.path.join(
            os.path.dirname(path), target)
    return path


def keep_links_inside(root):
    """Links to absolute paths lead out of a folder that is no program's root; those
    of libraries (Debian's alternatives) are made to stay in it."""
    folder = os.path.join(root, "usr/lib/x86_64-linux-gnu")
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.islink(path) and os.readlink(path).startswith("/"):
            as_root(["ln", "-sfn", os.path.relpath(end_of_links(root, path), folder), path])


def own_release():
    """The version of this machine's HIP; scripts/accept has installed it."""
    return installed("/").get("libamdhip64-5", "none")


def releases():
    """Those that can be run here: a Debian that is newer has not the oldest one."""
    return [release for release, debian in RELEASES.items()
            if debian != "/" or own_release().startswith(release)]


def prepare(root, release, suites, more=()):
    """Makes what is missing of it. suites: those of suites.py that are to run; more: other
    packages that it is to have."""
    if root == "/":
        if not own_release().startswith(release):
            sys.exit("accept: error: ROCm %s: is Debian 12's, and this machine's is %s; "
                     "run the others with --rocm=%s" % (release, own_release(), ",".join(releases())))
        return
    if not os.path.exists(os.path.join(root, "var/lib/dpkg/status")):
        make_debian(root, RELEASES[release])
    wanted = BASE_PACKAGES + [suite.packages[release] for suite in suites
                              if suite.packages[release]] + list(more)
    have = installed(root)
    missing = [package for package in wanted if package not in have]
    if missing:
        say("%s: installing %s" % (root, " ".join(missing)))
        inside = ["chroot", root, "env", "DEBIAN_FRONTEND=noninteractive"]
        # A mirror that stands still is old, not wrong: its signatures are checked all the same.
        as_root(inside + ["apt-get", "update", "-qq", "-o", "Acquire::Check-Valid-Until=false"])
        # apt takes nothing from experimental unless it is named.
        as_root(inside + ["apt-get", "install", "-y", "-qq", "--no-install-recommends",
                          "-o", "Dpkg::Use-Pty=0", "-t", RELEASES[release]] + missing)
        as_root(inside + ["apt-get", "clean"])
    keep_links_inside(root)


def programs(root, package, paths=()):
    """The test programs of a package, by name. paths: where they are if not in its folder."""
    if paths:
        return {os.path.basename(path): os.path.join(root, path) for path in paths
                if os.access(os.path.join(root, path), os.X_OK)}
    folder = os.path.join(root, "usr/libexec/rocm", package)
    if not os.path.isdir(folder):
        return {}
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and os.path.isfile(path) and is_program(path):
            found[name] = path
    return found


def is_program(path):
    """An ELF file that is no library of the tests' own."""
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF" and ".so" not in os.path.basename(path)


if __name__ == "__main__":
    prepare(os.path.abspath(sys.argv[2]), sys.argv[1], [])
