//===- OutputFile.cpp - files replaced by rename --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain POSIX calls. The name of the temporary file consists of the target's
// name, the process id and a counter; O_EXCL determines its owner, and a lock
// shows that a process still writes it. There is no fsync(): like a linker's
// output, the file can be made again after a crash of the machine.
//
//===----------------------------------------------------------------------===//

#include "kpack/Support/OutputFile.h"

#include "Support/Files.h"
#include "kpack/Support/OutputPlace.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace kpack;

/// The extended attribute with a file's access control list.
static constexpr const char *AccessListName = "system.posix_acl_access";

/// The advice for errors of the system.
static constexpr const char *WriteHint =
    "; check the directory, its permissions and free space";

/// Returns the permissions to read in \p Mode that the access control list
/// \p List leaves, in the system's format (linux/posix_acl_xattr.h). With a
/// list, the group bits of \p Mode are the mask of all its named entries.
static mode_t readersByList(mode_t Mode, std::string_view List) {
  constexpr size_t HeaderBytes = 4, EntryBytes = 8;
  constexpr uint16_t User = 2, OwningGroup = 4, Group = 8, Read = 4;
  auto Field = [&List](size_t I) {
    auto Byte = [&List](size_t J) {
      return static_cast<unsigned char>(List[J]);
    };
    return static_cast<uint16_t>(Byte(I) | Byte(I + 1) << 8);
  };
  bool MaskReads = Mode & S_IRGRP;
  for (size_t I = HeaderBytes; I + EntryBytes <= List.size(); I += EntryBytes) {
    uint16_t Tag = Field(I);
    bool Reads = MaskReads && (Field(I + 2) & Read);
    if (Tag == OwningGroup && !Reads)
      Mode &= ~static_cast<mode_t>(S_IRGRP);
    if ((Tag == User || Tag == Group) && !Reads)
      Mode &= ~static_cast<mode_t>(S_IRGRP | S_IROTH);
  }
  return Mode;
}

std::optional<Readers> Readers::of(int File) {
  struct stat Info;
  if (::fstat(File, &Info) != 0)
    return std::nullopt;
  Readers Found{Info.st_uid, Info.st_gid, Info.st_mode & 0777};
  char List[4096];
  ssize_t Size = ::fgetxattr(File, AccessListName, List, sizeof(List));
  if (Size > 0)
    Found.Mode = readersByList(Found.Mode, {List, static_cast<size_t>(Size)});
  else if (Size < 0 && errno == ERANGE) // too many entries
    Found.Mode &= S_IRWXU;
  return Found;
}

/// True if members of the group may not read, but other users may.
static bool deniesGroup(const Readers &Who) {
  return (Who.Mode & S_IROTH) && !(Who.Mode & S_IRGRP);
}

void Readers::limitTo(const Readers &Others) {
  if (Others.areAll())
    return;
  if (areAll()) {
    *this = Others;
    return;
  }
  bool DeniesGroup = deniesGroup(*this) || deniesGroup(Others);
  Mode &= Others.Mode;
  // Some members of one group may be outside the other, and a file can deny
  // access to one group only.
  if (Group != Others.Group)
    Mode &= ~static_cast<mode_t>(S_IRGRP | (DeniesGroup ? S_IROTH : 0));
  if (User != Others.User)
    User = ::geteuid(); // may read both, and give the file away
}

Result<std::unique_ptr<OutputFile>>
OutputFile::create(std::string Path, std::optional<Readers> Who) {
  Result<OutputPlace> Place = findOutputPlace(Path);
  if (!Place)
    return Place.status();
  return create(*Place, Who);
}

Result<std::unique_ptr<OutputFile>>
OutputFile::create(const OutputPlace &Place, std::optional<Readers> Who) {
  bool IsPrivate = Place.Mode || (Who && !Who->areAll());
  auto Failed = [&Place](const std::string &Why) {
    return Status(StatusCode::IoError, Place.Name + ": cannot create: " + Why);
  };
  // Many temporary files of one process id are left over from killed processes.
  constexpr unsigned MaxAttempts = 1000;
  Result<HeldPlace> Held = holdPlace(Place);
  if (!Held)
    return Held.status();
  std::string Stem = temporaryStem(Held->Path);
  for (unsigned I = 0; I != MaxAttempts; ++I) {
    std::string Temporary = Stem + std::to_string(I);
    // Keep a private output private while it is written.
    UniqueFd File(::open(Temporary.c_str(),
                         O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                         IsPrivate ? 0600 : 0666));
    if (File) {
      // Not every file system has permissions or locks.
      if (Place.Mode && (!Who || Who->areAll()) &&
          ::fchmod(File.get(), *Place.Mode) != 0)
        errno = 0;
      if (::flock(File.get(), LOCK_EX | LOCK_NB) != 0)
        errno = 0;
      std::unique_ptr<OutputFile> Created(new OutputFile(
          Place, std::move(*Held), std::move(Temporary), std::move(File)));
      if (Who)
        Created->limitTo(*Who);
      return Created;
    }
    if (errno != EEXIST)
      return Failed(std::strerror(errno) + std::string(WriteHint));
  }
  return Failed("too many files '" + Stem + "*'; remove them");
}

