//===- Requests.cpp - ioctl() on /dev/kfd ---------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each request, and a table of them at the end. A structure
// may be shorter or longer than ours: the kernel copies the size in the
// request's number and zeros the rest, so that the interface can grow.
// answerRequest() does the same: the functions below see a copy of at least
// full size. Pointers in it may be invalid (CallerMemory.h).
//
//===----------------------------------------------------------------------===//
#include "Requests.h"

#include "AqlQueue.h"
#include "KfdDriver.h"
#include "SdmaQueue.h"
#include "SoftGpu/Kfd/Preload/CallerMemory.h"

#include "SoftGpu/Machine/MemoryMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <unistd.h>

using namespace kpack::softgpu;

/// Returns a pointer to the caller's memory, whose address is a number in the
/// structure.
template <typename T> static T *pointer(uint64_t Address) {
  return reinterpret_cast<T *>(Address);
}

static int found(bool Yes) { return Yes ? 0 : -EINVAL; }

//===----------------------------------------------------------------------===//
// The process and its GPUs
//===----------------------------------------------------------------------===//

static int getVersion(Driver &, kfd_ioctl_get_version_args &A) {
  A.major_version = kfd::MajorVersion;
  A.minor_version = kfd::MinorVersion;
  return 0;
}

static int getClockCounters(Driver &, kfd_ioctl_get_clock_counters_args &A) {
  A.gpu_clock_counter = A.cpu_clock_counter = A.system_clock_counter = now();
  A.system_clock_freq = 1'000'000'000;
  return 0;
}

/// Returns the ranges of LDS and private segments in each GPU's address space.
static int getApertures(Driver &D,
                        kfd_ioctl_get_process_apertures_new_args &A) {
  uint64_t Target = A.kfd_process_device_apertures_ptr;
  constexpr uint64_t LowestAddress = 0x200000;
  for (uint32_t I = 0; Target && I < A.num_of_nodes && I < D.Gpus.size(); ++I) {
    kfd_process_device_apertures P{};
    P.gpu_id = D.Gpus[I]->id();
    P.lds_base = SharedAperture;
    P.lds_limit = SharedAperture + ApertureSize - 1;
    P.scratch_base = PrivateAperture;
    P.scratch_limit = PrivateAperture + ApertureSize - 1;
    P.gpuvm_base = LowestAddress;
    P.gpuvm_limit = (uint64_t(1) << 47) - 1;
    if (int Problem = copyOut(Target + I * sizeof(P), &P, sizeof(P)))
      return Problem;
  }
  A.num_of_nodes = uint32_t(D.Gpus.size());
  return 0;
}

static int acquireVm(Driver &D, kfd_ioctl_acquire_vm_args &A) {
  return found(D.gpuById(A.gpu_id));
}

static int setXnackMode(Driver &, kfd_ioctl_set_xnack_mode_args &A) {
  if (A.xnack_enabled > 0) // page faults are errors
    return -EPERM;
  A.xnack_enabled = 0;
  return 0;
}

