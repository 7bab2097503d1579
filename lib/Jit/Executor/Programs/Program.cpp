//===- Program.cpp - loaded functions of a source text --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Programs/Program.h"

#include "Jit/Executor/Gpu/ProgramKernels.h"

#include "Jit/Executor/Programs/SourceUnit.h"
#include "Support/Files.h"

#include <dlfcn.h>
#include <link.h>

using namespace kpack;
using namespace kpack::jit;

static Status readPayload(const StoredEntry &Entry, std::string &Bytes) {
  Bytes.resize(Entry.PayloadSize);
  if (readAt(Entry.File.get(), Bytes.data(), Entry.PayloadSize, 0) ==
      ssize_t(Entry.PayloadSize))
    return Status::success();
  return Status(StatusCode::IoError,
                Entry.Info.Name + ": the entry cannot be read; try again");
}

/// Checks that the table has \p Count pointers: an entry may name more
/// functions than it has.
static bool hasEntries(void *const *Table, size_t Count) {
  Dl_info Ignored;
  ElfW(Sym) *Symbol = nullptr;
  return ::dladdr1(Table, &Ignored, reinterpret_cast<void **>(&Symbol),
                   RTLD_DL_SYMENT) &&
         Symbol && Symbol->st_size / sizeof(*Table) >= Count;
}

Result<ProgramRef> Program::load(StoredEntry Entry) {
  ProgramRef Loaded = ProgramRef::adopt(new Program(Entry.Info, Entry.Path));
  Loaded->IsCompiled = Entry.IsCompiled;
  if (Entry.Info.Kind == "code-object" || Entry.Info.Kind == "ptx") {
    if (Status Read = readPayload(Entry, Loaded->Image); !Read.ok())
      return Read;
    Result<std::unique_ptr<ProgramKernels>> Kernels =
        ProgramKernels::read(Loaded->Image, Loaded->Info);
    if (!Kernels)
      return Kernels.status();
    Loaded->Kernels = std::move(*Kernels);
    return Loaded;
  }
  // Host functions that launch kernels; loading them registers the kernels.
  if (!Entry.Info.Target.empty()) {
    if (Status Exposed = exposeHip(); !Exposed.ok())
      return Status(Exposed.code(), Entry.Info.Name + ": " + Exposed.message(),
                    Exposed.detail());
    Loaded->GpuLoader = loadingProcess();
  }
  if (Entry.Path.empty())
    if (Status Read = readPayload(Entry, Loaded->InMemory); !Read.ok())
      return Read;
  Result<LoadedCode> Code = LoadedCode::load(std::move(Entry));
  if (!Code)
    return Code.status();
  Loaded->Code = std::move(*Code);
  Result<void *> Table = Loaded->Code->symbol(EntryTableSymbol);
  if (!Table)
    return Table.status();
  Loaded->Table = static_cast<void *const *>(*Table);
  if (!hasEntries(Loaded->Table, Loaded->Info.Functions.size()))
    return Status(StatusCode::InvalidFormat,
                  Loaded->Info.Name + ": it has fewer functions than it says; "
                                      "remove the entry from the cache",
                  Errc::LoadFailed);
  return Loaded;
}

Result<ProgramRef> Program::ofImage(std::string Image, std::string Name) {
  Result<ImageMetadata> Read = readImageMetadata(Image);
  if (!Read)
    return Status(Read.status().code(), Name + ": " + Read.status().message(),
                  Errc::LoadFailed);
  EntryInfo Info;
  Info.Name = std::move(Name);
  Info.Kind = Image.substr(0, 4) == "\177ELF" ? "code-object" : "ptx";
  Info.Key = KeyBuilder("kpack-jit image 1").add("image", Image).finish();
  Info.Target = Read->Target;
  for (const KernelMetadata &Kernel : Read->Kernels)
    Info.Functions.push_back({Kernel.Symbol, Kernel.Symbol, {}});
  ProgramRef Created = ProgramRef::adopt(new Program(std::move(Info), {}));
  Created->Image = std::move(Image);
  Result<std::unique_ptr<ProgramKernels>> Kernels =
      ProgramKernels::read(Created->Image, Created->Info);
  if (!Kernels)
    return Kernels.status();
  Created->Kernels = std::move(*Kernels);
  return Created;
}

Program::Program(EntryInfo Info, std::string Path)
    : Info(std::move(Info)), Key(this->Info.Key.hex()), Path(std::move(Path)) {}

Program::~Program() = default;

void Program::release() {
  if (Count.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  // Work that its functions launched may still run. If the runtime is gone, the
  // code stays.
  bool IsGone = GpuLoader && !mayUnload(GpuLoader);
  if (GpuLoader && !IsGone)
    synchronizeHip();
  if (Code && !IsGone)
    Code->unload();
  delete this;
}
