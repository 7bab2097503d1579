# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sources: LLVM's own tarball as Debian keeps it, without Debian's patches, as the
base commit of a repository, and a series of patches on top of it.

The tarball comes from where the machine's apt has its packages from, and is what its
checksum says or nothing."""
import hashlib
import os
import shutil
import sys

from common import HERE, SOURCE, fail, run, say

sys.path.insert(0, os.path.join(SOURCE, "acceptance"))
import roots  # noqa: E402 where packages come from

AUTHOR = ["-c", "user.name=LLVM", "-c", "user.email=llvm@example.invalid", "-c", "gc.auto=0",
          "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"]


def git(tree, *command, **options):
    return run(["git", "-C", tree, *AUTHOR, *command], **options)


def checksum(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(release, cache):
    """The tarball's path in the cache."""
    path = os.path.join(cache, release["tarball"])
    if os.path.exists(path) and checksum(path) == release["sha256"]:
        return path
    os.makedirs(cache, exist_ok=True)
    url = "/".join([roots.mirror().rstrip("/"), release["pool"], release["tarball"]])
    say("%s: fetching" % release["tarball"])
    options = ["-oAPT::Sandbox::User=root"] if os.geteuid() == 0 else []
    run(["/usr/lib/apt/apt-helper", *options, "download-file", url, path,
         "SHA256:" + release["sha256"]])
    if checksum(path) != release["sha256"]:
        fail("%s: its checksum is another than the one that is known; remove it" % path)
    return path


def make_base(release, cache, tree):
    """A repository whose only commit, with the tag base, is what the tarball has."""
    mark = os.path.join(tree, ".git", "kpack-base")
    wanted = "\n".join([release["sha256"], *release["folders"]])
    if os.path.exists(mark):
        with open(mark) as file:
            if file.read() == wanted:
                return
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(tree)
    tarball = fetch(release, cache)
    say("%s: extracting %d folders and files" % (release["tarball"], len(release["folders"])))
    top = release["tarball"].replace(".orig.tar.xz", "").replace("_", "_", 1)
    run(["tar", "-xJf", tarball, "-C", tree, "--strip-components=1",
         *[top + "/" + folder for folder in release["folders"]]])
    git(tree, "init", "-q")
    git(tree, "add", "-A", "-f")
    git(tree, "commit", "-q", "--no-verify", "-m", "llvm-project " + release["version"])
    git(tree, "tag", "base")
    with open(mark, "w") as file:
        file.write(wanted)


def series_of(name):
    """The files of the release's series, in order."""
    folder = os.path.join(HERE, name)
    return [os.path.join(folder, file) for file in sorted(os.listdir(folder))
            if file.endswith(".patch")]


def apply_series(tree, patches):
    """The commits that the patches became, in order."""
    if os.path.exists(os.path.join(tree, ".git", "rebase-apply")):
        git(tree, "am", "--abort")
    checkout(tree, "base")
    git(tree, "am", "--quiet", "--keep-non-patch", "--committer-date-is-author-date", *patches)
    return git(tree, "rev-list", "--reverse", "base..HEAD").split()


def checkout(tree, commit):
    """Files that stay the same keep their time, so that they are not compiled again."""
    git(tree, "checkout", "-q", "-f", "--detach", commit)
    git(tree, "clean", "-q", "-f", "-d", "-x")


def touched(tree, since="base", until="HEAD"):
    return git(tree, "diff", "--name-only", "--diff-filter=d", since, until).split()


def badly_formatted(tree, commit, major):
    """What clang-format would change of the lines that the commit adds."""
    said = git(tree, "clang-format", "--binary", "clang-format-" + major, "--diff",
               commit + "~", commit, "--", "*.cpp", "*.h", env=formatter(major))
    return "" if "diff --git" not in said else said


def formatter(major):
    """git looks for clang-format in PATH as git-clang-format."""
    environment = dict(os.environ)
    environment["PATH"] = "/usr/lib/llvm-%s/bin:%s" % (major, environment["PATH"])
    return environment
