//===- kpack/Support/Status.h - Status and Result, no LLVM ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Status and Result<Type>: errors of the parts that are loaded into every HIP
// process. No LLVM, no exceptions. A C caller gets the code; the message is for
// people: "<object>: <what>; <how to fix>", lower case, no full stop, without
// "tool: error: ", which the tool adds.
//
// The numbers are those of the C API that ROCm ships (rocm_kpack/kpack.h); they
// are ABI and never change. The LLVM side uses llvm::Error instead;
// ToolSupport/Errors.h converts between the two.
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

/// The kind of an error; values are those of the shipped C API.
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

/// The detail of an error in compiling a text and using its functions, in
/// addition to the code, which is another project's ABI. Numbers are those of
/// kpack_jit_error_detail (kpack/kpack_jit.h) and never change.
enum class Errc : int32_t {
  None = 0,          ///< no detail is known
  CompileFailed = 1, ///< the compiler refuses the text
  CompilerCrashed = 2,
  CompileTimeout = 3,
  SignatureMismatch = 4, ///< an entry has another type
  UnknownEntry = 5,      ///< the text has no such function
  BadConstant = 6,
  UnsupportedOption = 7,
  UnsupportedType = 8, ///< a structure differs between program and text
  MissingKernel = 9,   ///< in no cache, and compiling is not allowed
  WrongIsa = 10,       ///< an invalid target, or not the device's
  LoadFailed = 11,
  NoDevice = 12,
  LaunchFailed = 13,
  CacheUnusable = 14,
  Cancelled = 15, ///< by the caller's request
};

/// Success, or a code and a message. Cheap to move; the message is empty on
/// success.
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

/// A value or a failed Status. Test with ok() (or as a bool) before you use the
/// value.
template <typename Type> class [[nodiscard]] Result {
public:
  Result(Type V) : Value(std::move(V)) {}
  Result(Status E) : Failure(std::move(E)) {
    assert(!Failure.ok() && "a Result without a value needs a failure");
  }

  bool ok() const { return Value.has_value(); }
  explicit operator bool() const { return ok(); }

  /// Success, or the reason why there is no value.
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
