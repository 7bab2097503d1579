//===- kpack/Jit/Executor.h - C++ functions compiled on demand --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function from a text, compiled on demand, kept in memory and in files:
//
//   using namespace kpack;
//   jit::Source add{.text = "int add(int b) { return a + b; }",
//                   .entry = "add"};
//   Result<jit::Executor<int(int)>> plus1 =
//       jit::compile<int(int)>(add, {.constants = {jit::constant("a", 1)}});
//   if (!plus1)
//     return fail(plus1.status().message());
//   int three = (*plus1)(2);
//
// An executor is a value: its code lives as long as a copy of it. A call is one
// indirect call; both compilers, the program's and the text's, have checked the
// types. Function compiles at its first call. Everything is thread-safe. C++20,
// header-only above kpack/kpack_jit.h; -lkpack_jit. Only the first call of a
// Function throws, because it has no other way to report an error.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_H
#define KPACK_JIT_EXECUTOR_H

#include "kpack/Jit/Source.h"
#include "kpack/Support/Status.h"
#include "kpack/kpack_jit.h"

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace kpack::jit {
// Names of the library itself are in the outer namespace.
inline namespace executors {

/// A value that is known when a text is compiled: see constant().
struct Constant {
  std::string name, type, value;
};

/// Consecutive elements as an argument: the address of the first one, and the
/// count. Texts have the same structure under this name, kpack::jit::Span,
/// without an include. Checks look at all elements.
template <class Item> struct Span {
  using element_type = Item;

  constexpr Span() = default;
  constexpr Span(Item *data, std::size_t size) : Start(data), Count(size) {}
  /// Converts from everything that converts to a std::span.
  template <class Range>
    requires std::convertible_to<Range, std::span<Item>>
  constexpr Span(Range &&all) : Span(std::span<Item>(all)) {}
  constexpr Span(std::span<Item> all) : Start(all.data()), Count(all.size()) {}

  constexpr Item *data() const { return Start; }
  constexpr std::size_t size() const { return Count; }
  constexpr bool empty() const { return Count == 0; }
  constexpr Item *begin() const { return Start; }
  constexpr Item *end() const { return Start + Count; }
  constexpr Item &operator[](std::size_t at) const { return Start[at]; }

private:
  Item *Start = nullptr;
  std::size_t Count = 0;
};

/// A span whose memory no other argument shares if one of the two is written,
/// like a pointer with __restrict__. Checks::Full verifies that.
template <class Item> struct RestrictSpan : Span<Item> {
  using Span<Item>::Span;
  constexpr RestrictSpan(Span<Item> all) : Span<Item>(all) {}
};

/// The checks before a launch of a kernel.
enum class Checks {
  None,  ///< only the number of arguments
  Cheap, ///< its shape, null spans, the alignment of types
  /// Also asks the runtime: memory that the device cannot reach, spans that are
  /// longer than their allocations, and spans that overlap and must not.
  /// Compiles texts so that an index outside of a Span traps.
  Full,
};

namespace detail {

template <class Type> inline constexpr bool IsPassable = false;

/// The name of the span template of \p Type; null for other types.
template <class Type> inline constexpr const char *SpanName = nullptr;
template <class Type>
inline constexpr const char *SpanName<Span<Type>> = "kpack::jit::Span<";
template <class Type>
inline constexpr const char *SpanName<RestrictSpan<Type>> =
    "kpack::jit::RestrictSpan<";

/// The layout of a structure of KPACK_JIT_TYPE().
struct Layout {
  const char *Name;
  std::size_t Size, Alignment;
  struct Member {
    const char *Name;
    std::size_t Offset, Size;
  };
  std::vector<Member> Members;
};
template <class Type> struct Registered {
  static constexpr bool Is = false;
};

/// Returns the C++ name of a type that texts and programs share.
template <class Type> std::string typeName() {
  using U = std::remove_const_t<Type>;
  std::string Name;
  if constexpr (std::is_const_v<Type> && !std::is_pointer_v<Type>)
    Name = "const ";
  if constexpr (std::is_pointer_v<U>)
    return typeName<std::remove_pointer_t<U>>() + " *" +
           (std::is_const_v<Type> ? "const" : "");
  else if constexpr (std::is_void_v<U>)
    return Name + "void";
  else if constexpr (std::is_same_v<U, bool>)
    return Name + "bool";
  else if constexpr (std::is_same_v<U, char>)
    return Name + "char";
  else if constexpr (std::is_same_v<U, signed char>)
    return Name + "signed char";
  else if constexpr (std::is_same_v<U, unsigned char>)
    return Name + "unsigned char";
  else if constexpr (std::is_same_v<U, short>)
    return Name + "short";
  else if constexpr (std::is_same_v<U, unsigned short>)
    return Name + "unsigned short";
  else if constexpr (std::is_same_v<U, int>)
    return Name + "int";
  else if constexpr (std::is_same_v<U, unsigned>)
    return Name + "unsigned int";
  else if constexpr (std::is_same_v<U, long>)
    return Name + "long";
  else if constexpr (std::is_same_v<U, unsigned long>)
    return Name + "unsigned long";
  else if constexpr (std::is_same_v<U, long long>)
    return Name + "long long";
  else if constexpr (std::is_same_v<U, unsigned long long>)
    return Name + "unsigned long long";
  else if constexpr (std::is_same_v<U, float>)
    return Name + "float";
  else if constexpr (std::is_same_v<U, double>)
    return Name + "double";
  else if constexpr (SpanName<U> != nullptr)
    return Name + SpanName<U> + typeName<typename U::element_type>() + ">";
  else if constexpr (Registered<U>::Is)
    return Name + Registered<U>::layout().Name;
  else
    static_assert(IsPassable<Type>,
                  "not passable to jit code: pass numbers, "
                  "structures with a KPACK_JIT_TYPE, pointers "
                  "to those or void, and Spans of them");
}

/// Adds the structures of \p Type, whose layout the text's compiler checks.
template <class Type> void addLayouts(std::vector<Layout> &Layouts) {
  using U = std::remove_const_t<Type>;
  if constexpr (std::is_pointer_v<U>)
    addLayouts<std::remove_pointer_t<U>>(Layouts);
  else if constexpr (SpanName<U> != nullptr)
    addLayouts<typename U::element_type>(Layouts);
  else if constexpr (Registered<U>::Is)
    Layouts.push_back(Registered<U>::layout());
}

template <class Sig> struct Signature;
template <class R, class... A> struct Signature<R(A...)> {
  static std::string name() {
    std::string Arguments;
    ((Arguments += (Arguments.empty() ? "" : ", ") + typeName<A>()), ...);
    return typeName<R>() + " (" + Arguments + ")";
  }
  static std::vector<Layout> layouts() {
    std::vector<Layout> All;
    addLayouts<R>(All);
    (addLayouts<A>(All), ...);
    return All;
  }
};

/// Returns the exact number as a text: NaN and infinity by their bits.
template <class Type> std::string numberText(Type Value) {
  char Text[64];
  if constexpr (std::is_same_v<Type, bool>) {
    return Value ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<Type>) {
    std::snprintf(Text, sizeof(Text), "%a", double(Value));
    std::string Finite = Text;
    if (Finite.find_first_of("in") != std::string::npos) { // inf, nan
      if constexpr (sizeof(Type) == 4) {
        std::snprintf(Text, sizeof(Text), "__builtin_bit_cast(float, 0x%xu)",
                      __builtin_bit_cast(unsigned, Value));
      } else {
        std::snprintf(Text, sizeof(Text),
                      "__builtin_bit_cast(double, 0x%llxull)",
                      __builtin_bit_cast(unsigned long long, Value));
      }
      return Text;
    }
    return Finite + (sizeof(Type) == 4 ? "f" : "");
  } else if constexpr (std::is_unsigned_v<Type>) {
    return std::to_string(static_cast<unsigned long long>(Value)) + "ull";
  } else {
    // The least number has no literal.
    auto Wide = static_cast<long long>(Value);
    return Wide < 0 ? "-" + std::to_string(-(Wide + 1)) + "ll - 1"
                    : std::to_string(Wide) + "ll";
  }
}

inline std::string stringLiteral(std::string_view Text) {
  std::string Literal = "\"";
  for (char C : Text) {
    char Escaped[8];
    std::snprintf(Escaped, sizeof(Escaped), "\\%03o",
                  unsigned(static_cast<unsigned char>(C)));
    bool IsPlain = C >= ' ' && C < 0x7f && C != '"' && C != '\\' && C != '?';
    Literal += IsPlain ? std::string(1, C) : std::string(Escaped);
  }
  return Literal + "\"";
}

inline Status failure(kpack_jit_status Code) {
  static constexpr std::pair<kpack_jit_status, StatusCode> Codes[] = {
      {KPACK_JIT_ERROR_FILE_NOT_FOUND, StatusCode::FileNotFound},
      {KPACK_JIT_ERROR_INVALID_FORMAT, StatusCode::InvalidFormat},
      {KPACK_JIT_ERROR_UNSUPPORTED_VERSION, StatusCode::UnsupportedVersion},
      {KPACK_JIT_ERROR_NOT_FOUND, StatusCode::KernelNotFound},
      {KPACK_JIT_ERROR_OUT_OF_MEMORY, StatusCode::OutOfMemory},
      {KPACK_JIT_ERROR_IO, StatusCode::IoError}};
  Errc Detail = Errc(kpack_jit_last_error_detail());
  for (auto [Raw, Mapped] : Codes)
    if (Raw == Code)
      return Status(Mapped, kpack_jit_last_error(), Detail);
  return Status(StatusCode::InvalidArgument, kpack_jit_last_error(), Detail);
}

} // namespace detail

/// Makes "inline constexpr T name = value;" before the text: for "if constexpr"
/// and template arguments. Numbers, enumerations (as their number), strings.
template <class Type>
Constant constant(std::string_view name, const Type &value) {
  if constexpr (std::is_convertible_v<const Type &, std::string_view>) {
    return {std::string(name), "auto",
            detail::stringLiteral(std::string_view(value))};
  } else if constexpr (std::is_enum_v<Type>) {
    return constant(name, static_cast<std::underlying_type_t<Type>>(value));
  } else {
    return {std::string(name), detail::typeName<Type>(),
            detail::numberText(value)};
  }
}

enum class CacheMode {
  ReadWrite,
  ReadOnly, ///< programs are kept in memory only
  Off,      ///< files are neither read nor written
  Strict,   ///< never compiles: a miss is an error
};

/// The place and the limits of a cache; see kpack_jit_cache_options.
struct CacheConfig {
  std::string directory; ///< absolute
  CacheMode mode = CacheMode::ReadWrite;
  std::uint64_t capacity = 1000; ///< programs in files; 0: no limit
  std::uint64_t max_bytes = std::uint64_t(2) << 30; ///< of files; 0: 20 GiB
  std::uint64_t memory_capacity = 4096;             ///< loaded programs
  std::vector<std::string> system_directories = {};
  double timeout = 0;              ///< seconds for a compile; 0: no limit
  unsigned jobs = 0;               ///< compiles at once; 0: processors
  std::string compile_helper = {}; ///< path of kpack-jit-compile; empty: found
  /// Null: prints lines on stderr.
  kpack_jit_event_callback on_event = nullptr;
  void *user = nullptr;
};

/// The counts of a cache object.
struct Stats {
  std::uint64_t hits, misses, compiles, failures, waits, compile_milliseconds;
};

/// The parts of a key, and their differences from the nearest entry of the
/// cache.
struct Explanation {
  struct Field {
    std::string name, value;
  };
  struct Difference {
    std::string field, before, after;
    std::string meaning; ///< "source edited"
  };
  std::string key;     ///< 64 digits
  bool cached;         ///< in files
  std::string nearest; ///< key of the compared entry; empty: none
  std::vector<Field> fields;
  std::vector<Difference> differences;
};

struct Options;

/// An open cache. Copies refer to the same cache.
class Cache {
public:
  /// Returns the cache of the process, at the place in the variables
  /// KPACK_JIT_... Errors: InvalidArgument, an invalid variable.
  static Result<Cache> process() {
    kpack_jit_cache *Found;
    if (kpack_jit_status Code = kpack_jit_process_cache(&Found))
      return detail::failure(Code);
    return Cache(Found);
  }
  /// Opens a separate cache, which is closed with its last copy; programs live
  /// on. Errors: InvalidArgument, a directory that others may write (strict
  /// mode).
  static Result<Cache> open(const CacheConfig &config) {
    std::vector<const char *> Layers;
    for (const std::string &Layer : config.system_directories)
      Layers.push_back(Layer.c_str());
    Layers.push_back(nullptr);
    kpack_jit_cache_options O{};
    O.size = sizeof(O);
    O.directory = config.directory.c_str();
    O.system_directories = Layers.data();
    O.mode = int(config.mode);
    O.max_entries = config.capacity;
    O.max_bytes = config.max_bytes;
    O.max_programs = config.memory_capacity;
    O.compile_seconds = config.timeout;
    O.max_compiles = config.jobs;
    O.compile_helper =
        config.compile_helper.empty() ? nullptr : config.compile_helper.c_str();
    O.on_event = config.on_event;
    O.user = config.user;
    kpack_jit_cache *Opened;
    if (kpack_jit_status Code = kpack_jit_cache_open(&O, &Opened))
      return detail::failure(Code);
    Cache Owned(Opened);
    Owned.Owner.reset(Opened, kpack_jit_cache_close);
    return Owned;
  }
  /// For Options::cache: compiles always, and keeps nothing.
  Cache(std::nullptr_t) {}
  /// Refers to a cache that the caller has opened, and closes after its last
  /// use.
  explicit Cache(kpack_jit_cache *opened) : Handle(opened) {}

  Stats stats() const {
    kpack_jit_statistics S{};
    S.size = sizeof(S);
    (void)kpack_jit_cache_get_statistics(Handle, &S);
    return {S.hits,     S.misses, S.compiles,
            S.failures, S.waits,  S.compile_milliseconds};
  }
  /// Explains why \p source would be compiled, and compiles nothing. Its entry
  /// may have any type. Errors: those of compile() that need no compile.
  Result<Explanation> explain(const Source &source, const Options &how) const;
  /// The same for the request of compile<Sig>().
  template <class Sig>
  Result<Explanation> explain(const Source &source, const Options &how) const;
  /// Loads all programs in files, which compile() then finds loaded. Returns
  /// their number.
  Result<std::uint64_t> preload() const {
    std::uint64_t Count = 0;
    return counted(kpack_jit_cache_preload(Handle, &Count), Count);
  }
  /// Compiles and loads the programs of a run with KPACK_JIT_RECORD=path.
  /// Returns their number. Errors: that of the first failure; FileNotFound,
  /// InvalidFormat.
  Result<std::uint64_t> prepare(const std::string &path) const {
    std::uint64_t Count = 0;
    return counted(kpack_jit_cache_prepare(Handle, path.c_str(), &Count),
                   Count);
  }
  /// Writes or reads a bundle, as 'ck-jit cache export' writes it. Returns the
  /// number of entries that were written. Errors: CacheUnusable, there are no
  /// files; InvalidFormat, no bundle; IoError.
  Result<std::uint64_t> export_to(const std::string &path) const {
    std::uint64_t Count = 0;
    return counted(kpack_jit_cache_export(Handle, path.c_str(), &Count), Count);
  }
  Result<std::uint64_t> import_from(const std::string &path) const {
    std::uint64_t Count = 0;
    return counted(kpack_jit_cache_import(Handle, path.c_str(), &Count), Count);
  }
  /// Removes files beyond the limits.
  Status prune() const { return done(kpack_jit_cache_prune(Handle)); }
  /// Forgets all programs, and removes all files except pinned ones.
  Status clear() const { return done(kpack_jit_cache_clear(Handle)); }

  /// Null for the cache that keeps nothing. Stays owned by this object.
  kpack_jit_cache *native_handle() const { return Handle; }

private:
  static Status done(kpack_jit_status Code) {
    return Code ? detail::failure(Code) : Status::success();
  }
  static Result<std::uint64_t> counted(kpack_jit_status Code,
                                       const std::uint64_t &Count) {
    if (Code)
      return detail::failure(Code);
    return Count;
  }

  kpack_jit_cache *Handle = nullptr;
  std::shared_ptr<kpack_jit_cache> Owner; ///< null: the caller owns it
};

enum class OptLevel { O0, O1, O2, O3 };

/// The options of a compile.
struct Options {
  /// A processor, as for -march=; empty: this machine's. For kernels a target
  /// id: "gfx90a:xnack-".
  std::string target = {};
  std::vector<Constant> constants = {};
  OptLevel opt = OptLevel::O3;
  bool fast_math = false, line_info = false, warnings_as_errors = false;
  std::vector<std::string> defines = {};      ///< "NAME" or "NAME=VALUE"
  std::vector<std::string> include_dirs = {}; ///< absolute
  /// Other flags; only those for code generation.
  std::vector<std::string> flags = {};
  /// Not set: the process's. nullptr: none, compiles each time.
  std::optional<Cache> cache = {};
  /// Compiles even if the cache has the program, and replaces it.
  bool refresh = false;
  /// The checks of a kernel's launches.
  Checks checks = Checks::Cheap;
  /// Called about 20 times a second by the thread that waits for the compile;
  /// true ends the wait with Errc::Cancelled. Other threads that wait for it
  /// compile themselves.
  std::function<bool()> stop = {};
};

/// A compiled text with all that is known of it. Never empty.
class Program {
public:
  Program(const Program &Other) : Handle(Other.Handle) {
    kpack_jit_program_retain(Handle);
  }
  Program(Program &&Other) noexcept
      : Handle(std::exchange(Other.Handle, nullptr)) {}
  Program &operator=(Program Other) noexcept {
    std::swap(Handle, Other.Handle);
    return *this;
  }
  ~Program() { kpack_jit_program_release(Handle); }

  /// Takes over one reference of \p Counted.
  static Program adopt(kpack_jit_program *Counted) { return Program(Counted); }

  kpack_jit_program_info info() const {
    kpack_jit_program_info Info{};
    Info.size = sizeof(Info);
    (void)kpack_jit_program_get_info(Handle, &Info);
    return Info;
  }
  std::size_t size() const { return info().entry_count; }
  /// The code object of kernels, for hipModuleLoadData(). Valid as long as this
  /// program.
  std::string_view image() const {
    kpack_jit_program_info Info = info();
    return {static_cast<const char *>(Info.image), Info.image_size};
  }
  /// The symbol of an entry, for hipModuleGetFunction(). \p Index is below
  /// size().
  const char *symbol(std::size_t Index) const {
    const char *Symbol = "";
    (void)kpack_jit_program_entry(Handle, Index, nullptr, &Symbol, nullptr);
    return Symbol;
  }
  /// The type as clang spells it: "void (float *, int)".
  const char *type(std::size_t Index) const {
    const char *Type = "";
    (void)kpack_jit_program_entry(Handle, Index, nullptr, nullptr, &Type);
    return Type;
  }
  kpack_jit_program *native_handle() const { return Handle; }

  /// Returns the program as bytes, for callers with another store:
  /// deserialize() makes a program for executor() and kernel() from them, in
  /// another process or on another machine. Errors: FileNotFound, its file is
  /// gone from its cache.
  Result<std::vector<std::byte>> serialize() const {
    std::vector<std::byte> Bytes;
    if (kpack_jit_status Code = kpack_jit_program_serialize(
            Handle,
            [](const void *Data, std::size_t Size, void *User) {
              auto *First = static_cast<const std::byte *>(Data);
              static_cast<std::vector<std::byte> *>(User)->assign(First,
                                                                  First + Size);
            },
            &Bytes))
      return detail::failure(Code);
    return Bytes;
  }
  /// Reads the bytes of serialize(), which run as code: take them from trusted
  /// sources only. Errors: InvalidFormat, damaged bytes; detail() WrongIsa,
  /// compiled for another processor.
  static Result<Program> deserialize(std::span<const std::byte> bytes) {
    kpack_jit_program *Handle;
    if (kpack_jit_status Code =
            kpack_jit_program_deserialize(bytes.data(), bytes.size(), &Handle))
      return detail::failure(Code);
    return adopt(Handle);
  }

  /// True if both are one program, loaded once.
  friend bool operator==(const Program &A, const Program &B) {
    return A.Handle == B.Handle;
  }

private:
  explicit Program(kpack_jit_program *Counted) : Handle(Counted) {}
  kpack_jit_program *Handle;
};

namespace detail {

/// A request in the form of the C API. Must outlive the pointers into it.
class Request {
public:
  Request(const Source &Input, const Options &Opts,
          std::span<const Constant> More,
          std::span<const kpack_jit_entry_point> Entries, int Kind,
          std::vector<Layout> Layouts = {})
      : Layouts(std::move(Layouts)) {
    addTypes();
    for (const auto &[Name, Text] : Input.headers)
      Headers.push_back({Name.c_str(), Text.c_str()});
    for (std::span<const Constant> List : {std::span(Opts.constants), More})
      for (const Constant &C : List)
        Constants.push_back({C.name.c_str(), C.type.c_str(), C.value.c_str()});
    addFlags(Opts);
    // Texts without a Span keep their code, and so their key.
    if (Opts.checks == Checks::Full &&
        Input.text.find("Span") != std::string::npos)
      Flags.push_back("-DKPACK_JIT_CHECK_SPANS");
    for (const std::string &Flag : Flags)
      FlagList.push_back(Flag.c_str());
    FlagList.push_back(nullptr);
    C.size = sizeof(C);
    C.kind = Kind;
    C.name = Input.display_name.empty() ? nullptr : Input.display_name.c_str();
    C.text = Input.text.c_str();
    C.headers = Headers.data();
    C.header_count = Headers.size();
    C.constants = Constants.data();
    C.constant_count = Constants.size();
    C.entries = Entries.data();
    C.entry_count = Entries.size();
    C.target = Opts.target.empty() ? nullptr : Opts.target.c_str();
    C.flags = FlagList.data();
    C.types = Types.data();
    C.type_count = Types.size();
    if (Opts.stop) {
      C.should_stop = [](void *Stop) -> int {
        return (*static_cast<const std::function<bool()> *>(Stop))();
      };
      C.stop_user = const_cast<std::function<bool()> *>(&Opts.stop);
    }
  }
  Request(const Request &) = delete;

  /// Errors: those of the C API.
  Result<Program> compile(const Options &Opts, unsigned Flags = 0) const {
    bool IsUncached = Opts.cache && !Opts.cache->native_handle();
    // A compile without a cache still uses the process's settings.
    Result<Cache> Where = Opts.cache && !IsUncached ? Result<Cache>(*Opts.cache)
                                                    : Cache::process();
    if (!Where)
      return Where.status();
    if (IsUncached)
      Flags |= KPACK_JIT_UNCACHED;
    kpack_jit_program *Handle;
    if (kpack_jit_status Code = kpack_jit_compile(
            Where->native_handle(), &C,
            Flags | (Opts.refresh ? KPACK_JIT_REFRESH : 0u), &Handle))
      return Code == KPACK_JIT_PENDING
                 ? Status(StatusCode::KernelNotFound,
                          std::string(C.name ? C.name : "source.cpp") +
                              ": is not compiled yet",
                          Errc::MissingKernel)
                 : failure(Code);
    return Program::adopt(Handle);
  }
  const kpack_jit_program_source &source() const { return C; }

private:
  void addFlags(const Options &Opts) {
    Flags.push_back("-O" + std::to_string(int(Opts.opt)));
    if (Opts.fast_math)
      Flags.push_back("-ffast-math");
    if (Opts.line_info)
      Flags.push_back("-gline-tables-only");
    if (Opts.warnings_as_errors)
      Flags.push_back("-Werror");
    for (const std::string &Define : Opts.defines)
      Flags.push_back("-D" + Define);
    for (const std::string &Folder : Opts.include_dirs)
      Flags.insert(Flags.end(), {"-I", Folder});
    Flags.insert(Flags.end(), Opts.flags.begin(), Opts.flags.end());
  }

  void addTypes() {
    std::size_t Count = 0;
    for (const Layout &L : Layouts)
      Count += L.Members.size();
    Members.reserve(Count); // pointers refer to them
    for (const Layout &L : Layouts) {
      Types.push_back({L.Name, L.Size, L.Alignment,
                       Members.data() + Members.size(), L.Members.size()});
      for (const Layout::Member &M : L.Members)
        Members.push_back({M.Name, M.Offset, M.Size});
    }
  }

  std::vector<Layout> Layouts;
  std::vector<kpack_jit_member> Members;
  std::vector<kpack_jit_type> Types;
  std::vector<kpack_jit_header> Headers;
  std::vector<kpack_jit_constant> Constants;
  std::vector<std::string> Flags;
  std::vector<const char *> FlagList;
  kpack_jit_program_source C{};
};

/// Copies the explanation of the C API.
inline Explanation makeCopy(const kpack_jit_explanation &E) {
  Explanation Copy{E.key, E.is_cached != 0, E.nearest, {}, {}};
  for (std::size_t I = 0; I < E.field_count; ++I)
    Copy.fields.push_back({E.fields[I].name, E.fields[I].value});
  for (std::size_t I = 0; I < E.difference_count; ++I) {
    const kpack_jit_difference &D = E.differences[I];
    Copy.differences.push_back({D.field, D.before, D.after, D.meaning});
  }
  return Copy;
}

inline Result<Explanation> explain(const Cache &Where, const Source &Input,
                                   const Options &Opts, const char *Type,
                                   std::vector<Layout> Layouts = {}) {
  kpack_jit_entry_point Entry{Input.entry.c_str(), Type};
  Request Wanted(Input, Opts, {}, {&Entry, 1}, KPACK_JIT_HOST,
                 std::move(Layouts));
  std::optional<Explanation> Found;
  if (kpack_jit_status Code = kpack_jit_cache_explain(
          Where.native_handle(), &Wanted.source(),
          [](const kpack_jit_explanation *E, void *User) {
            *static_cast<std::optional<Explanation> *>(User) = makeCopy(*E);
          },
          &Found))
    return failure(Code);
  return std::move(*Found);
}

} // namespace detail

inline Result<Explanation> Cache::explain(const Source &source,
                                          const Options &how) const {
  return detail::explain(*this, source, how, nullptr);
}
template <class Sig>
Result<Explanation> Cache::explain(const Source &source,
                                   const Options &how) const {
  return detail::explain(*this, source, how,
                         detail::Signature<Sig>::name().c_str(),
                         detail::Signature<Sig>::layouts());
}

template <class Sig> class Executor;

/// A compiled function. Call it from any thread.
template <class R, class... A> class Executor<R(A...)> {
public:
  R operator()(A... a) const { return Call(a...); }

  /// The owner of the code; equal for executors of one program.
  const Program &program() const { return Owner; }
  R (*native_handle() const)(A...) { return Call; }

  /// Makes an executor of the \p Index-th entry of \p Owner, whose type the
  /// caller has checked. Errors: KernelNotFound, it is a kernel.
  static Result<Executor> of(Program Owner, std::size_t Index = 0) {
    void *Address;
    if (kpack_jit_status Code =
            kpack_jit_program_function(Owner.native_handle(), Index, &Address))
      return detail::failure(Code);
    return Executor(std::move(Owner), reinterpret_cast<R (*)(A...)>(Address));
  }

private:
  Executor(Program Owner, R (*Call)(A...))
      : Owner(std::move(Owner)), Call(Call) {}
  Program Owner;
  R (*Call)(A...);
};

namespace detail {

template <class Sig>
Result<Executor<Sig>> compileHost(const Source &Input, const Options &Opts,
                                  std::span<const Constant> More,
                                  unsigned Flags = 0) {
  std::string Type = Signature<Sig>::name();
  kpack_jit_entry_point Entry{Input.entry.c_str(), Type.c_str()};
  Result<Program> Compiled = Request(Input, Opts, More, {&Entry, 1},
                                     KPACK_JIT_HOST, Signature<Sig>::layouts())
                                 .compile(Opts, Flags);
  if (!Compiled)
    return Compiled.status();
  return Executor<Sig>::of(std::move(*Compiled));
}

} // namespace detail

namespace detail {

/// Removes spaces, which compilers and people set differently.
inline std::string withoutSpaces(std::string_view Type) {
  std::string Text;
  for (char C : Type)
    if (C != ' ')
      Text += C;
  return Text;
}

/// Returns the index of the entry named \p Expression. Its type must be \p Type
/// if the program has types.
inline Result<std::size_t> indexOf(const Program &Owner,
                                   std::string_view Expression,
                                   const std::string &Type) {
  for (std::size_t I = 0, Count = Owner.size(); I < Count; ++I) {
    const char *Its = "";
    (void)kpack_jit_program_entry(Owner.native_handle(), I, &Its, nullptr,
                                  nullptr);
    if (Expression != Its)
      continue;
    if (*Owner.type(I) != '\0' &&
        withoutSpaces(Owner.type(I)) != withoutSpaces(Type))
      return Status(StatusCode::InvalidArgument,
                    "entry '" + std::string(Expression) + "' has type " +
                        Owner.type(I) + ", the caller declared " + Type,
                    Errc::SignatureMismatch);
    return I;
  }
  return Status(StatusCode::KernelNotFound,
                "entry '" + std::string(Expression) +
                    "': the program was compiled without it; name it",
                Errc::UnknownEntry);
}

} // namespace detail

/// Returns one of a program's functions, by the expression that it was compiled
/// for. Structures must be those that the program was compiled with. Errors:
/// KernelNotFound; InvalidArgument, its type is another one.
template <class Sig>
Result<Executor<Sig>> executor(const Program &from, std::string_view entry) {
  Result<std::size_t> Index =
      detail::indexOf(from, entry, detail::Signature<Sig>::name());
  return Index ? Executor<Sig>::of(from, *Index)
               : Result<Executor<Sig>>(Index.status());
}

/// Returns the executor of the source's entry: from memory, from files, or
/// compiled. Errors: InvalidArgument, the text does not compile, or the entry
/// has another type; FileNotFound, no compiler; KernelNotFound, compiling is
/// not allowed (KPACK_JIT_MODE=strict); IoError, another attempt may succeed.
template <class Sig>
Result<Executor<Sig>> compile(const Source &source, const Options &how = {}) {
  return detail::compileHost<Sig>(source, how, {});
}

/// Compiles all sources, as many at once as there are processors. Results are
/// in the order of the sources.
template <class Sig>
std::vector<Result<Executor<Sig>>> compile_all(std::span<const Source> sources,
                                               const Options &how = {}) {
  std::vector<std::optional<Result<Executor<Sig>>>> Results(sources.size());
  std::atomic<std::size_t> Next{0};
  auto Work = [&] {
    for (std::size_t I; (I = Next++) < sources.size();)
      Results[I] = compile<Sig>(sources[I], how);
  };
  std::vector<std::thread> Threads(std::min<std::size_t>(
      sources.size(), std::max(1u, std::thread::hardware_concurrency())));
  for (std::thread &Each : Threads)
    Each = std::thread(Work);
  for (std::thread &Each : Threads)
    Each.join();
  std::vector<Result<Executor<Sig>>> All;
  for (auto &Each : Results)
    All.push_back(std::move(*Each));
  return All;
}

/// The permitted ways to get a program.
enum class Lookup {
  Compile,    ///< compiles if no cache has it
  OnlyCached, ///< else KernelNotFound, without a compile or wait
};

namespace detail {
inline unsigned flagsOf(Lookup Allowed) {
  return Allowed == Lookup::OnlyCached ? KPACK_JIT_ONLY_CACHED : 0u;
}
} // namespace detail

/// The same, as far as \p allowed permits.
template <class Sig>
Result<Executor<Sig>> compile(const Source &source, const Options &how,
                              Lookup allowed) {
  return detail::compileHost<Sig>(source, how, {}, detail::flagsOf(allowed));
}

/// Compiles kernels of one text to one code object; \p source's entry is not
/// used. Options::target is the GPU's target id. Errors: as compile().
inline Result<Program> compile_program(const Source &source,
                                       std::span<const std::string> entries,
                                       const Options &how,
                                       Lookup allowed = Lookup::Compile) {
  std::vector<kpack_jit_entry_point> Points;
  for (const std::string &Entry : entries)
    Points.push_back({Entry.c_str(), nullptr});
  return detail::Request(source, how, {}, Points, KPACK_JIT_KERNEL)
      .compile(how, detail::flagsOf(allowed));
}

/// Compiles functions of one text and one type to one program; \p source's
/// entry is not used. executor() returns each of them. Errors: as compile().
template <class Sig>
Result<Program>
compile_program(const Source &source, std::span<const std::string> entries,
                const Options &how = {}, Lookup allowed = Lookup::Compile) {
  std::string Type = detail::Signature<Sig>::name();
  std::vector<kpack_jit_entry_point> Points;
  for (const std::string &Entry : entries)
    Points.push_back({Entry.c_str(), Type.c_str()});
  return detail::Request(source, how, {}, Points, KPACK_JIT_HOST,
                         detail::Signature<Sig>::layouts())
      .compile(how, detail::flagsOf(allowed));
}

namespace detail {

/// Makes the key of a choice among programs, on this machine.
inline kpack_jit_status choiceKey(std::span<const std::string> Keys,
                                  std::string_view Purpose,
                                  kpack_jit_key **Key) {
  if (kpack_jit_status Code = kpack_jit_key_create("kpack-jit choice 1", Key))
    return Code;
  kpack_jit_status Code =
      kpack_jit_key_add(*Key, "purpose", Purpose.data(), Purpose.size());
  for (const std::string &Each : Keys)
    if (!Code)
      Code = kpack_jit_key_add(*Key, "program", Each.data(), Each.size());
  if (!Code)
    Code = kpack_jit_key_add_machine(*Key);
  if (Code)
    kpack_jit_key_destroy(*Key);
  return Code;
}

inline kpack_jit_status takeChoice(kpack_jit_entry *Entry,
                                   std::size_t &Chosen) {
  char Digits[20] = {};
  kpack_jit_entry_info Info{};
  Info.size = sizeof(Info);
  kpack_jit_status Code = kpack_jit_entry_get_info(Entry, &Info);
  if (!Code && Info.payload_size < sizeof(Digits))
    Code = kpack_jit_entry_read(Entry, 0, Digits, Info.payload_size);
  kpack_jit_entry_destroy(Entry);
  Chosen = std::strtoul(Digits, nullptr, 10);
  return Code;
}

} // namespace detail

/// Returns the fastest of \p variants by \p measure, which returns seconds, or
/// any other number that is less for the better one. Measures each once, and
/// keeps the choice in the cache of \p how for this machine, so later calls and
/// processes do not measure while the variants are the same. \p purpose
/// separates choices among the same variants (sizes, for example). Errors:
/// InvalidArgument, there are none; exceptions of \p measure pass through.
template <class Sig, class Measure>
Result<Executor<Sig>> best_of(std::span<const Executor<Sig>> variants,
                              Measure measure, std::string_view purpose = {},
                              const Options &how = {}) {
  if (variants.empty())
    return Status(StatusCode::InvalidArgument,
                  "best_of: there are no variants; give one at least");
  struct Run {
    std::span<const Executor<Sig>> Variants;
    Measure &Take;
    std::exception_ptr Thrown = nullptr;

    std::size_t best() {
      std::size_t Best = 0;
      double Least = 0;
      for (std::size_t I = 0; I < Variants.size(); ++I)
        if (double Value = Take(Variants[I]); I == 0 || Value < Least) {
          Best = I;
          Least = Value;
        }
      return Best;
    }
  } Now{variants, measure};
  bool IsUncached = how.cache && !how.cache->native_handle();
  Result<Cache> Where =
      how.cache ? Result<Cache>(*how.cache) : Cache::process();
  if (!Where)
    return Where.status();
  if (IsUncached)
    return variants[Now.best()];
  std::vector<std::string> Keys;
  for (const Executor<Sig> &Each : variants)
    Keys.push_back(Each.program().info().key);
  kpack_jit_request Wanted{};
  Wanted.size = sizeof(Wanted);
  kpack_jit_key *Key;
  if (kpack_jit_status Code = detail::choiceKey(Keys, purpose, &Key))
    return detail::failure(Code);
  Wanted.key = Key;
  Wanted.name = "best_of";
  Wanted.kind = "choice";
  kpack_jit_entry *Entry;
  kpack_jit_status Code = kpack_jit_get(
      Where->native_handle(), &Wanted,
      [](kpack_jit_product *Product, void *User) {
        auto &Now = *static_cast<Run *>(User);
#ifdef __cpp_exceptions
        try {
#endif
          std::string Best = std::to_string(Now.best());
          kpack_jit_product_set(Product, Best.data(), Best.size(), nullptr);
          return 0;
#ifdef __cpp_exceptions
        } catch (...) {
          Now.Thrown = std::current_exception();
          return 1;
        }
#endif
      },
      &Now, KPACK_JIT_AUXILIARY, &Entry);
  kpack_jit_key_destroy(Key);
#ifdef __cpp_exceptions
  if (Now.Thrown)
    std::rethrow_exception(Now.Thrown);
#endif
  std::size_t Chosen = 0;
  if (!Code)
    Code = detail::takeChoice(Entry, Chosen);
  if (Code)
    return detail::failure(Code);
  // An entry is untrusted, so its index is limited.
  return variants[Chosen < variants.size() ? Chosen : 0];
}

template <class Sig> class Function;

/// A function that is compiled by its first call. For constants that are known
/// at run time only: get().
template <class R, class... A> class Function<R(A...)> {
public:
  explicit Function(Source source, Options how = {})
      : From(std::move(source)), How(std::move(how)) {}
  Function(const Function &) = delete;

  /// Returns the executor for these constants, in addition to those of the
  /// options; compiles it once. Errors: those of compile().
  Result<Executor<R(A...)>>
  get(std::span<const Constant> constants = {}) const {
    return detail::compileHost<R(A...)>(From, How, constants);
  }
  Result<Executor<R(A...)>>
  get(std::initializer_list<Constant> constants) const {
    return get(std::span(constants.begin(), constants.size()));
  }
  /// Returns the executor if this process has loaded it; never waits.
  std::optional<Executor<R(A...)>>
  try_get(std::span<const Constant> constants = {}) const {
    Options Only = How;
    Only.refresh = false;
    Result<Executor<R(A...)>> Found = detail::compileHost<R(A...)>(
        From, Only, constants, KPACK_JIT_ONLY_LOADED);
    return Found ? std::optional(std::move(*Found)) : std::nullopt;
  }

  /// Calls the function: one atomic load and the call, except for the first.
  /// The first call throws std::runtime_error if there is nothing to call
  /// (without exceptions: prints an error and aborts); the next call tries
  /// again.
  R operator()(A... a) const {
    R (*Call)(A...) = Slot.load(std::memory_order_acquire);
    if (!Call) [[unlikely]]
      Call = first();
    return Call(a...);
  }

private:
  [[gnu::noinline, gnu::cold]] R (*first() const)(A...) {
    std::lock_guard<std::mutex> One(Lock);
    if (!Held) {
      Result<Executor<R(A...)>> Compiled = get();
      if (!Compiled)
        refuse(Compiled.status().message());
      Held.emplace(std::move(*Compiled));
      Slot.store(Held->native_handle(), std::memory_order_release);
    }
    return Held->native_handle();
  }
  [[noreturn]] static void refuse(const std::string &Why) {
#ifdef __cpp_exceptions
    throw std::runtime_error(Why);
#else
    std::fprintf(stderr, "kpack-jit: error: %s\n", Why.c_str());
    std::abort();
#endif
  }

  const Source From;
  const Options How;
  mutable std::mutex Lock; ///< guards the first call
  mutable std::optional<Executor<R(A...)>> Held;
  mutable std::atomic<R (*)(A...)> Slot{nullptr};
};

/// Compiles and loads programs in the background before they are needed:
/// compile() and Function then find them in memory. Not thread-safe; the
/// destructor waits for work that has begun.
class Preparation {
public:
  Preparation() = default;
  Preparation(const Preparation &) = delete;
  ~Preparation() {
    IsEnding = true;
    (void)wait();
  }

  /// Adds the request of compile<Sig>(). Call it before start().
  template <class Sig> void add(Source source, Options how = {}) {
    Work.push_back([source = std::move(source), how = std::move(how),
                    Kept = std::optional<Executor<Sig>>()]() mutable {
      Result<Executor<Sig>> Now = compile<Sig>(source, how);
      if (Now)
        Kept.emplace(std::move(*Now)); // kept as long as this object
      return Now.status();
    });
  }
  /// Adds the request of compile_program().
  void add_program(Source source, std::vector<std::string> entries,
                   Options how) {
    Work.push_back([source = std::move(source), entries = std::move(entries),
                    how = std::move(how),
                    Kept = std::optional<Program>()]() mutable {
      Result<Program> Now = compile_program(source, entries, how);
      if (Now)
        Kept.emplace(std::move(*Now));
      return Now.status();
    });
  }

  /// Adds other work, which may end in a compile(). It must not throw.
  void add_work(std::function<Status()> work) {
    Work.push_back(std::move(work));
  }
  /// Adds the programs of a recorded run: Cache::prepare().
  void add_recorded(std::string path, Cache where) {
    Work.push_back([path = std::move(path), where = std::move(where)] {
      return where.prepare(path).status();
    });
  }

  /// Starts the work, on at most as many threads as there are processors.
  void start() {
    Outcomes.assign(Work.size(), Status::success());
    std::size_t Count = std::min<std::size_t>(
        Work.size(), std::max(1u, std::thread::hardware_concurrency()));
    for (std::size_t I = 0; I < Count; ++I)
      Threads.emplace_back([this] {
        for (std::size_t Mine; !IsEnding && (Mine = Next++) < Work.size();
             ++Done)
          Outcomes[Mine] = Work[Mine]();
      });
  }
  /// True if all work is done or has failed; never waits.
  bool ready() const { return Done == Work.size(); }
  /// Waits for all work, and returns the first failure.
  Status wait() {
    for (std::thread &Each : Threads)
      Each.join();
    Threads.clear();
    for (const Status &Each : Outcomes)
      if (!Each.ok())
        return Each;
    return Status::success();
  }

private:
  std::vector<std::function<Status()>> Work;
  std::vector<Status> Outcomes; ///< each is written by its thread
  std::vector<std::thread> Threads;
  std::atomic<std::size_t> Next{0}, Done{0};
  std::atomic<bool> IsEnding{false};
};

} // namespace executors
} // namespace kpack::jit

