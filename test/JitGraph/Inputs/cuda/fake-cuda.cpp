// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's driver without a GPU: memory is the host's, kernels do nothing, and
// each function that is called is counted. At the end of a program that sets
// FAKE_CUDA_COUNTS the counts are printed, and the blocks that were launched.
// FAKE_CUDA_FAILS names a function that fails.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

using Address = unsigned long long;

struct KernelNode {
  void *Function;
  unsigned Grid[3], Block[3], Shared;
  void **Arguments, **Extra;
};

struct Graph {
  std::vector<KernelNode> Nodes;
};

/// Of this thread; one device.
thread_local std::vector<void *> Contexts;

struct Counts {
  std::map<std::string, long> Of;
  long Blocks = 0, Wrong = 0;
  ~Counts() {
    if (!std::getenv("FAKE_CUDA_COUNTS"))
      return;
    for (const auto &[Name, Count] : Of)
      std::printf("%s: %ld\n", Name.c_str(), Count);
    std::printf("blocks: %ld, wrong launches: %ld\n", Blocks, Wrong);
  }
};

Counts &counts() {
  static Counts All;
  return All;
}

int enter(const char *Name) {
  ++counts().Of[Name];
  const char *Fails = std::getenv("FAKE_CUDA_FAILS");
  return Fails && !std::strcmp(Fails, Name) ? 719 : 0;
}

/// Arguments come as pointer, size and end.
bool isRight(const KernelNode &N) {
  auto Is = [&](int I, long Value) {
    return N.Extra[I] == reinterpret_cast<void *>(Value);
  };
  bool Right = !Contexts.empty() && N.Function && N.Extra && !N.Arguments &&
               Is(0, 1) && Is(2, 2) && Is(4, 0) && N.Extra[1] &&
               *static_cast<size_t *>(N.Extra[3]) % 8 == 0;
  for (unsigned Extent : {N.Grid[0], N.Grid[1], N.Grid[2], N.Block[0]})
    Right &= Extent != 0;
  return Right;
}

int launch(const KernelNode &N) {
  counts().Wrong += !isRight(N);
  counts().Blocks += long(N.Grid[0]) * N.Grid[1] * N.Grid[2];
  return 0;
}

} // namespace

