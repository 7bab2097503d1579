//===- TraceEvents.cpp - trace events of a process ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Separators precede events, so that a truncated file lacks only the bracket.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/TraceEvents.h"

#include "Support/FileSizeGuard.h"
#include "Support/Files.h"
#include "Support/ForkGuard.h"
#include "Support/SafePath.h"
#include "kpack/Support/Json.h"
#include "kpack/Support/UniqueFd.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <errno.h>
#include <fcntl.h>
#include <mutex>
#include <time.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// The file of this process. Never destroyed.
class TraceFile {
public:
  static TraceFile &get() {
    static TraceFile *const File = new TraceFile;
    return *File;
  }
  bool isOn() const { return !Pattern.empty(); }

  /// \p Event holds the members of an object, without "pid".
  void write(const std::string &Event) {
    std::lock_guard<std::mutex> Held(Lock);
    if (IsClosed || (!File && !open()))
      return;
    put(",\n{" + Event + ",\"pid\":" + std::to_string(::getpid()) + "}");
  }

private:
  TraceFile() {
    if (const char *Value = ::secure_getenv("KPACK_JIT_TRACE"))
      Pattern = Value;
    if (isOn())
      std::atexit([] { get().close(); });
  }

  /// Replaces "%p" by the process id; without "%p", appends it.
  std::string path() const {
    std::string Path = Pattern;
    if (Path.find("%p") == std::string::npos)
      Path += ".%p";
    std::string Pid = std::to_string(::getpid());
    for (size_t Offset = 0;
         (Offset = Path.find("%p", Offset)) != std::string::npos;
         Offset += Pid.size())
      Path.replace(Offset, 2, Pid);
    return Path;
  }
  bool open() {
    std::string Path = path();
    File = openFileToWrite(
        Path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NONBLOCK, 0600);
    IsClosed = !File;
    if (!File)
      std::fprintf(stderr,
                   "kpack-jit: warning: %s: cannot be written: %s; there is no "
                   "trace\n",
                   Path.c_str(), std::strerror(errno));
    else
      put("[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" +
          std::to_string(::getpid()) + ",\"args\":{\"name\":" +
          jsonString(::program_invocation_short_name) + "}}");
    return bool(File);
  }
  void put(std::string_view Text) {
    FileSizeGuard NoSignal;
    // Stop after a partial event: it spoils the file.
    if (::write(File.get(), Text.data(), Text.size()) != ssize_t(Text.size()))
      IsClosed = true;
  }
  void close() {
    std::lock_guard<std::mutex> Held(Lock);
    if (File && !IsClosed)
      put("\n]\n");
    IsClosed = true;
  }

  std::string Pattern; ///< empty: off
  std::mutex Lock;     ///< guards all below
  UniqueFd File;
  bool IsClosed = false;
  /// The child opens a separate file.
  ForkGuard Guard{Lock, [this] { File = UniqueFd(); }};
};

std::string slice(const char *Category, const std::string &Name, long Thread,
                  uint64_t Start, uint64_t End) {
  return "\"name\":" + jsonString(Name) + ",\"cat\":" + jsonString(Category) +
         ",\"ph\":\"X\",\"ts\":" + std::to_string(Start) +
         ",\"dur\":" + std::to_string(End - Start) +
         ",\"tid\":" + std::to_string(Thread);
}

/// CLOCK_MONOTONIC in microseconds.
uint64_t traceClock() {
  timespec Now{};
  ::clock_gettime(CLOCK_MONOTONIC, &Now);
  return uint64_t(Now.tv_sec) * 1000000 + uint64_t(Now.tv_nsec) / 1000;
}

} // namespace

TraceSlice::TraceSlice(const char *Category, const std::string &Name)
    : IsOn(TraceFile::get().isOn()), Category(Category) {
  if (!IsOn)
    return;
  this->Name = Name;
  Start = traceClock();
}

TraceSlice::~TraceSlice() {
  if (!IsOn)
    return;
  uint64_t End = traceClock();
  if (IsOptional && End - Start < 1000)
    return;
  TraceFile::get().write(slice(Category, Name, ::gettid(), Start, End) +
                         ",\"args\":{" + Notes + "}");
}

void TraceSlice::note(const char *Key, const std::string &Value) {
  if (IsOn)
    Notes +=
        (Notes.empty() ? "" : ",") + jsonString(Key) + ":" + jsonString(Value);
}
