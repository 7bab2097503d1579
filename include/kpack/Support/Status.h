//===- kpack/Support/Status.h - errors without LLVM -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Status and Result<Type>: how the parts that are loaded into every HIP process
// report errors. No LLVM, no exceptions. The code is what a C caller gets, the
// message is for a person: "<object>: <what>; <how to fix>", lower case, no
// full stop, without the "tool: error: " in front (the tool adds it).
//
// The numbers are those of the C API that ROCm ships (rocm_kpack/kpack.h);
// they are ABI and never change. The LLVM side uses llvm::Error instead; the
// bridge between the two is ToolSupport/Errors.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_STATUS_H
#define KPACK_SUPPORT_STATUS_H

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace kpack {

/// What went wrong; values are those of the shipped C API.
enum class StatusCode : int32_t {
  Success = 0,
  InvalidArgument = 1,
  FileNotFound = 2,
  InvalidFormat = 3,
  UnsupportedVersion = 4,
  KernelNotFound = 5,
  DecompressionFailed = 6,
  OutOfMemory = 7,
  NotImplemented = 8,
  IoError = 9,
  MsgpackParseFailed = 10,
  PathDiscoveryFailed = 11,
  InvalidMetadata = 12,
  ArchiveNotFound = 13,
  ArchNotFound = 14,
};

/// What went wrong where a text is compiled and its functions are used, more
/// exactly than the code, which is ABI that others have made. Numbers are those
/// of kpack_jit_error_detail (kpack/kpack_jit.h) and never change.
enum class Errc : int32_t {
  None = 0,          ///< nothing more exact is known
  CompileFailed = 1, ///< the compiler refuses the text
  CompilerCrashed = 2,
  CompileTimeout = 3,
  SignatureMismatch = 4, ///< an entry has another type
  UnknownEntry = 5,      ///< the text has no such function
  BadConstant = 6,
  UnsupportedOption = 7,
  UnsupportedType = 8, ///< a structure differs between program and text
  MissingKernel = 9,   ///< in no cache, and nothing may be compiled
  WrongIsa = 10,       ///< the target is none, or another one than the device's
  LoadFailed = 11,
  NoDevice = 12,
  LaunchFailed = 13,
  CacheUnusable = 14,
  Cancelled = 15, ///< by the caller, who had it stopped
};

/// Success, or a code and a message. Cheap to move; empty string on success.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode C, std::string M, Errc Detail = Errc::None)
      : Code(C), Detail(Detail), Message(std::move(M)) {}

  static Status success() { return Status(); }

  bool ok() const { return Code == StatusCode::Success; }
  StatusCode code() const { return Code; }
  Errc detail() const { return Detail; }
  const std::string &message() const { return Message; }

private:
  StatusCode Code = StatusCode::Success;
  Errc Detail = Errc::None;
  std::string Message;
};

/// A value or a failed Status. Must be tested with ok() (or as a bool) before
/// the value is touched.
template <typename Type> class [[nodiscard]] Result {
public:
  Result(Type V) : Value(std::move(V)) {}
  Result(Status E) : Failure(std::move(E)) {
    assert(!Failure.ok() && "a Result without a value needs a failure");
  }

  bool ok() const { return Value.has_value(); }
  explicit operator bool() const { return ok(); }

  /// Success, or why there is no value.
  const Status &status() const { return Failure; }

  Type &operator*() { return *Value; }
  const Type &operator*() const { return *Value; }
  Type *operator->() { return &*Value; }
  const Type *operator->() const { return &*Value; }

private:
  std::optional<Type> Value;
  Status Failure;
};

} // namespace kpack

#endif // KPACK_SUPPORT_STATUS_H
