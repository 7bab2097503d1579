//===- Install.cpp - installed tree of relinked libraries -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Installation::run() has the order. All records of all libraries are read
// before the first path is mapped, since the target of a folder depends on the
// other folders (Relocation.cpp). Links precede copies, because mapping the
// blobs finds the single files to copy.
//
// The staging folder is inside the install folder, so that renames suffice to
// publish it. Each name is exchanged with the previous entry, ck_jit first; if
// one exchange fails, the earlier ones are undone in reverse order. Replaced
// entries are then in the staging folder and are removed with it. Interrupts
// are checked between copies and before the first exchange, but not between
// exchanges.
//
//===----------------------------------------------------------------------===//
#include "Install.h"
#include "Support/Files.h"
#include "Support/InstallLayout.h"
#include "Support/SafePath.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

namespace {
class Installation {
public:
  Installation(HeldSignals &Signals, const BuildSettings &Settings,
               const std::string &InstallDir)
      : Signals(Signals), Settings(Settings), InstallDir(InstallDir),
        Staging(InstallDir + "/.ck_jit-" + std::to_string(getpid())),
        Mapping(Settings, /*Copies=*/true) {}
  ~Installation() { sys::fs::remove_directories(Staging); }
  Error run();
  size_t libraries() const { return Libraries.size(); }

private:
  struct Library {
    LibraryState State;
    std::vector<Record> Records;
  };
  Error readLibraries();
  Error linkAll();
  Error copyTree();
  Error copyHeaders(const std::string &Source, const std::string &Target,
                    unsigned Depth);
  Error copyParts();
  Error copy(const std::string &Source, const std::string &Target);
  Error writeManifest();
  Error publish();
  std::string tree() const { return Staging + "/ck_jit"; }

  HeldSignals &Signals;
  const BuildSettings &Settings;
  std::string InstallDir, Staging;
  Relocation Mapping;
  std::vector<Library> Libraries;
  Manifest Installed;
  std::vector<BlobRecord> AllBlobs; ///< one for each entry
};
} // namespace

Error Installation::readLibraries() {
  std::vector<std::string> Folders = libraryFolders(Settings.TmpDir);
  if (Folders.empty())
    return objectError(Settings.TmpDir, "has no linked library; run 'ck-jit "
                                        "build full' with this --tmp-dir");
  for (const std::string &Folder : Folders) {
    Expected<LibraryState> State = LibraryState::load(Folder);
    if (!State)
      return State.takeError();
    Expected<std::vector<Record>> Records = loadRecords(*State);
    if (!Records)
      return Records.takeError();
    Libraries.push_back({std::move(*State), std::move(*Records)});
  }
  for (const Library &L : Libraries)
    for (const Record &R : L.Records)
      Mapping.collect(R);
  return Error::success();
}

/// Returns the entry for the installed manifest: without folder and compiler,
/// and with a source relative to the root.
static ManifestEntry makeEntry(const Record &R, const BlobRecord &Blob,
                               const SymbolTable &Symbols) {
  ManifestEntry Entry;
  StringRef Source = Blob.Source;
  Source.consume_front("{root}/");
  Entry.Source = Source.str();
  Entry.Output = Blob.Stem + ".o";
  Entry.ApiKind = R.ApiKind;
  Entry.Module = R.Module;
  Entry.Symbols = Symbols.getSymbols(Blob.Stem);
  Entry.Words = Blob.Flags;
  return Entry;
}

