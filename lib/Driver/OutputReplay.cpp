//===- OutputReplay.cpp - ordered output of parallel compiles -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works line by line. It changes only the note with the path of a crash report,
// which must outlive our temporary directory.
//
//===----------------------------------------------------------------------===//

#include "OutputReplay.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kpack::driver {

/// Calls \p Visit with each line, including its newline.
template <typename Visitor> static void forEachLine(StringRef Text, Visitor V) {
  while (!Text.empty()) {
    size_t End = Text.find('\n');
    End = End == StringRef::npos ? Text.size() : End + 1;
    V(Text.take_front(End));
    Text = Text.drop_front(End);
  }
}

/// True for "clang++: warning: ...". False for "a.hip:3:1: warning: ...", which
/// the compiles print, and for lines of -###.
static bool isDriverDiagnostic(StringRef Line) {
  return !Line.starts_with(" ") &&
         (Line.contains("warning: ") || Line.contains("error: ") ||
          Line.contains("note: ") || Line.contains("remark: "));
}

void Replay::dryRun(const JobResult &Result) {
  forEachLine(Result.Err, [&](StringRef Line) {
    if (!isDriverDiagnostic(Line) || !Said.insert(Line).second)
      return;
    errs() << Line;
  });
}

void Replay::compile(const JobResult &Result) const {
  outs() << Result.Out;
  outs().flush();
  forEachLine(Result.Err, [&](StringRef Line) {
    if (StringRef Report = crashReport(Line); !Report.empty())
      errs() << keepCrashReport(Line, Report);
    else if (!Said.contains(Line))
      errs() << Line;
  });
}

/// Returns the file in "clang++: note: diagnostic msg: FILE" if it is in our
/// directory; else an empty string.
StringRef Replay::crashReport(StringRef Line) const {
  size_t Offset = Line.find(Tools.TempDir);
  if (Offset == StringRef::npos || !Line.contains("diagnostic msg: "))
    return "";
  return Line.substr(Offset).rtrim();
}

/// Moves a crash report to a directory that outlives ours. Returns \p Line with
/// the new name.
std::string Replay::keepCrashReport(StringRef Line, StringRef Report) const {
  std::string Kept =
      (Tools.CrashDir + Report.drop_front(Tools.TempDir.size())).str();
  if (sys::fs::rename(Report, Kept) && sys::fs::copy_file(Report, Kept))
    return Line.str();
  size_t Offset = size_t(Report.data() - Line.data());
  return (Line.take_front(Offset) + Kept + Line.substr(Offset + Report.size()))
      .str();
}

} // namespace kpack::driver
