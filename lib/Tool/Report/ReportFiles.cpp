//===- ReportFiles.cpp - measured files of a report -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files are opened one after another, under a lock, and stay mapped while there
// is work in them. Their parts are read and measured on all cores, one at a
// time on each, so that memory is one code object (or one small compressed
// bundle) a core. Results are sums and sets, which do not depend on the order
// of threads. A file counts once under all its names. A code object that
// several entries of an archive share counts once, for the first of them.
// Siblings: Report.cpp, DeviceFile.h.
//
//===----------------------------------------------------------------------===//
#include "Offload/KernelFacts.h"
#include "Tool/ArchiveEntries.h"
#include "Tool/ArchivesOf.h"
#include "Tool/DeviceFile.h"
#include "Tool/FileProgress.h"
#include "Tool/FolderWalk.h"
#include "Tool/Report/SizeReport.h"
#include "ToolSupport/Errors.h"
#include "kpack/Support/WorkerThreads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <deque>
#include <mutex>

using namespace kpack;
using namespace kpack::tool;
using namespace kpack::offload;
using namespace llvm;

namespace {

/// A file to be opened.
struct FileTask {
  ArchivePlace Place;
  /// Index of the operand that led to it.
  size_t Operand = 0;
  /// It is the operand: a program then stands for its archives, too.
  bool IsNamed = false;
};

/// A file with unfinished parts.
struct OpenFile {
  DeviceFile Device;
  size_t Number = 0;
  /// Pointers into Device: the parts to measure.
  std::vector<const DevicePart *> Parts;
};

struct PartTask {
  std::shared_ptr<const OpenFile> File;
  const DevicePart *Part = nullptr;
};

/// The counted parts of a file.
struct CountedFile {
  std::set<uint64_t> Ordinals;
  bool HasOverhead = false;
};

class ReportReader {
public:
  ReportReader(Session &S, const TargetScope &Scope)
      : S(S), Scope(Scope), Progress(S.err()) {}

  SizeReport run(const std::vector<std::string> &Paths);

private:
  // Called with the mutex held, or before other threads start.
  void addFolder(const std::string &Path, size_t Operand);
  bool openNext();
  void open(const FileTask &Task);
  void count(OpenFile &File, const FileTask &Task);
  void countArchive(OpenFile &File, const ArchivePlace &Place,
                    CountedFile &Counted);
  void countParts(OpenFile &File);
  void addArchivesFor(const HostBinary &Binary, size_t Operand);
  bool wants(StringRef Target);
  void problem(size_t Ordinal, Error E);
  void finish(const std::vector<std::string> &Paths);

  // Called on all cores.
  std::optional<PartTask> nextPart();
  void measure(const PartTask &Task);

  Session &S;
  const TargetScope &Scope;
  std::mutex Mutex;
  /// Held while a part is measured that expands by an unusual factor.
  std::mutex Large;
  FileProgress Progress;
  std::vector<FileTask> Tasks;
  size_t NextTask = 0;
  /// Tasks of the program that was opened last.
  std::deque<FileTask> ArchiveTasks;
  std::shared_ptr<const OpenFile> Current;
  size_t NextPart = 0, NextNumber = 0;
  std::map<sys::fs::UniqueID, CountedFile> CountedFiles;
  /// Operands with any device code.
  std::set<size_t> Found;
  /// All targets, for the message about a selection without matches.
  std::set<std::string> Seen;
  /// By the number of the file.
  std::set<std::pair<size_t, std::string>> Problems;
  SizeReport Report;
};

} // namespace

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

void ReportReader::problem(size_t Ordinal, Error E) {
  Problems.emplace(Ordinal, toString(std::move(E)));
}

bool ReportReader::wants(StringRef Target) {
  Seen.insert(Target.str());
  return Scope.wants(Target);
}

/// Adds the files below a folder, ordered by name.
void ReportReader::addFolder(const std::string &Path, size_t Operand) {
  size_t First = Tasks.size();
  for (const std::string &Problem :
       forEachFile(Path, [&](const std::string &File, StringRef) {
         Tasks.push_back({{File, ""}, Operand});
       }))
    problem(NextNumber++, createStringError(Problem));
  std::sort(Tasks.begin() + First, Tasks.end(),
            [](const FileTask &A, const FileTask &B) {
              return A.Place.Path < B.Place.Path;
            });
}

bool ReportReader::openNext() {
  if (!ArchiveTasks.empty()) {
    FileTask Task = std::move(ArchiveTasks.front());
    ArchiveTasks.pop_front();
    open(Task);
    return true;
  }
  if (NextTask == Tasks.size())
    return false;
  FileTask Task = std::move(Tasks[NextTask++]);
  Progress.show(NextTask, Tasks.size(), Task.Place.Path);
  open(Task);
  return true;
}

