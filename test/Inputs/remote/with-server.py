#!/usr/bin/env python3
"""Runs a command beside a server, and ends the server whatever happens.

  with-server.py KIND [OPTION...] -- COMMAND...

CK_JIT_REMOTE is the server's address for the command. Real servers keep what
they have in --data, so that a later run finds it:
  redis, redis-tcp      redis-server (--password P, --user-password U:P)
  nginx, nginx-tcp      nginx with DAV (--auth U:P, --token T, --read-only,
                        --no-full-path)
  nginx-tls             the same with a certificate of its own, DATA/ca.pem
Others are played by this script; --log gets a line for each request:
  refused               nobody listens
  silent                connections are accepted and nothing is ever sent
  drip                  a byte now and then, without an end
  noise                 no HTTP at all
  truncated             ends in the middle of a body (--file)
  reset                 the same, by a reset
  huge                  a Content-Length of a petabyte
  file                  --file as the answer to every GET, 201 to every PUT
  status                --status N, with --location for redirections
Where the script plays the server, it waits at the end until every client has
gone, and fails if one stays.
"""
import argparse
import ctypes
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HANG = 60  # seconds; only for what would otherwise last for ever


def fail(text):
    sys.exit("with-server.py: error: " + text)


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def connects(family, address):
    with socket.socket(family) as s:
        try:
            s.connect(address)
            return True
        except OSError:
            return False


