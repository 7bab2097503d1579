//===- detail/ArchiveFile.h - file access of the archive reader -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The archive reader's access to the file. Bytes are copied with pread(), so
// that truncating the file while it is in use gives an error; a mapping would
// end the process with SIGBUS. Only view() maps. The reader keeps the
// descriptor, so it continues to read the same file after a rename. A program
// may close descriptors that it does not own (daemons close all), and the
// kernel reuses their numbers: the reader calls lostDescriptor() if no hash
// verifies the bytes, and continues by name. User: ArchiveReader.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_DETAIL_ARCHIVEFILE_H
#define KPACK_ARCHIVE_DETAIL_ARCHIVEFILE_H

#include "kpack/Support/Status.h"
#include "kpack/Support/UniqueFd.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kpack {
namespace detail {

/// A regular file, or memory that the caller keeps alive. Const members may be
/// called from any number of threads at once.
class ArchiveFile {
public:
  using OpenResult = Result<std::unique_ptr<const ArchiveFile>>;
  /// ArchiveReader::FileCheck.
  using FileCheck = Status (*)(int Descriptor, const std::string &Path);

  /// Opens a file. FileNotFound if there is nothing at \p Path, IoError for
  /// everything else that is not a readable, non-empty regular file; errors of
  /// \p Check.
  static OpenResult open(const std::string &Path, FileCheck Check = nullptr) {
    std::unique_ptr<ArchiveFile> File(new ArchiveFile(Path));
    File->Descriptor = File->openByName().release();
    struct stat Info;
    if (File->Descriptor < 0 || ::fstat(File->Descriptor, &Info) != 0)
      return File->cannotOpen();
    File->Device = Info.st_dev;
    File->Inode = Info.st_ino;
    File->Changed = Info.st_mtim;
    File->Size = static_cast<uint64_t>(Info.st_size);
    if (!S_ISREG(Info.st_mode))
      return Status(StatusCode::IoError,
                    Path + ": not a regular file; give the path of one");
    if (Info.st_size == 0)
      return Status(StatusCode::IoError,
                    Path + ": the file is empty; build or install it again");
    if (Status S = Check ? Check(File->Descriptor, Path) : Status(); !S.ok())
      return S;
    return std::unique_ptr<const ArchiveFile>(std::move(File));
  }

  static std::unique_ptr<const ArchiveFile> over(std::string_view Bytes,
                                                 const std::string &Name) {
    std::unique_ptr<ArchiveFile> File(new ArchiveFile(Name));
    File->Memory = Bytes;
    File->IsMemory = true;
    File->Size = Bytes.size();
    return File;
  }

  ArchiveFile(const ArchiveFile &) = delete;
  ArchiveFile &operator=(const ArchiveFile &) = delete;

  ~ArchiveFile() {
    if (Mapped.Start)
      ::munmap(Mapped.Start, Size);
    if (Descriptor >= 0 && isOurs(Descriptor))
      ::close(Descriptor);
  }

  /// The size at open(), in bytes.
  uint64_t size() const { return Size; }

  /// The descriptor; -1 for memory, or after it was lost.
  int descriptor() const {
    return IsMemory || lostDescriptor() ? -1 : Descriptor;
  }

  /// Returns the bytes of memory, which need no copy; null for a file.
  const std::string_view *memory() const {
    return IsMemory ? &Memory : nullptr;
  }

  /// Copies \p Count bytes from \p Offset on, which lie inside size(). IoError
  /// if the file no longer has them. One system call.
  Status read(uint64_t Offset, char *Destination, uint64_t Count) const {
    if (IsMemory) {
      Memory.copy(Destination, Count, Offset);
      return Status::success();
    }
    if (!knowsLost()) {
      Status S = readFrom(Descriptor, Offset, Destination, Count);
      if (S.ok() || !lostDescriptor())
        return S;
    }
    UniqueFd Again = openByName();
    return isUnchanged(Again.get())
               ? readFrom(Again.get(), Offset, Destination, Count)
               : replaced();
  }

  /// True if the descriptor is known to be lost, so that reads go by name.
  bool knowsLost() const { return IsLost.load(std::memory_order_relaxed); }

