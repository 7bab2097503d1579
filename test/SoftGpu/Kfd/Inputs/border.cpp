// What a program sees of the emulated driver through the C library: "wrong" with a
// line for each thing that is not as it would be on a machine with two GPUs.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <glob.h>
#include <linux/kfd_ioctl.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int Failures = 0;

static void expect(bool Right, const char *What) {
  if (Right)
    return;
  std::printf("wrong: %s (errno %d)\n", What, errno);
  ++Failures;
}
#define EXPECT(Condition) expect(Condition, #Condition)

static constexpr char Nodes[] = "/sys/devices/virtual/kfd/kfd/topology/nodes";

static std::string firstLine(const std::string &Path) {
  std::ifstream File(Path);
  std::string Line;
  std::getline(File, Line);
  return Line;
}

static void files() {
  EXPECT(firstLine("/sys/module/amdgpu/initstate") == "live");
  EXPECT(firstLine(std::string(Nodes) + "/2/name") == "gfx1030");
  std::FILE *File = std::fopen("/sys/class/kfd/kfd/topology/generation_id", "r");
  int Generation = 0;
  EXPECT(File && std::fscanf(File, "%d", &Generation) == 1 && Generation == 2);
  DIR *Folder = opendir(Nodes);
  int Count = 0;
  while (Folder && readdir(Folder))
    ++Count;
  EXPECT(Count == 2 + 3); // with "." and ".."
  int In = open(Nodes, O_DIRECTORY | O_RDONLY);
  int Gpu = openat(In, "1/gpu_id", O_RDONLY);
  char Text[16] = {};
  EXPECT(read(Gpu, Text, 15) > 0 && std::strcmp(Text, "4097\n") == 0);
  dirent **Names = nullptr;
  EXPECT(scandir(Nodes, &Names, nullptr, alphasort) == 5);
  struct stat Status;
  EXPECT(stat("/dev/kfd", &Status) == 0 && lstat("/dev/kfd", &Status) == 0);
  EXPECT(fstatat(AT_FDCWD, "/dev/dri/renderD129", &Status, 0) == 0);
  EXPECT(access("/dev/kfd", R_OK | W_OK) == 0);
  EXPECT(access("/dev/dri/renderD130", F_OK) == -1 && errno == ENOENT);
  EXPECT(realpath("/dev/dri/renderD128", nullptr));
  // Other places are the system's.
  EXPECT(access("/dev/null", W_OK) == 0);
  EXPECT(access("/sys/devices/system/cpu", F_OK) == 0);
  EXPECT(open("/dev/kfdx", O_RDWR) == -1 && errno == ENOENT);
}

/// Of a board, by the ways that tools like rocm-smi go.
static void boards() {
  glob_t Found{};
  EXPECT(glob("/sys/class/drm/card?/device/vendor", 0, nullptr, &Found) == 0 &&
         Found.gl_pathc == 2);
  EXPECT(Found.gl_pathc && !std::strcmp(Found.gl_pathv[1],
                                        "/sys/class/drm/card1/device/vendor"));
  glob64_t Nodes{};
  EXPECT(glob64("/dev/dri/*", 0, nullptr, &Nodes) == 0 &&
         Nodes.gl_pathc == 2 &&
         !std::strcmp(Nodes.gl_pathv[0], "/dev/dri/renderD128"));
  EXPECT(glob("/etc/passw?", GLOB_APPEND, nullptr, &Found) == 0 &&
         Found.gl_pathc == 3);
  EXPECT(firstLine("/sys/class/drm/renderD129/device/device") == "0x73bf");
  char Link[256] = "";
  EXPECT(readlink("/sys/class/drm/card0/device", Link, sizeof(Link) - 1) > 0 &&
         std::strcmp(Link, "../../../0000:01:00.0") == 0);
}

static bool answers(int Fd);

/// Device files by paths that do not begin with /dev.
static void otherPaths() {
  int Folder = open("/dev/dri", O_DIRECTORY | O_RDONLY);
  int Kfd = openat(Folder, "../kfd", O_RDWR);
  EXPECT(answers(Kfd));
  EXPECT(chdir("/dev/dri") == 0);
  Kfd = open("../kfd", O_RDWR);
  EXPECT(answers(Kfd));
  char *Real = realpath("/dev/kfd", nullptr);
  Kfd = open(Real, O_RDWR);
  EXPECT(answers(Kfd));
  EXPECT(openat(Folder, "renderD130", O_RDWR) == -1 && errno == ENOENT);
  EXPECT(chdir("/") == 0 && open("kfd", O_RDWR) == -1 && errno == ENOENT);
}

static bool answers(int Fd) {
  kfd_ioctl_get_version_args Version{};
  return ioctl(Fd, AMDKFD_IOC_GET_VERSION, &Version) == 0 &&
         Version.major_version == 1;
}

