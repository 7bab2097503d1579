//===- kpack/Jit/Kernel.h - GPU kernels compiled on demand ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A __global__ function from a text, like the host functions of Executor.h:
//
//   jit::Source twice{
//       .text = "__global__ void twice(float *x, unsigned n) {"
//               "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;"
//               "  if (i < n) x[i] *= 2; }",
//       .entry = "twice"};
//   Result<jit::Kernel<void(float *, unsigned)>> kernel =
//       jit::compile_kernel<void(float *, unsigned)>(twice);
//   Status done = (*kernel)({.grid = n / 256 + 1, .block = 256}, x, n);
//
// It is compiled for the current GPU, and launched through the HIP runtime that
// the process has loaded, which owns streams and memory. This header and the
// library need no HIP. C++20, -lkpack_jit; nothing throws.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_KERNEL_H
#define KPACK_JIT_KERNEL_H

#include "kpack/Jit/Executor.h"

#include <array>
#include <cstdint>
#include <type_traits>

namespace kpack::jit {
inline namespace executors {

/// Sizes in x, y and z, like HIP's dim3.
struct Dim3 {
  constexpr Dim3(std::uint32_t x = 1, std::uint32_t y = 1, std::uint32_t z = 1)
      : x(x), y(y), z(z) {}
  std::uint32_t x, y, z;
};

/// The shape and the stream of a launch.
struct Launch {
  Dim3 grid = {};                ///< workgroups
  Dim3 block = {};               ///< work items of a workgroup
  std::uint32_t dynamic_lds = 0; ///< bytes of "extern __shared__"
  void *stream = nullptr;        ///< hipStream_t; null: the default one
  /// Refuses null pointers.
  bool refuse_null = false;
};

/// The time at which a program is loaded for a device.
enum class Load {
  Eager, ///< at once for the current one; a failure fails the compile
  Lazy,  ///< at the first launch
};

namespace detail {

/// The memory that arguments refer to, as far as their types tell.
template <std::size_t Most> class ArgumentMemory {
public:
  template <class Argument> void add(std::size_t Index, const Argument &Value) {
    if constexpr (SpanName<Argument> != nullptr) {
      using Element = typename Argument::element_type;
      put<Element>({Index, Value.data(), Value.size() * sizeof(Element),
                    alignof(Element),
                    std::is_base_of_v<RestrictSpan<Element>, Argument>
                        ? KPACK_JIT_MEMORY_RESTRICT
                        : 0u});
    } else if constexpr (std::is_pointer_v<Argument>) {
      using Element = std::remove_pointer_t<Argument>;
      if constexpr (!std::is_void_v<Element>)
        if constexpr (alignof(Element) > 1)
          put<Element>({Index, Value, 0, alignof(Element), 0});
    }
  }
  const kpack_jit_memory *data() const { return All; }
  std::size_t size() const { return Count; }

private:
  template <class Element> void put(kpack_jit_memory Each) {
    if (!std::is_const_v<Element>)
      Each.flags |= KPACK_JIT_MEMORY_WRITTEN;
    All[Count++] = Each;
  }
  kpack_jit_memory All[Most + 1];
  std::size_t Count = 0;
};

} // namespace detail

template <class Sig> class Kernel;

/// A compiled kernel. Launch it from any thread.
template <class... A> class Kernel<void(A...)> {
public:
  /// Launches the kernel on the stream. Errors: InvalidArgument, a shape that
  /// the kernel does not support; detail() NoDevice, WrongIsa, LoadFailed,
  /// LaunchFailed.
  Status operator()(const Launch &how, A... a) const {
    const kpack_jit_kernel *Handle = Loaded;
    if (!Handle)
      if (kpack_jit_status Code =
              kpack_jit_kernel_load(Owner.native_handle(), Index, -1, &Handle))
        return detail::failure(Code);
    void *Arguments[] = {const_cast<void *>(static_cast<const void *>(&a))...,
                         nullptr};
    detail::ArgumentMemory<sizeof...(A)> Memory;
    if (Level != Checks::None) {
      std::size_t Position = 0;
      (Memory.add(Position++, a), ...);
      (void)Position;
    }
    kpack_jit_launch Shape{sizeof(Shape),
                           {how.grid.x, how.grid.y, how.grid.z},
                           {how.block.x, how.block.y, how.block.z},
                           how.dynamic_lds,
                           how.refuse_null,
                           how.stream,
                           levelOf(Level),
                           Memory.data(),
                           Memory.size()};
    if (kpack_jit_status Code =
            kpack_jit_kernel_launch(Handle, &Shape, Arguments, sizeof...(A)))
      return detail::failure(Code);
    return Status::success();
  }

  /// Returns the kernel for another device, and loads it there now; \p device
  /// below 0: the calling thread's current one. Errors: NoDevice, WrongIsa,
  /// LoadFailed.
  Result<Kernel> on(int device) const {
    Kernel Other = *this;
    if (kpack_jit_status Code = kpack_jit_kernel_load(
            Owner.native_handle(), Index, device, &Other.Loaded))
      return detail::failure(Code);
    return Other;
  }

  /// Returns the kernel with these checks at launches. Only Options::checks
  /// compiles bounds checks into the code.
  Kernel with(Checks checks) const {
    Kernel Other = *this;
    Other.Level = checks;
    return Other;
  }

  /// The device that it was loaded for; nullopt: that of each launch's thread.
  std::optional<int> device() const {
    int Ordinal = 0;
    if (!Loaded || kpack_jit_kernel_handle(Loaded, &Ordinal, nullptr))
      return std::nullopt;
    return Ordinal;
  }
  /// The hipFunction_t or CUfunction, for graphs; null if device() has none.
  void *native_handle() const {
    void *Function = nullptr;
    if (Loaded)
      (void)kpack_jit_kernel_handle(Loaded, nullptr, &Function);
    return Function;
  }
  /// The properties in the kernel's code object.
  kpack_jit_kernel_info info() const {
    kpack_jit_kernel_info Info{};
    Info.size = sizeof(Info);
    (void)kpack_jit_kernel_get_info(Owner.native_handle(), Index, &Info);
    return Info;
  }
  /// The owner of the code; equal for kernels of one program.
  const Program &program() const { return Owner; }

  /// Makes a kernel of the \p index-th entry of \p from, whose type the caller
  /// has checked. Errors: KernelNotFound, it is none; InvalidArgument, its
  /// arguments have other sizes; those of on().
  static Result<Kernel> of(Program from, std::size_t index,
                           Load when = Load::Eager) {
    kpack_jit_kernel_info Info{};
    Info.size = sizeof(Info);
    if (kpack_jit_status Code =
            kpack_jit_kernel_get_info(from.native_handle(), index, &Info))
      return detail::failure(Code);
    if (!fits(from, index, Info.argument_count))
      return Status(StatusCode::InvalidArgument,
                    std::string(Info.symbol) + ": its arguments are not of " +
                        detail::Signature<void(A...)>::name() +
                        "; declare what it takes",
                    Errc::SignatureMismatch);
    Kernel Instance(std::move(from), index);
    if (when == Load::Lazy)
      return Instance;
    Result<Kernel> Ready = Instance.on(-1);
    // Compiled for another machine: its launches report that.
    if (!Ready && Ready.status().detail() == Errc::NoDevice)
      return Instance;
    return Ready;
  }

private:
  static int levelOf(Checks Wanted) {
    return Wanted == Checks::None   ? KPACK_JIT_CHECK_NONE
           : Wanted == Checks::Full ? KPACK_JIT_CHECK_FULL
                                    : KPACK_JIT_CHECK_CHEAP;
  }
  /// True if the code's arguments have these sizes, which is all that an image
  /// tells.
  static bool fits(const Program &Owner, std::size_t Index, std::size_t Count) {
    if (Count != sizeof...(A))
      return false;
    std::size_t Sizes[] = {sizeof(A)..., 0};
    for (std::size_t I = 0; I < Count; ++I) {
      kpack_jit_kernel_argument Argument{};
      Argument.size = sizeof(Argument);
      if (kpack_jit_kernel_get_argument(Owner.native_handle(), Index, I,
                                        &Argument) ||
          Argument.bytes != Sizes[I])
        return false;
    }
    return true;
  }
  Kernel(Program Owner, std::size_t Index)
      : Owner(std::move(Owner)), Index(Index) {}
  Program Owner;
  std::size_t Index;
  Checks Level = Checks::Cheap;
  const kpack_jit_kernel *Loaded = nullptr; ///< owned by the program
};

/// Compiles the kernel of the source's entry; Options::target is a GPU's target
/// id, empty: that of the current device. Errors: of compile(); NoDevice, there
/// is none to compile for; of Kernel::on(), if \p when is Eager.
template <class Sig>
Result<Kernel<Sig>> compile_kernel(const Source &source,
                                   const Options &how = {},
                                   Load when = Load::Eager) {
  std::string Type = detail::Signature<Sig>::name();
  kpack_jit_entry_point Entry{source.entry.c_str(), Type.c_str()};
  Result<Program> Compiled =
      detail::Request(source, how, {}, {&Entry, 1}, KPACK_JIT_KERNEL)
          .compile(how);
  if (!Compiled)
    return Compiled.status();
  Result<Kernel<Sig>> First = Kernel<Sig>::of(std::move(*Compiled), 0, when);
  return First ? Result<Kernel<Sig>>(First->with(how.checks)) : First;
}

/// Makes a program of a compiled code object or of PTX: its entries are its
/// kernels, by their symbols. Errors: InvalidFormat.
inline Result<Program> load_program(std::string_view image,
                                    const std::string &display_name = "image") {
  kpack_jit_program *Handle;
  if (kpack_jit_status Code = kpack_jit_program_of_image(
          image.data(), image.size(), display_name.c_str(), &Handle))
    return detail::failure(Code);
  return Program::adopt(Handle);
}

/// Returns one of a program's kernels, by the expression that it was compiled
/// for. Errors: KernelNotFound; InvalidArgument, its type is another one; those
/// of Kernel::on().
template <class Sig>
Result<Kernel<Sig>> kernel(const Program &from, std::string_view entry,
                           Load when = Load::Eager) {
  Result<std::size_t> Index =
      detail::indexOf(from, entry, detail::Signature<Sig>::name());
  return Index ? Kernel<Sig>::of(from, *Index, when)
               : Result<Kernel<Sig>>(Index.status());
}

} // namespace executors
} // namespace kpack::jit

#endif // KPACK_JIT_KERNEL_H
