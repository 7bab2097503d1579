#!/usr/bin/env python3
"""Asks kpack-jit-remote as the library does (Jit/Service/RemoteProtocol.h).

  ask.py HELPER WHAT NAME=VALUE... [, WHAT NAME=VALUE...]...

Prints "outcome: detail or value" for each question, with "(silence)" where the
server had not begun to answer. The address is that of CK_JIT_REMOTE; k=X makes
a key of the letter X. A value @FILE is the file's content.
"""
import os
import struct
import subprocess
import sys


def encode(fields):
    texts = [text for field in fields for text in field] + [b"end"]
    return b"".join(struct.pack("<Q", len(text)) + text for text in texts)


def decode(data):
    texts = []
    while data:
        size = struct.unpack("<Q", data[:8])[0]
        texts.append(data[8:8 + size])
        data = data[8 + size:]
    assert texts[-1] == b"end", texts
    return dict(zip(texts[0:-1:2], texts[1:-1:2]))


def ask(helper, what, words):
    fields = {"protocol": "kpack-jit-remote 1", "what": what,
              "url": os.environ["CK_JIT_REMOTE"], "key": "ab" * 32, "timeout": "60000",
              "total": "60000", "max-bytes": "1000000"}
    for word in words:
        name, value = word.split("=", 1)
        if name == "k":
            name, value = "key", value * 64
        fields[name] = value
    question = [(name.encode(), open(value[1:], "rb").read() if value.startswith("@")
                 else value.encode()) for name, value in fields.items()]
    done = subprocess.run([helper], input=encode(question), stdout=subprocess.PIPE)
    if done.returncode:
        return "ended with %d" % done.returncode
    begins = done.stdout.startswith(b".")
    answer = decode(done.stdout[1:] if begins else done.stdout)
    text = answer[b"detail"] or answer[b"value"]
    return "%s%s: %s" % (answer[b"outcome"].decode(), "" if begins else " (silence)",
                         text.decode(errors="replace") if len(text) < 200
                         else "%d bytes" % len(text))


words = sys.argv[2:]
while words:
    end = words.index(",") if "," in words else len(words)
    print(ask(sys.argv[1], words[0], words[1:end]))
    words = words[end + 1:]