#define ENTER(Name)                                                            \
  if (int Code = enter(#Name))                                                 \
  return Code

extern "C" {
int cuInit(unsigned) {
  ENTER(cuInit);
  return 0;
}
int cuDeviceGetCount(int *Count) {
  *Count = 1;
  return 0;
}
int cuDeviceGet(int *Device, int Number) {
  *Device = Number;
  return Number == 0 ? 0 : 101;
}
int cuDeviceGetAttribute(int *Value, int Which, int) {
  *Value = Which == 75 ? 9 : 0;
  return 0;
}
int cuCtxGetCurrent(void **Context) {
  *Context = Contexts.empty() ? nullptr : Contexts.back();
  return 0;
}
int cuCtxGetDevice(int *Device) {
  *Device = 0;
  return Contexts.empty() ? 201 : 0;
}
int cuCtxPushCurrent_v2(void *Context) {
  ENTER(cuCtxPushCurrent);
  Contexts.push_back(Context);
  return 0;
}
int cuCtxPopCurrent_v2(void **Context) {
  if (Contexts.empty())
    return 201;
  *Context = Contexts.back();
  Contexts.pop_back();
  return 0;
}
int cuCtxSynchronize() { return 0; }
int cuDevicePrimaryCtxRetain(void **Context, int) {
  static int One;
  *Context = &One;
  return 0;
}
int cuModuleLoadDataEx(void **Module, const void *Image, unsigned, int *,
                       void **) {
  ENTER(cuModuleLoadDataEx);
  *Module = const_cast<void *>(Image);
  return std::strstr(static_cast<const char *>(Image), ".visible .entry") ? 0
                                                                          : 218;
}
int cuModuleGetFunction(void **Function, void *Module, const char *Name) {
  *Function = std::strstr(static_cast<char *>(Module), Name);
  return *Function ? 0 : 500;
}
int cuModuleUnload(void *) { return 0; }
int cuGetErrorName(int Code, const char **Name) {
  *Name = Code == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_OTHER";
  return 0;
}
int cuPointerGetAttribute(Address *, int, Address) { return 1; }
int cuMemAlloc_v2(Address *Memory, size_t Bytes) {
  ENTER(cuMemAlloc);
  *Memory = reinterpret_cast<Address>(
      std::aligned_alloc(256, (Bytes + 255) / 256 * 256));
  return 0;
}
int cuMemFree_v2(Address Memory) {
  std::free(reinterpret_cast<void *>(Memory));
  return 0;
}
int cuMemHostAlloc(void **Memory, size_t Bytes, unsigned) {
  ENTER(cuMemHostAlloc);
  *Memory = std::aligned_alloc(256, (Bytes + 255) / 256 * 256);
  return 0;
}
int cuMemFreeHost(void *Memory) {
  std::free(Memory);
  return 0;
}
int cuMemsetD8_v2(Address Memory, unsigned char Value, size_t Bytes) {
  ENTER(cuMemsetD8);
  std::memset(reinterpret_cast<void *>(Memory), Value, Bytes);
  return 0;
}
int cuMemcpyHtoD_v2(Address To, const void *From, size_t Bytes) {
  ENTER(cuMemcpyHtoD);
  std::memcpy(reinterpret_cast<void *>(To), From, Bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void *To, Address From, size_t Bytes) {
  ENTER(cuMemcpyDtoH);
  std::memcpy(To, reinterpret_cast<void *>(From), Bytes);
  return 0;
}
int cuMemcpyHtoDAsync_v2(Address To, const void *From, size_t Bytes, void *) {
  ENTER(cuMemcpyHtoDAsync);
  std::memcpy(reinterpret_cast<void *>(To), From, Bytes);
  return 0;
}
int cuStreamCreate(void **Stream, unsigned) {
  ENTER(cuStreamCreate);
  *Stream = new int;
  return 0;
}
int cuStreamDestroy_v2(void *Stream) {
  delete static_cast<int *>(Stream);
  return 0;
}
int cuStreamSynchronize(void *) {
  ENTER(cuStreamSynchronize);
  return 0;
}
int cuStreamWaitEvent(void *, void *, unsigned) { return 0; }
int cuEventCreate(void **Event, unsigned Flags) {
  ENTER(cuEventCreate);
  *Event = new int;
  return Flags == 2 ? 0 : 1;
}
int cuEventDestroy_v2(void *Event) {
  delete static_cast<int *>(Event);
  return 0;
}
int cuEventRecord(void *, void *) {
  ENTER(cuEventRecord);
  return 0;
}
int cuEventQuery(void *) { return 0; }
int cuEventSynchronize(void *) {
  ENTER(cuEventSynchronize);
  return 0;
}
int cuLaunchKernel(void *Function, unsigned X, unsigned Y, unsigned Z,
                   unsigned BX, unsigned BY, unsigned BZ, unsigned Shared,
                   void *, void **Arguments, void **Extra) {
  ENTER(cuLaunchKernel);
  return launch({Function, {X, Y, Z}, {BX, BY, BZ}, Shared, Arguments, Extra});
}
int cuGraphCreate(void **To, unsigned) {
  ENTER(cuGraphCreate);
  *To = new Graph;
  return 0;
}
int cuGraphDestroy(void *Of) {
  delete static_cast<Graph *>(Of);
  return 0;
}
/// One behind the other.
int cuGraphAddKernelNode(void **Node, void *To, void *const *Before,
                         size_t Count, const KernelNode *N) {
  ENTER(cuGraphAddKernelNode);
  std::vector<KernelNode> &Nodes = static_cast<Graph *>(To)->Nodes;
  size_t Place = Nodes.size();
  Nodes.push_back(*N);
  *Node = reinterpret_cast<void *>(Place + 1);
  bool IsChain = Count == (Place ? 1 : 0) &&
                 (!Count || *Before == reinterpret_cast<void *>(Place));
  return IsChain ? 0 : 1;
}
int cuGraphInstantiateWithFlags(void **Exec, void *Of, unsigned long long) {
  ENTER(cuGraphInstantiate);
  *Exec = new Graph(*static_cast<Graph *>(Of));
  return 0;
}
int cuGraphExecDestroy(void *Exec) {
  delete static_cast<Graph *>(Exec);
  return 0;
}
int cuGraphExecKernelNodeSetParams(void *Exec, void *Node,
                                   const KernelNode *N) {
  ENTER(cuGraphExecKernelNodeSetParams);
  static_cast<Graph *>(Exec)->Nodes[reinterpret_cast<size_t>(Node) - 1] = *N;
  return 0;
}
int cuGraphLaunch(void *Exec, void *) {
  ENTER(cuGraphLaunch);
  for (const KernelNode &N : static_cast<Graph *>(Exec)->Nodes)
    launch(N);
  return 0;
}
}
