//===- Redirect.cpp - redirection of the driver's paths -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device file is opened as an empty file in memory, so that its descriptor
// number is not used for another file. A table by number holds the device and
// the file's inode: a descriptor can be closed without our notice, or in a
// child of vfork() that shares the table with its parent, and its number may
// then be reused. For all other descriptors the table costs one load.
//
//===----------------------------------------------------------------------===//
#include "Redirect.h"
#include "SignalWait.h"

#include "SoftGpu/Kfd/Preload/TreePath.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kpack::softgpu;

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// Paths, and all below them, that kpack-run's tree replaces.
static constexpr const char *Redirected[] = {"/sys/devices/virtual/kfd",
                                             "/sys/class/kfd",
                                             "/sys/class/drm",
                                             "/sys/module/amdgpu",
                                             "/dev/kfd",
                                             "/dev/dri",
                                             "/proc/modules"};

/// Used only if the system lacks the path: a chroot without /sys.
static constexpr const char *SystemFolder = "/sys/devices/system";

/// A link to the file of the running program.
static constexpr const char *OwnProgram = "/proc/self/exe";

/// Link in the run's folder to the root of kpack-run's ROCm.
static constexpr const char *RocmLink = "/rocm";

/// Reads the variable once, as a program may change its environment.
const char *kpack::softgpu::runFolder() {
  static std::atomic<const char *> Known{nullptr};
  const char *Tree = Known.load(std::memory_order_acquire);
  if (Tree)
    return Tree;
  const char *Value = ::secure_getenv("KPACK_SOFTGPU_SYSFS");
  Tree = Value ? ::strdup(Value) : "";
  if (!Tree) // out of memory: do not redirect the path
    return "";
  Known.store(Tree, std::memory_order_release);
  return Tree;
}

bool kpack::softgpu::hasRocm() {
  const char *Tree = runFolder();
  if (!*Tree)
    return false;
  static std::atomic<int> Known{-1};
  int Has = Known.load(std::memory_order_relaxed);
  if (Has < 0) {
    char Link[PATH_MAX];
    Has = std::snprintf(Link, sizeof(Link), "%s%s", Tree, RocmLink) <
              int(sizeof(Link)) &&
          pathExists(Link);
    Known.store(Has, std::memory_order_relaxed);
  }
  return Has != 0;
}

/// Returns null if there is no ROCm or \p Path is not where packages install.
static const char *rocmFor(const char *Path) {
  return isInstalledPath(Path) && hasRocm() ? RocmLink : nullptr;
}

bool RedirectedPath::lead(const char *Tree, const char *Below,
                          const char *Path) {
  return std::snprintf(Changed, sizeof(Changed), "%s%s%s", Tree, Below, Path) <
         int(sizeof(Changed));
}

static char ProgramOfLinker[PATH_MAX];

/// Runs while the library is initialised, before the program can change its
/// directory. AT_EXECFN names the program that the dynamic linker has to start.
__attribute__((constructor)) static void findProgram() {
  char Link[PATH_MAX], Linker[PATH_MAX], Exe[PATH_MAX];
  auto *Name = reinterpret_cast<const char *>(::getauxval(AT_EXECFN));
  int Before = errno;
  if (!hasRocm() || !Name ||
      std::snprintf(Link, sizeof(Link), "%s/linker", runFolder()) >=
          int(sizeof(Link)) ||
      !findInTree("", Link, Linker) || !findInTree("", OwnProgram, Exe) ||
      std::strcmp(Linker, Exe) != 0 || !::realpath(Name, ProgramOfLinker) ||
      std::strcmp(Linker, ProgramOfLinker) == 0)
    ProgramOfLinker[0] = '\0';
  errno = Before;
}

const char *kpack::softgpu::programOfLinker() {
  return ProgramOfLinker[0] ? ProgramOfLinker : nullptr;
}

const char *kpack::softgpu::programAt(const char *Path) {
  constexpr char Folder[] = "/proc/";
  if (!ProgramOfLinker[0] || !Path ||
      std::strncmp(Path, Folder, sizeof(Folder) - 1) != 0)
    return nullptr;
  char OfProcess[32];
  std::snprintf(OfProcess, sizeof(OfProcess), "/proc/%d/exe", ::getpid());
  for (const char *Link : {OwnProgram, "/proc/thread-self/exe",
                           static_cast<const char *>(OfProcess)})
    if (std::strcmp(Path, Link) == 0)
      return ProgramOfLinker;
  return nullptr;
}

bool RedirectedPath::leadByLinks(const char *Tree, const char *Below,
                                 const char *Path) {
  char Root[PATH_MAX];
  return std::snprintf(Root, sizeof(Root), "%s%s", Tree, Below) <
             int(sizeof(Root)) &&
         findInTree(Root, Path, Changed);
}

/// Prints a message once a process: kpack-run removes its files when its
/// program has ended, and a daemon that outlives it would only find no GPU.
static void sayIfGone(const char *Tree) {
  static std::atomic<bool> Said{false};
  int Before = errno;
  if (::syscall(SYS_access, Tree, F_OK) != 0 && !Said.exchange(true))
    std::fprintf(stderr,
                 "kpack-run: error: %s: the emulated GPUs are gone, because "
                 "the program that kpack-run started has ended; have that wait "
                 "for this one, or start this one with kpack-run\n",
                 ::program_invocation_short_name);
  errno = Before;
}

