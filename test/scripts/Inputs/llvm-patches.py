"""Compares made-up results of lit, and makes a configuration of a made-up template."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(sys.argv[1], "llvm-project-patches", "harness"))
import litruns  # noqa: E402
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