/// A file with the name of an archive that is none is damaged.
static Error checkName(const DeviceFile &File) {
  if (!looksLikeArchive(File.Path, File.File->getBuffer().take_front(4)) ||
      File.Code.Kind == DeviceFileKind::KpackArchive)
    return Error::success();
  return toError(ArchiveReader::open(File.Path).status());
}

void ReportReader::open(const FileTask &Task) {
  auto File = std::make_shared<OpenFile>();
  File->Number = NextNumber++;
  auto OnError = [&](Error E) { problem(File->Number, std::move(E)); };
  Expected<DeviceFile> Device = openDeviceFile(Task.Place.Path, OnError);
  if (!Device)
    return OnError(Device.takeError());
  if (Error E = checkName(*Device))
    return OnError(std::move(E));
  bool IsEmpty = Device->Code.Parts.empty() && !Device->hasMarker() &&
                 Device->Code.Kind != DeviceFileKind::KpackArchive;
  if (Task.IsNamed && !Device->BinaryProblem.empty())
    OnError(createStringError(Device->BinaryProblem));
  else if (Task.IsNamed && IsEmpty)
    OnError(objectError(Task.Place.Path,
                        "no device code; give files that have some: archives, "
                        "binaries and objects of HIP, code objects"));
  if (IsEmpty)
    return;
  File->Device = std::move(*Device);
  Found.insert(Task.Operand);
  count(*File, Task);
  Current = std::move(File);
  NextPart = 0;
}

void ReportReader::count(OpenFile &File, const FileTask &Task) {
  const DeviceFile &Device = File.Device;
  sys::fs::UniqueID Id;
  if (std::error_code EC = sys::fs::getUniqueID(Device.Path, Id))
    return problem(File.Number,
                   objectError(Device.Path, EC.message() +
                                                "; give a file that can be "
                                                "read"));
  auto [It, IsNew] = CountedFiles.try_emplace(Id);
  if (IsNew) {
    ++Report.Files;
    Report.FileSize += Device.File->getBufferSize();
  }
  if (Device.Code.Archive) {
    Report.Archives += IsNew;
    return countArchive(File, Task.Place, It->second);
  }
  if (IsNew)
    countParts(File);
  if (Task.IsNamed && Device.hasMarker())
    addArchivesFor(*Device.Binary, Task.Operand);
}

void ReportReader::countArchive(OpenFile &File, const ArchivePlace &Place,
                                CountedFile &Counted) {
  uint64_t Overhead = File.Device.File->getBufferSize();
  std::set<uint64_t> All;
  bool IsWanted = File.Device.Code.Parts.empty();
  for (const DevicePart &Part : File.Device.Code.Parts) {
    uint64_t Ordinal = Part.Entry->Ordinal;
    if (All.insert(Ordinal).second)
      Overhead -= std::min(Overhead, Part.Size);
    if (!Place.isOfBinary(*Part.Entry) || !wants(Part.Target))
      continue;
    IsWanted = true;
    if (Counted.Ordinals.insert(Ordinal).second)
      File.Parts.push_back(&Part);
  }
  if (IsWanted && !std::exchange(Counted.HasOverhead, true))
    Report.Overhead += Overhead;
}

/// Counts the parts of a file that is no archive.
void ReportReader::countParts(OpenFile &File) {
  uint64_t Rest = File.Device.File->getBufferSize();
  for (const DevicePart &Part : File.Device.Code.Parts) {
    Rest -= std::min(Rest, Part.Size);
    if (Part.Target.empty() || wants(Part.Target))
      File.Parts.push_back(&Part);
  }
  if (File.Device.Code.Kind == DeviceFileKind::Containers) {
    Report.Overhead += Rest;
  } else {
    Report.Host += Rest;
    Report.Hosts[File.Device.Path] += Rest;
  }
}

