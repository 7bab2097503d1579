//===- FakeRuntime.cpp - a HIP runtime of before kpack --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built as libamdhip64.so.5. Reads bundles as ROCm 5.2 does: nothing at
// registration; when it is initialised, the first 4096 bytes and the entry that
// fits each device, nothing else. Registration after that reads at once. The
// devices are those of FakeHsa.cpp. It prints
//
//   module <n>: <device>: <size> bytes kernels=<a,b>   or
//   module <n>: <device>: no code object
//
// With FAKE_MEASURE, as later runtimes do, it looks how much of a bundle can be
// read before it reads any of it, and refuses a bundle that ends after it:
//
//   maps          to the end of the mapping in /proc/self/maps (CLR since 2026)
//   maps-open     the same, by open() and read()
//   readv, write, writev   page by page, until that system call fails
//   raw           as readv, without the C library's function
//
// with the name of the runtime (FAKE_NAME when it is built) in front, if it has
// one. kernels= are the module's own registered functions whose "<name>.kd" the
// code object holds, so a wrong code object shows as an empty list.
//
//===----------------------------------------------------------------------===//
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

#ifndef FAKE_NAME
#define FAKE_NAME ""
#endif

std::vector<std::string> fakeDevices(); // FakeHsa.cpp

namespace {

struct Wrapper {
  uint32_t Magic, Version;
  const char *Binary;
  uint64_t Reserved;
};

struct Module {
  const char *Bundle = nullptr;
  unsigned Number = 0;
  std::vector<std::string> Functions;
  bool IsRead = false;
};

struct State {
  std::mutex Lock;
  std::map<const char *, std::unique_ptr<Module>> Modules;
  unsigned Registered = 0;
  bool IsInitialised = false;