static void descriptors() {
  EXPECT(open("/dev/dri/renderD130", O_RDWR) == -1 && errno == ENOENT);
  int Fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
  EXPECT(answers(Fd) && (fcntl(Fd, F_GETFD) & FD_CLOEXEC));
  for (int Copy : {dup(Fd), dup2(Fd, 77), dup3(Fd, 78, O_CLOEXEC),
                   fcntl(Fd, F_DUPFD, 100), fcntl(Fd, F_DUPFD_CLOEXEC, 100)}) {
    EXPECT(answers(Copy));
    EXPECT(close(Copy) == 0);
    EXPECT(!answers(Copy) && errno == EBADF);
  }
  // The number is free for others, which are asked what they understand.
  close(Fd);
  int Null = open("/dev/null", O_RDWR);
  EXPECT(Null == Fd && !answers(Null) && errno == ENOTTY);
  int Again = open("/dev/kfd", O_RDWR);
  EXPECT(answers(Again));
  uint32_t Unknown = 0;
  EXPECT(ioctl(Again, _IOWR('K', 0x1f, uint32_t), &Unknown) == -1 &&
         errno == ENOTTY);
}

/// Descriptors are closed in ways that no library sees, and by a child that has
/// this process's memory but descriptors of its own.
static void unseenCloses() {
  int Kfd = open("/dev/kfd", O_RDWR);
  pid_t Other = vfork();
  if (Other == 0) {
    for (int Fd = 3; Fd < 200; ++Fd)
      close(Fd);
    dup2(1, Kfd);
    _exit(0);
  }
  waitpid(Other, nullptr, 0);
  EXPECT(answers(Kfd));
  std::fclose(fdopen(Kfd, "r"));
  int File = open("/etc/passwd", O_RDONLY);
  EXPECT(File == Kfd && !answers(File) && errno == ENOTTY);
  void *Text = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, File, 0);
  EXPECT(Text != MAP_FAILED && std::memcmp(Text, "root", 4) == 0);
}

static void *addresses(size_t Size) {
  return mmap(nullptr, Size, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/// A page of the first GPU, and in *Handle its handle.
static int *allocate(int Kfd, int Render, uint64_t *Handle) {
  kfd_ioctl_alloc_memory_of_gpu_args A{};
  A.va_addr = reinterpret_cast<uint64_t>(addresses(4096));
  A.size = 4096;
  A.gpu_id = 4097;
  A.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  EXPECT(ioctl(Kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &A) == 0);
  *Handle = A.handle;
  void *Address = reinterpret_cast<void *>(A.va_addr);
  EXPECT(mmap(Address, 4096, PROT_NONE, MAP_SHARED | MAP_FIXED, Render,
              off_t(A.mmap_offset)) == Address);
  return static_cast<int *>(Address);
}

/// The other process opens the driver for itself: what it had from its parent is
/// not its own. Memory comes to it as a descriptor.
static int child(int ParentsKfd, int Dmabuf) {
  Failures = 0;
  EXPECT(!answers(ParentsKfd) && errno == EBADF);
  int Kfd = open("/dev/kfd", O_RDWR), Render = open("/dev/dri/renderD129", O_RDWR);
  EXPECT(answers(Kfd));
  kfd_ioctl_import_dmabuf_args A{};
  A.va_addr = reinterpret_cast<uint64_t>(addresses(4096));
  A.gpu_id = 4098;
  A.dmabuf_fd = uint32_t(Dmabuf);
  EXPECT(ioctl(Kfd, AMDKFD_IOC_IMPORT_DMABUF, &A) == 0);
  auto *Shared = static_cast<int *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                         MAP_SHARED, Render,
                                         off_t(A.handle << 36)));
  EXPECT(Shared != MAP_FAILED && *Shared == 42);
  *Shared = 43;
  return Failures;
}

static void memory() {
  int Kfd = open("/dev/kfd", O_RDWR), Render = open("/dev/dri/renderD128", O_RDWR);
  uint64_t Handle = 0;
  int *Page = allocate(Kfd, Render, &Handle);
  *Page = 42;
  struct {
    uint64_t Handle;
    uint32_t Flags, Fd;
  } Export{Handle, 0, 0};
  EXPECT(ioctl(Kfd, _IOWR('K', 0x24, Export), &Export) == 0);
  pid_t Other = fork();
  if (Other == 0)
    _exit(child(Kfd, int(Export.Fd)));
  int Status = 1;
  EXPECT(waitpid(Other, &Status, 0) == Other && Status == 0);
  EXPECT(*Page == 43);
  EXPECT(munmap(Page, 4096) == 0);
  kfd_ioctl_free_memory_of_gpu_args Free{Handle};
  EXPECT(ioctl(Kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &Free) == 0);
  EXPECT(ioctl(Kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &Free) == -1 &&
         errno == EINVAL);
}

int main() {
  std::setbuf(stdout, nullptr);
  files();
  boards();
  if (!Failures) {
    otherPaths();
    descriptors();
    unseenCloses();
    memory();
  }
  std::puts(Failures ? "wrong" : "right");
  return Failures != 0;
}
