//===- ArchiveBench.cpp - times to write, open and read archives ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the archive library takes, with real code objects (bench.py brings
// them): archive-bench <directory> <rounds> <name>=<object>... Objects of one
// name are one set. Fetching is compared with ZSTD_decompress() of the same
// frames, one of each in turn, in processor time. Archives are made in the
// directory and removed. The other C API is in OtherApi.cpp, since the two
// headers exclude each other.
//
//===----------------------------------------------------------------------===//

#include "kpack/kpack.h"

#include "OtherApi.h"
#include "kpack/Archive/ArchiveWriter.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace kpack;
using namespace kpack::bench;

namespace {

using Objects = std::vector<std::string>;

constexpr char Arch[] = "gfx90a";
constexpr CompressionScheme Zstd = CompressionScheme::ZstdPerKernel;

std::string key(size_t Index) { return "bench#" + std::to_string(Index); }

/// Of this thread: a machine that is busy gives it late, but not more of it.
double cpuSeconds() {
  timespec Now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Now);
  return static_cast<double>(Now.tv_sec) +
         static_cast<double>(Now.tv_nsec) * 1e-9;
}

double wallSeconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> Values) {
  std::sort(Values.begin(), Values.end());
  return Values[Values.size() / 2];
}

[[noreturn]] void die(const std::string &Why) {
  std::fprintf(stderr, "archive-bench: error: %s\n", Why.c_str());
  std::exit(1);
}
void check(const Status &S) {
  if (!S.ok())
    die(S.message());
}
void check(bool Holds, const char *Description) {
  if (!Holds)
    die(std::string(Description) + ": failed");
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
template <typename Function> void inOwnProcess(const Function &Use) {
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

void writeArchive(const std::string &Path, CompressionScheme Scheme,
                  const Objects &All) {
  ArchiveWriterOptions Options;
  Options.Scheme = Scheme;
  auto Writer = ArchiveWriter::create(Path, Options);
  check(Writer.status());
  for (size_t I = 0; I != All.size(); ++I)
    check((*Writer)->add(key(I), Arch, All[I]));
  check((*Writer)->commit());
}

/// \p Count pieces of \p Size bytes out of \p All, no two of them equal.
Objects pieces(const Objects &All, size_t Count, size_t Size) {
  std::string Text;
  for (const std::string &Object : All)
    Text += Object;
  Objects Out;
  for (size_t I = 0; I != Count; ++I) {
    std::string Piece;
    for (size_t Offset = I * 1031 % Text.size(); Piece.size() != Size;
         Offset = 0)
      Piece.append(Text, Offset, Size - Piece.size());
    if (Size >= sizeof(I))
      std::memcpy(Piece.data(), &I, sizeof(I));
    Out.push_back(std::move(Piece));
  }
  return Out;
}

void measureCreate(const std::string &Path, CompressionScheme Scheme,
                   const Objects &All) {
  size_t Size = All.front().size();
  double Before = residentMB("VmRSS");
  double Start = wallSeconds();
  writeArchive(Path, Scheme, All);
  double Seconds = wallSeconds() - Start;
  std::ifstream File(Path, std::ios::ate | std::ios::binary);
  double MB = static_cast<double>(All.size() * Size) / 1e6;
  std::printf("create %-15s %zu x %zu KB: %.0f MB/s, %.0f MB resident, "
              "%.2f times smaller\n",
              std::string(schemeName(Scheme)).c_str(), All.size(), Size / 1024,
              MB / Seconds, residentMB("VmHWM") - Before,
              MB * 1e6 / static_cast<double>(File.tellg()));
}

void measureOpen(const std::string &Path, size_t Entries) {
  double Before = residentMB("VmRSS"), Resident = 0;
  std::vector<double> Times;
  for (int I = 0; I != 11; ++I) {
    double Start = cpuSeconds();
    auto Reader = ArchiveReader::open(Path);
    Times.push_back(cpuSeconds() - Start);
    check(Reader.status());
    Resident = residentMB("VmRSS") - Before;
  }
  std::printf("open %zu entries: %.2f ms, %.1f MB resident\n", Entries,
              median(Times) * 1e3, Resident);
}

/// One way to fetch every object of a set.
struct Way {
  std::string Name;
  std::function<void()> Fetch;
};

/// Times the ways in turn; the first one is what the others are compared with.
void compare(const std::vector<Way> &Ways, double MB, unsigned Rounds,
             double (*Clock)()) {
  // Enough of each for the clock to matter little.
  unsigned Repeats = 1;
  double Start = Clock();
  Ways.front().Fetch();
  if (double Once = Clock() - Start; Once < 0.01)
    Repeats = static_cast<unsigned>(0.01 / std::max(Once, 1e-6)) + 1;
  std::vector<std::vector<double>> Times(Ways.size()), Ratios(Ways.size());
  for (unsigned Round = 0; Round != Rounds; ++Round)
    for (size_t I = 0; I != Ways.size(); ++I) {
      Start = Clock();
      for (unsigned Again = 0; Again != Repeats; ++Again)
        Ways[I].Fetch();
      Times[I].push_back((Clock() - Start) / Repeats);
      Ratios[I].push_back(Times.front().back() / Times[I].back());
    }
  for (size_t I = 0; I != Ways.size(); ++I)
    std::printf("  %-42s %8.0f MB/s %8.2f\n", Ways[I].Name.c_str(),
                MB / median(Times[I]), median(Ratios[I]));
}

/// What every reader has to do with an archive of scheme zstd, and no more.
void decompressAll(std::string_view File, const ArchiveReader &Reader,
                   char *Warm) {
  for (const ArchiveEntry &E : Reader.entries()) {
    char *Out = Warm ? Warm : static_cast<char *>(std::malloc(E.OriginalSize));
    size_t Got = ZSTD_decompress(Out, E.OriginalSize, File.data() + E.Offset,
                                 E.StoredSize);
    check(Got == E.OriginalSize, "ZSTD_decompress");
    if (!Warm)
      std::free(Out);
  }
}

void fetchThroughRfcApi(kpack_archive_t A, size_t Count) {
  for (size_t I = 0; I != Count; ++I) {
    const void *Bytes = nullptr;
    size_t Size = 0;
    check(kpack_get_kernel(A, key(I).c_str(), Arch, &Bytes, &Size) ==
              KPACK_SUCCESS,
          "kpack_get_kernel");
    kpack_free_kernel(A, Bytes);
  }
}

std::string readFile(const std::string &Path) {
  std::ifstream In(Path, std::ios::binary);
  check(In.good(), Path.c_str());
  return {std::istreambuf_iterator<char>(In), {}};
}

/// Everything is in memory and open.
void measureWarm(const std::string &Path, const std::string &Plain,
                 const Objects &All, double MB, unsigned Rounds) {
  std::string File = readFile(Path);
  auto Reader = ArchiveReader::open(Path);
  check(Reader.status());
  size_t Largest = 0;
  for (const std::string &Object : All)
    Largest = std::max(Largest, Object.size());
  std::string Out(Largest, '\0');
  kpack_archive_t Rfc = nullptr, RfcPlain = nullptr;
  check(kpack_open(Path.c_str(), &Rfc) == KPACK_SUCCESS, "kpack_open");
  check(kpack_open(Plain.c_str(), &RfcPlain) == KPACK_SUCCESS, "kpack_open");
  OtherApi Rocm(Path, "bench", Arch);
  std::printf(" warm, processor time\n");
  compare({{"ZSTD_decompress, one buffer",
            [&] { decompressAll(File, **Reader, Out.data()); }},
           {"ArchiveReader::readInto, one buffer",
            [&] {
              for (const ArchiveEntry &E : (*Reader)->entries())
                check((*Reader)->readInto(E, Out.data(), E.OriginalSize));
            }},
           {"kpack/kpack.h: get_kernel",
            [&] { fetchThroughRfcApi(Rfc, All.size()); }},
           {"kpack/kpack.h: get_kernel, scheme none",
            [&] { fetchThroughRfcApi(RfcPlain, All.size()); }},
           {"rocm_kpack/kpack.h: get_kernel",
            [&] {
              for (size_t I = 0; I != All.size(); ++I)
                Rocm.get(key(I));
            }},
           {"rocm_kpack/kpack.h: load_code_object",
            [&] {
              for (size_t I = 0; I != All.size(); ++I)
                Rocm.load(static_cast<uint32_t>(I));
            }}},
          MB, Rounds, cpuSeconds);
  kpack_close(Rfc);
  kpack_close(RfcPlain);
  // By itself: it breaks the large pages up that the others want.
  std::printf(" warm, processor time, fresh memory\n");
  compare({{"ZSTD_decompress, one buffer",
            [&] { decompressAll(File, **Reader, Out.data()); }},
           {"ZSTD_decompress, malloc and free",
            [&] { decompressAll(File, **Reader, nullptr); }}},
          MB, Rounds, cpuSeconds);
}

/// Takes the file out of the kernel's memory, as far as it lets us.
void forget(const std::string &Path) {
  int Fd = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  check(Fd >= 0, "open");
  ::fdatasync(Fd);
  (void)::posix_fadvise(Fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(Fd);
}

/// From a closed file that has to come from the disk to every object. Wall
/// time: the processor waits.
void measureCold(const std::string &Path, const Objects &All, double MB,
                 unsigned Rounds) {
  auto Reader = ArchiveReader::open(Path);
  check(Reader.status());
  std::printf(" cold, wall time\n");
  compare({{"read the file, ZSTD_decompress",
            [&] {
              forget(Path);
              decompressAll(readFile(Path), **Reader, nullptr);
            }},
           {"kpack/kpack.h: open, get_kernel",
            [&] {
              forget(Path);
              kpack_archive_t Rfc = nullptr;
              check(kpack_open(Path.c_str(), &Rfc) == KPACK_SUCCESS,
                    "kpack_open");
              fetchThroughRfcApi(Rfc, All.size());
              kpack_close(Rfc);
            }},
           {"rocm_kpack/kpack.h: load_code_object",
            [&] {
              forget(Path);
              OtherApi Rocm(Path, "bench", Arch);
              for (size_t I = 0; I != All.size(); ++I)
                Rocm.load(static_cast<uint32_t>(I));
            }}},
          MB, Rounds, wallSeconds);
}

void measureSet(const std::string &Folder, const std::string &Name,
                const Objects &All, unsigned Rounds) {
  std::string Path = Folder + "/bench.kpack", Plain = Folder + "/plain.kpack";
  writeArchive(Path, Zstd, All);
  writeArchive(Plain, CompressionScheme::None, All);
  size_t Bytes = 0, Stored = 0;
  auto Reader = ArchiveReader::open(Path);
  check(Reader.status());
  for (const ArchiveEntry &E : (*Reader)->entries()) {
    Bytes += E.OriginalSize;
    Stored += E.StoredSize;
  }
  double MB = static_cast<double>(Bytes) / 1e6;
  std::printf("%s: %zu code objects, %.1f MB, %.2f times smaller\n",
              Name.c_str(), All.size(), MB,
              static_cast<double>(Bytes) / static_cast<double>(Stored));
  measureWarm(Path, Plain, All, MB, Rounds);
  measureCold(Path, All, MB, Rounds);
  ::unlink(Path.c_str());
  ::unlink(Plain.c_str());
}

void measureWriting(const std::string &Folder, const Objects &Source) {
  std::string Path = Folder + "/bench.kpack";
  Objects All = pieces(Source, 5000, 16 << 10);
  for (CompressionScheme Scheme : {CompressionScheme::None, Zstd})
    inOwnProcess([&] { measureCreate(Path, Scheme, All); });
  for (size_t Entries : {1000, 10000, 100000}) {
    writeArchive(Path, Zstd, pieces(Source, Entries, 64));
    inOwnProcess([&] { measureOpen(Path, Entries); });
  }
  ::unlink(Path.c_str());
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 4)
    die("usage: archive-bench <directory> <rounds> <set>=<object>...");
  unsigned Rounds = static_cast<unsigned>(std::max(1, std::atoi(Argv[2])));
  std::map<std::string, Objects> Sets;
  Objects All;
  for (int I = 3; I != Argc; ++I) {
    std::string Arg = Argv[I];
    size_t Equal = Arg.find('=');
    check(Equal != Arg.npos, Argv[I]);
    All.push_back(readFile(Arg.substr(Equal + 1)));
    Sets[Arg.substr(0, Equal)].push_back(All.back());
  }
  measureWriting(Argv[1], All);
  for (const auto &[Name, Objects] : Sets)
    inOwnProcess([&] { measureSet(Argv[1], Name, Objects, Rounds); });
  return 0;
}
