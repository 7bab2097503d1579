#!/usr/bin/env python3
# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes a dispatcher fmha_<api>_api.cpp and its blobs, one variant a file, as
# generated kernel libraries lay them out. 2024: no architectures. 2026: one
# level of architectures, tagged leaves, guarded blobs, and the launcher for bwd.
# --variants takes an even sample of all combinations, the same in every run;
# --cover takes few that have every value of the API's dimensions among them.
import argparse
import itertools
import os
import sys

DTYPES = [("fp32", "FmhaFp32"), ("fp16", "FmhaFp16"), ("bf16", "FmhaBf16")]
HDIMS = [8, 16, 24, 32, 48, 64, 96, 128]
MASKS = [("nomask", "mask_enum::no_mask"), ("causal", "mask_enum::mask_top_left"),
         ("window", "mask_enum::window_generic")]
BIASES = [("nobias", "bias_enum::no_bias"), ("bias", "bias_enum::elementwise_bias"),
          ("alibi", "bias_enum::alibi")]
ROPES = [("norope", "rope_enum::none"), ("inter", "rope_enum::interleaved"),
         ("half", "rope_enum::half_rotated")]
BOOL = [False, True]
TILE = 16

# Dimensions of an API's variants besides data type and hdim, slowest first.
# Padding comes last: the variant that needs no padding is tried first.
DIMENSIONS = {
    "fwd": dict(group=BOOL, vrow=BOOL, cap=BOOL, mask=MASKS, bias=BIASES, lse=BOOL,
                pads=BOOL, padd=BOOL),
    "splitkv": dict(group=BOOL, vrow=BOOL, cap=BOOL, mask=MASKS, bias=BIASES,
                    pads=BOOL, padd=BOOL),
    "appendkv": dict(vrow=BOOL, rope=ROPES, pads=BOOL, padd=BOOL),
    "batch_prefill": dict(vrow=BOOL, cap=BOOL, mask=MASKS, bias=BIASES, lse=BOOL,
                          pads=BOOL, padd=BOOL),
    "bwd": dict(group=BOOL, mask=MASKS, bias=BIASES, deterministic=BOOL,
                pads=BOOL, padd=BOOL),
}


def text(flag):
    return "true" if flag else "false"


class Variant:
    """One combination: arch, dtype, hdim and the API's own dimensions."""

    def __init__(self, values):
        self.__dict__.update(values)

    def key(self):
        return (self.arch, self.dtype, self.hdim)

    def stem(self, *parts):
        words = [str(w) for w in parts if w]
        return "_".join(words + ([self.arch] if self.arch else []))

    def get(self, *names):
        return [getattr(self, n) for n in names]


