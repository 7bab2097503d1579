// One program for what a HIP program can do to the emulated GPU below it, and
// how it can end: cases CASE.
#include "../../../../examples/hip_subset.h"

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern "C" {
hipError_t hipFree(void *);
hipError_t hipDeviceSynchronize();
hipError_t hipSetDevice(int);
hipError_t hipStreamCreate(hipStream_t *);
hipError_t hipStreamSynchronize(hipStream_t);
hipError_t hipStreamWaitEvent(hipStream_t, void *Event, unsigned Flags);
hipError_t hipEventCreate(void **);
hipError_t hipEventRecord(void *, hipStream_t);
hipError_t hipEventSynchronize(void *);
hipError_t hipEventElapsedTime(float *, void *, void *);
hipError_t hipHostRegister(void *, size_t, unsigned);
hipError_t hipHostUnregister(void *);
hipError_t hipHostGetDevicePointer(void **, void *, unsigned);
hipError_t hipModuleLoad(void **Module, const char *Path);
hipError_t hipModuleGetFunction(void **Function, void *Module, const char *);
hipError_t hipModuleLaunchKernel(void *Function, unsigned, unsigned, unsigned,
                                 unsigned, unsigned, unsigned, unsigned,
                                 hipStream_t, void **Args, void **Extra);
hipError_t hipModuleUnload(void *Module);
}

