//===- BundleFile.cpp - cache bundles as tar files ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory grows with the bytes that are read, never with a size in a header.
//
//===----------------------------------------------------------------------===//
#include "Jit/Bundle/BundleFile.h"

#include "Support/UnpackLimit.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

static constexpr size_t PieceSize = 1 << 16;

static std::string words(archive *A) {
  const char *Text = ::archive_error_string(A);
  return Text ? Text : "unknown error";
}

BundleWriter::BundleWriter(bool Compressed, Sink Output)
    : Out(::archive_write_new()), To(std::move(Output)) {
  if (!Out) {
    Failure = Status(StatusCode::OutOfMemory, "bundle: no memory");
    return;
  }
  Failure = check(::archive_write_set_format_ustar(Out));
  if (Failure.ok() && Compressed)
    Failure = check(::archive_write_add_filter_zstd(Out));
  // Padding zeros after a compressed stream would be garbage to zstd.
  if (Failure.ok())
    Failure = check(::archive_write_set_bytes_in_last_block(Out, 1));
  if (Failure.ok())
    Failure = check(::archive_write_open(Out, this, nullptr, write, nullptr));
}

BundleWriter::~BundleWriter() {
  if (!Out)
    return;
  // Discard buffered data.
  ::archive_write_fail(Out);
  ::archive_write_free(Out);
}

long BundleWriter::write(archive *, void *Self, const void *Bytes,
                         size_t Size) {
  auto *Writer = static_cast<BundleWriter *>(Self);
  Writer->Failure =
      Writer->To(std::string_view(static_cast<const char *>(Bytes), Size));
  return Writer->Failure.ok() ? static_cast<long>(Size) : -1;
}

Status BundleWriter::check(int Code) {
  if (Code >= ARCHIVE_WARN)
    return Status::success();
  return Failure.ok() ? Status(StatusCode::IoError, "bundle: " + words(Out))
                      : Failure;
}

Status BundleWriter::add(const std::string &Path, std::string_view Bytes) {
  if (!Failure.ok())
    return Failure;
  archive_entry *Entry = ::archive_entry_new();
  if (!Entry)
    return Status(StatusCode::OutOfMemory, "bundle: no memory");
  // Store nothing of this machine: no time, no owner.
  ::archive_entry_set_pathname(Entry, Path.c_str());
  ::archive_entry_set_filetype(Entry, AE_IFREG);
  ::archive_entry_set_perm(Entry, 0644);
  ::archive_entry_set_mtime(Entry, 0, 0);
  ::archive_entry_set_size(Entry, static_cast<la_int64_t>(Bytes.size()));
  Status Done = check(::archive_write_header(Out, Entry));
  ::archive_entry_free(Entry);
  while (Done.ok() && !Bytes.empty()) {
    la_ssize_t Size = ::archive_write_data(Out, Bytes.data(), Bytes.size());
    if (Size <= 0)
      return check(ARCHIVE_FATAL);
    Bytes.remove_prefix(static_cast<size_t>(Size));
  }
  return Done;
}

Status BundleWriter::finish() {
  return Failure.ok() ? check(::archive_write_close(Out)) : Failure;
}

BundleReader::BundleReader(UniqueFd File, std::string Path)
    : File(std::move(File)), Path(std::move(Path)), In(::archive_read_new()) {}

BundleReader::~BundleReader() {
  if (In)
    ::archive_read_free(In);
}

Result<std::unique_ptr<BundleReader>>
BundleReader::open(const std::string &Path, const std::string &Writer) {
  UniqueFd File(Path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                            : ::open(Path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string Shown = Path == "-" ? "standard input" : Path;
  if (!File)
    return Status(errno == ENOENT ? StatusCode::FileNotFound
                                  : StatusCode::IoError,
                  Shown + ": cannot be opened: " + std::strerror(errno) +
                      "; give a bundle that " + Writer + " wrote");
  std::unique_ptr<BundleReader> Reader(
      new BundleReader(std::move(File), Shown));
  if (!Reader->In)
    return Status(StatusCode::OutOfMemory, Shown + ": no memory");
  if (::archive_read_support_format_tar(Reader->In) < ARCHIVE_WARN ||
      ::archive_read_support_filter_zstd(Reader->In) < ARCHIVE_WARN ||
      ::archive_read_open_fd(Reader->In, Reader->File.get(), PieceSize) <
          ARCHIVE_WARN)
    return Reader->damaged();
  return Reader;
}

Status BundleReader::damaged() const {
  return Status(StatusCode::InvalidFormat,
                Path + ": not a bundle, or a damaged one: " + words(In) +
                    "; export or copy it again");
}

Result<std::optional<BundleReader::Member>> BundleReader::next() {
  archive_entry *Entry = nullptr;
  int Code = ::archive_read_next_header(In, &Entry);
  if (Code == ARCHIVE_EOF)
    return std::optional<Member>();
  if (Code < ARCHIVE_WARN)
    return damaged();
  Member M;
  if (const char *Name = ::archive_entry_pathname(Entry))
    M.Path = Name;
  bool IsLink =
      ::archive_entry_hardlink(Entry) || ::archive_entry_symlink(Entry);
  M.IsFile = !IsLink && ::archive_entry_filetype(Entry) == AE_IFREG;
  M.IsFolder = !IsLink && ::archive_entry_filetype(Entry) == AE_IFDIR;
  M.Size = static_cast<uint64_t>(
      std::max<la_int64_t>(0, ::archive_entry_size(Entry)));
  return std::optional<Member>(std::move(M));
}

Result<Buffer> BundleReader::read(uint64_t Max) {
  Buffer Bytes;
  size_t Have = 0;
  while (true) {
    // Double the room each time, but not much beyond the limit.
    size_t Room =
        std::min<uint64_t>(std::max<size_t>(PieceSize, 2 * Have), Max + 1);
    if (Bytes.size() < Room && !Bytes.resize(Room))
      return Status(StatusCode::OutOfMemory, Path + ": no memory");
    la_ssize_t Size =
        ::archive_read_data(In, Bytes.data() + Have, Bytes.size() - Have);
    if (Size < 0)
      return damaged();
    if (Size == 0)
      break;
    Have += static_cast<size_t>(Size);
    if (Have > Max)
      return Status(StatusCode::InvalidArgument,
                    Path + ": a member is longer than the limit");
    // For an uncompressed tar file this equals the bytes read.
    if (std::string Why = whyNotUnpacked(
            static_cast<uint64_t>(::archive_filter_bytes(In, -1)), Have);
        !Why.empty())
      return Status(StatusCode::OutOfMemory, Path + ": a member: " + Why);
  }
  if (!Bytes.resize(Have))
    return Status(StatusCode::OutOfMemory, Path + ": no memory");
  return Bytes;
}
