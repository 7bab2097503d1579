# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# generate.py SHAPE: writes the dispatcher pick_api.cpp and the folder blob/
# with sources of that shape into the current folder.
import os
import sys


def write(name, text):
    with open(name, "w") as f:
        f.write(text)


def blob(name, header, text):
    write("blob/%s.cpp" % name, '#include "%s"\n%s' % (header, text))


def instances():
    rows = ""
    for factor in (2, 3, 5):
        for plus in ("true", "false"):
            name = "multiply_%d_%s" % (factor, plus)
            blob(name, "instances_impl.h",
                 "using data_t = float;\nconst bool Plus = %s;\nSHAPES_INSTANCE(%d)\n" % (plus, factor))
            rows += '      {"%s", multiply<float, %d, %s>},\n' % (name, factor, plus)
    blob("filler_7", "instances_impl.h", "template struct shapes::filler<7>;\n")
    blob("doubled_9", "instances_impl.h",
         "namespace shapes {\ntemplate <int F> int doubled(const stream_config &S, data D) {\n"
         "  return scale<2, F>(S, D);\n}\ntemplate int doubled<9>(const stream_config &, data);\n}\n")
    write("pick_api.cpp", """#include "instances.h"
#include <unordered_map>

namespace shapes {
using kernel_map = std::unordered_map<std::string, kernel>;

template <typename T> kernel heuristic(const std::string &Name) {
  if (Name.size() < 4)
    return multiply<T, 2, false>;
  return multiply<T, 5, true>;
}
template <int Stage> kernel lookup(const std::string &Name) {
  static const auto Map = [] {
    return kernel_map{
%s    };
  }();
  auto Found = Map.find(Name);
  return Found != Map.end() ? Found->second : heuristic<float>(Name);
}
kernel find(const std::string &Name) { return lookup<1>(Name); }
}
""" % rows)
    write("host.cpp", """#include "instances.h"
namespace shapes {
extern template struct filler<7>;
extern template int doubled<9>(const stream_config &, data);
int ordinary(const stream_config &S, data D) {
  filler<7> F;
  return F.fill(S, D);
}
int ordinary_function(const stream_config &S, data D) { return doubled<9>(S, D); }
}
""")


def inlines():
    for n in range(3):
        # `used`: emitted, as if something else in the blob called it.
        blob("inline_%d" % n, "inline.h", """using trait_0 = shapes::trait<%(n)d>;
namespace shapes {
template <> __attribute__((used)) inline int run<trait_0>(const stream_config &S, data D) {
  return scale<%(n)d + 2, 1>(S, D);
}
template <> __attribute__((used)) inline std::string name<trait_0>() { return "inline %(n)d"; }
}
""" % dict(n=n))
    write("pick_api.cpp", """#include "inline.h"
namespace shapes {
int dispatch(int Which, const stream_config &S, data D) {
%s  return -1;
}
}
""" % "".join("  if (Which == %d)\n    return run<trait<%d>>(S, D) + int(name<trait<%d>>().size());\n" % (n, n, n)
              for n in range(3)))


def registry():
    for name, factor, offset in (("scale", 4, 0), ("shift", 1, 6)):
        blob("add_%s_instances" % name, "registry.h", """namespace shapes {
namespace {
struct own : operation {
  std::string name() const override { return "%(name)s"; }
  int run(const stream_config &S, data D) const override { return shapes::scale<%(f)d, %(o)d>(S, D); }
};
}
void add_%(name)s_instances(operations &To) { To.push_back(std::make_unique<own>()); }
}
""" % dict(name=name, f=factor, o=offset))
    blob("c_function", "registry.h",
         'extern "C" int shapes_c_function(float *Values, int Count) {\n'
         "  return shapes::scale<8, 0>({}, shapes::data{Values, Count});\n}\n")
    blob("defaults", "registry.h", """namespace shapes {
int default_factor = 3;
int scale_by_default(const stream_config &S, data D) { return scale<3, 3>(S, D); }
}
""")
    write("pick_api.cpp", """#include "registry.h"
namespace shapes {
operations instances(int Kind) { return Kind == 0 ? factory<0>::instances() : factory<1>::instances(); }
int defaults(const stream_config &S, data D, int &Factor) {
  Factor = default_factor;
  return scale_by_default(S, D);
}
int call_c(data D) { return shapes_c_function(D.Values, D.Count); }
}
""")


def table():
    heads = ((32, "gfx90a"), (96, "gfx90a"), (192, "gfx90a"), (48, "gfx942"), (250, "gfx942"))
    rows, calls, sizes = "", "", ""
    for head, arch in heads:
        names = dict(h=head, a=arch)
        blob("fmha_%(h)d_%(a)s" % names, "table.h", """using trait_0 = shapes::trait<%(h)d, true>;
using arch_0 = minick::%(a)s_t;
using pipeline_0 = shapes::pipeline<trait_0>;
namespace shapes {
template <> int run<trait_0, arch_0>(const stream_config &S, data D) { return scale<%(h)d, 1>(S, D); }
template <> int align<trait_0, arch_0>() { return pipeline_0::kAlign; }
template <> double scale_of<trait_0, arch_0>() {
  double Sum = 0;
  for (int I = 0; I < 4; ++I)
    Sum += pipeline_0::kAlign / 8.0;
  return Sum;
}
template <> layout layout_of<trait_0, arch_0>(const data &) { return layout::column; }
template <> size_t workspace<trait_0, arch_0>(int Batch) { return size_t(Batch) * pipeline_0::kAlign; }
}
""" % names)
        rows += '      {"%(a)s", %(h)d, align<trait<%(h)d, true>, minick::%(a)s_t>()},\n' % names
        calls += "  if (Head == %(h)d)\n    return run<trait<%(h)d, true>, minick::%(a)s_t>(S, D);\n" % names
        sizes += "  if (Head == %(h)d)\n    return workspace<trait<%(h)d, true>, minick::%(a)s_t>(Batch);\n" % names
    write("pick_api.cpp", """#include "table.h"
namespace shapes {
int block_size(const std::string &Device, int Head) {
  struct row { const char *Arch; int Head, Align; };
  static const row Rows[] = {
%s  };
  for (const row &R : Rows)
    if (Device == R.Arch && Head <= R.Head)
      return R.Align;
  return 0;
}
double block_scale(int Head) {
  using trait_ = trait<96, true>;
  return Head == 96 ? scale_of<trait_, minick::gfx90a_t>() : 0;
}
layout block_layout(int Head, const data &D) {
  return Head == 96 ? layout_of<trait<96, true>, minick::gfx90a_t>(D) : layout::row;
}
size_t workspace_size(int Head, int Batch) {
%s  return 0;
}
int dispatch(int Head, const stream_config &S, data D) {
%s  return -1;
}
}
""" % (rows, sizes, calls))


os.makedirs("blob")
{"instances": instances, "inline": inlines, "registry": registry, "table": table}[sys.argv[1]]()