def variants(api, style, count):
    # batch_prefill's functions have no tag, so there can be only one of each.
    arches = ["gfx90a", "gfx942"] if style == "2026" and api != "batch_prefill" else [""]
    names = list(DIMENSIONS[api])
    everything = list(itertools.product(arches, DTYPES, HDIMS, *DIMENSIONS[api].values()))
    if count > len(everything):
        sys.exit("generate.py: error: --variants: '%s' has %d; ask for fewer" % (api, len(everything)))
    chosen = [everything[i * len(everything) // count] for i in range(count)]
    return [Variant(dict(zip(["arch", "dtype", "hdim"] + names, c))) for c in chosen]


def covering(api, style, count):
    """Variants for gfx90a that together have every value but those of hdim; the
    flags of a variant follow three patterns, so that they do not go together."""
    arch = "gfx90a" if style == "2026" and api != "batch_prefill" else ""
    chosen = []
    for i in range(count):
        values = dict(arch=arch, dtype=DTYPES[i % 3],
                      hdim=HDIMS[(3 * i + 2 * list(DIMENSIONS).index(api)) % len(HDIMS)])
        bits = (i & 1, i >> 1 & 1, (i ^ i >> 1) & 1)
        for j, (name, domain) in enumerate(DIMENSIONS[api].items()):
            values[name] = domain[bits[j % 3] if domain is BOOL else (i * (1 + j % 2) + j) % 3]
        chosen.append(Variant(values))
    for name, domain in dict(DIMENSIONS[api], dtype=DTYPES).items():
        if any(all(getattr(v, name) != value for v in chosen) for value in domain):
            sys.exit("generate.py: error: --cover: %d do not have every value of '%s'; ask for more" % (count, name))
    return sorted(chosen, key=lambda v: (DTYPES.index(v.dtype), v.hdim))


def line(api, v):
    """A variant as numbers.cpp reads it."""
    def word(value):
        return value[0] if isinstance(value, tuple) else "%d" % value if isinstance(value, (bool, int)) else value
    return " ".join([api] + ["%s=%s" % (n, word(x)) for n, x in vars(v).items() if x != ""])


def pads(v):
    return "pads" if v.pads else "", "padd" if v.padd else ""


def fwd_stem(api, v):
    return v.stem("fmha", "batch_prefill" if api == "batch_prefill" else "fwd" if api == "fwd" else "fwd_splitkv",
                  "d%d" % v.hdim, v.dtype[0],
                  ("group" if v.group else "batch") if hasattr(v, "group") else "",
                  "vr" if v.vrow else "vc", "cap" if v.cap else "nocap", v.mask[0], v.bias[0],
                  ("lse" if v.lse else "nolse") if hasattr(v, "lse") else "", *pads(v))


def fwd_traits(api, v, lse=None):
    name = "fmha_fwd_batch_prefill_traits_" if api == "batch_prefill" else "fmha_fwd_traits_"
    group = [text(v.group)] if hasattr(v, "group") else []
    lse = text(v.lse) if lse is None else lse
    return name + "<%s>" % ", ".join(
        [str(v.hdim), v.dtype[1]] + group +
        [text(v.vrow), text(v.cap), v.mask[1], v.bias[1], lse, text(v.pads), text(v.padd)])


def arch_arg(api, v):
    """The second template argument of the 2026 style."""
    return ", minick::%s_t" % v.arch if v.arch else ""


BLOB = """// Generated by generate.py: one kernel variant.
#include "fmha_kernels.h"

%(open)susing fmha_traits_0 = %(traits)s;
using fmha_kernel_0 = minick::%(kernel)s<fmha_traits_0>;
%(definitions)s%(close)s"""

LAUNCH = """
template <>
float %(name)s<fmha_traits_0%(arch)s>(const minick::stream_config& s, %(args)s a)
{
    return minick::launch_kernel(s, minick::make_kernel<fmha_kernel_0>(a));
}
"""

ONESHOT = """
template <>
void %(name)s_oneshot_<fmha_traits_0%(arch)s>(const minick::stream_config& s, %(args)s a)
{
    minick::make_kernel<fmha_kernel_0>(a)(s);
}

template <>
std::string %(name)s_get_name_<fmha_traits_0%(arch)s>()
{
    return "%(stem)s";
}
"""

# As blobs of splitkv have it: a class of the same name in each of them.
RUNNER = """
namespace {
template <bool kLong>
struct kernel_runner {
    static std::string name() { return "%(stem)s"; }
};
}
""" + ONESHOT.replace('return "%(stem)s"', "return kernel_runner<true>::name()")

SPLITS = """
template <>
bool fmha_bwd_dq_dk_dv_needs_zero_dq_acc_<fmha_traits_0%(arch)s>()
{
    return fmha_kernel_0::needs_zero_dq_acc();
}

template <>
minick::index_t fmha_bwd_dq_dk_dv_dq_acc_splits_<fmha_traits_0%(arch)s>(minick::index_t seqlen_k)
{
    return fmha_kernel_0::dq_acc_splits(seqlen_k);
}
"""


def blob(v, api, kernel, traits, definitions, **values):
    guard = "#if !defined(__HIP_DEVICE_COMPILE__) || defined(__%s__)\n" % v.arch if v.arch else ""
    values["arch"] = arch_arg(api, v)
    return BLOB % dict(open=guard, traits=traits, kernel=kernel, definitions=definitions % values,
                       close="#endif\n" if guard else "")


# Conditions of a leaf, as the generated code spells them.
def shared_conditions(v):
    c = []
    if hasattr(v, "group"):
        c.append("t.is_group_mode == %s" % text(v.group))
    if hasattr(v, "vrow"):
        c.append("t.is_v_rowmajor == %s" % text(v.vrow))
    if hasattr(v, "cap"):
        c.append("t.has_logits_soft_cap == %s" % text(v.cap))
    if hasattr(v, "mask"):
        c.append("t.mask_type == %s" % v.mask[1])
    if hasattr(v, "bias"):
        c.append("t.bias_type == %s" % v.bias[1])
    if hasattr(v, "lse"):
        c.append("t.has_lse == %s" % text(v.lse))
    if hasattr(v, "rope"):
        c.append("t.rope_type == %s" % v.rope[1])
    if hasattr(v, "deterministic"):
        c.append("t.is_deterministic == %s" % text(v.deterministic))
    return c


def leaf_condition(v, seqlen, hdims="a"):
    c = ["(%s)" % x for x in shared_conditions(v)]
    c.append("(true)" if v.pads or not seqlen else "(a.%s %% %d == 0)" % (seqlen, TILE))
    c.append("(true)" if v.padd else "(%s.hdim_q == %d && %s.hdim_v == %d)" % (hdims, v.hdim, hdims, v.hdim))
    return " && ".join(c)


def nest(chosen, leaf, indent):
    """if-chains by architecture, data type and hdim around the leaves' chains."""
    levels = [
        (lambda v: v.arch, lambda v: 'minick::get_device_name().compare(0, %d, "%s") == 0' % (len(v.arch), v.arch)),
        (lambda v: v.dtype, lambda v: 't.data_type.compare("%s") == 0' % v.dtype[0]),
        (lambda v: v.hdim, lambda v: "t.hdim_q <= %d && t.hdim_v <= %d" % (v.hdim, v.hdim)),
    ]
    out = []

    def emit(part, level, indent):
        pad = " " * indent
        if level == len(levels):
            for i, v in enumerate(part):
                out.append("%s%sif(%s) {" % (pad, "else " if i else "", leaf[0](v)))
                out.extend(pad + "    " + line for line in leaf[1](v))
                out.append(pad + "}")
            return
        key, condition = levels[level]
        groups = [list(g) for _, g in itertools.groupby(part, key)]
        if level == 0 and not part[0].arch:
            return emit(part, level + 1, indent)
        for i, g in enumerate(groups):
            out.append("%s%sif(%s) {" % (pad, "else " if i else "", condition(g[0])))
            emit(g, level + 1, indent + 4)
            out.append(pad + "}")

    emit(chosen, 0, indent)
    return "\n".join(out)


def dispatcher(header, helper, signature, chain, tail="    return r;\n", head="    float r = -1;\n"):
    return "// Generated by generate.py: picks a variant.\n#include \"%s\"\n\n#include <iostream>\n\n%s%s{\n%s%s\n%s}\n" % (
        header, helper, signature, head, chain, tail)


def gen_fwd(api, chosen, files):
    name, args = {"fwd": ("fmha_fwd_", "fmha_fwd_args"),
                  "batch_prefill": ("fmha_batch_prefill_", "fmha_batch_prefill_args")}[api]
    kernel = "FmhaFwdKernel" if api == "fwd" else "FmhaBatchPrefillKernel"
    for v in chosen:
        files[fwd_stem(api, v)] = blob(v, api, kernel, fwd_traits(api, v), LAUNCH, name=name, args=args)

    def body(v):
        return ["using trait_ = %s;" % fwd_traits(api, v),
                "return %s<trait_%s>(s, a);" % (name, arch_arg(api, v))]

    chain = nest(chosen, (lambda v: leaf_condition(v, "seqlen_q"), body), 4)
    signature = "float %s(%straits t, %s a, const minick::stream_config& s)\n" % (name[:-1], name, args)
    return dispatcher("fmha_fwd.h", "", signature, chain)


SPLITKV_HELPER = """template <typename fmha_fwd_splitkv_traits_, typename fmha_fwd_splitkv_combine_traits_%(param)s>
float fmha_fwd_splitkv_(const minick::stream_config& s, fmha_fwd_splitkv_args a)
{
    if(s.log_level_ > 0)
        std::cout << ", " << fmha_fwd_splitkv_get_name_<fmha_fwd_splitkv_traits_%(arg)s>()
                  << ", " << fmha_fwd_splitkv_combine_get_name_<fmha_fwd_splitkv_combine_traits_%(arg)s>()
                  << std::flush;

    return minick::launch_kernel(s,
        [=](const minick::stream_config& s_){ fmha_fwd_splitkv_oneshot_<fmha_fwd_splitkv_traits_%(arg)s>(s_, a); },
        [=](const minick::stream_config& s_){ fmha_fwd_splitkv_combine_oneshot_<fmha_fwd_splitkv_combine_traits_%(arg)s>(s_, a); }
    );
}

"""


def gen_splitkv(api, chosen, files):
    def combine(v, lse):
        traits = "fmha_fwd_splitkv_combine_traits_<%d, %s, %s, %s, %s, %s>" % (
            v.hdim, v.dtype[1], text(v.group), text(lse), text(v.pads), text(v.padd))
        stem = v.stem("fmha_fwd_splitkv_combine", "d%d" % v.hdim, v.dtype[0], "group" if v.group else "batch",
                      "lse" if lse else "nolse", *pads(v))
        return stem, traits

    for v in chosen:
        stem = fwd_stem(api, v)
        files[stem] = blob(v, api, "FmhaFwdSplitKVKernel", fwd_traits(api, v, "false"), RUNNER,
                           name="fmha_fwd_splitkv", args="fmha_fwd_splitkv_args", stem=stem)
        for lse in BOOL:
            stem, traits = combine(v, lse)
            files[stem] = blob(v, api, "FmhaFwdSplitKVCombineKernel", traits, RUNNER,
                               name="fmha_fwd_splitkv_combine", args="fmha_fwd_splitkv_args", stem=stem)

    def body(v):
        lines = ["using traits_ = %s;" % fwd_traits(api, v, "false"),
                 "constexpr minick::index_t kHDim = traits_::HDim;"]
        for head, lse in (("if (t.has_lse) {", True), ("} else {", False)):
            traits = combine(v, lse)[1].replace("<%d," % v.hdim, "<kHDim,")
            lines += [head, "    using traits2_ = %s;" % traits,
                      "    return fmha_fwd_splitkv_<traits_, traits2_%s>(s, a);" % arch_arg(api, v)]
        return lines + ["}"]

    tagged = bool(chosen[0].arch)
    helper = SPLITKV_HELPER % dict(param=", typename arch_" if tagged else "", arg=", arch_" if tagged else "")
    signature = ("float fmha_fwd_splitkv(fmha_fwd_splitkv_traits t, fmha_fwd_splitkv_args a, "
                 "const minick::stream_config& s)\n")
    return dispatcher("fmha_fwd.h", helper, signature,
                      nest(chosen, (lambda v: leaf_condition(v, "seqlen_q"), body), 4))


def gen_appendkv(api, chosen, files):
    def traits(v):
        return "fmha_fwd_appendkv_traits_<%d, %s, %s, %s, %s, %s>" % (
            v.hdim, v.dtype[1], text(v.vrow), v.rope[1], text(v.pads), text(v.padd))

    for v in chosen:
        stem = v.stem("fmha_fwd_appendkv", "d%d" % v.hdim, v.dtype[0], "vr" if v.vrow else "vc", v.rope[0], *pads(v))
        files[stem] = blob(v, api, "FmhaFwdAppendKVKernel", traits(v), LAUNCH,
                           name="fmha_fwd_appendkv_", args="fmha_fwd_appendkv_args")

    def body(v):
        return ["using trait_ = %s;" % traits(v), "return fmha_fwd_appendkv_<trait_%s>(s, a);" % arch_arg(api, v)]

    signature = ("float fmha_fwd_appendkv(fmha_fwd_appendkv_traits t, fmha_fwd_appendkv_args a, "
                 "const minick::stream_config& s)\n")
    return dispatcher("fmha_fwd.h", "", signature,
                      nest(chosen, (lambda v: leaf_condition(v, "seqlen_knew"), body), 4))


BWD_STEPS = """    if constexpr (!std::is_same_v<convert_dq_trait_, void>)
    {
        if(s.log_level_ > 0)
            std::cout << ", " << fmha_bwd_dot_do_o_get_name_<dot_do_o_trait_%(arg)s>() << ", "
                      << fmha_bwd_dq_dk_dv_get_name_<dq_dk_dv_trait_%(arg)s>() << ", "
                      << fmha_bwd_convert_dq_get_name_<convert_dq_trait_%(arg)s>() << std::flush;
        return minick::launch_kernel(s,
            [=](const minick::stream_config& s_){ fmha_bwd_dot_do_o_oneshot_<dot_do_o_trait_%(arg)s>(s_, a); },
            [=](const minick::stream_config& s_){ fmha_bwd_dq_dk_dv_oneshot_<dq_dk_dv_trait_%(arg)s>(s_, a); },
            [=](const minick::stream_config& s_){ fmha_bwd_convert_dq_oneshot_<convert_dq_trait_%(arg)s>(s_, a); }
        );
    }
    else
    {
        if(s.log_level_ > 0)
            std::cout << ", " << fmha_bwd_dot_do_o_get_name_<dot_do_o_trait_%(arg)s>() << ", "
                      << fmha_bwd_dq_dk_dv_get_name_<dq_dk_dv_trait_%(arg)s>() << std::flush;
        return minick::launch_kernel(s,
            [=](const minick::stream_config& s_){ fmha_bwd_dot_do_o_oneshot_<dot_do_o_trait_%(arg)s>(s_, a); },
            [=](const minick::stream_config& s_){ fmha_bwd_dq_dk_dv_oneshot_<dq_dk_dv_trait_%(arg)s>(s_, a); }
        );
    }
"""

BWD_HELPER = """template <typename dot_do_o_trait_, typename dq_dk_dv_trait_, typename convert_dq_trait_%(param)s>
float fmha_bwd_(const minick::stream_config& s, fmha_bwd_args a)
{
""" + BWD_STEPS + """}

"""


def gen_bwd(api, chosen, files):
    def step(v, which):
        values = "%d, %s, %s" % (v.hdim, v.dtype[1], text(v.group))
        if which == "dq_dk_dv":
            values += ", %s, %s, %s" % (v.mask[1], v.bias[1], text(v.deterministic))
        traits = "fmha_bwd_%s_traits_<%s, %s, %s>" % (which, values, text(v.pads), text(v.padd))
        own = [v.mask[0], v.bias[0], "det" if v.deterministic else "nondet"] if which == "dq_dk_dv" else []
        stem = v.stem("fmha_bwd_" + which, "d%d" % v.hdim, v.dtype[0], "group" if v.group else "batch", *own, *pads(v))
        return stem, traits

    kernels = {"dot_do_o": "FmhaBwdDotDoOKernel", "dq_dk_dv": "FmhaBwdDqDkDvKernel",
               "convert_dq": "FmhaBwdConvertDqKernel"}
    tagged = bool(chosen[0].arch)
    for v in chosen:
        for which, kernel in kernels.items():
            stem, traits = step(v, which)
            more = SPLITS if which == "dq_dk_dv" else ""
            files[stem] = blob(v, api, kernel, traits, ONESHOT + more,
                               name="fmha_bwd_" + which, args="fmha_bwd_args", stem=stem)

    def body(v):
        lines = ["using dot_do_o_trait_ = %s;" % step(v, "dot_do_o")[1],
                 "using dq_dk_dv_trait_ = %s;" % step(v, "dq_dk_dv")[1],
                 "using convert_dq_trait_ = std::conditional_t<%s, %s, void>;" % (
                     text(v.dtype[0] != "fp32"), step(v, "convert_dq")[1])]
        names = "dot_do_o_trait_, dq_dk_dv_trait_, convert_dq_trait_" + arch_arg(api, v)
        if tagged:
            return lines + ["this->init<%s>(t);" % names, "return;"]
        return lines + ["r = fmha_bwd_<%s>(s, a);" % names, "return r;"]

    values = dict(param=", typename arch_" if tagged else "", arg=", arch_" if tagged else "")
    # The launcher is made before the lengths are known.
    condition = lambda v: leaf_condition(v, "" if tagged else "seqlen_q", "t" if tagged else "a")
    chain = nest(chosen, (condition, body), 4)
    if tagged:
        return dispatcher("fmha_bwd.h", BWD_HELPER % values,
                          "fmha_bwd_launcher::fmha_bwd_launcher(const fmha_bwd_traits& t)\n", chain, tail="", head="")
    return dispatcher("fmha_bwd.h", BWD_HELPER % values,
                      "float fmha_bwd(fmha_bwd_traits t, fmha_bwd_args a, const minick::stream_config& s)\n", chain)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-d", dest="api", choices=DIMENSIONS, required=True)
    parser.add_argument("--style", choices=["2024", "2026"], default="2024")
    parser.add_argument("--variants", type=int, default=10)
    parser.add_argument("--cover", type=int, metavar="N", help="N variants instead that have every value")
    parser.add_argument("--list", metavar="FILE", help="write a line a variant, for numbers.cpp")
    parser.add_argument("-o", dest="output", required=True)
    options = parser.parse_args()
    files = {}
    generate = {"fwd": gen_fwd, "batch_prefill": gen_fwd, "splitkv": gen_splitkv,
                "appendkv": gen_appendkv, "bwd": gen_bwd}[options.api]
    if options.cover:
        chosen = covering(options.api, options.style, options.cover)
    else:
        chosen = variants(options.api, options.style, options.variants)
    api = {"splitkv": "fwd_splitkv", "appendkv": "fwd_appendkv"}.get(options.api, options.api)
    files["fmha_%s_api" % api] = generate(options.api, chosen, files)
    os.makedirs(options.output, exist_ok=True)
    for stem, content in files.items():
        with open(os.path.join(options.output, stem + ".cpp"), "w") as f:
            f.write(content)
    if options.list:
        with open(options.list, "w") as f:
            f.writelines(line(options.api, v) + "\n" for v in chosen)


if __name__ == "__main__":
    main()
