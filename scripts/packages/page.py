# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/evidence/real-packages.md from the measured sizes."""
import limits
import tree

PAGE = """# ROCm's packages of Debian, converted

*State: packages measured up to {date}.*

Sizes of Debian's ROCm packages, and of packages that use them, after `kpack convert` and `kpack pack-tree`, in MB
(10^6 bytes). `scripts/check --nightly=real-packages` measures and checks all of them;
`scripts/real-packages unstable/librocrand1` does so for one package. The script downloads and unpacks packages; it
installs none.

Checks of each program and library:

- `kpack convert`, `kpack verify` and `kpack verify --against` succeed;
- `readelf` and `eu-elflint` report nothing that they do not report for the original;
- the file shrinks by the size of its device code, less 8 KiB and less a table that makes room for a program header (at
  most 150 KB, in MAGMA's library);
- GNU strip, objcopy, llvm-strip and patchelf work on the result.

Each package is packed by `kpack pack-tree` with all targets, with and without debug information of device code
(`--device-debug=strip`), and for one GPU (`--gfx-arches=`).
"""

USERS = """
## What the owner of one GPU needs

{packages}
of unstable, as installed today, for all GPUs: **{before} MB**. The table has the sizes after
`kpack pack-tree --input=TREE --output=PACKED --databases=pack --device-debug=strip --gfx-arches=GPU`: host-only files
and the code for the GPU, including code that was built for a generic target (rocSOLVER's gfx11-generic for gfx1100):

| GPU | host-only | kernel libraries' indexes (.dat) | archives | together | of today |
|---|---|---|---|---|---|
"""


def megabytes(size):
    return "%.2f" % (size / 1e6)


def row_of(*cells):
    return "| %s |\n" % " | ".join(str(cell) for cell in cells)


def heads_of(*cells):
    return row_of(*cells) + "|---" * len(cells) + "|\n"


def packages_table(packages):
    text = heads_of("package", "installed", "host-only", ".dat", "archives", "without debug information", "references")
    for value in packages:
        packed, stripped = value["tree"]["keep"], value["tree"]["strip"]
        text += row_of(value["package"] + " " + value["version"],
                       *(megabytes(size) for size in (sum(value["tree"]["before"].values()), packed["host"],
                                                      packed["dat"], packed["archives"], stripped["archives"],
                                                      packed["code"])))
    return text


def binaries_table(packages):
    text = heads_of("programs and libraries", "files", "before", "device code", "after", "s of CPU", "MiB")
    for value in packages:
        files = value["files"]
        if files:
            text += row_of(value["package"], len(files),
                           *(megabytes(sum(row[key] for row in files)) for key in ("before", "device", "host")),
                           "%.1f" % sum(row["cpu"] for row in files),
                           max(row["kib"] for row in files) // 1024)
    return text


def targets_table(packages):
    targets = sorted({target for value in packages for target in value["tree"]["keep"]["by_target"]})
    text = heads_of("archive of", *(name for value in packages if value["tree"]["keep"]["by_target"]
                                    for name in (value["package"], "without")))
    for target in targets:
        cells = []
        for value in packages:
            if value["tree"]["keep"]["by_target"]:
                sizes = (value["tree"][way]["by_target"].get(target) for way in ("keep", "strip"))
                cells += [megabytes(size) if size else "-" for size in sizes]
        text += row_of(target, *cells)
    return text


def users(measured, seven):
    """{GPU: {sort: bytes}} of all packages together, and what they take today."""
    trees = [measured[name]["tree"] for name in seven]
    sums = {gpu: {sort: sum(one["users"][gpu][sort] for one in trees) for sort in ("host", "dat", "code", "archives")}
            for gpu in tree.GPUS}
    return sums, sum(sum(one["before"].values()) for one in trees)


def users_text(measured, seven):
    sums, before = users(measured, seven)
    text = USERS.format(packages=", ".join(measured[name]["package"] for name in seven),
                        before="{:,.0f}".format(before / 1e6))
    for gpu, parts in sums.items():
        total = sum(parts.values())
        text += row_of(gpu, megabytes(parts["host"]), megabytes(parts["dat"]),
                       megabytes(parts["archives"] + parts["code"]), megabytes(total),
                       "%.1f %%" % (100 * total / before))
    return text


def limits_text(measured):
    rows = [(value, row) for _, value in sorted(measured.items()) for row in value["limits"]]
    text = "\n## Limits\n\nThe script fails if a share exceeds its limit. Version 1 is zstd level 3, each code " \
           "object as the package has it.\n\n" + heads_of("package", "what", "MB", "of", "share", "limit")
    for value, row in rows:
        package = value["package"] if value["suite"] == "unstable" else "%s of %s" % (value["package"], value["suite"])
        text += row_of(package, row["what"], megabytes(row["bytes"]), megabytes(row["of"]),
                       "%.3f" % (row["bytes"] / row["of"]), row["most"])
    for spec, (seconds, mebibytes) in sorted(limits.COSTS.items()):
        text += "\nConverting %s takes at most %d s of CPU and %d MiB.\n" % (spec, seconds, mebibytes)
    return text


def text_of(measured, wanted, seven, date):
    """The page for people."""
    text = PAGE.format(date=date)
    missing = [name for name in wanted if name not in measured]
    if not [name for name in seven if name in missing]:
        text += users_text(measured, seven)
    text += limits_text(measured)
    for suite in sorted({value["suite"] for value in measured.values()}):
        packages = [value for _, value in sorted(measured.items()) if value["suite"] == suite]
        text += "\n## %s\n" % suite
        for table in (packages_table, binaries_table, targets_table):
            text += "\n" + table(packages)
    if missing:
        text += "\nNot measured yet: %s.\n" % ", ".join(missing)
    return text + "\nCPU time and memory are those of `kpack convert`; the memory includes the mapped input and " \
                  "output. References replace\nfiles of kernel libraries.\n"


def problems_of(measured, seven):
    """What does not hold of all packages together."""
    missing = [name for name in seven if name not in measured]
    if missing:
        return ["not measured: " + ", ".join(missing)]
    sums, _ = users(measured, seven)
    return ["%s: what its owner needs has %d bytes, more than %d" % (gpu, sum(sums[gpu].values()), most)
            for gpu, most in limits.USER.items() if sum(sums[gpu].values()) > most]
