# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks for a second kind of descriptor in the convolution builder.

usage: one-descriptor.py SOURCE_TREE

Prints a line for each type, choice or mention that there should not be, and exits 1
then. Variants are those of the enum CkVariant."""
import glob
import os
import re
import sys

# What reads structs and names of CK's, into an Algorithm.
IMPORT = {"CkParts.h", "CkShapes.h", "CkVariants.h", "CkInstance.cpp", "CkInstance.h"}
# The second one has the first, and what was read wrong.
DESCRIPTORS = {"Algorithm", "ImportedAlgorithm"}
# Kinds of ours have these names, too.
PLAIN = {"Reference", "Tile", "Depthwise"}


def read(path):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"//[^\n]*", "", file.read())
    # A condition is in one line.
    return re.sub(r"\(\s*\n\s*", "(", text)


def main():
    tree = sys.argv[1]
    table = read(tree + "/include/kpack/ConvBuilder/CkVariants.h")
    names = re.findall(r"\w+", re.search(r"enum class CkVariant[^{]*\{(.*?)\}", table, re.DOTALL)[1])
    variants = [n for n in names if n not in ("None", "SpecializationOnly")]
    special = "|".join(n for n in variants if n not in PLAIN)
    rules = [
        ("another descriptor", r"(?:struct|class) (\w*(?:Algorithm|Descriptor))\b[^;]*?\{",
         lambda match, _: match[1] not in DESCRIPTORS),
        ("a type for a variant", r"(?:struct|class|concept|using) \w*(?:%s)\w*\b.*" % special, lambda *_: True),
        ("a choice among variants", r"if constexpr \(.*(?:%s|CkVariant)\w*.*" % special, lambda *_: True),
        ("knows the variants of CK", r".*CkVariant.*", lambda _, file: file not in IMPORT),
    ]
    wrong = []
    for folder in ("include", "lib"):
        pattern = os.path.join(tree, folder, "kpack" if folder == "include" else "", "ConvBuilder", "**", "*.*")
        for path in sorted(glob.glob(pattern, recursive=True)):
            if not path.endswith((".h", ".cpp")):
                continue
            text = read(path)
            for what, regex, is_wrong in rules:
                wrong += ["%s: %s: %s" % (os.path.relpath(path, tree), what, match[0].strip())
                          for match in re.finditer(regex, text) if is_wrong(match, os.path.basename(path))]
    found = len(DESCRIPTORS & set(re.findall(r"struct (\w+) \{", read(tree + "/include/kpack/ConvBuilder/Algorithm.h"))))
    print("\n".join(wrong) or "%d variants, %d descriptor" % (len(variants), found))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