// For use outside of namespaces: a structure, by its whole name, and all of its
// members, which the text defines the same way.
//   struct Point { float x, y; };
//   KPACK_JIT_TYPE(Point, x, y)
#define KPACK_JIT_TYPE(Type, ...)                                              \
  template <> struct kpack::jit::executors::detail::Registered<Type> {         \
    static_assert(std::is_trivially_copyable_v<Type> &&                        \
                      std::is_standard_layout_v<Type>,                         \
                  "KPACK_JIT_TYPE: " #Type " is more than its members");       \
    static constexpr bool Is = true;                                           \
    static Layout layout() {                                                   \
      return {#Type,                                                           \
              sizeof(Type),                                                    \
              alignof(Type),                                                   \
              {KPACK_JIT_EACH(KPACK_JIT_MEMBER, Type, __VA_ARGS__)}};          \
    }                                                                          \
  };
#define KPACK_JIT_MEMBER(Type, Member)                                         \
  {#Member, offsetof(Type, Member), sizeof(std::declval<Type &>().Member)},
// Calls Do(Type, M) for each M.
#define KPACK_JIT_EACH(Do, Type, ...)                                          \
  __VA_OPT__(KPACK_JIT_SCAN(KPACK_JIT_NEXT(Do, Type, __VA_ARGS__)))
#define KPACK_JIT_NEXT(Do, Type, First, ...)                                   \
  Do(Type, First)                                                              \
      __VA_OPT__(KPACK_JIT_AGAIN KPACK_JIT_PARENS(Do, Type, __VA_ARGS__))
#define KPACK_JIT_PARENS ()
#define KPACK_JIT_AGAIN() KPACK_JIT_NEXT
#define KPACK_JIT_SCAN(...)                                                    \
  KPACK_JIT_SCAN1(KPACK_JIT_SCAN1(KPACK_JIT_SCAN1(__VA_ARGS__)))
#define KPACK_JIT_SCAN1(...)                                                   \
  KPACK_JIT_SCAN2(KPACK_JIT_SCAN2(KPACK_JIT_SCAN2(__VA_ARGS__)))
#define KPACK_JIT_SCAN2(...)                                                   \
  KPACK_JIT_SCAN3(KPACK_JIT_SCAN3(KPACK_JIT_SCAN3(__VA_ARGS__)))
#define KPACK_JIT_SCAN3(...) __VA_ARGS__

#endif // KPACK_JIT_EXECUTOR_H