RedirectedPath::RedirectedPath(const char *Path, PathUse Use) : Used(Path) {
  if (!Path || Path[0] != '/' || !std::strchr("sdpuolbe", Path[1]))
    return;
  const char *Tree = runFolder();
  if (!*Tree)
    return;
  if (Use == PathUse::Read)
    if (const char *Program = programAt(Path)) {
      Used = Program;
      return;
    }
  for (const char *Folder : Redirected)
    if (isBelow(Path, Folder)) {
      sayIfGone(Tree);
      if (lead(Tree, "", Path))
        Used = Changed;
      return;
    }
  const char *Below = isBelow(Path, SystemFolder) ? "" : rocmFor(Path);
  if (!Below || Use == PathUse::Written || pathExists(Path) ||
      !lead(Tree, Below, Path))
    return;
  if (pathExists(Changed) || leadByLinks(Tree, Below, Path))
    Used = Changed;
}

/// The same for a path that begins with "/".
static DeviceKind deviceOfWhole(const char *Path) {
  static constexpr char Render[] = "/dev/dri/renderD";
  if (std::strncmp(Path, "/dev/", 5) != 0)
    return NoDevice;
  if (std::strcmp(Path, "/dev/kfd") == 0)
    return KfdDevice;
  if (std::strncmp(Path, Render, sizeof(Render) - 1) != 0)
    return NoDevice;
  char *End = nullptr;
  unsigned long Minor = std::strtoul(Path + sizeof(Render) - 1, &End, 10);
  if (*End || Minor < FirstRenderMinor || Minor >= FirstRenderMinor + MostGpus)
    return NoDevice;
  return DeviceKind(RenderNode + (Minor - FirstRenderMinor));
}

/// True if \p Path may end in the name of a device file. Few do, and only those
/// are resolved.
static bool endsLikeDevice(const char *Path) {
  const char *Slash = std::strrchr(Path, '/');
  const char *Name = Slash ? Slash + 1 : Path;
  return std::strcmp(Name, "kfd") == 0 || std::strncmp(Name, "renderD", 7) == 0;
}

/// Resolves \p Path, which is relative to \p Folder or leads into our tree.
static bool realPath(int Folder, const char *Path, char (&Real)[PATH_MAX]) {
  char Name[PATH_MAX] = "";
  if (Path[0] == '/')
    return ::realpath(Path, Real);
  if (Folder == AT_FDCWD)
    std::snprintf(Name, sizeof(Name), "/proc/self/cwd/%s", Path);
  else
    std::snprintf(Name, sizeof(Name), "/proc/self/fd/%d/%s", Folder, Path);
  return ::realpath(Name, Real);
}

DeviceKind kpack::softgpu::getDevice(int Folder, const char *Path) {
  if (!Path || !endsLikeDevice(Path) || !*runFolder())
    return NoDevice;
  if (DeviceKind Kind = Path[0] == '/' ? deviceOfWhole(Path) : NoDevice)
    return Kind;
  // A program that changed to /dev/dri, has opened it, or has asked for the
  // real path, is in our tree.
  int Before = errno;
  char Real[PATH_MAX];
  char Root[PATH_MAX];
  DeviceKind Kind = NoDevice;
  if (realPath(Folder, Path, Real) && ::realpath(runFolder(), Root) &&
      isBelow(Real, Root))
    Kind = deviceOfWhole(Real + std::strlen(Root));
  errno = Before;
  return Kind;
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

static constexpr int MostDescriptors = 1 << 16;

namespace {
struct Descriptor {
  std::atomic<uint64_t> File; ///< device and inode
  std::atomic<DeviceKind> Kind;
};
} // namespace

static Descriptor Descriptors[MostDescriptors];

/// Combines device and inode; 0 if there is no such descriptor.
static uint64_t getFile(int Fd) {
  struct stat Status;
  constexpr unsigned InodeBits = 40;
  return ::fstat(Fd, &Status) == 0
             ? Status.st_ino + (uint64_t(Status.st_dev) << InodeBits)
             : 0;
}

DeviceKind kpack::softgpu::kindOf(int Fd) {
  if (Fd < 0 || Fd >= MostDescriptors)
    return NoDevice;
  const Descriptor &D = Descriptors[Fd];
  DeviceKind Kind = D.Kind.load(std::memory_order_acquire);
  if (Kind == NoDevice)
    return NoDevice;
  int Before = errno;
  bool IsOurs = getFile(Fd) == D.File.load(std::memory_order_relaxed);
  errno = Before;
  return IsOurs ? Kind : NoDevice;
}

void kpack::softgpu::setKind(int Fd, DeviceKind Kind) {
  if (Fd < 0 || Fd >= MostDescriptors)
    return;
  Descriptor &D = Descriptors[Fd];
  D.File.store(getFile(Fd), std::memory_order_relaxed);
  D.Kind.store(Kind, std::memory_order_release);
}

int kpack::softgpu::openDevice(DeviceKind Kind, int Flags) {
  const EmulatorTable *Driver = emulator();
  if (!Driver) {
    errno = ENODEV;
    return -1;
  }
  if (int Problem = Driver->Open(Kind)) {
    errno = -Problem;
    return -1;
  }
  findSignalWait();
  int Fd = ::memfd_create(Kind == KfdDevice ? "softgpu kfd" : "softgpu dri",
                          Flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
  if (Fd < MostDescriptors) {
    setKind(Fd, Kind);
    return Fd;
  }
  ::close(Fd);
  errno = EMFILE;
  return -1;
}
