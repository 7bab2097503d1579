# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A project's build of its attention libraries, as builds of that kind are: it
# generates blobs and a dispatcher, writes a file for ninja or a list of
# commands, compiles with hipcc of ROCM_PATH, links with "@file" and the host's
# compiler. MINICK names the generator; FAKE_VARIANTS how many variants.
import argparse
import os
import shlex
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.normpath(os.path.join(here, "../../.."))
minick = os.path.join(root, "3rdparty", "minick")

parser = argparse.ArgumentParser()
parser.add_argument("--api", required=True)
api = parser.parse_args().api
name = "libmha_" + api
build = os.path.join(root, "aiter", "jit", "build", name)
objects = os.path.join(build, "build")
blobs = os.path.join(build, "blob")
os.makedirs(objects, exist_ok=True)
subprocess.run([sys.executable, os.path.join(minick, "generate.py"), "-d", api, "-o", blobs,
                "--variants", os.environ.get("FAKE_VARIANTS", "3")], check=True)

hipcc = os.path.join(os.environ["ROCM_PATH"], "bin", "hipcc")
flags = ["-O3", "-std=c++17", "-I" + minick, "-isystem", os.path.join(os.environ["ROCM_PATH"], "include"), "-fPIC",
         "-fvisibility=hidden", "-mcmodel=large", "-DBF16=" + os.environ["CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT"]]
flags += shlex.split(os.environ.get("FAKE_FLAGS", ""))
flags += ["--offload-arch=" + arch for arch in os.environ["GPU_ARCHS"].split(";")]
sources = [os.path.join(root, "csrc", "cpp_itfs", "mha_%s.cu" % api)]
sources += sorted(os.path.join(blobs, f) for f in os.listdir(blobs) if f.endswith(".cpp"))

# A list for ninja, or the same one after another.
results = []
with open(os.path.join(objects, "build.ninja"), "w") as f:
    def quoted(path):
        return path.replace("$", "$$").replace(" ", "$ ").replace(":", "$:")

    def words(values):
        return " ".join(shlex.quote(v) for v in values).replace("$", "$$")

    f.write("rule compile\n  command = %s -c $in -o $out\n" % words([hipcc, *flags]))
    f.write("rule link\n  command = %s @$out.rsp -shared -o $out\n" % words([os.environ.get("CXX", "c++")]))
    f.write("  rspfile = $out.rsp\n  rspfile_content = $in\n")
    for source in sources:
        result = os.path.splitext(os.path.basename(source))[0] + ".cuda.o"
        f.write("build %s: compile %s\n" % (quoted(result), quoted(source)))
        results.append(result)
    f.write("build %s.so: link %s\n" % (name, " ".join(map(quoted, results))))
print("build of", name, flush=True)
sys.exit(subprocess.run(["ninja", "-v"], cwd=objects).returncode)
