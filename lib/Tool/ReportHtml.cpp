//===- ReportHtml.cpp - the report as data and as a page ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page holds the JSON of the report and a script that draws it; it loads
// nothing, so that it can be kept and mailed. Names come out of files that
// anybody may have written: in the page no '<' of theirs is left, and the
// script shows them as text. Sibling: Report.cpp.
//
//===----------------------------------------------------------------------===//
#include "Report.h"
#include "kpack/ToolSupport/Session.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>
#include <vector>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

static void addKernels(json::OStream &J, const LibraryShare &Share) {
  using Kernel = std::pair<uint64_t, StringRef>;
  std::vector<Kernel> Kernels;
  for (const auto &[Name, Size] : Share.Kernels)
    Kernels.emplace_back(Size, Name);
  llvm::sort(Kernels, [](const Kernel &A, const Kernel &B) {
    return std::tie(B.first, A.second) < std::tie(A.first, B.second);
  });
  uint64_t MoreSize = 0, More = 0;
  J.attributeArray("kernels", [&] {
    for (const auto &[Position, K] : enumerate(Kernels)) {
      if (Position >= NamedKernels) {
        MoreSize += K.first;
        ++More;
        continue;
      }
      J.object([&, Size = K.first, Name = K.second] {
        J.attribute("name", jsonText(Name));
        J.attribute("stored", Size);
      });
    }
  });
  J.attribute("more_kernels", More);
  J.attribute("more_stored", MoreSize);
}

static void addLibrary(json::OStream &J, StringRef Target, StringRef Library,
                       const LibraryShare &Share) {
  J.object([&] {
    J.attribute("target", jsonText(Target));
    J.attribute("library", jsonText(Library));
    J.attribute("code_objects", Share.Objects);
    J.attribute("size", Share.Plain);
    J.attribute("stored", Share.Stored);
    J.attribute("debug", Share.Debug);
    J.attribute("other", Share.Other);
    addKernels(J, Share);
  });
}

void tool::addReport(json::OStream &J, const SizeReport &Report) {
  J.attribute("archives", Report.Archives);
  J.attribute("file_size", Report.FileSize);
  J.attribute("stored", Report.Stored);
  J.attribute("strippable", Report.Strippable);
  J.attributeArray("shares", [&] {
    for (const auto &[Target, Libraries] : Report.Targets)
      for (const auto &[Library, Share] : Libraries)
        addLibrary(J, Target, Library, Share);
  });
}

static constexpr char Head[] = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>kpack report</title><style>
body { font: 14px sans-serif; margin: 12px }
#map { position: relative; width: 100%; height: 82vh; background: #eee }
#map div { position: absolute; overflow: hidden; box-sizing: border-box;
  border: 1px solid #fff; font-size: 11px; white-space: nowrap; padding: 1px 3px }
</style></head><body><h1>Where the bytes of archives go</h1><p id="sum"></p>
<div id="map"></div><script type="application/json" id="data">)";

static constexpr char Tail[] = R"(</script><script>
const data = JSON.parse(document.getElementById("data").textContent);
const bytes = n => n.toLocaleString("en") + " bytes";
document.getElementById("sum").textContent = data.archives + " archives, " +
  bytes(data.file_size) + "; kpack strip would save about " + bytes(data.strippable);
const group = (name, children, hue) => ({ name, children, hue,
  size: children.reduce((sum, c) => sum + c.size, 0) });
const targets = new Map();
for (const s of data.shares) {
  const parts = s.kernels.map(k => ({ name: k.name, size: k.stored }));
  if (s.more_stored) parts.push({ name: s.more_kernels + " more kernels", size: s.more_stored });
  if (s.debug) parts.push({ name: "debug information", size: s.debug, debug: true });
  if (s.other) parts.push({ name: "other", size: s.other });
  if (!targets.has(s.target)) targets.set(s.target, []);
  targets.get(s.target).push(group(s.library, parts));
}
const root = group("", [...targets].map(([name, list], i) => group(name, list, i * 47 % 360)));
const map = document.getElementById("map");
function box(node, path, x, y, w, h, depth, hue) {
  const div = document.createElement("div");
  Object.assign(div.style, { left: x + "px", top: y + "px", width: w + "px", height: h + "px",
    background: node.debug ? "#bbb" : `hsl(${hue} 55% ${62 + 9 * depth}%)` });
  div.textContent = node.name;
  div.title = path + "\n" + bytes(node.size);
  map.append(div);
  if (node.children) lay(node, path, x + 2, y + 15, w - 4, h - 17, depth + 1, hue);
}
function lay(node, path, x, y, w, h, depth, hue) {
  let list = node.children.filter(c => c.size > 0).sort((a, b) => b.size - a.size);
  let left = list.reduce((sum, c) => sum + c.size, 0);
  while (list.length && w > 3 && h > 3) {
    // Half of the rest or one, whichever is more, along the longer side.
    let take = 0, size = 0;
    do size += list[take++].size; while (take < list.length && size * 2 < left);
    const part = size / left, wide = w >= h;
    const pw = wide ? w * part : w, ph = wide ? h : h * part;
    if (take === 1) {
      const c = list[0];
      box(c, path ? path + " / " + c.name : c.name, x, y, pw, ph, depth, c.hue ?? hue);
    } else lay({ children: list.slice(0, take) }, path, x, y, pw, ph, depth, hue);
    if (wide) { x += pw; w -= pw } else { y += ph; h -= ph }
    list = list.slice(take); left -= size;
  }
}
const draw = () => { map.textContent = "";
  lay(root, "", 0, 0, map.clientWidth, map.clientHeight, 0, 0) };
addEventListener("resize", draw);
draw();
</script></body></html>
)";

std::string tool::reportPage(const SizeReport &Report) {
  std::string Data;
  raw_string_ostream OS(Data);
  json::OStream J(OS);
  J.object([&] { addReport(J, Report); });
  std::string Page = Head;
  for (char C : Data)
    if (C == '<')
      Page += "\\u003c";
    else
      Page += C;
  return Page + Tail;
}
