//===- ArchiveBench.cpp - create, open, get -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what the archive library takes: creating archives of both schemes,
// opening tables of contents of three sizes (time and memory), and fetching
// kernels. archive-bench <directory>; the archives are made there and removed.
//
//===----------------------------------------------------------------------===//

#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Archive/ArchiveWriter.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace kpack;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point Start) {
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

[[noreturn]] void die(const Status &S) {
  std::fprintf(stderr, "archive-bench: error: %s\n", S.message().c_str());
  std::exit(1);
}

/// Resident memory in MB: the most it ever was ("VmHWM"), or now ("VmRSS").
double residentMB(const char *Field) {
  std::ifstream In("/proc/self/status");
  for (std::string Word; In >> Word;)
    if (Word == std::string(Field) + ":") {
      double KB = 0;
      In >> KB;
      return KB / 1024;
    }
  return 0;
}

/// Runs \p Use in a process of its own, so that its memory is its own.
template <typename Function> void inOwnProcess(Function Use) {
  std::fflush(stdout);
  pid_t Child = ::fork();
  if (Child == 0) {
    Use();
    std::fflush(stdout);
    ::_exit(0);
  }
  int Result = 0;
  ::waitpid(Child, &Result, 0);
  if (Result != 0)
    std::exit(1);
}

/// Compresses about as well as code objects do.
std::string kernel(unsigned Seed, size_t Size) {
  std::minstd_rand Random(Seed + 1);
  std::string Bytes(Size, '\0');
  for (size_t I = 0; I != Size; ++I)
    Bytes[I] = I % 64 < 8 ? static_cast<char>(Random() >> 8)
                          : static_cast<char>(I % 64 * 3);
  return Bytes;
}

void create(const std::string &Path, CompressionScheme Scheme, unsigned Count,
            size_t Size) {
  ArchiveWriterOptions Options;
  Options.Scheme = Scheme;
  auto Writer = ArchiveWriter::create(Path, Options);
  if (!Writer)
    die(Writer.status());
  double Adding = 0;
  Clock::time_point Start;
  for (unsigned I = 0; I != Count; ++I) {
    std::string Bytes = kernel(I, Size);
    Start = Clock::now();
    Status S = (*Writer)->add("lib/libbench.so#" + std::to_string(I),
                              I % 2 ? "gfx1100" : "gfx90a:xnack+", Bytes);
    Adding += secondsSince(Start);
    if (!S.ok())
      die(S);
  }
  Start = Clock::now();
  if (Status S = (*Writer)->commit(); !S.ok())
    die(S);
  Adding += secondsSince(Start);
  double MB = double(Count) * Size / 1e6;
  std::printf("create %-15s %6u x %5zu KB: %7.0f MB/s, %5.0f MB resident, "
              "file %.1f MB\n",
              std::string(schemeName(Scheme)).c_str(), Count, Size / 1024,
              MB / Adding, residentMB("VmHWM"), (*Writer)->fileSize() / 1e6);
}

std::unique_ptr<const ArchiveReader> open(const std::string &Path) {
  auto Reader = ArchiveReader::open(Path);
  if (!Reader)
    die(Reader.status());
  return std::move(*Reader);
}

void measureOpen(const std::string &Path, unsigned Entries) {
  double Before = residentMB("VmRSS");
  std::vector<double> Times;
  double Resident = 0;
  for (int I = 0; I != 11; ++I) {
    Clock::time_point Start = Clock::now();
    std::unique_ptr<const ArchiveReader> Reader = open(Path);
    Times.push_back(secondsSince(Start));
    Resident = residentMB("VmRSS") - Before;
  }
  std::sort(Times.begin(), Times.end());
  std::printf("open %6u entries: %7.2f ms, %5.1f MB resident\n", Entries,
              Times[Times.size() / 2] * 1e3, Resident);
}

void measureGet(const std::string &Path, size_t Size) {
  std::unique_ptr<const ArchiveReader> Reader = open(Path);
  std::vector<double> Times;
  std::vector<char> Out(Size);
  while (Times.size() < 200)
    for (const ArchiveEntry &Entry : Reader->entries()) {
      Clock::time_point Start = Clock::now();
      if (Status S = Reader->readInto(Entry, Out.data(), Out.size()); !S.ok())
        die(S);
      Times.push_back(secondsSince(Start));
    }
  std::sort(Times.begin(), Times.end());
  std::printf("get %5zu KB (%s): p50 %.1f us\n", Size / 1024,
              std::string(schemeName(Reader->scheme())).c_str(),
              Times[Times.size() / 2] * 1e6);
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc != 2) {
    std::fprintf(stderr, "usage: archive-bench <directory>\n");
    return 1;
  }
  std::string Path = std::string(Argv[1]) + "/archive-bench.kpack";
  constexpr CompressionScheme Schemes[] = {CompressionScheme::None,
                                           CompressionScheme::ZstdPerKernel};
  for (CompressionScheme Scheme : Schemes)
    inOwnProcess([&] { create(Path, Scheme, 20000, 16 << 10); });
  for (unsigned Entries : {1000, 10000, 100000}) {
    inOwnProcess(
        [&] { create(Path, CompressionScheme::ZstdPerKernel, Entries, 64); });
    inOwnProcess([&] { measureOpen(Path, Entries); });
  }
  for (CompressionScheme Scheme : Schemes)
    for (size_t Size : {16 << 10, 256 << 10, 4 << 20}) {
      inOwnProcess([&] { create(Path, Scheme, 20, Size); });
      inOwnProcess([&] { measureGet(Path, Size); });
    }
  ::unlink(Path.c_str());
  return 0;
}
