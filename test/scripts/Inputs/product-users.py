# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what scripts/changed-products does not know of ROOT: folders that are not there,
and products that include headers of one whose user they are not."""
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
root = sys.argv[1]
path = os.path.join(root, "scripts/changed-products")
loader = importlib.machinery.SourceFileLoader("changed_products", path)
changed = importlib.util.module_from_spec(importlib.util.spec_from_loader("changed_products", loader))
loader.exec_module(changed)

for product, folders in changed.FOLDERS.items():
    for folder in folders:
        if not any(os.path.isdir(os.path.join(root, place, folder)) for place in ("lib", "tools")):
            print("%s: no folder %s" % (product, folder))
used = set()
for top in ("lib", "include", "tools"):
    for folder, _, files in os.walk(os.path.join(root, top)):
        for name in files:
            path = os.path.join(folder, name)
            user = changed.product_of(os.path.relpath(path, root))
            if user and name.endswith((".h", ".cpp")):
                with open(path, encoding="utf-8", errors="replace") as file:
                    headers = re.findall(r'^\s*#\s*include\s+["<](kpack/[^">]+)', file.read(), re.MULTILINE)
                used |= {(changed.product_of("include/" + header), user) for header in headers}
for product, user in sorted((product, user) for product, user in used if product and product != user):
    if user not in changed.USERS.get(product, ()):
        print("%s: is used by %s" % (product, user))