Error Installation::linkAll() {
  for (const Library &L : Libraries) {
    SymbolTable Symbols;
    if (Error E = Symbols.add(L.State.indexFile()))
      return E;
    std::vector<BlobRecord> Blobs;
    for (const Record &R : L.Records) {
      Blobs.push_back(Mapping.blob(R));
      AllBlobs.push_back(Blobs.back());
      Installed.Entries.push_back(makeEntry(R, Blobs.back(), Symbols));
    }
    LinkPlace Place;
    Place.Output = (Staging + "/" + sys::path::filename(L.State.OutSo)).str();
    Place.Scratch = Staging + "/scratch";
    Place.RootAtRunTime = Settings.Root;
    Place.RunPaths = {"$ORIGIN/ck_jit/lib"};
    if (!Settings.Root.empty() && Settings.Root != "ck_jit")
      Place.RunPaths.push_back(
          (sys::path::is_absolute(Settings.Root) ? "" : "$ORIGIN/") +
          Settings.Root + "/lib");
    if (Error E = makeFolder(Place.Scratch))
      return E;
    if (Error E =
            linkLibrary(Signals, Settings, L.State, std::move(Blobs), Place))
      return E;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Copies the rest of \p In. Some file systems do not support sendfile().
static std::error_code copyBytes(int In, int Out) {
  constexpr size_t Most = 1 << 30;
  for (ssize_t Sent = 1; Sent != 0;) {
    Sent = ::sendfile(Out, In, nullptr, Most);
    if (Sent < 0 && (errno == EINVAL || errno == ENOSYS))
      break;
    if (Sent < 0 && errno != EINTR)
      return errnoAsErrorCode();
    if (Sent == 0)
      return {};
  }
  char Piece[65536];
  while (true) {
    ssize_t Size = ::read(In, Piece, sizeof(Piece));
    if (Size == 0)
      return {};
    if (Size < 0 && errno == EINTR)
      continue;
    if (Size < 0 || !writeAll(Out, {Piece, size_t(Size)}))
      return errnoAsErrorCode();
  }
}

/// Copies the bytes and permissions of a file, without set-id bits. Both are
/// read through one descriptor, so that they belong to one file even if it is
/// replaced meanwhile.
static std::error_code copyOpened(const std::string &Source,
                                  const std::string &Target) {
  UniqueFd In(::open(Source.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat Info;
  if (!In || ::fstat(In.get(), &Info) != 0)
    return errnoAsErrorCode();
  UniqueFd Out = openFileToWrite(Target, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!Out)
    return errnoAsErrorCode();
  if (std::error_code Code = copyBytes(In.get(), Out.get()))
    return Code;
  if (::fchmod(Out.get(), (Info.st_mode & 0777) | S_IWUSR) != 0 ||
      ::close(Out.release()) != 0)
    return errnoAsErrorCode();
  return {};
}

Error Installation::copy(const std::string &Source, const std::string &Target) {
  if (Error E = Signals.check())
    return E;
  if (Error E = makeFolder(sys::path::parent_path(Target).str()))
    return E;
  if (std::error_code Code = copyOpened(Source, Target))
    return objectError(Source, "cannot be copied to " + Target + ": " +
                                   Code.message() +
                                   "; check permissions and free space");
  return Error::success();
}

/// Returns true for files that a source may include. These may lack an
/// extension, as in the standard library; programs without one are excluded.
static bool isHeader(StringRef Path) {
  StringRef Extension = sys::path::extension(Path);
  if (Extension.empty()) {
    file_magic Magic;
    return !identify_magic(Path, Magic) && Magic == file_magic::unknown;
  }
  return is_contained<StringRef>({".h", ".hh", ".hpp", ".hxx", ".h++", ".cuh",
                                  ".inc", ".inl", ".ipp", ".tpp", ".tcc",
                                  ".def", ".txx"},
                                 Extension);
}

Error Installation::copyHeaders(const std::string &Source,
                                const std::string &Target, unsigned Depth) {
  constexpr unsigned MaxDepth = 64; // links may form cycles
  std::error_code Code;
  for (sys::fs::directory_iterator I(Source, Code), End; I != End && !Code;
       I.increment(Code)) {
    std::string Path = I->path();
    StringRef Name = sys::path::filename(Path);
    sys::fs::file_status Status;
    if (Name.starts_with(".") || sys::fs::status(Path, Status))
      continue; // hidden, or a dangling link
    bool IsFolder = Status.type() == sys::fs::file_type::directory_file;
    bool IsOurs = false;
    if (IsFolder &&
        (Depth == MaxDepth ||
         (!sys::fs::equivalent(Path, InstallDir, IsOurs) && IsOurs)))
      continue;
    Error E = Error::success();
    if (IsFolder)
      E = joinErrors(std::move(E),
                     copyHeaders(Path, (Target + "/" + Name).str(), Depth + 1));
    else if (Status.type() == sys::fs::file_type::regular_file &&
             isHeader(Path))
      E = joinErrors(std::move(E), copy(Path, (Target + "/" + Name).str()));
    if (E)
      return E;
  }
  return Error::success();
}

Error Installation::copyTree() {
  for (const auto &[Source, Target] : Mapping.headerFolders())
    if (Error E = copyHeaders(Source, tree() + "/" + Target, 0))
      return E;
  for (const auto &[Source, Target] : Mapping.files())
    if (Error E = copy(Source, tree() + "/" + Target))
      return E;
  return Error::success();
}

/// Copies all parts of kpack that the library needs to be used, prebuilt and
/// inspected where kpack is not installed.
Error Installation::copyParts() {
  std::string Libraries = librariesFromPrograms();
  struct {
    std::vector<std::string> Installed; ///< possible sources
    const char *Place;
    bool MayLack = false;
  } Parts[] = {
      {{Libraries + "/libckjit.so.0"}, "/lib/libckjit.so.0"},
      {{Libraries + "/libkpack_jit.so.0"}, "/lib/libkpack_jit.so.0"},
      {{"kpack-jit-compile", "../libexec/kpack/kpack-jit-compile"},
       "/bin/kpack-jit-compile"},
      {{"kpack-jit-remote", "../libexec/kpack/kpack-jit-remote"},
       "/bin/kpack-jit-remote",
       /*MayLack=*/true}, // a kpack without remote caches
      {{"ck-jit"}, "/bin/ck-jit"},
  };
  for (const auto &[Installed, Place, MayLack] : Parts) {
    Expected<std::string> Part = findPart(Installed);
    if (!Part && MayLack) {
      consumeError(Part.takeError());
      continue;
    }
    if (!Part)
      return Part.takeError();
    if (Error E = copy(*Part, tree() + Place))
      return E;
  }
  return Error::success();
}

Error Installation::writeManifest() {
  static_cast<ManifestHeader &>(Installed) =
      embedOptions(Settings, AllBlobs, /*RootAtRunTime=*/"");
  return writeOutput(tree() + "/ck_jit_manifest.json",
                     Installed.toJson(/*SharesWords=*/false) + "\n");
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Renames \p New to \p Target; the previous entry gets the name \p New.
static Error exchangePaths(const std::string &New, const std::string &Target) {
  auto Rename = [](const std::string &Source, const std::string &Target,
                   unsigned Flags) {
    return renameat2(AT_FDCWD, Source.c_str(), AT_FDCWD, Target.c_str(),
                     Flags) == 0;
  };
  if (Rename(New, Target, RENAME_EXCHANGE) ||
      (errno == ENOENT && Rename(New, Target, RENAME_NOREPLACE)))
    return Error::success();
  // Some file systems cannot exchange names.
  std::string Old = New + ".old";
  if (errno == EINVAL || errno == ENOSYS) {
    bool HadOld = Rename(Target, Old, 0);
    if ((HadOld || errno == ENOENT) && Rename(New, Target, 0)) {
      if (HadOld)
        Rename(Old, New, 0);
      return Error::success();
    }
    int Why = errno;
    if (HadOld)
      Rename(Old, Target, 0);
    errno = Why;
  }
  return objectError(Target, Twine("cannot be replaced: ") + strerror(errno) +
                                 "; move it away, or check permissions");
}

/// Publishes all or nothing. Meanwhile a previous library works with the new
/// tree, as far as the sources are equal.
Error Installation::publish() {
  if (Error E = Signals.check())
    return E;
  std::vector<std::string> Names = {"ck_jit"};
  for (const Library &L : Libraries)
    Names.push_back(sys::path::filename(L.State.OutSo).str());
  for (size_t I = 0; I != Names.size(); ++I) {
    Error E =
        exchangePaths(Staging + "/" + Names[I], InstallDir + "/" + Names[I]);
    if (!E)
      continue;
    while (I-- != 0) { // undo
      std::string Here = InstallDir + "/" + Names[I],
                  There = Staging + "/" + Names[I];
      consumeError(sys::fs::exists(There) ? exchangePaths(There, Here)
                                          : exchangePaths(Here, There));
    }
    return E;
  }
  return Error::success();
}

Error Installation::run() {
  if (Error E = readLibraries())
    return E;
  if (Error E = makeFolder(tree()))
    return E;
  if (Error E = linkAll())
    return E;
  if (Error E = copyTree())
    return E;
  if (Error E = copyParts())
    return E;
  if (Error E = writeManifest())
    return E;
  return publish();
}

Error ckjit::installLibraries(HeldSignals &Signals,
                              const BuildSettings &Settings,
                              const std::string &InstallDir, raw_ostream &Log) {
  Installation I(Signals, Settings, InstallDir);
  if (Error E = I.run())
    return E;
  Log << "ck-jit: installed " << I.libraries()
      << (I.libraries() == 1 ? " library" : " libraries") << " in "
      << InstallDir << '\n';
  return Error::success();
}