  /// A handle that another runtime gave is a finding.
  Module *find(void **Handle) const {
    for (const auto &Item : Modules)
      if (reinterpret_cast<void **>(Item.second.get()) == Handle)
        return Item.second.get();
    if (Handle)
      std::printf("foreign handle\n");
    return nullptr;
  }
};

// Registration runs before our own constructors would; never destroyed.
State &state() {
  static State *The = new State();
  return *The;
}

uint64_t number(const char *Source) {
  uint64_t Value;
  std::memcpy(&Value, Source, sizeof(Value));
  return Value;
}

std::vector<std::string> getParts(const std::string &Id) {
  std::vector<std::string> Parts(1);
  for (char C : Id)
    if (C == ':')
      Parts.emplace_back();
    else
      Parts.back() += C;
  return Parts;
}

/// As comgr compares: the same processor, no feature that the device lacks.
bool fits(const std::string &CodeId, const std::string &DeviceId) {
  std::vector<std::string> Code = getParts(CodeId), Have = getParts(DeviceId);
  if (Code[0] != Have[0])
    return false;
  for (size_t I = 1; I != Code.size(); ++I) {
    bool Found = false;
    for (const std::string &Feature : Have)
      Found = Found || Feature == Code[I];
    if (!Found)
      return false;
  }
  return true;
}

struct Extent {
  const char *Begin;
  uint64_t Size;
};

/// The lines of /proc/self/maps.
std::string maps(bool IsStream) {
  if (IsStream) {
    std::ifstream File("/proc/self/maps");
    return {std::istreambuf_iterator<char>(File), {}};
  }
  std::string Text;
  int Fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char Buffer[4096];
  for (ssize_t Got; (Got = read(Fd, Buffer, sizeof(Buffer))) > 0;)
    Text.append(Buffer, Got);
  close(Fd);
  return Text;
}

uint64_t sizeInMaps(const char *Bundle, bool IsStream) {
  auto Address = reinterpret_cast<uintptr_t>(Bundle);
  std::istringstream Lines(maps(IsStream));
  for (std::string Line; std::getline(Lines, Line);) {
    uintptr_t Low, High;
    char Readable;
    if (std::sscanf(Line.c_str(), "%lx-%lx %c", &Low, &High, &Readable) == 3 &&
        Address >= Low && Address < High)
      return Readable == 'r' ? High - Address : 0;
  }
  return 0;
}

/// Whether one byte can be read, by a system call.
bool canRead(const char *Address, const std::string &Method) {
  char Byte;
  iovec Here = {&Byte, 1}, There = {const_cast<char *>(Address), 1};
  if (Method == "raw")
    return syscall(SYS_process_vm_readv, getpid(), &Here, 1L, &There, 1L, 0L) ==
           1;
  if (Method == "readv")
    return process_vm_readv(getpid(), &Here, 1, &There, 1, 0) == 1;
  static int Pipe[2] = {-1, -1};
  if (Pipe[0] < 0 && pipe(Pipe) != 0)
    return false;
  ssize_t Written =
      Method == "write" ? write(Pipe[1], Address, 1) : writev(Pipe[1], &There, 1);
  return Written == 1 && read(Pipe[0], &Byte, 1) == 1;
}

uint64_t readableSize(const char *Bundle) {
  const char *Variable = std::getenv("FAKE_MEASURE");
  std::string Method = Variable ? Variable : "";
  if (Method.empty())
    return UINT64_MAX;
  if (Method == "maps" || Method == "maps-open")
    return sizeInMaps(Bundle, Method == "maps");
  uint64_t Size = 0;
  while (canRead(Bundle + Size, Method))
    Size += 4096;
  return Size;
}

Extent findCode(const Module &M, const std::string &Device) {
  static const std::string Prefix = "hipv4-amdgcn-amd-amdhsa--";
  char Header[4096];
  uint64_t Readable = readableSize(M.Bundle);
  if (Readable < sizeof(Header))
    return {nullptr, 0};
  std::memcpy(Header, M.Bundle, sizeof(Header));
  if (std::memcmp(Header, "__CLANG_OFFLOAD_BUNDLE__", 24) != 0)
    return {nullptr, 0};
  uint64_t Count = number(Header + 24), Position = 32;
  for (uint64_t I = 0; I != Count && Position + 24 < sizeof(Header); ++I) {
    uint64_t Offset = number(Header + Position), Size = number(Header + Position + 8),
             Length = number(Header + Position + 16);
    if (Length > sizeof(Header) - Position - 24)
      break;
    std::string Id(Header + Position + 24, Length);
    Position += 24 + Length;
    if (Id.compare(0, Prefix.size(), Prefix) == 0 &&
        fits(Id.substr(Prefix.size()), Device) && Offset <= Readable &&
        Size <= Readable - Offset)
      return {M.Bundle + Offset, Size};
  }
  return {nullptr, 0};
}

void read(Module &M) {
  if (M.IsRead)
    return;
  M.IsRead = true;
  const bool Quiet = std::getenv("FAKE_QUIET");
  for (const std::string &Device : fakeDevices()) {
    Extent Code = findCode(M, Device);
    if (!Code.Begin || Code.Size < 4 ||
        std::memcmp(Code.Begin, "\177ELF", 4) != 0) {
      std::printf(FAKE_NAME "module %u: %s: %s\n", M.Number, Device.c_str(),
                  Code.Begin ? "not an ELF file" : "no code object");
      continue;
    }
    // Copied like a loader copies it.
    std::string Bytes(Code.Begin, Code.Size);
    std::string Kernels;
    for (const std::string &Name : M.Functions)
      if (Bytes.find(Name + ".kd") != Bytes.npos)
        Kernels += (Kernels.empty() ? "" : ",") + Name;
    if (!Quiet)
      std::printf(FAKE_NAME "module %u: %s: %zu bytes kernels=%s\n", M.Number,
                  Device.c_str(), Bytes.size(), Kernels.c_str());
  }
  std::fflush(stdout);
}

} // namespace

#define API extern "C" __attribute__((visibility("default")))

API int hipInit(unsigned) {
  State &S = state();
  std::lock_guard<std::mutex> Guard(S.Lock);
  if (fakeDevices().empty())
    return 100; // hipErrorNoDevice
  S.IsInitialised = true;
  std::map<unsigned, Module *> InOrder;
  for (auto &Item : S.Modules)
    InOrder[Item.second->Number] = Item.second.get();
  for (auto &Item : InOrder)
    read(*Item.second);
  return 0;
}

