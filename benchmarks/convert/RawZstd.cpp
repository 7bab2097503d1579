//===- RawZstd.cpp - what packing costs at least --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a file once, compresses the ranges that it is told on all cores with
// the archive writer's settings, and writes everything once: frames, and the
// bytes that are in no range. Nothing is parsed, hashed, checked or renamed, so
// `kpack convert` cannot be faster than this. bench.py runs both.
//
//   raw-zstd FILE OUTPUT < "<offset> <size>" lines
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>
#include <zstd.h>

namespace {

struct Range {
  size_t Offset = 0;
  size_t Size = 0;
};

std::string compress(ZSTD_CCtx *Context, const char *Bytes, size_t Size) {
  bool IsLarge = Size > (size_t(1) << 20);
  ZSTD_CCtx_setParameter(Context, ZSTD_c_compressionLevel, 3);
  ZSTD_CCtx_setParameter(Context, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(Context, ZSTD_c_enableLongDistanceMatching, IsLarge);
  ZSTD_CCtx_setParameter(Context, ZSTD_c_windowLog, IsLarge ? 27 : 0);
  std::string Frame(ZSTD_compressBound(Size), '\0');
  Frame.resize(
      ZSTD_compress2(Context, Frame.data(), Frame.size(), Bytes, Size));
  return Frame;
}

std::vector<std::string> compressAll(const std::string &File,
                                     const std::vector<Range> &Ranges) {
  std::vector<std::string> Frames(Ranges.size());
  std::atomic<size_t> Next = 0;
  auto Work = [&] {
    ZSTD_CCtx *Context = ZSTD_createCCtx();
    for (size_t I = Next++; I < Ranges.size(); I = Next++)
      Frames[I] =
          compress(Context, File.data() + Ranges[I].Offset, Ranges[I].Size);
    ZSTD_freeCCtx(Context);
  };
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I != std::max(1u, std::thread::hardware_concurrency());
       ++I)
    Threads.emplace_back(Work);
  for (std::thread &Thread : Threads)
    Thread.join();
  return Frames;
}

int fail(const std::string &What) {
  std::cerr << "raw-zstd: error: " << What << '\n';
  return 1;
}

} // namespace

int main(int Count, char **Arguments) {
  if (Count != 3)
    return fail("usage: raw-zstd FILE OUTPUT < ranges");
  std::ifstream In(Arguments[1], std::ios::binary | std::ios::ate);
  std::string File(In ? size_t(In.tellg()) : 0, '\0');
  if (!In.seekg(0) || !In.read(File.data(), std::streamsize(File.size())))
    return fail(std::string(Arguments[1]) + ": cannot be read");
  std::vector<Range> Ranges;
  for (Range R; std::cin >> R.Offset >> R.Size;) {
    if (R.Offset > File.size() || R.Size > File.size() - R.Offset)
      return fail("a range lies outside of the file");
    Ranges.push_back(R);
  }
  std::vector<std::string> Frames = compressAll(File, Ranges);
  std::ofstream Out(Arguments[2], std::ios::binary);
  size_t Stored = 0, At = 0;
  for (size_t I = 0; I != Ranges.size(); ++I) {
    Out.write(File.data() + At, std::streamsize(Ranges[I].Offset - At));
    Out << Frames[I];
    At = Ranges[I].Offset + Ranges[I].Size;
    Stored += Frames[I].size();
  }
  Out.write(File.data() + At, std::streamsize(File.size() - At));
  if (!Out.flush())
    return fail(std::string(Arguments[2]) + ": cannot be written");
  std::cout << Stored << '\n';
}
