# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Dispatchers and blobs for which a short cut of `ck-jit index` and `rewrite`
# would be wrong, each found by trying to break them: the outcome must be that of
# --thorough. "name: same" for each.
#   odd.py --ck-jit=PROGRAM --work=FOLDER -- FLAGS...
import argparse
import os
import shutil
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--ck-jit", required=True)
parser.add_argument("--work", required=True)
parser.add_argument("flags", nargs="+")
o = parser.parse_args()

HEADER = """#pragma once
#include <type_traits>
struct stream { int level = 0; };
struct args { int size = 0; };
template <int N, bool B> struct traits {};
template <class T> float first_(const stream &, args);
template <class T> void second_(const stream &, args);
template <class T> void third_(const stream &, args);
template <int N, bool B> void numbered_(const stream &, args);
#define CX constexpr
#define IN_NAMESPACE(x) namespace x
"""
CALLS = """
float d(int w, const stream &s, args a) {
  if (w == 0) return l_<traits<0, true>>(s, a);
  if (w == 1) return l_<traits<1, true>>(s, a);
  if (w == 2) return l_<traits<2, true>>(s, a);
  return 0;
}
"""
LAUNCHER = "template <class A> float l_(const stream &s, args a) { %s }\n"
PLAIN = LAUNCHER % "return first_<A>(s, a);"

# What stands around the calls of three launchers.
LAUNCHERS = {
    "instantiated-by-name": PLAIN + CALLS + "template float l_<traits<1, true>>(const stream &, args);",
    "extern-template": PLAIN + CALLS + "extern template float l_<traits<1, true>>(const stream &, args);",
    "alias-of-namespace": "namespace in { template <class T> struct tag {}; template <class T> constexpr bool flag = true; }\n" +
        LAUNCHER % "namespace k = in; if constexpr (k::flag<A>) second_<A>(s, a); return first_<A>(s, a);" + CALLS,
    "using-a-value": "namespace in { constexpr int val = 3; }\n" +
        LAUNCHER % "using in::val; numbered_<val, sizeof(A) == 1>(s, a); return first_<A>(s, a);" + CALLS,
    "constant-callee": """
template <class T> int count_();
template <> constexpr int count_<traits<0, true>>() { return 0; }
template <> constexpr int count_<traits<1, true>>() { return 1; }
template <> constexpr int count_<traits<2, true>>() { return 2; }
template <int N> struct runner { static void go(const stream &s, args a) { numbered_<N, true>(s, a); } };
""" + LAUNCHER % "constexpr int n = count_<A>(); runner<n>::go(s, a); return first_<A>(s, a);" + CALLS,
    "overload-by-argument": "template <class A> float l_(stream s, args a) { return first_<A>(s, a); }\n"
        "template <class T, std::enable_if_t<std::is_same_v<T, traits<1, true>>, int> = 0>"
        " float first_(stream &s, args a) { return 3; }\n" + CALLS,
    "condition-that-leads-on": "template <class B> constexpr bool ok() {"
        " if constexpr (std::is_same_v<B, traits<1, true>>) { if (sizeof(B) > 100) third_<B>(stream(), args()); } return true; }\n" +
        LAUNCHER % "if constexpr (ok<A>()) second_<A>(s, a); return first_<A>(s, a);" + CALLS,
    "call-in-a-type": LAUNCHER % "__typeof__(first_<A>(s, a)) x = 1; second_<A>(s, a); return x;" + CALLS,
    "member-for-a-lambda": "template <class F> struct runner { F f; runner(F f) : f(f) {}"
        " float go(const stream &s, args a) { f(s); return first_<traits<5, true>>(s, a); } };\n" +
        LAUNCHER % "runner r([=](const stream &s_) { second_<A>(s_, a); }); return r.go(s, a);" + CALLS,
    "two-users-of-one-helper": PLAIN.replace("l_", "mid_") + LAUNCHER % "return mid_<A>(s, a);" +
        "template <class A> float local_(const stream &s, args a) { using M = A; return mid_<M>(s, a); }\n" +
        CALLS.replace("l_<traits<1", "local_<traits<1"),
    "else-that-counts": "constexpr int pick(int x) { int r = 0; if (x == 1) { r = 1; } else if (x < 5) { r = 2; } return r; }\n"
        "float d(int w, const stream &s, args a) { return first_<traits<pick(1), true>>(s, a); }\n",
    "else-that-ends-a-name": "float of(int) { return first_<traits<4, true>>(stream(), args()); }\n"
        "template <int N> struct conv {}; int v;\n"
        "template <int N> float of(conv<N>) { return first_<traits<N, true>>(stream(), args()); }\n"
        "float d(int w) { if (conv<3> v; w == 1) return 1; else if (of(v) > 1) return 2; return 0; }\n",
    "else-behind-a-separator": "template <class A, int B> float m_(const stream &s, args a) {\n"
        "  if constexpr (B < 1'000) { first_<A>(s, a); } else if (s.level) { second_<A>(s, a); }\n  return 0;\n}\n"
        "float d(const stream &s, args a) { return m_<traits<0, true>, 1>(s, a) + m_<traits<1, true>, 1>(s, a); }\n",
}