#define CHECK(Call)                                                            \
  do {                                                                         \
    hipError_t Err = Call;                                                     \
    if (Err) {                                                                 \
      std::printf("%s: %s\n", #Call, hipGetErrorString(Err));                  \
      std::exit(3);                                                            \
    }                                                                          \
  } while (0)

static __device__ int index() {
  return __builtin_amdgcn_workgroup_id_x() * 64 +
         __builtin_amdgcn_workitem_id_x();
}

__global__ void add(int *Data, int Value) { Data[index()] += Value; }
// Of each workgroup the last lane reads behind its shared memory.
__global__ void behindLds(int *Data) {
  extern __attribute__((shared)) int Numbers[];
  int Lane = __builtin_amdgcn_workitem_id_x();
  Numbers[Lane] = 7;
  __builtin_amdgcn_s_barrier();
  Data[index()] = ((volatile int *)Numbers)[Lane + 1];
}
__global__ void trap(int *Data) {
  if (Data)
    __builtin_trap();
}
__global__ void forever(volatile int *Data) {
  while (*Data == 0)
    ;
}

static const int Count = 256;

static int *allocate(int Fill = 0) {
  void *Data;
  CHECK(hipMalloc(&Data, Count * sizeof(int)));
  std::vector<int> Host(Count, Fill);
  CHECK(
      hipMemcpy(Data, Host.data(), Count * sizeof(int), hipMemcpyHostToDevice));
  return static_cast<int *>(Data);
}

static bool holds(int *Data, int Value) {
  std::vector<int> Host(Count);
  CHECK(
      hipMemcpy(Host.data(), Data, Count * sizeof(int), hipMemcpyDeviceToHost));
  for (int I : Host)
    if (I != Value)
      return false;
  return true;
}

static int say(bool Right) {
  std::puts(Right ? "right" : "wrong");
  return Right ? 0 : 1;
}

static void launchAdd(int *Data, int Value, hipStream_t Stream = nullptr) {
  add<<<dim3(Count / 64), dim3(64), 0, Stream>>>(Data, Value);
  CHECK(hipGetLastError());
}

// Many dispatches in several streams, one waiting for the other by an event.
static int streams() {
  hipStream_t A, B;
  void *Begin, *End;
  CHECK(hipStreamCreate(&A));
  CHECK(hipStreamCreate(&B));
  CHECK(hipEventCreate(&Begin));
  CHECK(hipEventCreate(&End));
  int *Data = allocate();
  CHECK(hipEventRecord(Begin, A));
  for (int Round = 0; Round < 20; ++Round) {
    hipStream_t From = Round % 2 ? B : A, To = Round % 2 ? A : B;
    launchAdd(Data, 1, From);
    CHECK(hipEventRecord(End, From));
    CHECK(hipStreamWaitEvent(To, End, 0));
  }
  CHECK(hipStreamSynchronize(A));
  CHECK(hipEventSynchronize(End));
  CHECK(hipStreamSynchronize(B));
  float Time = -1;
  CHECK(hipEventElapsedTime(&Time, Begin, End));
  return say(holds(Data, 20) && Time > 0);
}

// Each thread with its stream.
static int threads() {
  std::vector<int *> Data;
  for (int I = 0; I < 4; ++I)
    Data.push_back(allocate(I));
  std::vector<std::thread> Threads;
  for (int I = 0; I < 4; ++I)
    Threads.emplace_back([&, I] {
      hipStream_t S;
      CHECK(hipStreamCreate(&S));
      for (int Round = 0; Round < 10; ++Round)
        launchAdd(Data[I], 1, S);
      CHECK(hipStreamSynchronize(S));
    });
  for (std::thread &T : Threads)
    T.join();
  bool Right = true;
  for (int I = 0; I < 4; ++I)
    Right &= holds(Data[I], I + 10);
  return say(Right);
}

static int everyGpu() {
  int Gpus = 0;
  CHECK(hipGetDeviceCount(&Gpus));
  bool Right = true;
  for (int I = 0; I < Gpus; ++I) {
    CHECK(hipSetDevice(I));
    int *Data = allocate(I);
    launchAdd(Data, 5);
    Right &= holds(Data, I + 5);
  }
  std::printf("%d GPUs\n", Gpus);
  return say(Right);
}

static int registered() {
  alignas(4096) static int Host[Count];
  CHECK(hipHostRegister(Host, sizeof(Host), 0));
  void *Device;
  CHECK(hipHostGetDevicePointer(&Device, Host, 0));
  launchAdd(static_cast<int *>(Device), 7);
  CHECK(hipDeviceSynchronize());
  CHECK(hipHostUnregister(Host));
  return say(Host[0] == 7 && Host[Count - 1] == 7);
}

/// Memory of the host that is registered, at the address of the GPU.
static void *registerPage(int *&Host) {
  Host = static_cast<int *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  CHECK(hipHostRegister(Host, 4096, 0));
  void *Device;
  CHECK(hipHostGetDevicePointer(&Device, Host, 0));
  launchAdd(static_cast<int *>(Device), 7);
  CHECK(hipDeviceSynchronize());
  return Device;
}

/// Taken away by a call that no library sees, as free() does it.
static int unmapped() {
  int *Host;
  void *Device = registerPage(Host);
  syscall(SYS_munmap, Host, 4096);
  launchAdd(static_cast<int *>(Device), 1);
  CHECK(hipDeviceSynchronize());
  return 0;
}

static int readOnly() {
  int *Host;
  void *Device = registerPage(Host);
  mprotect(Host, 4096, PROT_READ);
  launchAdd(static_cast<int *>(Device), 1);
  CHECK(hipDeviceSynchronize());
  return 0;
}

/// The program's own faults are its handler's, with registered memory or not.
static sigjmp_buf Back;
static int ownFaults() {
  static volatile int Handled = 0;
  int *Host;
  void *Device = registerPage(Host);
  struct sigaction Own = {};
  Own.sa_handler = [](int) {
    Handled = Handled + 1;
    siglongjmp(Back, 1);
  };
  sigaction(SIGSEGV, &Own, nullptr);
  mprotect(Host, 4096, PROT_READ);
  for (volatile int Round = 0; Round < 3; Round = Round + 1)
    if (sigsetjmp(Back, 1) == 0)
      *static_cast<volatile int *>(Host) = 1;
  mprotect(Host, 4096, PROT_READ | PROT_WRITE);
  launchAdd(static_cast<int *>(Device), 1);
  CHECK(hipDeviceSynchronize());
  return say(Handled == 3 && Host[0] == 8);
}

static int unregistered() {
  static int Host[Count];
  launchAdd(Host, 1);
  CHECK(hipDeviceSynchronize());
  return 0;
}

static int freed() {
  int *Data = allocate();
  CHECK(hipFree(Data));
  int *Next = allocate(); // does not get the same addresses
  launchAdd(Data, 1);
  CHECK(hipDeviceSynchronize());
  return say(holds(Next, 0));
}

static int outOfBounds() {
  int *Data = allocate();
  launchAdd(Data + 4096, 1);
  CHECK(hipDeviceSynchronize());
  return 0;
}

static int outsideOfLds() {
  int *Data = allocate();
  for (int Round = 0; Round < 3; ++Round) {
    behindLds<<<dim3(Count / 64), dim3(64), 64 * sizeof(int)>>>(Data);
    CHECK(hipDeviceSynchronize());
  }
  std::vector<int> Host(Count);
  CHECK(
      hipMemcpy(Host.data(), Data, Count * sizeof(int), hipMemcpyDeviceToHost));
  bool Right = true;
  for (int I = 0; I < Count; ++I)
    Right &= Host[I] == (I % 64 == 63 ? 0 : 7);
  return say(Right);
}

static int trapped() {
  trap<<<dim3(1), dim3(64)>>>(allocate());
  CHECK(hipDeviceSynchronize());
  return 0;
}

static int endless() {
  forever<<<dim3(1), dim3(64)>>>(allocate());
  CHECK(hipDeviceSynchronize());
  return 0;
}

// A code object from a file, again and again: its memory is used for others.
static int module(const char *Path) {
  int *Data = allocate();
  int Value = 3;
  void *Args[] = {&Data, &Value};
  for (int Round = 0; Round < 5; ++Round) {
    void *Module, *Function;
    CHECK(hipModuleLoad(&Module, Path));
    CHECK(hipModuleGetFunction(&Function, Module, "_Z3addPii"));
    CHECK(hipModuleLaunchKernel(Function, Count / 64, 1, 1, 64, 1, 1, 0,
                                nullptr, Args, nullptr));
    CHECK(hipDeviceSynchronize());
    CHECK(hipModuleUnload(Module));
  }
  return say(holds(Data, 15));
}

// Ends well although a kernel fails: it does not let the runtime abort.
static int faultUnseen() {
  ::signal(SIGABRT, [](int) { ::_exit(0); });
  launchAdd(reinterpret_cast<int *>(uint64_t(0x10000)), 1);
  while (true)
    ::pause();
}

/// A kernel runs, and will not end by itself.
static void startEndless() {
  forever<<<dim3(1), dim3(64)>>>(allocate());
  CHECK(hipGetLastError());
  ::usleep(50000);
}

static int forked() {
  int *Data = allocate();
  launchAdd(Data, 1);
  bool Right = holds(Data, 1);
  std::fflush(nullptr);
  pid_t Child = ::fork();
  if (Child == 0)
    ::_exit(11);
  int Status = 0;
  ::waitpid(Child, &Status, 0);
  launchAdd(Data, 1);
  return say(Right && WEXITSTATUS(Status) == 11 && holds(Data, 2));
}

static int forkedExit() {
  int *Data = allocate();
  launchAdd(Data, 1);
  bool Right = holds(Data, 1);
  std::fflush(nullptr);
  pid_t Child = ::fork();
  if (Child == 0)
    std::exit(12); // static destructors of the runtime run
  int Status = 0;
  ::waitpid(Child, &Status, 0);
  return say(Right && WEXITSTATUS(Status) == 12);
}

static int idle() {
  int *Data = allocate();
  launchAdd(Data, 1);
  bool Right = holds(Data, 1);
  timespec Before, After;
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &Before);
  ::sleep(2);
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &After);
  double Busy = double(After.tv_sec - Before.tv_sec) +
                double(After.tv_nsec - Before.tv_nsec) / 1e9;
  std::printf("%.1f ms of 2 s\n", Busy * 1000);
  return say(Right && Busy < 0.4);
}

