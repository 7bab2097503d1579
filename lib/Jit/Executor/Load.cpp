//===- Load.cpp - cache entries as loaded code ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file that was checked is loaded: by its path, which debuggers can open,
// if no other user can change the target of that path; else through its
// descriptor; or from a sealed copy in memory if the file system forbids
// mapping code. No descriptor stays open, so that a process may have more
// kernels than descriptors.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Load.h"

#include "Jit/Executor/TraceEvents.h"

#include "Support/ErrorText.h"
#include "Support/Files.h"
#include "Support/SafePath.h"
#include "Support/SealedFile.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

#if defined(__x86_64__)
static constexpr Elf64_Half HostMachine = EM_X86_64;
#elif defined(__aarch64__)
static constexpr Elf64_Half HostMachine = EM_AARCH64;
#endif

/// Returns false if there is no header; \p Error is an errno of the read, or 0.
static bool readHeader(const StoredEntry &Entry, Elf64_Ehdr &Header,
                       int &Error) {
  Error = 0;
  if (Entry.PayloadSize < sizeof(Header))
    return false;
  ssize_t Size = ::pread(Entry.File.get(), &Header, sizeof(Header), 0);
  if (Size < 0)
    Error = errno;
  return Size == ssize_t(sizeof(Header)) &&
         std::memcmp(Header.e_ident, ELFMAG, SELFMAG) == 0;
}

static bool isOfThisMachine(const Elf64_Ehdr &Header) {
  return Header.e_ident[EI_CLASS] == ELFCLASS64 &&
         Header.e_ident[EI_DATA] == ELFDATA2LSB &&
         Header.e_machine == HostMachine;
}

bool jit::isForeignObject(const StoredEntry &Entry) {
  Elf64_Ehdr Header;
  int Ignored;
  return readHeader(Entry, Header, Ignored) && !isOfThisMachine(Header);
}

/// Checks that the dynamic linker can load the file at all.
static Status checkHeader(const StoredEntry &Entry) {
  Elf64_Ehdr Header;
  int Error;
  bool Read = readHeader(Entry, Header, Error);
  if (Error)
    return Status(StatusCode::IoError,
                  Entry.Info.Name + ": the cached file cannot be read: " +
                      errorText(Error, "check the disk, or name another cache "
                                       "directory"));
  if (!Read || !isOfThisMachine(Header) || Header.e_type != ET_DYN)
    return Status(StatusCode::InvalidFormat,
                  Entry.Info.Name + ": the cached file is no shared object of "
                                    "this machine; remove it from the cache",
                  Errc::WrongIsa);
  return Status::success();
}

static bool mayMapCode(int Fd) {
  struct statvfs Info;
  return ::fstatvfs(Fd, &Info) != 0 || !(Info.f_flag & ST_NOEXEC);
}

/// Copies the payload to a memory file, which no mount option affects.
static Result<UniqueFd> copyToMemory(int File, const StoredEntry &Entry) {
  UniqueFd Copy = memoryFile("kpack-jit:" + Entry.Info.Name);
  int Error = errno;
  off_t Offset = 0;
  while (Copy && uint64_t(Offset) < Entry.PayloadSize) {
    char Bytes[65536];
    size_t Wanted =
        std::min<uint64_t>(sizeof(Bytes), Entry.PayloadSize - uint64_t(Offset));
    ssize_t Have = ::pread(File, Bytes, Wanted, Offset);
    errno = EIO; // the file may be shorter by now
    if (Have <= 0 || !writeAll(Copy.get(), {Bytes, size_t(Have)})) {
      Error = errno;
      Copy = UniqueFd();
    }
    Offset += Have;
  }
  if (!Copy)
    return Status(StatusCode::OutOfMemory,
                  Entry.Info.Name +
                      ": the compiled kernel cannot be kept in memory: " +
                      errorText(Error));
  sealFile(Copy.get());
  return Copy;
}

/// Returns true if a file was loaded by this name. The dynamic linker would
/// return that one again, even if the name now leads to a newer file.
static bool isTaken(const std::string &Path) {
  void *Known = ::dlopen(Path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (Known)
    ::dlclose(Known);
  return Known != nullptr;
}

Result<LoadedCode> LoadedCode::load(StoredEntry &&Entry) {
  TraceSlice Slice("load", Entry.Info.Name);
  if (Status Checked = checkHeader(Entry); !Checked.ok())
    return Checked;
  UniqueFd File = std::move(Entry.File);
  std::string Path;
  if (mayMapCode(File.get())) {
    Path = makeSafePath(File.get(), Entry.Path);
  } else {
    Result<UniqueFd> Copy = copyToMemory(File.get(), Entry);
    if (!Copy)
      return Copy.status();
    File = std::move(*Copy);
  }
  if (Path.empty() || isTaken(Path))
    Path = descriptorPath(File.get());
  void *Handle = ::dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Handle) {
    const char *Why = ::dlerror();
    return Status(StatusCode::IoError,
                  Entry.Info.Name + ": the compiled kernel cannot be loaded: " +
                      (Why ? Why : "unknown reason"),
                  Errc::LoadFailed);
  }
  return LoadedCode(Handle, Entry.Info.Name);
}

Result<void *> LoadedCode::symbol(const std::string &Symbol) const {
  if (void *Address = ::dlsym(Handle, Symbol.c_str()))
    return Address;
  return Status(StatusCode::KernelNotFound,
                Name + ": the compiled kernel has no symbol '" + Symbol +
                    "'; its source does not define what the caller wants",
                Errc::UnknownEntry);
}

void LoadedCode::unload() {
  if (Handle)
    ::dlclose(Handle);
  Handle = nullptr;
}