FIRST = "template <> float first_<traits<0, true>>(const stream &, args) "
SECOND = "template <> void second_<traits<0, true>>(const stream &, args) "
# Blobs that define what d() needs.
BLOBS = {
    "separator-in-a-body": FIRST + "{ int n = 1'000; work(n); return n; }\n" + SECOND +
        "{\n  int n = 5;\n  if (n < 1'000) {\n    work(n);\n  }\n}\n",
    "condition-across-braces": "#if 0\nvoid old() {\n#endif\n" + FIRST + "{ work(); return 1; }\n" + SECOND +
        "{ work(); }\n#if 0\n}\n#endif\n",
    "macro-in-a-body": FIRST + "{\n#define HAS\n  return work(), 1;\n}\n#ifdef HAS\n" + SECOND + "{ work(); }\n#endif\n",
    "string-before-braces": '[[deprecated("old")]] constexpr int pick(int v) { int r = 0; if (v > 3) { r = 4; } return r; }\n'
        "template <> float first_<traits<pick(1), true>>(const stream &, args) { work(); return 1; }\n" + SECOND + "{ work(); }\n",
    "constant-by-macro": "template <class T> struct cfg {};\ntemplate <class T> int pick();\n"
        "template <> CX int pick<int>() { int r = 1; r = 0; return r; }\n"
        "template <> float first_<traits<pick<int>(), true>>(const stream &, args) { work(); return 1; }\n" + SECOND + "{ work(); }\n",
    "braces-of-a-value": "const int (m) {5};\ntemplate <> float first_<traits<m - 5, true>>(const stream &, args) { work(); return 1; }\n" +
        SECOND + "{ work(); }\n",
    "namespace-by-macro": "IN_NAMESPACE(kernels) { void helper() { work(); } }\n" + FIRST + "{ work(); return 1; }\n" + SECOND + "{ work(); }\n",
}


def write(name, text):
    with open(name, "w") as f:
        f.write('#include "lib.h"\n' + text)


def definitions():
    text = ""
    for n in range(6):
        for b in ("true", "false"):
            t = "traits<%d, %s>" % (n, b)
            text += ("template <> float first_<%s>(const stream &, args) { return 1; }\n"
                     "template <> void second_<%s>(const stream &, args) {}\n"
                     "template <> void third_<%s>(const stream &, args) {}\n"
                     "template <> void numbered_<%d, %s>(const stream &, args) {}\n" % (t, t, t, n, b))
    return text


def outcome(verb, more):
    if os.path.exists("out"):
        os.remove("out")
    p = subprocess.run([o.ck_jit, verb, *more, "--blobs=blobs", "d_api.cpp", "-o", "out", "--", *o.flags],
                       text=True, capture_output=True, timeout=300)
    return p.returncode, p.stderr, open("out").read() if os.path.exists("out") else ""


def compare(name, verbs):
    for verb in verbs:
        short, thorough = outcome(verb, []), outcome(verb, ["--thorough"])
        if thorough[0] != 0:
            sys.exit("%s: %s: %s" % (name, verb, thorough[1]))
        if short != thorough:
            sys.exit("%s: %s: differs from --thorough:\n%s\n%s" % (name, verb, short, thorough))
    print("%s: same" % name)


def main():
    for name, text in LAUNCHERS.items():
        write("d_api.cpp", text)
        write("blobs/all.cpp", definitions())
        compare(name, ["index", "rewrite"])
    for name, text in BLOBS.items():
        write("d_api.cpp", "float d(const stream &s, args a) { second_<traits<0, true>>(s, a); return first_<traits<0, true>>(s, a); }\n")
        write("blobs/all.cpp", "void work(int = 0);\n" + text)
        compare(name, ["index"])


shutil.rmtree(o.work, ignore_errors=True)
os.makedirs(os.path.join(o.work, "blobs"))
os.chdir(o.work)
with open("lib.h", "w") as f:
    f.write(HEADER)
main()
