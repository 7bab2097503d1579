//===- FakeHip.cpp - a HIP runtime that prints instead of launching -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle of the tests: what a HIP runtime would see of a binary, read back
// through librocm_kpack as ROCm does. On exit it prints, in wrapper order,
//
//   wrapper <index> magic=HIPK name=<kernel_name> functions=<a,b>
//     <arch>: <size> bytes fnv=<hash> kernels=<a,b>      or   error <code>
//
// for each arch in FAKE_HIP_ARCHS (comma list). kernels= are those names of
// the wrapper's own registered functions whose "<name>.kd" the code object
// holds: a wrong code object for a TU shows as an empty list (defect D4).
// FAKE_HIP_DUMP=<dir> writes each code object to <dir>/<index>-<arch>.co.
//
//===----------------------------------------------------------------------===//

#include "rocm_kpack/kpack.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct WrapperStruct {
  uint32_t Magic;
  uint32_t Version;
  const void *Binary;
  uint64_t Reserved1;
};

struct Registration {
  const WrapperStruct *Wrapper;
  std::vector<std::string> Functions;
};

// Registration runs in static constructors, before any of ours would have
// run: hence a function-local list.
std::vector<std::unique_ptr<Registration>> &registrations() {
  static auto *List = new std::vector<std::unique_ptr<Registration>>();
  return *List;
}

std::vector<std::string> archList() {
  std::vector<std::string> Archs;
  if (const char *Env = std::getenv("FAKE_HIP_ARCHS")) {
    std::stringstream Stream(Env);
    for (std::string Arch; std::getline(Stream, Arch, ',');)
      Archs.push_back(Arch);
  }
  return Archs;
}

uint64_t fnv1a(const char *Data, size_t Size) {
  uint64_t Hash = 0xcbf29ce484222325u;
  for (size_t I = 0; I != Size; ++I)
    Hash = (Hash ^ static_cast<unsigned char>(Data[I])) * 0x100000001b3u;
  return Hash;
}

std::string join(const std::vector<std::string> &Names) {
  std::string Text;
  for (const std::string &Name : Names)
    Text += (Text.empty() ? "" : ",") + Name;
  return Text;
}

void dump(const std::string &Arch, uint32_t Index, const void *Data,
          size_t Size) {
  const char *Dir = std::getenv("FAKE_HIP_DUMP");
  if (!Dir)
    return;
  std::string Path =
      std::string(Dir) + "/" + std::to_string(Index) + "-" + Arch + ".co";
  if (FILE *File = std::fopen(Path.c_str(), "wb")) {
    std::fwrite(Data, 1, Size, File);
    std::fclose(File);
  }
}

void printCodeObject(kpack_cache_t Cache, const Registration &R,
                     const std::string &BinaryPath, const std::string &Arch) {
  const char *ArchName = Arch.c_str();
  void *Data = nullptr;
  size_t Size = 0;
  auto Index = static_cast<uint32_t>(R.Wrapper->Reserved1);
  kpack_error_t Err =
      kpack_load_code_object(Cache, R.Wrapper->Binary, BinaryPath.c_str(),
                             Index, &ArchName, 1, &Data, &Size);
  if (Err != KPACK_SUCCESS) {
    std::printf("  %s: error %d\n", ArchName, Err);
    return;
  }
  std::vector<std::string> Found;
  for (const std::string &Name : R.Functions) {
    std::string Descriptor = Name + ".kd";
    if (memmem(Data, Size, Descriptor.c_str(), Descriptor.size() + 1))
      Found.push_back(Name);
  }
  std::printf("  %s: %zu bytes fnv=%016llx kernels=%s\n", ArchName, Size,
              static_cast<unsigned long long>(
                  fnv1a(static_cast<const char *>(Data), Size)),
              join(Found).c_str());
  dump(Arch, Index, Data, Size);
  kpack_free_code_object(Data);
}

void printWrapper(kpack_cache_t Cache, const Registration &R) {
  const WrapperStruct &W = *R.Wrapper;
  char Magic[5] = {};
  for (int I = 0; I != 4; ++I)
    Magic[I] = static_cast<char>(W.Magic >> (8 * I));
  std::printf("wrapper %llu magic=%s functions=%s\n",
              static_cast<unsigned long long>(W.Reserved1), Magic,
              join(R.Functions).c_str());
  if (std::strcmp(Magic, "HIPK") != 0)
    return;
  char Path[4096];
  kpack_error_t Err =
      kpack_discover_binary_path(W.Binary, Path, sizeof(Path), nullptr);
  if (Err != KPACK_SUCCESS) {
    std::printf("  binary path: error %d\n", Err);
    return;
  }
  for (const std::string &Arch : archList())
    printCodeObject(Cache, R, Path, Arch);
}

// Printed when the program ends, so that every constructor has registered.
struct Reporter {
  ~Reporter() {
    kpack_cache_t Cache = nullptr;
    if (kpack_cache_create(&Cache) != KPACK_SUCCESS)
      return;
    for (const std::unique_ptr<Registration> &R : registrations())
      printWrapper(Cache, *R);
    kpack_cache_destroy(Cache);
    std::fflush(stdout);
  }
} TheReporter;

} // namespace

extern "C" {

__attribute__((visibility("default"))) void **
__hipRegisterFatBinary(const void *Data) {
  registrations().push_back(std::make_unique<Registration>(
      Registration{static_cast<const WrapperStruct *>(Data), {}}));
  return reinterpret_cast<void **>(registrations().back().get());
}

__attribute__((visibility("default"))) void
__hipUnregisterFatBinary(void **) {}

__attribute__((visibility("default"))) void
__hipRegisterFunction(void **Handle, const void *, char *, const char *Name,
                      int, void *, void *, void *, void *, int *) {
  reinterpret_cast<Registration *>(Handle)->Functions.push_back(Name);
}

__attribute__((visibility("default"))) void
__hipRegisterVar(void **, void *, char *, const char *, int, size_t, int,
                 int) {}
__attribute__((visibility("default"))) void
__hipRegisterManagedVar(void **, void **, void *, const char *, size_t,
                        unsigned) {}
__attribute__((visibility("default"))) void
__hipRegisterSurface(void **, void *, char *, char *, int, int) {}
__attribute__((visibility("default"))) void
__hipRegisterTexture(void **, void *, char *, char *, int, int, int) {}

__attribute__((visibility("default"))) int __hipPushCallConfiguration() {
  return 0;
}
__attribute__((visibility("default"))) int __hipPopCallConfiguration() {
  return 0;
}
__attribute__((visibility("default"))) int hipLaunchKernel() { return 0; }

} // extern "C"
