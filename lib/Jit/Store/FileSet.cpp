//===- FileSet.cpp - content digests of a list of files -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the steps makes a stamp reliable. A file's stamp is taken before
// its content is read and compared afterwards. If the two differ, or if the
// file is so young that another write could leave the same times, the set keeps
// no stamp and reads the content again next time. Directories are stamped
// before all files, so that a name that appears meanwhile is noticed later. The
// stamp includes the inode's ctime: a tool that resets a file's date cannot
// hide a write.
//
// A name that this user may not access counts as missing: the compiler runs as
// the same user and does not see it either. decode() rejects an encoded set
// with an unknown field.
//
//===----------------------------------------------------------------------===//
#include "Jit/Store/FileSet.h"

#include "Jit/Store/Message.h"
#include "Support/SecureMode.h"
#include "kpack/Support/UniqueFd.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

/// Seconds within which two writes may leave the same time: the coarsest file
/// systems have a resolution of two.
static constexpr int64_t TimeResolution = 2;

/// Returns an empty stamp if the file is missing. Sets \p Latest to the later
/// of mtime and ctime.
static std::string makeStamp(const std::string &Path, int64_t &Latest) {
  struct stat Info;
  if (::stat(Path.c_str(), &Info) != 0)
    return {};
  Latest = std::max<int64_t>(Info.st_mtim.tv_sec, Info.st_ctim.tv_sec);
  uint64_t Values[] = {
      uint64_t(Info.st_dev),          uint64_t(Info.st_ino),
      uint64_t(Info.st_size),         uint64_t(Info.st_mtim.tv_sec),
      uint64_t(Info.st_mtim.tv_nsec), uint64_t(Info.st_ctim.tv_sec),
      uint64_t(Info.st_ctim.tv_nsec)};
  return std::string(reinterpret_cast<const char *>(Values), sizeof(Values));
}

/// A time in the future comes from another clock and proves nothing.
static bool isTooYoung(int64_t Latest) {
  return Latest + TimeResolution >= int64_t(::time(nullptr));
}

static Result<FileRecord> findRecord(const std::string &Path, FileUse Use) {
  FileRecord Record;
  Record.Path = Path;
  Record.Use = Use;
  int64_t Latest = 0, Ignored;
  Record.Stamp = makeStamp(Path, Latest);
  Result<Digest> Content = sha256OfFile(Path);
  if (!Content)
    return Content.status();
  Record.Hash = *Content;
  if (isTooYoung(Latest) || makeStamp(Path, Ignored) != Record.Stamp)
    Record.Stamp.clear();
  return Record;
}

static bool endsWith(std::string_view Name, std::string_view Ending) {
  return Ending == "*" || (Name.size() >= Ending.size() &&
                           Name.substr(Name.size() - Ending.size()) == Ending);
}

/// Hashes the names in the directory that end with \p Ending.
static Digest namesIn(const std::string &Path, const std::string &Ending) {
  std::vector<std::string> Names;
  if (DIR *Folder = ::opendir(Path.c_str())) {
    while (const dirent *Item = ::readdir(Folder))
      if (endsWith(Item->d_name, Ending))
        Names.emplace_back(Item->d_name);
    ::closedir(Folder);
  }
  std::sort(Names.begin(), Names.end());
  std::string All;
  for (const std::string &Name : Names)
    All += Name + '/';
  return sha256(All);
}

/// True for the errors of a path that this user's compiler does not see either.
static bool meansMissing(int Error) {
  return Error == ENOENT || Error == ENOTDIR || Error == ELOOP ||
         Error == EACCES || Error == ENAMETOOLONG;
}

