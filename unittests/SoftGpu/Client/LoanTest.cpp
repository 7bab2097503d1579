//===- LoanTest.cpp - tests of GPU memory shared by processes -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By a handle of 16 bytes (requests 0x81 and 0x80, hipIpcGetMemHandle), and by
// a descriptor (dma-buf). What is gone is an error at once, and never a wait:
// each wait here is for a pipe that the other process has written to.
//
//===----------------------------------------------------------------------===//
#include "Client.h"

#include <amdgpu.h>
#include <chrono>
#include <fcntl.h>
#include <sys/syscall.h>

using namespace kpack::softgpu;
using namespace kpack::softgpu::test;

namespace {

/// What a process that lends does: writes 7 by a kernel, waits until it is
/// told, and reads 9.
struct Lender {
  Lender() {
    Q.store(A.as<uint32_t>(), 7);
    EXPECT_TRUE(Q.wait());
    EXPECT_EQ(C.lend(A, Loan), 0);
  }
  ~Lender() {
    if (A.Data)
      C.free(A);
  }

  Client C;
  Area A = C.allocate();
  KernelQueue Q{C};
  kfd::IpcImport Loan{};
};

/// What its GPU finds there, by a copy.
uint32_t readByGpu(Client &C, const Area &A) {
  CopyQueue Copies(C);
  Area Mine = C.allocate();
  Copies.copy(Mine.Data, A.Data, Page);
  EXPECT_TRUE(Copies.wait());
  uint32_t Value = *Mine.as<uint32_t>();
  C.free(Mine);
  return Value;
}

void writeByGpu(Client &C, const Area &A, uint32_t Value) {
  KernelQueue Q(C);
  Q.store(A.as<uint32_t>(), Value);
  EXPECT_TRUE(Q.wait());
}

/// A process that is lent memory.
struct Borrower {
  kfd::IpcImport Loan;
  Client C;
  Area A;

  explicit Borrower(Channel &Handles)
      : Loan(Handles.receive<kfd::IpcImport>()) {
    EXPECT_EQ(C.borrow(Loan, A), 0);
  }
};

/// The error of borrowing, which comes at once.
int refusal(Client &C, const kfd::IpcImport &Loan) {
  auto Begin = std::chrono::steady_clock::now();
  Area None;
  int Problem = C.borrow(Loan, None);
  EXPECT_LT(std::chrono::steady_clock::now() - Begin, std::chrono::seconds(30));
  return Problem;
}

TEST(ClientLoans, TwoProcessesShareABuffer) {
  Channel Handles, Answers;
  Child Exporter([&] {
    Lender L;
    Handles.send(L.Loan);
    Answers.receive();
    EXPECT_EQ(*L.A.as<uint32_t>(), 9u);
    EXPECT_EQ(readByGpu(L.C, L.A), 9u);
    return 0;
  });
  Child Importer([&] {
    Borrower B(Handles);
    EXPECT_EQ(*B.A.as<uint32_t>(), 7u);
    EXPECT_EQ(readByGpu(B.C, B.A), 7u);
    writeByGpu(B.C, B.A, 9);
    B.C.free(B.A);
    Answers.send('.');
    return 0;
  });
  EXPECT_EQ(Importer.wait(), 0);
  EXPECT_EQ(Exporter.wait(), 0);
}

TEST(ClientLoans, BufferOutlivesTheExporter) {
  Channel Handles, Answers, Deaths;
  Child Exporter([&] {
    Lender L;
    Handles.send(L.Loan);
    ::pause();
    return 1;
  });
  Child Importer([&] {
    Borrower B(Handles);
    Answers.send('.');
    Deaths.receive();
    EXPECT_EQ(readByGpu(B.C, B.A), 7u);
    writeByGpu(B.C, B.A, 8);
    EXPECT_EQ(*B.A.as<uint32_t>(), 8u);
    EXPECT_EQ(refusal(B.C, B.Loan), ENOENT);
    B.C.free(B.A);
    return 0;
  });
  Answers.receive();
  Exporter.kill();
  EXPECT_EQ(Exporter.wait(), 128 + SIGKILL);
  Deaths.send('.');
  EXPECT_EQ(Importer.wait(), 0);
}

TEST(ClientLoans, BufferOutlivesTheImporter) {
  Channel Handles, Answers, Deaths;
  Child Exporter([&] {
    Lender L;
    Handles.send(L.Loan);
    Deaths.receive();
    EXPECT_EQ(readByGpu(L.C, L.A), 5u);
    writeByGpu(L.C, L.A, 6);
    EXPECT_EQ(*L.A.as<uint32_t>(), 6u);
    return 0;
  });
  Child Importer([&] {
    Borrower B(Handles);
    writeByGpu(B.C, B.A, 5);
    Answers.send('.');
    ::pause();
    return 1;
  });
  Answers.receive();
  Importer.kill();
  EXPECT_EQ(Importer.wait(), 128 + SIGKILL);
  Deaths.send('.');
  EXPECT_EQ(Exporter.wait(), 0);
}

TEST(ClientLoans, AFreedBufferIsAnErrorAtOnce) {
  Channel Handles, Answers;
  Child Exporter([&] {
    Lender L;
    L.C.free(L.A);
    Handles.send(L.Loan);
    Answers.receive();
    // Another buffer, behind the same number of a descriptor.
    Area Next = L.C.allocate();
    kfd::IpcImport Other{};
    EXPECT_EQ(L.C.lend(Next, Other), 0);
    EXPECT_EQ(Other.ShareHandle[1], L.Loan.ShareHandle[1]);
    Handles.send(Other);
    Answers.receive();
    L.C.free(Next);
    return 0;
  });
  Child Importer([&] {
    auto Loan = Handles.receive<kfd::IpcImport>();
    Client C;
    EXPECT_EQ(refusal(C, Loan), ENOENT);
    Answers.send('.');
    auto Next = Handles.receive<kfd::IpcImport>();
    EXPECT_EQ(refusal(C, Loan), EINVAL);
    EXPECT_EQ(refusal(C, Next), 0);
    Answers.send('.');
    return 0;
  });
  EXPECT_EQ(Importer.wait(), 0);
  EXPECT_EQ(Exporter.wait(), 0);
}

/// The newer way: the memory is the descriptor's, whoever frees or dies.
TEST(ClientLoans, ADescriptorOutlivesItsBuffer) {
  Channel Descriptors, Answers;
  Child Exporter([&] {
    Lender L;
    kfd::ExportDmabuf Export{L.A.Handle, 0, 0};
    L.C.demand(0x24, Export);
    L.C.free(L.A);
    kfd::ExportDmabuf Gone = Export;
    EXPECT_EQ(L.C.request(0x24, Gone), EINVAL);
    Descriptors.send(std::pair(::getpid(), int(Export.DmabufFd)));
    Answers.receive();
    return 0;
  });
  Child Importer([&] {
    auto [Process, Fd] = Descriptors.receive<std::pair<pid_t, int>>();
    int Handle = int(::syscall(SYS_pidfd_open, Process, 0));
    int Own = int(::syscall(SYS_pidfd_getfd, Handle, Fd, 0));
    EXPECT_GE(Own, 0);
    Answers.send('.');
    Client C;
    kfd_ioctl_import_dmabuf_args A{};
    A.va_addr = number(reserve(Page));
    A.gpu_id = GpuId;
    A.dmabuf_fd = uint32_t(Own);
    C.demand(0x1d, A);
    ::close(Own);
    Area Shared{A.handle, reinterpret_cast<uint8_t *>(A.va_addr), Page};
    C.map(Shared, A.handle << 36);
    EXPECT_EQ(readByGpu(C, Shared), 7u);
    C.free(Shared);
    EXPECT_EQ(C.request(0x1d, A), EBADF);
    return 0;
  });
  EXPECT_EQ(Importer.wait(), 0);
  EXPECT_EQ(Exporter.wait(), 0);
}

/// A buffer that libdrm has imported.
struct Imported {
  Imported(const Client &C, int Fd) {
    uint32_t Major = 0, Minor = 0;
    EXPECT_EQ(amdgpu_device_initialize(C.Render, &Major, &Minor, &Device), 0);
    amdgpu_bo_import_result Result{};
    EXPECT_EQ(amdgpu_bo_import(Device, amdgpu_bo_handle_type_dma_buf_fd,
                               uint32_t(Fd), &Result),
              0);
    EXPECT_EQ(Result.alloc_size, Page);
    Buffer = Result.buf_handle;
  }
  ~Imported() {
    EXPECT_EQ(amdgpu_bo_free(Buffer), 0);
    amdgpu_device_deinitialize(Device);
  }