Status OutputFile::write(const std::string &Path, std::string_view Bytes) {
  Result<std::unique_ptr<OutputFile>> File = create(Path);
  if (!File)
    return File.status();
  Status S = (*File)->append(Bytes);
  return S.ok() ? (*File)->commit() : S;
}

OutputFile::~OutputFile() {
  File = UniqueFd(); // some file systems keep open files
  if (!Committed)
    ::unlink(TemporaryPath.c_str());
}

Status OutputFile::fail(const char *Action) const {
  return Status(StatusCode::IoError, path() + ": " + Action + ": " +
                                         std::strerror(errno) + WriteHint);
}

/// Returns the umask. umask() can only be read by setting it, for all threads,
/// so /proc is read first.
static mode_t currentUmask() {
  std::ifstream Lines("/proc/self/status");
  for (std::string Word; Lines >> Word;)
    if (unsigned Mask = 0; Word == "Umask:" && Lines >> std::oct >> Mask)
      return Mask;
  mode_t Mask = ::umask(S_IRWXG | S_IRWXO);
  ::umask(Mask);
  return Mask;
}

void OutputFile::limitTo(const Readers &Who) {
  struct stat Created;
  if (Who.areAll() || ::fstat(File.get(), &Created) != 0)
    return;
  bool HasGroup = ::fchown(File.get(), Who.User, Who.Group) == 0 ||
                  Created.st_gid == Who.Group ||
                  ::fchown(File.get(), static_cast<uid_t>(-1), Who.Group) == 0;
  mode_t Mode = S_IRUSR | S_IWUSR | (Who.Mode & (S_IRGRP | S_IROTH));
  if (!HasGroup)
    Mode &= ~static_cast<mode_t>(S_IRGRP | (deniesGroup(Who) ? S_IROTH : 0));
  Mode &= Place.Mode ? *Place.Mode : ~currentUmask();
  // The folder's default list may have given more users access to the file.
  if (::fremovexattr(File.get(), AccessListName) != 0)
    errno = 0; // most files have none
  if (::fchmod(File.get(), Mode) != 0)
    errno = 0; // not every file system has permissions
}

Status OutputFile::append(std::string_view Bytes) {
  if (Status S = overwrite(Length, Bytes); !S.ok())
    return S;
  Length += Bytes.size();
  return Status::success();
}

Status OutputFile::overwrite(uint64_t Offset, std::string_view Bytes) {
  while (!Bytes.empty()) {
    ssize_t Written = ::pwrite(File.get(), Bytes.data(), Bytes.size(),
                               static_cast<off_t>(Offset));
    if (Written < 0 && errno == EINTR)
      continue;
    if (Written < 0)
      return fail("cannot write");
    Bytes.remove_prefix(static_cast<size_t>(Written));
    Offset += static_cast<uint64_t>(Written);
  }
  return Status::success();
}

Status OutputFile::readBack(uint64_t Offset, char *Out, uint64_t Size) const {
  ssize_t Got = readAt(File.get(), Out, Size, Offset);
  if (Got < 0)
    return fail("cannot read back");
  if (static_cast<uint64_t>(Got) != Size)
    return Status(StatusCode::IoError,
                  path() + ": cannot read back: the file was cut off by "
                           "somebody else; try again");
  return Status::success();
}

Status OutputFile::close() {
  // Some file systems report a full disk only here.
  bool Failed = File && ::close(File.release()) != 0;
  return Failed ? fail("cannot write") : Status::success();
}

Status OutputFile::commit() {
  if (Status S = close(); !S.ok())
    return S;
  if (::rename(TemporaryPath.c_str(), Held.Path.c_str()) != 0)
    return fail("cannot rename to");
  Committed = true;
  return Status::success();
}
