"""Compares made-up results of lit and layouts, and makes a configuration of a made-up
template."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(sys.argv[1], "llvm-project-patches", "harness"))
import layouts  # noqa: E402
import litruns  # noqa: E402
import mainline  # noqa: E402
from common import Count  # noqa: E402
from releases import RELEASES  # noqa: E402


def results(**codes):
    return {name.replace("_", "-"): (code, "said of " + name.replace("_", "-"))
            for name, code in codes.items()}


before = results(good="PASS", better="FAIL", both="FAIL", gone="PASS", worse="XFAIL", skipped="PASS")
after = results(good="PASS", better="PASS", both="FAIL", worse="FAIL", skipped="UNSUPPORTED",
                new_good="PASS", new_bad="FAIL", new_unsupported="UNSUPPORTED")
count = Count()
litruns.compare(count, before, after)
print("%d passed, %d failed" % (count.passed, count.failed))

with tempfile.TemporaryDirectory() as folder:
    tree = os.path.join(folder, "source")
    os.makedirs(os.path.join(tree, "llvm", "test"))
    with open(os.path.join(tree, "llvm", "test", "lit.site.cfg.py.in"), "w") as file:
        file.write("config.have_zstd = @LLVM_ENABLE_ZSTD@\nconfig.have_dia_sdk = @LLVM_ENABLE_DIA_SDK@\n"
                   'config.ld64_executable = "@LD64_EXECUTABLE@"\n'
                   'config.targets_to_build = "@TARGETS_TO_BUILD@"\n')
    where = litruns.configure(RELEASES["22.1"], "llvm", tree, folder, "/nowhere")
    with open(os.path.join(where, "lit.site.cfg.py")) as file:
        print(file.read())

for name in "22.1", "19.1":
    print("lit of %s: %s" % (name, litruns.lit_of(RELEASES[name], "/tree")[1][-1]))

PATCH = """--- a/%(file)s
+++ b/%(file)s
@@ -1 +1 @@
-%(old)s
+%(new)s
"""


def write(folder, name, text):
    os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def patch(folder, name, file, old, new):
    write(folder, name, PATCH % {"file": file, "old": old, "new": new})


with tempfile.TemporaryDirectory() as folder:
    write(folder, "tree/llvm/a", "one\n")
    write(folder, "tree/llvm/b", "moved\n")
    patch(folder, "22.1/0001-first.patch", "llvm/a", "one", "two")
    patch(folder, "22.1/0002-second.patch", "llvm/a", "two", "three")
    patch(folder, "22.1/0003-rebased.patch", "llvm/b", "one", "two")
    patch(folder, "22.1/0004-stale.patch", "llvm/a", "one", "four")
    patch(folder, "22.1/0005-driver.patch", "llvm/none", "one", "two")
    patch(folder, "main/0003-rebased.patch", "llvm/b", "moved", "two")
    patch(folder, "main/0009-unknown.patch", "llvm/a", "one", "two")
    mainline.FOLDED = {"0005": ("0003", "0008")}
    mainline.OTHER = {"llvm/d": "it has to be another"}
    for release, text in ("22.1", "new"), ("main", "old"):
        for number, file in ("6", "c"), ("7", "d"):
            write(folder, "%s/000%s-new.patch" % (release, number), "diff --git a/llvm/%s b/llvm/%s\n"
                  "new file mode 100644\nindex 000..%s\n--- /dev/null\n+++ b/llvm/%s\n@@ -0,0 +1 @@\n+%s\n" % (
                      file, file, text, file, text))
    patches, wrong = mainline.series(folder)
    print("wrong: %s" % wrong)
    count = Count()
    mainline.check(os.path.join(folder, "tree"), patches, count)
    print("%d passed, %d failed" % (count.passed, count.failed))
    with open(os.path.join(folder, "tree", "llvm", "a")) as file:
        print("still " + file.read())

was = {"Options": ["0 | class Options", "0:0-0 | First", "0:1-1 | Second", "[sizeof=4]"]}
for what, lines in (("at the end", ["0 | class Options", "0:0-0 | First", "0:1-1 | Second", "0:2-2 | New", "[sizeof=4]"]),
                    ("in the middle", ["0 | class Options", "0:0-0 | First", "0:1-1 | New", "0:2-2 | Second",
                                       "[sizeof=4]"])):
    print("%s: <%s>" % (what, layouts.moved(was, {"Options": lines})))
print("nothing: <%s>" % layouts.moved({}, {}))