void ReportReader::addArchivesFor(const HostBinary &Binary, size_t Operand) {
  Expected<std::vector<ArchivePlace>> Places = findArchives(Binary);
  if (!Places)
    return problem(NextNumber++, Places.takeError());
  for (ArchivePlace &Place : *Places)
    ArchiveTasks.push_back({std::move(Place), Operand});
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

std::optional<PartTask> ReportReader::nextPart() {
  std::lock_guard<std::mutex> Lock(Mutex);
  for (;;) {
    if (Current && NextPart < Current->Parts.size())
      return PartTask{Current, Current->Parts[NextPart++]};
    Current.reset();
    if (!openNext())
      return std::nullopt;
  }
}

/// Returns the library of a part: in archives the name of the marker.
static std::string getLibrary(const DevicePart &Part, const std::string &Path) {
  if (!Part.Entry)
    return Path;
  StringRef Library = Part.Entry->Binary;
  uint64_t Index;
  splitBinaryKey(Part.Entry->Binary, Library, Index);
  return Library.str();
}

static std::string getTarget(const StreamedImage &Image) {
  if (!Image.Target.empty())
    return Image.Target;
  // Without a target in the header, use that of the metadata.
  Expected<CodeObjectFacts> Facts = readKernelFacts(Image.Bytes);
  if (Facts && !Facts->Target.empty())
    return Facts->Target;
  consumeError(Facts.takeError());
  return "unknown";
}

void ReportReader::measure(const PartTask &Task) {
  const DevicePart &Part = *Task.Part;
  const DeviceCode &Code = Task.File->Device.Code;
  const std::string &Path = Task.File->Device.Path;
  // Measure only one of these at a time: it takes several times the expanded
  // size, and a small file may contain many of them.
  std::unique_lock<std::mutex> AlonePart(Large, std::defer_lock);
  if (Part.PlainSize > 16 * std::max<uint64_t>(Part.Size, 1 << 16))
    AlonePart.lock();
  bool IsCompressed =
      Part.Entry ? Code.Archive->scheme() == CompressionScheme::ZstdPerKernel
                 : Part.Form == DevicePart::InContainer &&
                       Part.Code.Kind == ContainerKind::CompressedBundle;
  // An archive of debug information would become empty.
  bool IsDebug = Part.Entry && Code.Archive->deviceDebug() == DebugInItself;
  bool TakesStrip = Part.Entry || (Code.Kind == DeviceFileKind::Containers &&
                                   Part.Code.Kind == ContainerKind::CodeObject);
  std::string Library = getLibrary(Part, Path);
  uint64_t Left = Part.Size;
  bool IsWanted = false;
  // A damaged part does not count, and its damage may show only at its end.
  std::vector<std::pair<std::string, ImageShare>> Shares;
  auto Measure = [&](const StreamedImage &Image) -> Error {
    uint64_t Stored = std::min(
        Left, computeShare(Part.Size, Image.Bytes.size(), Part.PlainSize));
    Left -= Stored;
    std::string Target = getTarget(Image);
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      if (!wants(Target))
        return Error::success();
    }
    IsWanted = true;
    Shares.emplace_back(std::move(Target),
                        measureImage(Image.Bytes, Stored, IsCompressed));
    return Error::success();
  };
  Error Damage = forEachImage(Code, Part, Path, Measure);
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Damage)
    return problem(Task.File->Number, std::move(Damage));
  for (const auto &[Target, Share] : Shares) {
    Report.add(Target, Library, Share);
    if (!IsDebug)
      (TakesStrip ? Report.Strippable : Report.StrippableElsewhere) +=
          Share.Debug;
  }
  if (IsWanted)
    Report.Overhead += Left;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// Reports problems, in the order of the files.
void ReportReader::finish(const std::vector<std::string> &Paths) {
  std::set<size_t> Unread;
  for (const auto &[Ordinal, Text] : Problems) {
    Unread.insert(Ordinal);
    S.error(Text);
  }
  Report.Unread = Unread.size();
  uint64_t Counted = Report.All.Stored + Report.Host + Report.Overhead;
  Report.LeftOut = Report.FileSize - std::min(Report.FileSize, Counted);
  for (const auto &[Operand, Path] : enumerate(Paths))
    if (sys::fs::is_directory(Path) && !Found.count(Operand) &&
        Problems.empty())
      S.error(Path + ": no device code in this folder; give one that has some");
  Report.Selection = StringRef(Scope.describe()).ltrim().str();
  for (const std::string &Note : translationNotes(Scope, Seen))
    S.note(Note);
  if (Error E = checkDevices(Scope, Seen))
    S.error(std::move(E));
  else if (!Scope.isWhole() && Report.All.Objects == 0 && !Seen.empty())
    S.error(Paths.front() + (Paths.size() > 1 ? " and others" : "") +
            ": nothing matches " + Report.Selection + "; there is code for " +
            join(Seen, ", "));
}

SizeReport ReportReader::run(const std::vector<std::string> &Paths) {
  for (const auto &[Operand, Path] : enumerate(Paths)) {
    if (sys::fs::is_directory(Path))
      addFolder(Path, Operand);
    else
      Tasks.push_back({{Path, ""}, Operand, /*IsNamed=*/true});
  }
  {
    WorkerThreads Workers;
    for (unsigned I = 0; I != Workers.count(); ++I)
      Workers.run([this] {
        while (std::optional<PartTask> Task = nextPart())
          measure(*Task);
      });
  }
  Progress.clear();
  finish(Paths);
  return std::move(Report);
}

SizeReport tool::readReport(Session &S, const std::vector<std::string> &Paths,
                            const TargetScope &Scope) {
  return ReportReader(S, Scope).run(Paths);
}
