//===- MapsViewTest.cpp - tests of /proc/self/maps with lazy memory -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../lib/HipShim/MapsView.h"

#include "kpack/Support/UniqueFd.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace kpack;
using namespace kpack::hipshim;

namespace {

/// One part at each page with an odd number, up to the tenth page.
class OddPages final : public PageSource {
public:
  Part partAt(uint64_t Offset, uint64_t) override {
    uint64_t Page = LazyMemory::pageSize();
    return Offset < 10 * Page && Offset / Page % 2
               ? Part{Offset / Page * Page, Page}
               : Part{};
  }
  void fill(const Part &P, char *Target) override {
    std::memset(Target, 1, P.Size);
  }
  void noMemory(const Part &) noexcept override { ADD_FAILURE(); }
  uint64_t usedSize(uint64_t) const override {
    return 10 * LazyMemory::pageSize();
  }
};

std::string readAll(int Fd) {
  std::string Text;
  char Buffer[1000];
  for (ssize_t Got; (Got = read(Fd, Buffer, sizeof(Buffer))) > 0;)
    Text.append(Buffer, size_t(Got));
  return Text;
}

int openMaps() { return open("/proc/self/maps", O_RDONLY | O_CLOEXEC); }

struct Line {
  uintptr_t Begin = 0, End = 0;
  std::string Rest;
};

std::vector<Line> makeLines(const std::string &Text) {
  std::vector<Line> Lines;
  std::istringstream Stream(Text);
  for (std::string Each; std::getline(Stream, Each);) {
    Line L;
    int Length = 0;
    EXPECT_EQ(std::sscanf(Each.c_str(), "%lx-%lx%n", &L.Begin, &L.End, &Length),
              2);
    L.Rest = Each.substr(size_t(Length));
    Lines.push_back(L);
  }
  return Lines;
}

std::vector<Line> copiedLines(const LazyMemory &Memory) {
  UniqueFd Maps(openMaps());
  UniqueFd Copy(copyMaps(Maps.get(), Memory, true));
  EXPECT_TRUE(Copy);
  return makeLines(readAll(Copy.get()));
}

/// The lines that have a byte of [Begin, End).
std::vector<Line> within(const std::vector<Line> &Lines, uintptr_t Begin,
                         uintptr_t End) {
  std::vector<Line> Found;
  for (const Line &L : Lines)
    if (L.Begin < End && L.End > Begin)
      Found.push_back(L);
  return Found;
}

/// The lines with a file.
std::string getFiles(const std::string &Text) {
  std::string Files;
  std::istringstream Stream(Text);
  for (std::string Each; std::getline(Stream, Each);)
    if (Each.find('/') != Each.npos)
      Files += Each + '\n';
  return Files;
}

TEST(MapsView, NamesOfTheFile) {
  EXPECT_TRUE(isOwnMaps("/proc/self/maps"));
  EXPECT_TRUE(isOwnMaps("/proc/thread-self/maps"));
  EXPECT_TRUE(
      isOwnMaps(("/proc/" + std::to_string(getpid()) + "/maps").c_str()));
  EXPECT_FALSE(isOwnMaps("/proc/1/maps"));
  EXPECT_FALSE(isOwnMaps("/proc/self/smaps"));
  EXPECT_FALSE(isOwnMaps("maps"));
  EXPECT_FALSE(isOwnMaps(nullptr));
  EXPECT_FALSE(isOwnMaps(reinterpret_cast<const char *>(uintptr_t(64))));
}

TEST(MapsView, MatchesTheFileWithoutLazyMemory) {
  LazyMemory Memory;
  UniqueFd First(openMaps()), Second(openMaps());
  UniqueFd Copy(copyMaps(First.get(), Memory, true));
  ASSERT_TRUE(Copy);
  // Other memory may come and go meanwhile.
  EXPECT_EQ(getFiles(readAll(Copy.get())), getFiles(readAll(Second.get())));
}

TEST(MapsView, EachRangeIsOneReadableMapping) {
  constexpr uint64_t Size = uint64_t(64) << 20;
  LazyMemory Memory;
  std::vector<LazyMemory::Range *> Ranges;
  for (int I = 0; I != 20; ++I)
    Ranges.push_back(Memory.reserve(Size, std::make_unique<OddPages>()));
  // Not ours, and to the kernel like them.
  void *Between = mmap(nullptr, 1 << 20, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  for (int I = 0; I < 20; I += 2) {
    const char *Begin = Memory.begin(Ranges[size_t(I)]);
    EXPECT_FALSE(Memory.touch(Begin));
    for (uint64_t Page : {1, 5})
      EXPECT_TRUE(Memory.touch(Begin + Page * LazyMemory::pageSize()));
  }
  Memory.release(Ranges[3]);
  std::vector<Line> Lines = copiedLines(Memory);
  for (size_t I = 0; I != 20; ++I) {
    if (I == 3)
      continue;
    auto Begin = reinterpret_cast<uintptr_t>(Memory.begin(Ranges[I]));
    bool IsTouched = I % 2 == 0;
    uintptr_t Used = Begin + (IsTouched ? 10 * LazyMemory::pageSize() : Size);
    std::vector<Line> Found = within(Lines, Begin, Begin + Size);
    ASSERT_EQ(Found.size(), IsTouched ? 2u : 1u) << I;
    EXPECT_EQ(Found[0].Begin, Begin);
    EXPECT_EQ(Found[0].End, Used);
    EXPECT_EQ(Found[0].Rest.substr(0, 6), " r--p ");
    if (IsTouched) {
      EXPECT_EQ(Found[1].End, Begin + Size);
      EXPECT_EQ(Found[1].Rest.substr(0, 6), " ---p ");
    }
  }
  auto Other = reinterpret_cast<uintptr_t>(Between);
  for (const Line &L : within(Lines, Other, Other + (1 << 20)))
    EXPECT_EQ(L.Rest.substr(0, 6), " ---p ");
  for (size_t I = 1; I != Lines.size(); ++I)
    EXPECT_LE(Lines[I - 1].End, Lines[I].Begin);
  munmap(Between, 1 << 20);
}

TEST(MapsView, PartsForASystemCallAreFilled) {
  constexpr uint64_t Size = uint64_t(64) << 20;
  LazyMemory Memory;
  LazyMemory::Range *R = Memory.reserve(Size, std::make_unique<OddPages>());
  const char *Begin = Memory.begin(R);
  uint64_t Page = LazyMemory::pageSize();
  EXPECT_TRUE(Memory.overlaps(Begin, 1));
  EXPECT_TRUE(Memory.overlaps(Begin - 1, 2));
  EXPECT_FALSE(Memory.overlaps(Begin - 1, 1));
  EXPECT_TRUE(Memory.overlaps(Begin - 1, UINT64_MAX));
  EXPECT_TRUE(Memory.overlaps(Begin + Size - 1, 1));
  EXPECT_FALSE(Memory.overlaps(Begin + Size, 1));
  // Up to the first page that has none.
  Memory.touchAll(Begin + Page, 4 * Page);
  EXPECT_EQ(Memory.pagesFilled(), 1u);
  Memory.touchAll(Begin + 3 * Page + 5, UINT64_MAX);
  EXPECT_EQ(Memory.pagesFilled(), 2u);
  Memory.touchAll(Begin, Size);
  EXPECT_EQ(Memory.pagesFilled(), 2u);
}

} // namespace