int main(int Argc, char **Argv) {
  const char *Case = Argc >= 2 ? Argv[1] : "";
  auto Is = [&](const char *Name) { return std::strcmp(Case, Name) == 0; };
  if (Is("streams"))
    return streams();
  if (Is("threads"))
    return threads();
  if (Is("module") && Argc == 3)
    return module(Argv[2]);
  if (Is("every-gpu"))
    return everyGpu();
  if (Is("registered"))
    return registered();
  if (Is("unmapped"))
    return unmapped();
  if (Is("read-only"))
    return readOnly();
  if (Is("own-faults"))
    return ownFaults();
  if (Is("unregistered"))
    return unregistered();
  if (Is("freed"))
    return freed();
  if (Is("out-of-bounds"))
    return outOfBounds();
  if (Is("outside-of-lds"))
    return outsideOfLds();
  if (Is("trap"))
    return trapped();
  if (Is("endless"))
    return endless();
  if (Is("fault-unseen"))
    return faultUnseen();
  if (Is("fork"))
    return forked();
  if (Is("fork-exit"))
    return forkedExit();
  if (Is("idle"))
    return idle();
  // Ways to end, first with nothing on the GPU, then with a kernel that runs.
  bool Busy = std::strncmp(Case, "busy-", 5) == 0;
  if (Busy)
    startEndless();
  else
    launchAdd(allocate(), 1);
  const char *Way = Busy ? Case + 5 : Case;
  if (std::strcmp(Way, "return") == 0)
    return 21;
  if (std::strcmp(Way, "exit") == 0)
    std::exit(22);
  if (std::strcmp(Way, "_exit") == 0)
    ::_exit(23);
  if (std::strcmp(Way, "quick-exit") == 0)
    std::quick_exit(24);
  if (std::strcmp(Way, "abort") == 0)
    std::abort();
  if (std::strcmp(Way, "segv") == 0)
    *static_cast<volatile int *>(nullptr) = 1;
  if (std::strcmp(Way, "term") == 0)
    ::kill(::getpid(), 15);
  if (std::strcmp(Way, "thread-exit") == 0)
    std::thread([] { std::exit(25); }).join();
  std::puts("no such case");
  return 2;
}
