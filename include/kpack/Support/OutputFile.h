//===- kpack/Support/OutputFile.h - files replaced by rename ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file that appears under its name complete or not at all: it is written
// under a temporary name in the same directory and renamed. The old file stays
// until then, and existing mappings of it stay valid. A new file has the
// permissions of the one it replaces, and a symbolic link still leads to it
// (OutputPlace.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_OUTPUTFILE_H
#define KPACK_SUPPORT_OUTPUTFILE_H

#include "kpack/Support/OutputPlace.h"
#include "kpack/Support/Status.h"
#include "kpack/Support/UniqueFd.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace kpack {

/// The users that may read the input of an output.
struct Readers {
  uid_t User;
  gid_t Group;
  mode_t Mode;

  bool areAll() const {
    constexpr mode_t All = S_IRUSR | S_IRGRP | S_IROTH;
    return (Mode & All) == All;
  }
  /// Keeps only users that \p Others contain as well.
  void limitTo(const Readers &Others);
  /// Returns the readers of the file open as \p File; nullopt if they cannot be
  /// determined. Reduces an access control list to permissions of owner, group
  /// and others: if it denies a user or a group a permission that others have,
  /// only the owner is left.
  static std::optional<Readers> of(int File);
  /// The readers of a file whose permissions are not known.
  static Readers ownerOnly() { return {::geteuid(), ::getegid(), S_IRUSR}; }
};

/// Not thread-safe. Every failure is an IoError that names the file.
class OutputFile {
public:
  /// Creates the temporary file. Refuses an existing \p Path that is not a
  /// regular file (rename would replace a device or a pipe), and the paths that
  /// findOutputPlace() refuses.
  static Result<std::unique_ptr<OutputFile>>
  create(std::string Path, std::optional<Readers> Who = std::nullopt);
  /// The same for a place that findOutputPlace() has returned.
  static Result<std::unique_ptr<OutputFile>>
  create(const OutputPlace &Place, std::optional<Readers> Who = std::nullopt);

  /// Calls create(), append() with \p Bytes, and commit().
  static Status write(const std::string &Path, std::string_view Bytes);

  /// Removes the temporary file unless commit() succeeded.
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  /// Restricts the readers of the file to \p Who. If that excludes a user, the
  /// file gets the same user and group as far as this process is permitted.
  void limitTo(const Readers &Who);

  Status append(std::string_view Bytes);
  /// Replaces bytes that were appended before.
  Status overwrite(uint64_t Offset, std::string_view Bytes);
  /// Reads back \p Size bytes that were appended before.
  Status readBack(uint64_t Offset, char *Out, uint64_t Size) const;

  /// Closes the file, which still has its temporary name.
  Status close();
  /// Calls close() unless that was done, then renames the file.
  Status commit();

  const std::string &path() const { return Place.Name; }
  /// The path that commit() renames to: path() after symbolic links at its end.
  const std::string &finalPath() const { return Place.Path; }
  /// The same path through the open folder.
  const std::string &heldPath() const { return Held.Path; }
  const std::string &temporaryPath() const { return TemporaryPath; }
  /// Bytes appended so far.
  uint64_t size() const { return Length; }

private:
  OutputFile(OutputPlace Place, HeldPlace Held, std::string TemporaryPath,
             UniqueFd File)
      : Place(std::move(Place)), Held(std::move(Held)),
        TemporaryPath(std::move(TemporaryPath)), File(std::move(File)) {}
  Status fail(const char *Action) const;

  OutputPlace Place;
  HeldPlace Held;
  std::string TemporaryPath;
  UniqueFd File;
  uint64_t Length = 0;
  bool Committed = false;
};

} // namespace kpack

#endif // KPACK_SUPPORT_OUTPUTFILE_H
