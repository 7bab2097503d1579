//===- RawZstd.cpp - least time of packing: zstd and writes alone ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compresses the ranges of a file that it is told, on all cores, with the
// archive writer's settings, and writes everything once: frames, and the bytes
// that are in no range. The file is mapped and no byte of it is copied; nothing
// is parsed, hashed, checked or renamed, so `kpack convert` cannot take less
// than this. bench.py runs both.
//
//   raw-zstd [--plain] FILE OUTPUT < "<offset> <size>" lines
//
// --plain: level 3 and nothing else, which is what archives of other writers
// have. Prints how many bytes all frames have.
//
//===----------------------------------------------------------------------===//
#include "Support/MappedFile.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>
#include <zstd.h>

namespace {

struct Range {
  size_t Offset = 0;
  size_t Size = 0;
};

/// What one thread compresses with; its memory serves all of its ranges.
class Compressor {
public:
  Compressor(bool IsPlain, size_t Largest)
      : IsPlain(IsPlain), Room(ZSTD_compressBound(Largest)),
        Space(new char[Room]) {}
  ~Compressor() { ZSTD_freeCCtx(Context); }

  std::string compress(std::string_view Bytes) {
    bool IsLarge = !IsPlain && Bytes.size() > (size_t(1) << 20);
    ZSTD_CCtx_setParameter(Context, ZSTD_c_compressionLevel, 3);
    ZSTD_CCtx_setParameter(Context, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(Context, ZSTD_c_enableLongDistanceMatching, IsLarge);
    ZSTD_CCtx_setParameter(Context, ZSTD_c_windowLog, IsLarge ? 27 : 0);
    return std::string(Space.get(), ZSTD_compress2(Context, Space.get(), Room,
                                                   Bytes.data(), Bytes.size()));
  }

private:
  const bool IsPlain;
  const size_t Room;
  const std::unique_ptr<char[]> Space;
  ZSTD_CCtx *const Context = ZSTD_createCCtx();
};

std::vector<std::string> compressAll(std::string_view File,
                                     const std::vector<Range> &Ranges,
                                     bool IsPlain) {
  std::vector<std::string> Frames(Ranges.size());
  std::atomic<size_t> Next = 0;
  size_t Largest = 0;
  for (Range R : Ranges)
    Largest = std::max(Largest, R.Size);
  auto Work = [&] {
    Compressor Own(IsPlain, Largest);
    for (size_t I = Next++; I < Ranges.size(); I = Next++)
      Frames[I] = Own.compress(File.substr(Ranges[I].Offset, Ranges[I].Size));
  };
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I != std::max(1u, std::thread::hardware_concurrency());
       ++I)
    Threads.emplace_back(Work);
  for (std::thread &Thread : Threads)
    Thread.join();
  return Frames;
}

int fail(const std::string &Message) {
  std::cerr << "raw-zstd: error: " << Message << '\n';
  return 1;
}

/// Writes \p Frames in the places of \p Ranges; whether that was possible.
bool write(const std::string &Path, std::string_view File,
           const std::vector<Range> &Ranges,
           const std::vector<std::string> &Frames) {
  std::ofstream Out(Path, std::ios::binary);
  size_t Position = 0;
  for (size_t I = 0; I != Ranges.size(); ++I) {
    Out << File.substr(Position, Ranges[I].Offset - Position) << Frames[I];
    Position = Ranges[I].Offset + Ranges[I].Size;
  }
  Out << File.substr(Position);
  return bool(Out.flush());
}

} // namespace

int main(int Count, char **Arguments) {
  std::vector<std::string> Operands(Arguments + 1, Arguments + Count);
  bool IsPlain = !Operands.empty() && Operands.front() == "--plain";
  if (IsPlain)
    Operands.erase(Operands.begin());
  if (Operands.size() != 2)
    return fail("usage: raw-zstd [--plain] FILE OUTPUT < ranges");
  kpack::Result<kpack::MappedFile> File = kpack::MappedFile::open(Operands[0]);
  if (!File)
    return fail(Operands[0] + ": cannot be read");
  std::vector<Range> Ranges;
  size_t End = 0;
  for (Range R; std::cin >> R.Offset >> R.Size;) {
    size_t Size = File->bytes().size();
    if (R.Offset < End || R.Offset > Size || R.Size > Size - R.Offset)
      return fail("a range lies outside of the file, or is out of order");
    End = R.Offset + R.Size;
    Ranges.push_back(R);
  }
  std::vector<std::string> Frames = compressAll(File->bytes(), Ranges, IsPlain);
  if (!write(Operands[1], File->bytes(), Ranges, Frames))
    return fail(Operands[1] + ": cannot be written");
  size_t Stored = 0;
  for (const std::string &Frame : Frames)
    Stored += Frame.size();
  std::cout << Stored << '\n';
}