class Process:
    """A real server. One that cannot have its port is started again with
    another one."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.data = os.path.abspath(options.data or os.path.join(folder, "data"))
        os.makedirs(self.data, exist_ok=True)
        self.tcp = options.kind.endswith(("-tcp", "-tls"))
        for _ in range(20):
            self.port = free_port() if self.tcp else 0
            self.socket = os.path.join(folder, "socket")
            if self.start():
                return
        fail(options.kind + ": does not start; see " + os.path.join(self.data, "log"))

    def start(self):
        log = open(os.path.join(self.data, "log"), "ab")
        self.process = subprocess.Popen(
            self.command(), executable=self.program, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            preexec_fn=die_with_parent, cwd=self.folder)
        start = time.monotonic()
        while self.process.poll() is None:
            if self.answers() and self.is_ours():
                return True
            if time.monotonic() - start > HANG:
                fail(self.options.kind + ": does not answer")
            time.sleep(0.01)
        return False

    def is_ours(self):
        """Not the server of somebody who was faster to take the port."""
        if not self.tcp:
            return True
        fds = "/proc/%d/fd" % self.process.pid
        try:
            ours = {os.readlink(os.path.join(fds, fd)) for fd in os.listdir(fds)}
        except OSError:
            return False  # has ended, or is about to
        with open("/proc/net/tcp") as table:
            rows = [line.split() for line in table][1:]
        return any(row[1].endswith(":%04X" % self.port) and row[3] == "0A"
                   and "socket:[%s]" % row[9] in ours for row in rows)

    def where(self):
        return ((socket.AF_INET, ("127.0.0.1", self.port)) if self.tcp
                else (socket.AF_UNIX, self.socket))

    def end(self):
        self.process.kill()
        self.process.wait()


class Redis(Process):
    # The server itself, in redis-tools: its own package would bring a service.
    program = "redis-check-rdb"

    def command(self):
        words = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1",
                 "--save", "", "--appendonly", "yes", "--appendfsync", "always",
                 "--dir", self.data, "--daemonize", "no"]
        if not self.tcp:
            words += ["--unixsocket", self.socket, "--unixsocketperm", "700"]
        if self.options.password:
            words += ["--requirepass", self.options.password]
        if self.options.user_password:
            user, password = self.options.user_password.split(":")
            words += ["--user", user, "on", ">" + password, "~*", "+@all",
                      "--user", "default", "off"]
        return words

    def answers(self):
        family, address = self.where()
        with socket.socket(family) as s:
            try:
                s.connect(address)
                s.sendall(b"PING\r\n")
                return s.recv(64).startswith((b"+PONG", b"-NOAUTH"))
            except OSError:
                return False

    def url(self):
        return ("redis://127.0.0.1:%d" % self.port if self.tcp
                else "unix:" + self.socket)


class Nginx(Process):
    program = "nginx"

    def command(self):
        o = self.options
        where = "127.0.0.1:%d" % self.port if self.tcp else "unix:" + self.socket
        tls = o.kind == "nginx-tls"
        # Its configuration cannot name every folder.
        data = self.folder + "/data"
        if not os.path.islink(data):
            os.symlink(os.path.abspath(self.data), data)
        lines = ["daemon off;", "master_process off;",
                 "error_log %s/log;" % data, "pid %s/pid;" % self.folder,
                 "events {}", "http {", "access_log off;"]
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"):
            lines.append("%s_temp_path %s/%s;" % (name, self.folder, name))
        lines += ["server {", "listen %s%s;" % (where, " ssl" if tls else ""),
                  "root %s;" % data, "client_max_body_size 64m;",
                  "location /cache/ {"]
        if not o.read_only:
            lines.append("dav_methods PUT MKCOL;")
        if not o.no_full_path:
            lines.append("create_full_put_path on;")
        if o.auth:
            self.write("passwords", o.auth.split(":")[0] + ":{PLAIN}" + o.auth.split(":")[1])
            lines += ["auth_basic cache;", "auth_basic_user_file %s/passwords;" % self.folder]
        if o.token:
            lines.append('if ($http_authorization != "Bearer %s") { return 401; }' % o.token)
        lines.append("}")
        if tls:
            self.certificate()
            lines += ["ssl_certificate %s/ca.pem;" % data,
                      "ssl_certificate_key %s/key.pem;" % data]
        lines += ["}", "}"]
        self.write("nginx.conf", "\n".join(lines) + "\n")
        os.makedirs(self.data + "/cache", exist_ok=True)
        return ["nginx", "-p", self.folder, "-e", self.data + "/log", "-c", "nginx.conf"]

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as f:
            f.write(text)

    def certificate(self):
        if os.path.exists(self.data + "/ca.pem"):
            return
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650",
             "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
             "-keyout", self.data + "/key.pem", "-out", self.data + "/ca.pem"],
            check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def answers(self):
        return connects(*self.where())

    def url(self):
        if not self.tcp:
            return "http+unix:" + self.socket + ":/cache/"
        scheme = "https" if self.options.kind == "nginx-tls" else "http"
        return "%s://127.0.0.1:%d/cache" % (scheme, self.port)


class Played:
    """A server that this script is."""

    def __init__(self, options, folder):
        self.options = options
        self.log = open(options.log, "a") if options.log else None
        self.threads = []
        self.lock = threading.Lock()
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        if options.kind != "refused":
            self.listener.listen(64)
            threading.Thread(target=self.accept, daemon=True).start()

    def url(self):
        return "http://127.0.0.1:%d/cache" % self.port

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self.serve, args=(client,), daemon=True)
            with self.lock:
                self.threads.append(thread)
            thread.start()

    def serve(self, client):
        with client:
            try:
                if self.options.kind != "silent":
                    self.answer(client, self.request(client))
            except OSError:
                pass
            self.drain(client)

    @staticmethod
    def drain(client):
        """Until the other side has gone."""
        try:
            while client.recv(65536):
                pass
        except OSError:
            pass

    def request(self, client):
        data = b""
        while b"\r\n\r\n" not in data:
            more = client.recv(65536)
            if not more:
                raise OSError
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                left = int(line.split(b":")[1]) - len(body)
                while left > 0:
                    left -= len(client.recv(65536)) or left
        line = head.split(b"\r\n")[0].decode()
        if self.log:
            with self.lock:
                self.log.write(line + "\n")
                self.log.flush()
        return line.split()[0]

    def answer(self, client, method):
        o = self.options
        head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
        body = open(o.file, "rb").read() if o.file else b"x" * 100000
        if o.kind == "status":
            client.sendall(b"HTTP/1.1 %d Some\r\nConnection: close\r\nContent-Length: 0\r\n%s\r\n"
                           % (o.status, ("Location: %s\r\n" % o.location).encode() if o.location else b""))
        elif o.kind == "noise":
            client.sendall(bytes(range(256)) * 16)
        elif o.kind == "huge":
            client.sendall(head + b"Content-Length: 1000000000000000\r\n\r\n" + bytes(65536))
        elif o.kind == "drip":
            client.sendall(head + b"\r\n")
            while True:
                client.sendall(b"x")
                time.sleep(0.02)
        elif o.kind in ("truncated", "reset"):
            client.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body[:len(body) // 2])
            if o.kind == "reset":
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.close()
        elif method == "PUT":
            client.sendall(b"HTTP/1.1 201 Created\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        else:
            client.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        client.shutdown(socket.SHUT_WR)

    def end(self):
        self.listener.close()
        with self.lock:
            threads = list(self.threads)
        for thread in threads:
            thread.join(HANG)
            if thread.is_alive():
                fail("a client is still connected")


def main():
    if "--" not in sys.argv:
        fail("no command")
    cut = sys.argv.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("kind")
    for name in ("data", "password", "user-password", "auth", "token", "log", "file", "location"):
        parser.add_argument("--" + name)
    for name in ("read-only", "no-full-path"):
        parser.add_argument("--" + name, action="store_true")
    parser.add_argument("--status", type=int, default=500)
    options = parser.parse_args(sys.argv[1:cut])
    # A short path of its own: a socket's has 107 bytes at most.
    os.environ["PATH"] += ":/usr/sbin:/sbin"  # nginx, for users other than root
    folder = tempfile.mkdtemp(prefix="kpack-", dir="/tmp")
    server = None
    try:
        kind = options.kind.split("-")[0]
        server = {"redis": Redis, "nginx": Nginx}.get(kind, Played)(options, folder)
        environment = {name: value for name, value in os.environ.items()
                       if not name.lower().endswith("_proxy")}
        environment["CK_JIT_REMOTE"] = server.url()
        # Limits that a loaded machine keeps; tests of limits set their own.
        environment.setdefault("CK_JIT_REMOTE_TIMEOUT", "60")
        environment.setdefault("CK_JIT_REMOTE_PAUSE", "3600")
        code = subprocess.run(sys.argv[cut + 1:], env=environment).returncode
    finally:
        if server:
            server.end()
        shutil.rmtree(folder, ignore_errors=True)
    return code if code >= 0 else 128 - code


sys.exit(main())