API int hipGetDeviceCount(int *Count) {
  *Count = static_cast<int>(fakeDevices().size());
  return hipInit(0);
}

API void **__hipRegisterFatBinary(const void *Data) {
  const auto *W = static_cast<const Wrapper *>(Data);
  if (W->Magic != 0x48495046 || W->Version != 1) {
    std::printf("refused: magic %08x\n", W->Magic);
    return nullptr;
  }
  State &S = state();
  std::lock_guard<std::mutex> Guard(S.Lock);
  std::unique_ptr<Module> &M = S.Modules[W->Binary];
  M = std::make_unique<Module>();
  M->Bundle = W->Binary;
  M->Number = S.Registered++;
  if (S.IsInitialised)
    read(*M);
  return reinterpret_cast<void **>(M.get());
}

API void __hipUnregisterFatBinary(void **Handle) {
  State &S = state();
  std::lock_guard<std::mutex> Guard(S.Lock);
  if (const Module *M = S.find(Handle))
    S.Modules.erase(M->Bundle);
}

API void __hipRegisterFunction(void **Handle, const void *, char *,
                               const char *Name, int, void *, void *, void *,
                               void *, int *) {
  State &S = state();
  std::lock_guard<std::mutex> Guard(S.Lock);
  if (Module *M = S.find(Handle))
    M->Functions.push_back(Name);
}

// Code objects that are loaded by a program: an ELF file, or a bundle with one
// for the first device.

static int loadImage(void **Handle, const void *Image) {
  std::string Device = fakeDevices().front();
  Module M;
  M.Bundle = static_cast<const char *>(Image);
  const char *Code = M.Bundle;
  uint64_t Size = 0;
  if (std::memcmp(Code, "\177ELF", 4) != 0) {
    if (std::memcmp(Code, "__CLANG_OFFLOAD_BUNDLE__", 24) != 0)
      return 218; // hipErrorInvalidKernelFile
    Extent Found = findCode(M, Device);
    if (!Found.Begin || std::memcmp(Found.Begin, "\177ELF", 4) != 0)
      return 209; // hipErrorNoBinaryForGpu
    Code = Found.Begin;
    Size = Found.Size;
  }
  std::printf("loaded: %s: %s\n", Device.c_str(),
              Size ? "an entry of a bundle" : "an ELF file");
  *Handle = new char(*Code);
  return 0;
}

static int loadFile(void **Handle, const char *Path) {
  std::ifstream File(Path, std::ios::binary);
  std::string Bytes{std::istreambuf_iterator<char>(File), {}};
  return Bytes.empty() ? 301 : loadImage(Handle, Bytes.data());
}

static int unload(void *Handle) {
  delete static_cast<char *>(Handle);
  return 0;
}

API int hipModuleLoad(void **Handle, const char *Path) {
  return loadFile(Handle, Path);
}
API int hipModuleLoadData(void **Handle, const void *Image) {
  return loadImage(Handle, Image);
}
API int hipModuleLoadDataEx(void **Handle, const void *Image, unsigned Count,
                            void *, void **) {
  return Count == 3 ? loadImage(Handle, Image) : 1;
}
API int hipModuleLoadFatBinary(void **Handle, const void *Image) {
  return loadImage(Handle, Image);
}
API int hipModuleUnload(void *Handle) { return unload(Handle); }
API int hipLibraryLoadFromFile(void **Handle, const char *Path, void *, void **,
                               unsigned, void *, void **, unsigned Count) {
  return Count == 7 ? loadFile(Handle, Path) : 1;
}
API int hipLibraryLoadData(void **Handle, const void *Image, void *, void **,
                           unsigned, void *, void **, unsigned Count) {
  return Count == 7 ? loadImage(Handle, Image) : 1;
}
API int hipLibraryUnload(void *Handle) { return unload(Handle); }

API void __hipRegisterVar(void **, void *, char *, const char *, int, size_t,
                          int, int) {}
API int __hipPushCallConfiguration() { return 0; }
API int __hipPopCallConfiguration() { return 0; }
API int hipLaunchKernel() { return hipInit(0); }
