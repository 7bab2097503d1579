//===- BuildProgress.cpp - progress display of a build --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The build's compilers do not report to this process; it reads their record
// file while they append to it. It reads only bytes after the last offset and
// counts only line ends, so the cost stays small and an incomplete line does
// not count. The first offset is the file's end before the build. If the output
// is no terminal, a line is written at most every ten seconds, and only if the
// number of sources has changed; the last line is always written.
//
//===----------------------------------------------------------------------===//
#include "BuildProgress.h"
#include "State.h"
#include "llvm/Support/FormatVariadic.h"

#include <fcntl.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

static constexpr std::chrono::seconds PlainInterval{10};

Progress::Progress(raw_ostream &OS, std::string RecordFile, std::string Folder)
    : Line(OS), RecordFile(std::move(RecordFile)), Folder(std::move(Folder)),
      Start(std::chrono::steady_clock::now()), Shown(Start) {
  // Skip the records of earlier builds.
  if (int Fd = open(this->RecordFile.c_str(), O_RDONLY | O_CLOEXEC); Fd >= 0) {
    off_t End = lseek(Fd, 0, SEEK_END);
    Offset = End > 0 ? uint64_t(End) : 0;
    close(Fd);
  }
}

void Progress::count() {
  int Fd = open(RecordFile.c_str(), O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return;
  char Buffer[1 << 16];
  ssize_t Got;
  while ((Got = pread(Fd, Buffer, sizeof(Buffer), off_t(Offset))) > 0) {
    Sources += StringRef(Buffer, size_t(Got)).count('\n');
    Offset += uint64_t(Got);
  }
  close(Fd);
  Libraries = libraryFolders(Folder).size();
}

void Progress::show(bool Last) {
  double Seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
          .count();
  std::string Text =
      formatv("ck-jit: {0} source{1} set aside, {2} librar{3} linked, {4:f0} s",
              Sources, Sources == 1 ? "" : "s", Libraries,
              Libraries == 1 ? "y" : "ies", Seconds);
  if (Line.isShown() && !Last)
    Line.show(Text);
  else
    Line.keep(Text);
  SourcesShown = Sources;
}

void Progress::update() {
  auto Now = std::chrono::steady_clock::now();
  if (!Line.isShown() && Now - Shown < PlainInterval)
    return;
  count();
  if (Line.isShown() || Sources != SourcesShown)
    show(/*Last=*/false);
  Shown = Now;
}

void Progress::finish() {
  count();
  show(/*Last=*/true);
}