static int getTileConfig(Driver &, kfd_ioctl_get_tile_config_args &A) {
  A.num_tile_configs = A.num_macro_tile_configs = 0; // images are not supported
  return 0;
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

/// Returns null if the type is unknown.
static std::unique_ptr<Queue> makeQueue(uint32_t Type, Driver &D, Gpu &G,
                                        const QueueMemory &Shared) {
  switch (Type) {
  case KFD_IOC_QUEUE_TYPE_COMPUTE_AQL:
    return std::make_unique<AqlQueue>(D, G, Shared);
  case KFD_IOC_QUEUE_TYPE_SDMA:
  case KFD_IOC_QUEUE_TYPE_SDMA_XGMI: // the kind of link does not matter
    return std::make_unique<SdmaQueue>(D, G, Shared);
  }
  return nullptr;
}

/// Checks that the first and the last of \p Size bytes at the caller's address
/// are readable; their values may be changing. The process keeps a queue's
/// memory mapped while it uses the queue.
static int checkMemory(uint64_t Address, uint64_t Size) {
  uint8_t Value;
  if (int Problem = copyIn(&Value, Address, 1))
    return Problem;
  return copyIn(&Value, Address + Size - 1, 1);
}

static int createQueue(Driver &D, kfd_ioctl_create_queue_args &A) {
  constexpr uint32_t Alignment = AqlQueue::PacketBytes;
  Gpu *G = D.gpuById(A.gpu_id);
  if (!G || A.ring_size < Alignment || !llvm::isPowerOf2_64(A.ring_size) ||
      !A.ring_base_address || A.ring_base_address % Alignment ||
      !A.read_pointer_address || A.read_pointer_address % 8 ||
      !A.write_pointer_address || A.write_pointer_address % 8)
    return -EINVAL;
  for (auto [Address, Size] :
       {std::pair(A.ring_base_address, uint64_t(A.ring_size)),
        std::pair(A.read_pointer_address, uint64_t(8)),
        std::pair(A.write_pointer_address, uint64_t(8))})
    if (int Problem = checkMemory(Address, Size))
      return Problem;
  QueueMemory Shared;
  Shared.Ring = pointer<uint8_t>(A.ring_base_address);
  Shared.Bytes = A.ring_size;
  Shared.ReadIndex = pointer<uint64_t>(A.read_pointer_address);
  Shared.WriteIndex = pointer<uint64_t>(A.write_pointer_address);
  std::unique_ptr<Queue> Created = makeQueue(A.queue_type, D, *G, Shared);
  if (!Created)
    return -EINVAL;
  Created->setActive(A.queue_percentage > 0);
  A.queue_id = D.Queues.add(std::move(Created));
  // The thunk divides doorbells into pages of 8 KiB. The driver never reads
  // them, since a queue polls its write index.
  constexpr uint32_t Doorbells = 1024;
  A.doorbell_offset = uint64_t(kfd::MapType::Doorbells) << kfd::MapTypeShift |
                      uint64_t(A.gpu_id) << kfd::MapGpuShift |
                      A.queue_id % Doorbells * 8;
  return 0;
}

static int updateQueue(Driver &D, kfd_ioctl_update_queue_args &A) {
  return found(D.Queues.setActive(A.queue_id, A.queue_percentage > 0));
}

/// Gives a queue global wave sync for cooperative launches. All queues share a
/// GPU's resources.
static int allocateSync(Driver &D, kfd_ioctl_alloc_queue_gws_args &A) {
  if (A.num_gws > hardware::SyncResources)
    return -EINVAL;
  A.first_gws = 0;
  return found(D.Queues.setCooperative(A.queue_id, A.num_gws > 0));
}

static int destroyQueue(Driver &D, kfd_ioctl_destroy_queue_args &A) {
  return found(D.Queues.destroy(A.queue_id));
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

static int createEvent(Driver &D, kfd_ioctl_create_event_args &A) {
  // The thunk itself allocates the page of mailboxes for a discrete GPU.
  if (A.event_page_offset) {
    uint64_t Page = D.Memory.addressOf(A.event_page_offset);
    if (!Page)
      return -EINVAL;
    if (int Problem =
            checkMemory(Page, EventTable::MaxEvents * sizeof(uint64_t)))
      return Problem;
    D.Events.useMailboxes(pointer<uint64_t>(Page));
  }
  A.event_id = D.Events.create(A.event_type, A.auto_reset);
  if (!A.event_id)
    return -ENOSPC;
  A.event_slot_index = A.event_trigger_data = A.event_id;
  // Must not be zero, or ROCr assumes that the event has no mailbox.
  A.event_page_offset = uint64_t(kfd::MapType::Events) << kfd::MapTypeShift;
  return 0;
}

static int destroyEvent(Driver &D, kfd_ioctl_destroy_event_args &A) {
  return found(D.Events.destroy(A.event_id));
}

static int setEvent(Driver &D, kfd_ioctl_set_event_args &A) {
  D.Activity.ring(); // a barrier may depend on the event's signal
  return found(D.Events.set(A.event_id));
}

static int resetEvent(Driver &D, kfd_ioctl_reset_event_args &A) {
  return found(D.Events.reset(A.event_id));
}

/// Copies those of \p After to the array at \p Target that differ from \p
/// Before.
static int copyChanged(uint64_t Target, llvm::ArrayRef<kfd_event_data> Before,
                       llvm::ArrayRef<kfd_event_data> After) {
  for (size_t I = 0; I != After.size(); ++I)
    if (std::memcmp(&Before[I], &After[I], sizeof(After[I])) != 0)
      if (int Problem = copyOut(Target + I * sizeof(After[I]), &After[I],
                                sizeof(After[I])))
        return Problem;
  return 0;
}

static int waitEvents(Driver &D, kfd_ioctl_wait_events_args &A) {
  D.Activity.ring();
  // A limit instead of the kernel's failing allocation.
  constexpr uint32_t MostWaited = 65536;
  if (A.num_events > MostWaited)
    return -ENOMEM;
  llvm::SmallVector<kfd_event_data, 8> Given(A.num_events);
  if (int Problem = copyIn(Given.data(), A.events_ptr, Given.size_in_bytes()))
    return Problem;
  llvm::SmallVector<kfd_event_data, 8> Waited(Given);
  EventTable::WaitResult Result =
      D.Events.wait(Waited, A.wait_for_all, A.timeout);
  if (int Problem = copyChanged(A.events_ptr, Given, Waited))
    return Problem;
  switch (Result) {
  case EventTable::WaitResult::Met:
    A.wait_result = KFD_IOC_WAIT_RESULT_COMPLETE;
    return 0;
  case EventTable::WaitResult::TimedOut:
    A.wait_result = KFD_IOC_WAIT_RESULT_TIMEOUT;
    return 0;
  case EventTable::WaitResult::Destroyed:
    break;
  case EventTable::WaitResult::NoSuchEvent:
    return -EINVAL;
  }
  A.wait_result = KFD_IOC_WAIT_RESULT_FAIL;
  return -EIO;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static int allocateMemory(Driver &D, kfd_ioctl_alloc_memory_of_gpu_args &A) {
  BufferTable::Wanted W;
  W.Address = A.va_addr;
  W.Size = A.size;
  W.Flags = A.flags;
  W.Owner = D.gpuById(A.gpu_id);
  W.UserAddress = A.mmap_offset;
  if (!W.Owner)
    return -EINVAL;
  uint64_t Handle = 0;
  if (int Problem = D.Memory.allocate(W, Handle))
    return Problem;
  A.handle = Handle;
  if (!(A.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR))
    A.mmap_offset = BufferTable::mapOffset(Handle);
  return 0;
}

static int freeMemory(Driver &D, kfd_ioctl_free_memory_of_gpu_args &A) {
  return D.Memory.free(A.handle);
}

/// Reads the GPUs listed at \p Ids. Returns -EINVAL if one does not exist.
static int readGpus(Driver &D, uint64_t Ids, uint32_t Count,
                    llvm::SmallVectorImpl<Gpu *> &Nodes) {
  if (!Ids || Count > D.Gpus.size())
    return -EINVAL;
  llvm::SmallVector<uint32_t, 16> Listed(Count);
  if (int Problem = copyIn(Listed.data(), Ids, Listed.size_in_bytes()))
    return Problem;
  for (uint32_t Id : Listed)
    Nodes.push_back(D.gpuById(Id));
  return found(!llvm::is_contained(Nodes, nullptr));
}

/// Both requests have the same fields.
template <typename T>
static int forGpus(Driver &D, T &A,
                   int (BufferTable::*Change)(uint64_t,
                                              llvm::ArrayRef<Gpu *>)) {
  llvm::SmallVector<Gpu *, 16> Nodes;
  if (int Problem = readGpus(D, A.device_ids_array_ptr, A.n_devices, Nodes))
    return Problem;
  if (int Problem = (D.Memory.*Change)(A.handle, Nodes))
    return Problem;
  A.n_success = A.n_devices;
  return 0;
}

static int mapMemory(Driver &D, kfd_ioctl_map_memory_to_gpu_args &A) {
  return forGpus(D, A, &BufferTable::mapTo);
}

static int unmapMemory(Driver &D, kfd_ioctl_unmap_memory_from_gpu_args &A) {
  return forGpus(D, A, &BufferTable::unmapFrom);
}

static int availableMemory(Driver &D, kfd_ioctl_get_available_memory_args &A) {
  Gpu *G = D.gpuById(A.gpu_id);
  if (G)
    A.available = D.Memory.bytesFree(*G);
  return found(G);
}

static int exportDmabuf(Driver &D, kfd::ExportDmabuf &A) {
  int Fd = D.Memory.share(A.Handle);
  if (Fd < 0)
    return Fd;
  A.DmabufFd = uint32_t(Fd);
  return 0;
}

static int importDmabuf(Driver &D, kfd_ioctl_import_dmabuf_args &A) {
  uint64_t Handle = 0, Size = 0;
  if (int Problem = D.Memory.import(int(A.dmabuf_fd), A.va_addr, Handle, Size))
    return Problem;
  A.handle = Handle;
  return 0;
}

static int dmabufInfo(Driver &D, kfd_ioctl_get_dmabuf_info_args &A) {
  // The file's name holds the GPU and the flags, also in another process.
  char Name[128] = {};
  std::string Link = "/proc/self/fd/" + std::to_string(A.dmabuf_fd);
  if (::readlink(Link.c_str(), Name, sizeof(Name) - 1) < 0 ||
      std::sscanf(Name, "/memfd:softgpu buffer %u %u", &A.gpu_id, &A.flags) !=
          2 ||
      !D.gpuById(A.gpu_id))
    return -EINVAL;
  off_t Size = ::lseek(int(A.dmabuf_fd), 0, SEEK_END);
  if (Size < 0)
    return -errno;
  A.size = BufferTable::memoryBytes(uint64_t(Size));
  A.metadata_size = 0;
  return 0;
}

static int ipcExport(Driver &D, kfd::IpcExport &A) {
  BufferTable::Loan L{};
  if (int Problem = D.Memory.lend(A.Handle, L))
    return Problem;
  A.ShareHandle[0] = L.Process;
  A.ShareHandle[1] = L.Descriptor;
  A.ShareHandle[2] = L.Inode;
  A.ShareHandle[3] = A.Flags;
  return 0;
}

static int ipcImport(Driver &D, kfd::IpcImport &A) {
  if (!D.gpuById(A.GpuId))
    return -EINVAL;
  BufferTable::Loan L{A.ShareHandle[0], A.ShareHandle[1], A.ShareHandle[2]};
  if (int Problem = D.Memory.borrow(L, A.Address, A.Handle))
    return Problem;
  A.MapOffset = BufferTable::mapOffset(A.Handle);
  A.Flags = A.ShareHandle[3];
  return 0;
}

/// Lets GPUs use memory of the process directly.
static int sharedVirtualMemory(Driver &D, kfd_ioctl_svm_args &A, size_t Size) {
  if (A.nattr > (Size - sizeof(A)) / sizeof(*A.attrs))
    return -EINVAL;
  llvm::MutableArrayRef Attributes(A.attrs, A.nattr);
  if (A.op == KFD_IOCTL_SVM_OP_GET_ATTR) {
    for (kfd_ioctl_svm_attribute &Each : Attributes)
      if (Each.type == KFD_IOCTL_SVM_ATTR_PREFERRED_LOC ||
          Each.type == KFD_IOCTL_SVM_ATTR_PREFETCH_LOC)
        Each.value = KFD_IOCTL_SVM_LOCATION_SYSMEM;
      else if (Each.type == KFD_IOCTL_SVM_ATTR_ACCESS)
        Each.type = KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE;
    return 0;
  }
  llvm::SmallVector<Gpu *, 16> Nodes;
  for (const kfd_ioctl_svm_attribute &Each : Attributes) {
    if (Each.type != KFD_IOCTL_SVM_ATTR_ACCESS &&
        Each.type != KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE &&
        Each.type != KFD_IOCTL_SVM_ATTR_NO_ACCESS)
      continue;
    Gpu *G = D.gpuById(Each.value);
    if (!G)
      return -EINVAL;
    if (Each.type == KFD_IOCTL_SVM_ATTR_NO_ACCESS)
      G->memory().remove(A.start_addr, A.start_addr + A.size);
    else
      Nodes.push_back(G);
  }
  return D.Memory.shareHost(A.start_addr, A.size, Nodes);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// For settings of absent hardware: caches, trap handlers, the backing of
/// private segments, masks of compute units.
template <typename T> static int nothingToDo(Driver &, T &) { return 0; }

/// For debugger requests, which are not emulated; every client tolerates this.
static int refused(Driver &, void *, size_t) { return -EINVAL; }

namespace {

struct Request {
  unsigned Number;
  size_t Size; ///< of the structure, as we know it
  int (*Answer)(Driver &, void *, size_t Size);
};

} // namespace

template <typename T, int (*Function)(Driver &, T &)>
static constexpr Request request(unsigned Code) {
  return {Code, sizeof(T), [](Driver &D, void *Arguments, size_t) {
            return Function(D, *static_cast<T *>(Arguments));
          }};
}

/// Calls the function whose structure ends with an array.
static int svmRequest(Driver &D, void *Arguments, size_t Size) {
  return sharedVirtualMemory(D, *static_cast<kfd_ioctl_svm_args *>(Arguments),
                             Size);
}

static constexpr Request Requests[] = {
    request<kfd_ioctl_get_version_args, getVersion>(0x01),
    request<kfd_ioctl_create_queue_args, createQueue>(0x02),
    request<kfd_ioctl_destroy_queue_args, destroyQueue>(0x03),
    request<kfd_ioctl_set_memory_policy_args, nothingToDo>(0x04),
    request<kfd_ioctl_get_clock_counters_args, getClockCounters>(0x05),
    request<kfd_ioctl_update_queue_args, updateQueue>(0x07),
    request<kfd_ioctl_create_event_args, createEvent>(0x08),
    request<kfd_ioctl_destroy_event_args, destroyEvent>(0x09),
    request<kfd_ioctl_set_event_args, setEvent>(0x0a),
    request<kfd_ioctl_reset_event_args, resetEvent>(0x0b),
    request<kfd_ioctl_wait_events_args, waitEvents>(0x0c),
    request<kfd_ioctl_set_scratch_backing_va_args, nothingToDo>(0x11),
    request<kfd_ioctl_get_tile_config_args, getTileConfig>(0x12),
    request<kfd_ioctl_set_trap_handler_args, nothingToDo>(0x13),
    request<kfd_ioctl_get_process_apertures_new_args, getApertures>(0x14),
    request<kfd_ioctl_acquire_vm_args, acquireVm>(0x15),
    request<kfd_ioctl_alloc_memory_of_gpu_args, allocateMemory>(0x16),
    request<kfd_ioctl_free_memory_of_gpu_args, freeMemory>(0x17),
    request<kfd_ioctl_map_memory_to_gpu_args, mapMemory>(0x18),
    request<kfd_ioctl_unmap_memory_from_gpu_args, unmapMemory>(0x19),
    request<kfd_ioctl_set_cu_mask_args, nothingToDo>(0x1a),
    request<kfd_ioctl_get_dmabuf_info_args, dmabufInfo>(0x1c),
    request<kfd_ioctl_import_dmabuf_args, importDmabuf>(0x1d),
    request<kfd_ioctl_alloc_queue_gws_args, allocateSync>(0x1e),
    {0x20, sizeof(kfd_ioctl_svm_args), svmRequest},
    request<kfd_ioctl_set_xnack_mode_args, setXnackMode>(0x21),
    request<kfd_ioctl_get_available_memory_args, availableMemory>(0x23),
    request<kfd::ExportDmabuf, exportDmabuf>(0x24),
    {0x25, 0, refused}, // announces the runtime to a debugger
    {0x26, 0, refused}, // requests of a debugger
    request<kfd::IpcImport, ipcImport>(0x80),
    request<kfd::IpcExport, ipcExport>(0x81),
    {0x82, 0, refused}, // debugger requests of drivers before Linux 6.5
};

void kpack::softgpu::sayNotEmulated(const char *Device, unsigned Code) {
  static std::mutex &Lock = *new std::mutex;
  static auto &Said = *new std::set<std::pair<std::string, unsigned>>;
  std::lock_guard<std::mutex> Guard(Lock);
  if (Said.insert({Device, Code}).second)
    std::fprintf(stderr,
                 "kpack-run: warning: request 0x%02x to %s, of %s: not "
                 "emulated; the program is told so\n",
                 Code, Device, ::program_invocation_short_name);
}

int kpack::softgpu::answerRequest(Driver &D, unsigned long Code,
                                  void *Arguments) {
  const Request *R = llvm::find_if(Requests, [Code](const Request &Each) {
    return Each.Number == _IOC_NR(Code);
  });
  if (_IOC_TYPE(Code) != AMDKFD_IOCTL_BASE || R == std::end(Requests)) {
    sayNotEmulated("/dev/kfd", _IOC_NR(Code));
    return -ENOTTY;
  }
  size_t Given = _IOC_SIZE(Code);
  size_t Size = std::max(Given, R->Size);
  llvm::SmallVector<uint64_t, 32> Whole(Size / 8 + 1, 0);
  if (_IOC_DIR(Code) & _IOC_WRITE)
    if (int Problem = copyIn(Whole.data(), addressOf(Arguments), Given))
      return Problem;
  int Result = R->Answer(D, Whole.data(), Size);
  if (_IOC_DIR(Code) & _IOC_READ)
    if (int Problem = copyOut(addressOf(Arguments), Whole.data(), Given))
      return Problem;
  return Result;
}
