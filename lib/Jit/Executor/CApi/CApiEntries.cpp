//===- CApiEntries.cpp - C API: cache entries -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry is an open file until its code is loaded; loading takes the
// descriptor. The description stays.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/CApi/Handles.h"

#include "Support/Files.h"

using namespace kpack;
using namespace kpack::capi;
using namespace kpack::jit;

kpack_jit_status kpack_jit_entry_get_info(const kpack_jit_entry *Entry,
                                          kpack_jit_entry_info *Info) {
  if (!Entry)
    return failArgument("kpack_jit_entry_get_info: an entry is needed");
  kpack_jit_entry_info I{};
  I.payload_size = Entry->Stored.PayloadSize;
  I.name = Entry->Stored.Info.Name.c_str();
  I.kind = Entry->Stored.Info.Kind.c_str();
  I.target = Entry->Stored.Info.Target.c_str();
  I.symbol = Entry->Stored.Info.Symbol.c_str();
  I.producer = Entry->Stored.Info.Producer.c_str();
  I.log = Entry->Stored.Info.Log.c_str();
  I.created = Entry->Stored.Info.Created;
  I.compile_milliseconds = Entry->Stored.Info.CompileMilliseconds;
  return give(I, Info) ? KPACK_JIT_SUCCESS
                       : failArgument("kpack_jit_entry_get_info: a structure "
                                      "with its size is needed");
}

int kpack_jit_entry_fd(const kpack_jit_entry *Entry) {
  return Entry ? Entry->Stored.File.get() : -1;
}

kpack_jit_status kpack_jit_entry_read(const kpack_jit_entry *Entry,
                                      uint64_t Offset, void *Bytes,
                                      size_t Size) {
  if (!Entry || (!Bytes && Size) || Offset > Entry->Stored.PayloadSize ||
      Size > Entry->Stored.PayloadSize - Offset || !Entry->Stored.File)
    return failArgument("kpack_jit_entry_read: an entry that is not loaded and "
                        "a range within its payload are needed");
  if (readAt(Entry->Stored.File.get(), Bytes, Size, Offset) == ssize_t(Size))
    return KPACK_JIT_SUCCESS;
  return guarded([&] {
    return fail(KPACK_JIT_ERROR_IO,
                Entry->Stored.Info.Name +
                    ": the entry cannot be read; try again");
  });
}

void kpack_jit_entry_destroy(kpack_jit_entry *Entry) { delete Entry; }

kpack_jit_status kpack_jit_entry_symbol(kpack_jit_entry *Entry,
                                        const char *Symbol, void **Address) {
  if (!Entry || !Symbol || !Address)
    return failArgument("kpack_jit_entry_symbol: an entry, a symbol and a "
                        "place for the address are needed");
  return guarded([&] {
    if (!Entry->Code) {
      if (!Entry->Stored.File)
        return failArgument("kpack_jit_entry_symbol: the entry could not be "
                            "loaded before; get it again");
      Result<LoadedCode> Code = LoadedCode::load(std::move(Entry->Stored));
      Entry->Stored.File = UniqueFd(); // also after a failed load
      if (!Code)
        return fail(Code.status());
      Entry->Code = std::move(*Code);
    }
    Result<void *> Found = Entry->Code->symbol(Symbol);
    if (!Found)
      return fail(Found.status());
    *Address = *Found;
    return KPACK_JIT_SUCCESS;
  });
}
