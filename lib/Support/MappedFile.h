//===- Support/MappedFile.h - file mapped into memory -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A private read-only mapping of a regular file. Header-only because the
// archive reader is. Access raises SIGBUS if another process truncates the
// mapped file; writers replace archives by rename, which is safe.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_MAPPEDFILE_H
#define KPACK_SUPPORT_MAPPEDFILE_H

#include "kpack/Support/Status.h"
#include "kpack/Support/UniqueFd.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kpack {

class MappedFile {
public:
  /// Fails with FileNotFound if there is nothing at \p Path, and with IoError
  /// if it is no readable, non-empty regular file.
  static Result<MappedFile> open(const std::string &Path) {
    Result<UniqueFd> Fd = openToMap(Path);
    return Fd ? of(Fd->get(), Path) : Fd.status();
  }

  /// Opens a file for of(). Fails as open().
  static Result<UniqueFd> openToMap(const std::string &Path) {
    // O_NONBLOCK: opening a FIFO must not wait for its other end.
    UniqueFd Fd(::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!Fd)
      return cannotOpen(Path);
    return Fd;
  }

  /// Maps the file open as \p Fd, which messages call \p Path. Fails as open().
  static Result<MappedFile> of(int Fd, const std::string &Path) {
    struct stat Info;
    if (::fstat(Fd, &Info) != 0)
      return cannotOpen(Path);
    if (!S_ISREG(Info.st_mode))
      return Status(StatusCode::IoError,
                    Path + ": not a regular file; give the path of one");
    if (Info.st_size == 0)
      return Status(StatusCode::IoError,
                    Path + ": the file is empty; build or install it again");
    size_t Size = static_cast<size_t>(Info.st_size);
    void *Start = ::mmap(nullptr, Size, PROT_READ, MAP_PRIVATE, Fd, 0);
    if (Start == MAP_FAILED)
      return cannotOpen(Path);
    MappedFile File;
    File.Bytes = std::string_view(static_cast<const char *>(Start), Size);
    return File;
  }

  MappedFile() = default;
  MappedFile(MappedFile &&Other) noexcept
      : Bytes(std::exchange(Other.Bytes, {})) {}
  MappedFile &operator=(MappedFile &&Other) noexcept {
    std::swap(Bytes, Other.Bytes);
    return *this;
  }
  ~MappedFile() {
    if (!Bytes.empty())
      ::munmap(const_cast<char *>(Bytes.data()), Bytes.size());
  }

  std::string_view bytes() const { return Bytes; }

  /// Releases the memory of \p Part of the bytes; the next access reads them
  /// from the file again.
  void forget(std::string_view Part) const {
    uintptr_t PageSize = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    uintptr_t Start = reinterpret_cast<uintptr_t>(Part.data());
    uintptr_t End = (Start + Part.size()) / PageSize * PageSize;
    Start = (Start + PageSize - 1) / PageSize * PageSize;
    if (Start < End)
      (void)::madvise(reinterpret_cast<void *>(Start), End - Start,
                      MADV_DONTNEED);
  }

private:
  /// Returns an error for \p Path with errno's text.
  static Status cannotOpen(const std::string &Path) {
    StatusCode Code = errno == ENOENT || errno == ENOTDIR
                          ? StatusCode::FileNotFound
                          : StatusCode::IoError;
    return Status(Code, Path + ": cannot open: " + std::strerror(errno) +
                            "; give the path of a file that can be read");
  }

  std::string_view Bytes;
};

} // namespace kpack

#endif // KPACK_SUPPORT_MAPPEDFILE_H
