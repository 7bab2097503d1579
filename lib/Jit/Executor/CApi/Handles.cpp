//===- Handles.cpp - C API: handles, errors and keys ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Error codes are those of kpack::Status if kpack_jit.h has them; all others
// become KPACK_JIT_ERROR_IO, which may pass.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/CApi/Handles.h"

#include "Jit/Service/HostProcessor.h"

using namespace kpack;
using namespace kpack::capi;
using namespace kpack::jit;

/// libckjit.so of the same version refers to this symbol. With another version
/// loading fails, since the interface between the two is no stable ABI.
namespace kpack::jit {
extern const char KPACK_JIT_BUILD;
[[gnu::visibility("default")]] const char KPACK_JIT_BUILD = 0;
} // namespace kpack::jit

namespace {
struct Failure {
  std::string Text;
  Errc Detail = Errc::None;
};
} // namespace

static Failure &lastFailure() {
  static thread_local Failure Last;
  return Last;
}

kpack_jit_status capi::fail(kpack_jit_status Code, std::string_view Message,
                            Errc Detail) noexcept {
  Failure &Last = lastFailure();
  Last.Detail = Detail;
  try {
    Last.Text = Message;
  } catch (const std::exception &) {
    Last.Text.clear();
  }
  return Code;
}

kpack_jit_status capi::fail(const Status &Why) {
  static_assert(int(StatusCode::InvalidArgument) ==
                    KPACK_JIT_ERROR_INVALID_ARGUMENT &&
                int(StatusCode::KernelNotFound) == KPACK_JIT_ERROR_NOT_FOUND &&
                int(StatusCode::OutOfMemory) == KPACK_JIT_ERROR_OUT_OF_MEMORY &&
                int(StatusCode::IoError) == KPACK_JIT_ERROR_IO);
  bool IsNamed = Why.code() <= StatusCode::KernelNotFound ||
                 Why.code() == StatusCode::OutOfMemory;
  return fail(IsNamed ? kpack_jit_status(Why.code()) : KPACK_JIT_ERROR_IO,
              Why.message(), Why.detail());
}

kpack_jit_status capi::failCompile(const Status &Why) {
  return Why.code() == StatusCode::InvalidArgument
             ? fail(KPACK_JIT_ERROR_COMPILE, Why.message(), Why.detail())
             : fail(Why);
}

kpack_jit_status capi::failArgument(const char *Message) {
  return fail(KPACK_JIT_ERROR_INVALID_ARGUMENT, Message);
}

const char *kpack_jit_last_error(void) { return lastFailure().Text.c_str(); }

kpack_jit_error_detail kpack_jit_last_error_detail(void) {
  static_assert(int(Errc::Cancelled) == KPACK_JIT_DETAIL_CANCELLED &&
                int(Errc::MissingKernel) == KPACK_JIT_DETAIL_MISSING_KERNEL);
  return kpack_jit_error_detail(lastFailure().Detail);
}

const char *kpack_jit_version(void) { return KPACK_VERSION; }

kpack_jit_status kpack_jit_key_create(const char *Schema, kpack_jit_key **Key) {
  if (!Schema || !*Schema || !Key)
    return failArgument("kpack_jit_key_create: a schema and a place for the "
                        "key are needed");
  return guarded([&] {
    *Key = new kpack_jit_key{KeyBuilder(Schema)};
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status kpack_jit_key_add(kpack_jit_key *Key, const char *Name,
                                   const void *Value, size_t Size) {
  if (!Key || !Name || (!Value && Size))
    return failArgument("kpack_jit_key_add: a key, a name and a value are "
                        "needed");
  return guarded([&] {
    Key->Builder.add(
        Name, Size ? std::string_view(static_cast<const char *>(Value), Size)
                   : std::string_view());
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status kpack_jit_key_add_file(kpack_jit_key *Key, const char *Name,
                                        const char *Path) {
  if (!Key || !Name || !Path)
    return failArgument("kpack_jit_key_add_file: a key, a name and a path are "
                        "needed");
  return guarded([&] {
    Status Added = Key->Builder.addFile(Name, Path);
    return Added.ok() ? KPACK_JIT_SUCCESS : fail(Added);
  });
}

kpack_jit_status kpack_jit_key_add_machine(kpack_jit_key *Key) {
  if (!Key)
    return failArgument("kpack_jit_key_add_machine: a key is needed");
  return guarded([&] {
    std::string Processor = hostProcessor();
    Digest Hash = sha256(Processor);
    Key->Builder.addDigest("machine", Hash, toHex(Hash).substr(0, 16));
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status kpack_jit_key_hex(const kpack_jit_key *Key, char Digits[65]) {
  if (!Key || !Digits)
    return failArgument("kpack_jit_key_hex: a key and a place for 65 bytes "
                        "are needed");
  return guarded([&] {
    std::string Hex = Key->Builder.finish().hex();
    std::memcpy(Digits, Hex.c_str(), Hex.size() + 1);
    return KPACK_JIT_SUCCESS;
  });
}

void kpack_jit_key_destroy(kpack_jit_key *Key) { delete Key; }
