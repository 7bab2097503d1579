//===- MapsView.cpp - /proc/self/maps with lazy memory --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel merges adjacent mappings that are alike, so a line may span
// several ranges, and a range may have several lines. Both are sorted by
// address.
//
//===----------------------------------------------------------------------===//
#include "MapsView.h"

#include "Runtime/ReadableMemory.h"
#include "kpack/Support/UniqueFd.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::hipshim;

bool kpack::hipshim::isOwnMaps(const char *Path) {
  constexpr std::string_view Folder = "/proc/";
  if (!Path)
    return false;
  // Path may be a bad pointer; open() fails then.
  std::string_view Text =
      runtime::readableBytes(Path, sizeof("/proc/thread-self/maps"));
  size_t End = Text.find('\0');
  if (End == Text.npos)
    return false;
  Text = Text.substr(0, End);
  if (Text.substr(0, Folder.size()) != Folder)
    return false;
  char OfProcess[32];
  std::snprintf(OfProcess, sizeof(OfProcess), "/proc/%d/maps", getpid());
  return Text == "/proc/self/maps" || Text == "/proc/thread-self/maps" ||
         Text == OfProcess;
}

namespace {

/// Anonymous memory, without malloc().
class Scratch {
public:
  explicit Scratch(size_t Size)
      : Size(Size), Begin(mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Scratch() {
    if (*this)
      munmap(Begin, Size);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  explicit operator bool() const { return Begin != MAP_FAILED; }
  void *get() const { return Begin; }

private:
  size_t Size;
  void *Begin;
};

using Extent = LazyMemory::Extent;

/// Writes a copy line by line.
class Copy {
public:
  Copy(int Output, char *Buffer, size_t Size, Extent *Begin, Extent *End)
      : To(Output), Buffer(Buffer), Size(Size), Next(Begin), End(End) {}

  /// Adds \p Line, which has no newline.
  void add(std::string_view Line);
  bool finish() {
    flush();
    return Good;
  }

private:
  void put(std::string_view Text);
  void putNumber(uintptr_t Value);
  void put(uintptr_t First, uintptr_t Last, std::string_view Rest);
  void flush();

  int To;
  char *Buffer;
  size_t Size, Used = 0;
  Extent *Next, *End;
  bool Good = true;
};

} // namespace

void Copy::flush() {
  for (size_t Done = 0; Done != Used && Good;) {
    ssize_t Written = ::write(To, Buffer + Done, Used - Done);
    if (Written > 0)
      Done += static_cast<size_t>(Written);
    else if (errno != EINTR)
      Good = false;
  }
  Used = 0;
}

void Copy::put(std::string_view Text) {
  if (Text.size() > Size - Used)
    flush();
  if (Text.size() > Size) {
    Good = false;
    return;
  }
  std::memcpy(Buffer + Used, Text.data(), Text.size());
  Used += Text.size();
}

/// Writes a number like the kernel, with eight digits at least.
void Copy::putNumber(uintptr_t Value) {
  char Digits[16];
  size_t Position = sizeof(Digits);
  while (Value || Position > sizeof(Digits) - 8) {
    Digits[--Position] = "0123456789abcdef"[Value % 16];
    Value /= 16;
  }
  put(std::string_view(Digits + Position, sizeof(Digits) - Position));
}

void Copy::put(uintptr_t First, uintptr_t Last, std::string_view Rest) {
  if (First == Last)
    return;
  putNumber(First);
  put("-");
  putNumber(Last);
  put(Rest);
  put("\n");
}

/// Parses a hexadecimal number at the start of \p Text and removes it.
static uintptr_t takeNumber(std::string_view &Text) {
  uintptr_t Value = 0;
  for (; !Text.empty(); Text.remove_prefix(1)) {
    constexpr std::string_view Digits = "0123456789abcdef";
    size_t Digit = Digits.find(Text.front());
    if (Digit == Digits.npos)
      break;
    Value = Value * 16 + Digit;
  }
  return Value;
}

void Copy::add(std::string_view Line) {
  std::string_view Rest = Line;
  uintptr_t Address = takeNumber(Rest);
  if (Rest.substr(0, 1) != "-") {
    put(Line); // not a mapping
    put("\n");
    return;
  }
  Rest.remove_prefix(1);
  uintptr_t LineEnd = takeNumber(Rest);
  while (Address < LineEnd) {
    while (Next != End && Next->End <= Address)
      ++Next;
    uintptr_t RangeBegin =
        Next != End ? std::min(Next->Begin, LineEnd) : LineEnd;
    if (Address < RangeBegin)
      put(Address, RangeBegin, Rest);
    Address = std::max(Address, RangeBegin);
    if (Address == LineEnd)
      return;
    if (Address == Next->Begin) {
      put(Next->Begin, Next->Used, " r--p 00000000 00:00 0 ");
      put(Next->Used, Next->End, " ---p 00000000 00:00 0 ");
    }
    Address = std::min(Next->End, LineEnd);
  }
}

/// Copies all of \p Maps to \p Out; \p Buffer has room for a line.
static bool copyLines(int Maps, char *Buffer, size_t Size, Copy &Out) {
  for (size_t Filled = 0;;) {
    ssize_t Got = ::read(Maps, Buffer + Filled, Size - Filled);
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got <= 0)
      return Got == 0 && Filled == 0 && Out.finish();
    Filled += static_cast<size_t>(Got);
    std::string_view Rest(Buffer, Filled);
    for (size_t End; (End = Rest.find('\n')) != Rest.npos;
         Rest.remove_prefix(End + 1))
      Out.add(Rest.substr(0, End));
    Filled = Rest.size();
    std::memmove(Buffer, Rest.data(), Filled);
    if (Filled == Size)
      return false;
  }
}

int kpack::hipshim::copyMaps(int Maps, const LazyMemory &Memory,
                             bool CloseOnExec) {
  constexpr size_t BufferSize = 64 * 1024; // PATH_MAX bytes and the numbers
  size_t Most =
      Memory.extents(nullptr, 0) + 16; // others may be reserved meanwhile
  Scratch Space(2 * BufferSize + Most * sizeof(Extent));
  UniqueFd Output(memfd_create("maps", CloseOnExec ? MFD_CLOEXEC : 0));
  if (!Space || !Output)
    return -1;
  auto *Extents = static_cast<Extent *>(Space.get());
  size_t Count = std::min(Memory.extents(Extents, Most), Most);
  std::sort(Extents, Extents + Count,
            [](const Extent &A, const Extent &B) { return A.Begin < B.Begin; });
  char *Buffer = reinterpret_cast<char *>(Extents + Most);
  Copy Out(Output.get(), Buffer, BufferSize, Extents, Extents + Count);
  if (!copyLines(Maps, Buffer + BufferSize, BufferSize, Out) ||
      lseek(Output.get(), 0, SEEK_SET) != 0)
    return -1;
  return Output.release();
}
