# Writes the dispatcher api.cpp of launcher.h and its blobs, into the current
# folder.
import os

COUNT = 6
STEPS = """using arch_ = arch_t;
        using t0_ = step<%(n)d>;
        using t1_ = step<%(m)d>;
        using t2_ = std::conditional_t<%(three)s, step<%(n)d>, void>;
        %(leaf)s
        return;"""
INIT = "this->init<t0_, t1_, t2_, arch_>(t);"
OPEN = """run = [](args a, const stream &s) { return run_steps<t0_, t1_, t2_, arch_>(s, a); };
        dq_splits = splits<t1_, arch_>(t.batch);
        zero = needs_zero<t1_, arch_>();"""
POINT = """using t0_ = step<%(n)d>;
        init<t0_>(t);
        return;"""


def constructor(name, leaf):
    chain = ""
    for n in range(COUNT):
        body = leaf % dict(n=n, m=n + COUNT, three="true" if n % 2 else "false")
        chain += "%s if (t.which == %d) {\n        %s\n    }" % (" else" if n else "   ", n, body)
    return "%s::%s(const choice &t) {\n%s\n}\n\n" % (name, name, chain)


with open("api.cpp", "w") as f:
    f.write('#include "launcher.h"\n\nnamespace lib {\n')
    f.write(constructor("open_launcher", STEPS.replace("%(leaf)s", OPEN)))
    f.write(constructor("packing_launcher", STEPS.replace("%(leaf)s", INIT)))
    f.write(constructor("sized_launcher", STEPS.replace("%(leaf)s", INIT)))
    f.write(constructor("pointing_launcher", POINT))
    f.write("} // namespace lib\n")

os.makedirs("blobs")
CALL = "template <> float %s<step_%d, arch_t>(const stream &s, args a) { return %d * a.n + s.level; }\n"
BLOB = '#include "launcher.h"\nnamespace lib {\nusing step_%d = step<%d>;\n%s}\n'
LONG = """template <> bool needs_zero<step_%(m)d, arch_t>() { return %(zero)d; }
template <> int splits<step_%(m)d, arch_t>(int n) { return %(n)d + n; }
template <> size_t workspace_size<step_%(m)d, arch_t>(int batch) { return batch * %(half)d; }
template <> void pack<step_%(m)d, arch_t>(void *to, int batch) { *(char *)to = char('a' + %(n)d + batch); }
"""
for n in range(COUNT):
    m = n + COUNT
    values = dict(n=n, m=m, zero=n % 3 == 0, half=n // 2)
    files = {"short_%d" % n: BLOB % (n, n, CALL % ("first", n, 100 + n) + CALL % ("third", n, 300 + n)),
             "long_%d" % n: BLOB % (m, m, CALL % ("second", m, 200 + n) + LONG % values)}
    for stem, content in files.items():
        with open("blobs/%s.cpp" % stem, "w") as f:
            f.write(content)
with open("definitions.cpp", "w") as f:
    f.writelines('#include "blobs/%s"\n' % name for name in sorted(os.listdir("blobs")))
