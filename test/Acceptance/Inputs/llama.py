#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""In the places of llama.cpp's programs: completes with words that are made of the model's
file. WRONG in the environment says what is wrong on the GPU, as in f16=word,ROPE=none:
word (one is another), short (one is missing), cpu (the GPU is not used), crash, cut and
once (it ends before it has written all), none (no test), dull (the same word always, on the
CPU too)."""
import http.server
import json
import os
import sys
import zlib


def option(name, default=""):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def wrong(kind):
    faults = dict(each.split("=") for each in os.environ.get("WRONG", "").split(",") if each)
    return faults.get(kind, faults.get("all", ""))


def complete(kind, on_gpu, count):
    """Words for the prompt."""
    with open(option("-m"), "rb") as file:
        state = zlib.crc32(file.read())
    words = ["w%x" % (zlib.crc32(b"%d %d" % (state, at)) % 4096) for at in range(count)]
    fault = wrong(kind)
    if fault == "dull":
        return ["same"] * count
    if on_gpu and fault == "word":
        words[3] = "other"
    if on_gpu and fault == "short":
        words.pop()
    return words


def kind_of_model():
    return os.path.basename(option("-m")).partition(".")[0]


def announce(kind, on_gpu):
    if on_gpu and wrong(kind) == "crash":
        sys.exit("the backend has failed")
    used = on_gpu and wrong(kind) != "cpu"
    print("load_tensors: offloaded %d/3 layers to GPU" % (3 if used else 0), file=sys.stderr, flush=True)


def is_cut(fault):
    """Whether the program ends before it has written all."""
    if fault == "once" and not os.path.exists("once"):
        open("once", "w").close()
        return True
    return fault == "cut"


def completion(on_gpu):
    announce(kind_of_model(), on_gpu)
    if on_gpu and is_cut(wrong(kind_of_model())):
        return
    print(" " + " ".join(complete(kind_of_model(), on_gpu, int(option("-n")))))
    print("common_memory_breakdown_print: |   - Host |", file=sys.stderr)


def server(on_gpu):
    announce("server", on_gpu)

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self, value):
            text = json.dumps(value).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(text)

        def do_GET(self):
            self.answer({"status": "ok"})

        def do_POST(self):
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.answer({"content": " " + " ".join(complete("server", on_gpu, question["n_predict"]))})

        def log_message(self, *_):
            pass

    http.server.HTTPServer(("127.0.0.1", int(option("--port"))), Handler).serve_forever()


def quantize():
    with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as target:
        target.write(source.read() + sys.argv[3].encode())


def operators():
    fault = wrong(option("-o"))
    if fault == "crash":
        sys.exit("the backend has failed")
    if fault != "none":
        print("  %s(a=1): \x1b[1;32mOK\x1b[0m" % option("-o").partition(",")[0])
        print("  %s(a=2): not supported [ROCm0] " % option("-o").partition(",")[0])
    if fault == "word":
        print("  MUL_MAT(a=3): [MUL_MAT] ERR = 0.3 > 0.0005 \x1b[1;31mFAIL\x1b[0m")
        sys.exit(1)


def main():
    name = os.path.basename(sys.argv[0])
    on_gpu = "-ngl" in sys.argv
    {"llama-completion": lambda: completion(on_gpu), "llama-server": lambda: server(on_gpu),
     "llama-quantize": quantize, "test-backend-ops": operators}[name]()


main()