  /// True if the descriptor no longer is this file's, now or in an earlier
  /// call: bytes that were read through it may be another file's, and must be
  /// read again.
  bool lostDescriptor() const {
    if (IsMemory || (!knowsLost() && isOurs(Descriptor)))
      return false;
    IsLost.store(true, std::memory_order_relaxed);
    return true;
  }

  /// Maps the file. Reading bytes that were cut off later raises SIGBUS.
  Result<std::string_view> map() const {
    if (IsMemory)
      return Memory;
    std::call_once(Mapped.Once, [this] {
      UniqueFd Again;
      if (lostDescriptor()) {
        Again = openByName();
        Mapped.IsReplaced = !isUnchanged(Again.get());
      }
      void *Start = Mapped.IsReplaced
                        ? MAP_FAILED
                        : ::mmap(nullptr, Size, PROT_READ, MAP_PRIVATE,
                                 Again ? Again.get() : Descriptor, 0);
      if (Start != MAP_FAILED)
        Mapped.Start = static_cast<char *>(Start);
    });
    if (Mapped.IsReplaced)
      return replaced();
    if (!Mapped.Start)
      return Status(StatusCode::OutOfMemory,
                    Path + ": cannot be mapped; close other programs or raise "
                           "the limit (ulimit -v)");
    struct stat Info;
    if (isOurs(Descriptor) && ::fstat(Descriptor, &Info) == 0 &&
        static_cast<uint64_t>(Info.st_size) < Size)
      return cutOff();
    return std::string_view(Mapped.Start, Size);
  }

private:
  explicit ArchiveFile(const std::string &Path) : Path(Path) {}

  UniqueFd openByName() const {
    // O_NONBLOCK: opening a FIFO must not wait for its other end.
    return UniqueFd(::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  }

  Status replaced() const {
    return Status(StatusCode::IoError,
                  Path + ": the program has closed its descriptor, and another "
                         "file has taken its place; start the program again");
  }

  bool isOurs(int FD) const {
    struct stat Info;
    return ::fstat(FD, &Info) == 0 && Info.st_ino == Inode &&
           Info.st_dev == Device;
  }

  /// Also compares size and time, since inode numbers are reused after the last
  /// close.
  bool isUnchanged(int FD) const {
    struct stat Info;
    return isOurs(FD) && ::fstat(FD, &Info) == 0 &&
           static_cast<uint64_t>(Info.st_size) == Size &&
           Info.st_mtim.tv_sec == Changed.tv_sec &&
           Info.st_mtim.tv_nsec == Changed.tv_nsec;
  }

  Status readFrom(int FD, uint64_t Offset, char *Destination,
                  uint64_t Count) const {
    while (Count) {
      ssize_t Got = ::pread(FD, Destination, Count, static_cast<off_t>(Offset));
      if (Got < 0 && errno == EINTR)
        continue;
      if (Got < 0)
        return Status(StatusCode::IoError,
                      Path + ": cannot read: " + std::strerror(errno) +
                          "; check the disk or network that it is on");
      if (Got == 0)
        return cutOff();
      Destination += Got;
      Offset += static_cast<uint64_t>(Got);
      Count -= static_cast<uint64_t>(Got);
    }
    return Status::success();
  }

  Status cutOff() const {
    return Status(StatusCode::IoError,
                  Path + ": the file has become shorter since it was opened; "
                         "install it again");
  }

  /// Returns the error of errno.
  Status cannotOpen() const {
    StatusCode Code = errno == ENOENT || errno == ENOTDIR
                          ? StatusCode::FileNotFound
                          : StatusCode::IoError;
    return Status(Code, Path + ": cannot open: " + std::strerror(errno) +
                            "; give the path of a file that can be read");
  }

  const std::string Path;
  int Descriptor = -1;
  uint64_t Size = 0;
  dev_t Device = 0;
  ino_t Inode = 0;
  struct timespec Changed = {};
  std::string_view Memory;
  bool IsMemory = false;
  mutable std::atomic<bool> IsLost{false};
  mutable struct {
    std::once_flag Once;
    char *Start = nullptr;
    bool IsReplaced = false; ///< the file, before it was mapped
  } Mapped;
};

} // namespace detail
} // namespace kpack

#endif // KPACK_ARCHIVE_DETAIL_ARCHIVEFILE_H