  amdgpu_bo_info info() const {
    amdgpu_bo_info Info{};
    EXPECT_EQ(amdgpu_bo_query_info(Buffer, &Info), 0);
    return Info;
  }

  amdgpu_device_handle Device = nullptr;
  amdgpu_bo_handle Buffer = nullptr;
};

/// They are the memory's: what has been imported before and after has them.
TEST(ClientLoans, MetadataBelongToTheMemory) {
  Child Process([] {
    Client C;
    Area A = C.allocate();
    A.Data[Page - 1] = 7;
    kfd::ExportDmabuf Export{A.Handle, 0, 0};
    C.demand(0x24, Export);
    int Fd = int(Export.DmabufFd);
    Imported Before(C, Fd);
    EXPECT_EQ(Before.info().alloc_size, Page);
    EXPECT_EQ(Before.info().metadata.size_metadata, 0u);
    amdgpu_bo_metadata Metadata{};
    Metadata.flags = 3;
    Metadata.size_metadata = sizeof(Metadata.umd_metadata);
    Metadata.umd_metadata[0] = 42;
    Metadata.umd_metadata[63] = 43;
    EXPECT_EQ(amdgpu_bo_set_metadata(Before.Buffer, &Metadata), 0);
    Imported After(C, Fd);
    for (const Imported *I : {&Before, &After}) {
      amdgpu_bo_info Info = I->info();
      EXPECT_EQ(Info.alloc_size, Page);
      EXPECT_EQ(Info.metadata.flags, 3u);
      EXPECT_EQ(Info.metadata.size_metadata, 256u);
      EXPECT_EQ(Info.metadata.umd_metadata[0], 42u);
      EXPECT_EQ(Info.metadata.umd_metadata[63], 43u);
    }
    kfd_ioctl_get_dmabuf_info_args Size{};
    Size.dmabuf_fd = uint32_t(Fd);
    C.demand(0x1c, Size);
    EXPECT_EQ(Size.size, Page);
    EXPECT_EQ(A.Data[Page - 1], 7);
    ++Metadata.size_metadata;
    EXPECT_EQ(amdgpu_bo_set_metadata(Before.Buffer, &Metadata), -EINVAL);
    EXPECT_EQ(After.info().metadata.size_metadata, 256u);
    Metadata = {};
    EXPECT_EQ(amdgpu_bo_set_metadata(After.Buffer, &Metadata), 0);
    EXPECT_EQ(Before.info().metadata.size_metadata, 0u);
    ::close(Fd);
    C.free(A);
    return 0;
  });
  EXPECT_EQ(Process.wait(), 0);
}

} // namespace