/// Returns true if the directory has none of the names or is gone itself.
static bool areMissing(const FolderRecord &Record) {
  if (Record.Missing.empty())
    return true;
  UniqueFd Folder(
      ::open(Record.Path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!Folder)
    return meansMissing(errno);
  std::string_view All = Record.Missing;
  for (size_t Begin = 0; Begin < All.size();) {
    size_t End = std::min(All.find('/', Begin), All.size());
    std::string Name(All.substr(Begin, End - Begin));
    struct stat Info; // for the effective user, as when recorded
    if (::fstatat(Folder.get(), Name.c_str(), &Info, 0) == 0 ||
        !meansMissing(errno))
      return false;
    Begin = End + 1;
  }
  return true;
}

std::string jit::programCalled(const std::string &Name) {
  std::string All = searchPathOfHelpers();
  for (size_t Begin = 0; Begin <= All.size();) {
    size_t End = std::min(All.find(':', Begin), All.size());
    std::string Path(All.substr(Begin, End - Begin));
    Path += (Path.empty() ? "./" : "/") + Name;
    if (::access(Path.c_str(), X_OK) == 0)
      return Path;
    Begin = End + 1;
  }
  return "";
}

Result<FileSet> FileSet::of(FileNames Names) {
  FileSet Set;
  // Directories first: a name that appears while files are read is noticed next
  // time.
  for (FolderRecord &Folder : Names.Folders) {
    int64_t Latest = 0;
    Folder.Stamp = makeStamp(Folder.Path, Latest);
    if (!Folder.Ending.empty())
      Folder.Names = namesIn(Folder.Path, Folder.Ending);
    if (isTooYoung(Latest) || !areMissing(Folder))
      Folder.Stamp.clear();
  }
  Set.Folders = std::move(Names.Folders);
  Set.Programs = std::move(Names.Programs);
  Set.Facts = std::move(Names.Facts);
  Set.Note = std::move(Names.Note);
  auto Add = [&](const std::vector<std::string> &Paths, FileUse Use) {
    for (const std::string &Path : Paths) {
      Result<FileRecord> Record = findRecord(Path, Use);
      if (!Record)
        return Record.status();
      Set.Files.push_back(std::move(*Record));
    }
    return Status::success();
  };
  if (Status Read = Add(Names.Files, FileUse::Compiled); !Read.ok())
    return Read;
  if (Status Read = Add(Names.Linked, FileUse::Linked); !Read.ok())
    return Read;
  if (Status Read = Add(Names.Named, FileUse::Named); !Read.ok())
    return Read;
  return Set;
}

bool FileSet::unchanged() const { return FileSet(*this).refresh(); }

bool FileSet::refresh() {
  int64_t Ignored;
  for (FileRecord &Record : Files) {
    if (!Record.Stamp.empty() &&
        makeStamp(Record.Path, Ignored) == Record.Stamp)
      continue;
    Result<FileRecord> Now = findRecord(Record.Path, Record.Use);
    if (!Now || Now->Hash != Record.Hash)
      return false;
    IsRefreshed |= !Now->Stamp.empty();
    Record.Stamp = std::move(Now->Stamp);
  }
  for (const FolderRecord &Record : Folders) {
    if (!Record.Stamp.empty() &&
        makeStamp(Record.Path, Ignored) == Record.Stamp)
      continue;
    if (!areMissing(Record) ||
        (!Record.Ending.empty() &&
         namesIn(Record.Path, Record.Ending) != Record.Names))
      return false;
  }
  return std::all_of(
      Programs.begin(), Programs.end(),
      [](const ProgramRecord &P) { return programCalled(P.Name) == P.Path; });
}

std::string FileSet::fact(std::string_view Name) const {
  for (const auto &[Fact, Value] : Facts)
    if (Fact == Name)
      return Value;
  return "";
}

static const char *wordOf(FileUse Use) {
  return Use == FileUse::Linked  ? "linked"
         : Use == FileUse::Named ? "named"
                                 : "file";
}

static std::optional<FileUse> getUse(std::string_view Word) {
  for (FileUse Use : {FileUse::Compiled, FileUse::Linked, FileUse::Named})
    if (Word == wordOf(Use))
      return Use;
  return std::nullopt;
}

std::string FileSet::encode() const {
  Message M;
  M.add("note", Note);
  for (const FileRecord &Record : Files)
    M.add(wordOf(Record.Use), Record.Path)
        .add("stamp", Record.Stamp)
        .add("sha256", toHex(Record.Hash));
  for (const FolderRecord &Record : Folders) {
    M.add("folder", Record.Path).add("stamp", Record.Stamp);
    if (!Record.Missing.empty())
      M.add("missing", Record.Missing);
    if (!Record.Ending.empty())
      M.add("ending", Record.Ending).add("sha256", toHex(Record.Names));
  }
  for (const ProgramRecord &Record : Programs)
    M.add("program", Record.Name).add("path", Record.Path);
  for (const auto &[Name, Value] : Facts)
    M.add("fact", Name).add("value", Value);
  return M.encode();
}

std::optional<FileSet> FileSet::decode(std::string_view Bytes) {
  std::optional<Message> M = Message::decode(Bytes);
  if (!M)
    return std::nullopt;
  FileSet Set;
  // The fields that may follow the first field of a record, and their targets.
  std::array<std::pair<std::string_view, std::string *>, 3> Texts{};
  Digest *Hash = nullptr;
  for (const auto &Field : M->fields()) {
    const std::string &Name = Field.first, &Value = Field.second;
    auto Text =
        std::find_if(Texts.begin(), Texts.end(),
                     [&](const auto &Known) { return Known.first == Name; });
    if (Name == "note") {
      Set.Note = Value;
    } else if (std::optional<FileUse> Use = getUse(Name)) {
      FileRecord &File = Set.Files.emplace_back();
      File.Path = Value;
      File.Use = *Use;
      Texts = {{{"stamp", &File.Stamp}}};
      Hash = &File.Hash;
    } else if (Name == "folder") {
      FolderRecord &Folder = Set.Folders.emplace_back();
      Folder.Path = Value;
      Texts = {{{"stamp", &Folder.Stamp},
                {"missing", &Folder.Missing},
                {"ending", &Folder.Ending}}};
      Hash = &Folder.Names;
    } else if (Name == "program") {
      Set.Programs.push_back({Value, ""});
      Texts = {{{"path", &Set.Programs.back().Path}}};
      Hash = nullptr;
    } else if (Name == "fact") {
      Set.Facts.emplace_back(Value, "");
      Texts = {{{"value", &Set.Facts.back().second}}};
      Hash = nullptr;
    } else if (Text != Texts.end() && Text->second) {
      *Text->second = Value;
    } else if (Name != "sha256" || !Hash || !fromHex(Value, *Hash)) {
      return std::nullopt;
    }
  }
  return Set;
}
