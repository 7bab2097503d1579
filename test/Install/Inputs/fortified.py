"""usage: fortified.py compile_commands.json FOLDER...: every compile of a source in
a FOLDER has the flags; the same sources in libraries for tests, and in plugins
that compilers load, may lack them."""
import json
import sys

ELSEWHERE = ("/fakehip.dir/", "/softgpu-differential.dir/", "/SoftGpuClientTests.dir/",
             "/kpackPluginCommon.dir/")
FLAGS = ("-D_FORTIFY_SOURCE=3", "-fstack-protector-strong", "-fcf-protection=full",
         "-fstack-clash-protection")
with open(sys.argv[1], encoding="utf-8") as file:
    compiles = json.load(file)
seen = 0
for entry in compiles:
    folder = next((f for f in sys.argv[2:] if entry["file"].startswith(f + "/")), None)
    if folder is None or any(dir in entry["command"] for dir in ELSEWHERE):
        continue
    seen += 1
    missing = [flag for flag in FLAGS if flag not in entry["command"].split()]
    if missing:
        sys.exit("%s: compiled without %s" % (entry["file"], " ".join(missing)))
print("%d compiles" % seen)
sys.exit(seen < 100)
