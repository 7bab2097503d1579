// A buffer that two processes use: the parent writes, the child reads what it
// finds and writes something else, which the parent reads.
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime_api.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#define CHECK(Call)                                                            \
  do {                                                                         \
    hipError_t Err = Call;                                                     \
    if (Err) {                                                                 \
      std::printf("%s: %s\n", #Call, hipGetErrorString(Err));                  \
      std::fflush(stdout);                                                     \
      std::_Exit(3);                                                           \
    }                                                                          \
  } while (0)

// ROCm 6 wants a multiple of pages where allocations are not parts of others.
const size_t Size = 25 * 4096;

static void expect(void *Data, unsigned char Value, const char *Who) {
  std::vector<unsigned char> Host(Size);
  CHECK(hipMemcpy(Host.data(), Data, Size, hipMemcpyDeviceToHost));
  bool Right = true;
  for (unsigned char Byte : Host)
    Right &= Byte == Value;
  std::printf("%s: %s\n", Who, Right ? "right" : "wrong");
  std::fflush(stdout);
}

static int child(int From) {
  hipIpcMemHandle_t Handles[2];
  if (read(From, Handles, sizeof(Handles)) != sizeof(Handles))
    return 9;
  void *Data, *Gone;
  CHECK(hipIpcOpenMemHandle(&Data, Handles[0], hipIpcMemLazyEnablePeerAccess));
  expect(Data, 7, "child");
  CHECK(hipMemset(Data, 9, Size));
  CHECK(hipDeviceSynchronize());
  CHECK(hipIpcCloseMemHandle(Data));
  if (hipIpcOpenMemHandle(&Gone, Handles[1], hipIpcMemLazyEnablePeerAccess))
    std::puts("child: the freed one is gone");
  return 0;
}

int main() {
  int Pipe[2];
  if (pipe(Pipe))
    return 9;
  pid_t Child = fork(); // before the runtime is used
  if (!Child)
    return child(Pipe[0]);
  void *Data, *Freed;
  CHECK(hipMalloc(&Data, Size));
  CHECK(hipMalloc(&Freed, Size));
  CHECK(hipMemset(Data, 7, Size));
  CHECK(hipDeviceSynchronize());
  hipIpcMemHandle_t Handles[2];
  CHECK(hipIpcGetMemHandle(&Handles[0], Data));
  CHECK(hipIpcGetMemHandle(&Handles[1], Freed));
  CHECK(hipFree(Freed));
  if (write(Pipe[1], Handles, sizeof(Handles)) != sizeof(Handles))
    return 9;
  int Status = 0;
  waitpid(Child, &Status, 0);
  expect(Data, 9, "parent");
  CHECK(hipFree(Data));
  return Status != 0;
}
