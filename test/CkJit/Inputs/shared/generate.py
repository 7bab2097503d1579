# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A dispatcher with launchers of many shapes, and the blobs that it needs:
#   generate.py FOLDER LEAVES
# "shapes_api.cpp" has a few leaves for each shape; "many_api.cpp" has LEAVES of
# the one that ComposableKernel's backward pass has.
import os
import sys

folder, leaves = sys.argv[1], int(sys.argv[2])

LAUNCHERS = """
// As ComposableKernel's.
template <class A, class B, class C> float steps_(const stream &s, args a) {
  if (s.level > 0)
    std::cout << ", " << name_<A>() << ", " << name_<B>() << ", " << name_<C>() << std::flush;
  return launch(s,
      [=](const stream &s_) { first_<A>(s_, a); },
      [=](const stream &s_) { second_<B>(s_, a); },
      [=](const stream &s_) { third_<C>(s_, a); });
}
"""

SHAPES = """
// A step that some do not have.
template <class A, class B> float branch_(const stream &s, args a) {
  if constexpr (std::is_same_v<B, void>) {
    return launch(s, [=](const stream &s_) { first_<A>(s_, a); });
  } else {
    return launch(s, [=](const stream &s_) { first_<A>(s_, a); }, [=](const stream &s_) { second_<B>(s_, a); });
  }
}
// Through another launcher, and the same for all.
template <class A, int N, bool B> float chain_(const stream &s, args a) {
  numbered_<N, B>(s, a);
  third_<traits<77, false>>(s, a);
  return branch_<A, void>(s, a);
}
// These are made for each: a name of the body's own, a pack, a type that
// depends on the parameter, a helper that leads elsewhere, a result to deduce.
template <class A> float local_(const stream &s, args a) {
  using Mine = A;
  return first_<Mine>(s, a);
}
template <class... A> float pack_(const stream &s, args a) {
  return (first_<A>(s, a) + ... + 0.f);
}
template <class A> float sized_(const stream &s, args a) {
  return sizeof(A) > 1 ? 0.f : first_<A>(s, a);
}
template <class A> float timed_(const stream &s, args a) {
  return timed(s, a, [=](const stream &s_) { second_<A>(s_, a); });
}
template <class A> auto deduced_(const stream &s, args a) {
  return first_<A>(s, a);
}
struct object {
  template <class A> float member_(const stream &s, args a) {
    return launch(s, [=](const stream &s_) { second_<A>(s_, a); });
  }
};
"""


def write(name, text):
    with open(os.path.join(folder, name), "w") as f:
        f.write('// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n#include "launch.h"\n' + text)


def t(n, b=True):
    return "traits<%d, %s>" % (n, "true" if b else "false")


def dispatcher(name, launchers, calls):
    text = launchers + "float %s(int which, const stream &s, args a) {\n  float r = -1;\n  " % name
    for i, call in enumerate(calls):
        text += "if (which == %d && a.size %% 8 == 0) {\n    using local = %s;\n    r = %s;\n    return r;\n  } else " % (
            i, t(i), call)
    write(name + "_api.cpp", text + "{\n    return r;\n  }\n}\n")


def define(blob, wanted):
    text = ""
    for i, (head, value) in enumerate(wanted):
        text += "template <> %s { return %s; }\n" % (head, value)
    write(os.path.join("blobs", blob + ".cpp"), text)


os.makedirs(os.path.join(folder, "blobs"), exist_ok=True)
calls = []
for i in range(4):
    calls += ["steps_<%s, %s, %s>(s, a)" % (t(i), t(i // 2), t(i, False)), "branch_<%s, void>(s, a)" % t(i),
              "branch_<%s, %s>(s, a)" % (t(i), t(i + 1)), "chain_<%s, %d, %s>(s, a)" % (t(i), i, "true" if i % 2 else "false"),
              "local_<%s>(s, a)" % t(i), "pack_<%s, %s>(s, a)" % (t(i), t(i + 1)), "sized_<%s>(s, a)" % t(i),
              "timed_<%s>(s, a)" % t(i), "deduced_<%s>(s, a)" % t(i), "object().member_<%s>(s, a)" % t(i)]
dispatcher("shapes", LAUNCHERS + SHAPES, calls)
dispatcher("many", LAUNCHERS, ["steps_<local, local, %s>(s, a)" % t(i, False) for i in range(leaves)])
for i in list(range(max(leaves, 5))) + [77, 99]:
    for b in (True, False):
        define("blob_%d_%d" % (i, b), [
            ("float first_<%s>(const stream &, args)" % t(i, b), "1"), ("void second_<%s>(const stream &, args)" % t(i, b), ""),
            ("void third_<%s>(const stream &, args)" % t(i, b), ""), ('std::string name_<%s>()' % t(i, b), '"%d"' % i),
            ("void numbered_<%d, %s>(const stream &, args)" % (i, "true" if b else "false"), "")])
