//===- CApiPrograms.cpp - C API: compiled programs ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kpack_jit_program handle is the program itself: a second request for the
// same program returns the same pointer.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/CApi/Handles.h"

#include "Jit/Executor/Programs/KeptSource.h"

#include "Jit/Executor/Programs/ProgramSource.h"
#include "Support/Texts.h"
#include "kpack/Support/LittleEndian.h"

using namespace kpack;
using namespace kpack::capi;
using namespace kpack::jit;

static Program *getProgram(const kpack_jit_program *Handle) {
  return reinterpret_cast<Program *>(const_cast<kpack_jit_program *>(Handle));
}

static kpack_jit_program *getHandle(ProgramRef Held) {
  return reinterpret_cast<kpack_jit_program *>(Held.release());
}

/// Returns true if all lists with a count have their elements.
static bool areThere(const kpack_jit_program_source &S) {
  if (!S.text || !S.entries || !S.entry_count ||
      (S.header_count && !S.headers) || (S.constant_count && !S.constants) ||
      (S.kind != KPACK_JIT_HOST && S.kind != KPACK_JIT_KERNEL))
    return false;
  for (size_t I = 0; I < S.header_count; ++I)
    if (!S.headers[I].name || !S.headers[I].text)
      return false;
  for (size_t I = 0; I < S.constant_count; ++I)
    if (!S.constants[I].name || !S.constants[I].type || !S.constants[I].value)
      return false;
  for (size_t I = 0; I < S.entry_count; ++I)
    if (!S.entries[I].expression)
      return false;
  for (size_t I = 0; I < S.type_count; ++I) {
    const kpack_jit_type *T = S.types ? &S.types[I] : nullptr;
    if (!T || !T->name || (T->member_count && !T->members))
      return false;
    for (size_t M = 0; M < T->member_count; ++M)
      if (!T->members[M].name)
        return false;
  }
  return true;
}

/// Returns the freshness that the caller's flags request.
static Freshness getFreshness(unsigned Flags) {
  return Flags & KPACK_JIT_UNCACHED      ? Freshness::Own
         : Flags & KPACK_JIT_REFRESH     ? Freshness::New
         : Flags & KPACK_JIT_ONLY_CACHED ? Freshness::There
                                         : Freshness::Any;
}

static ProgramSource getSource(const kpack_jit_program_source &S) {
  ProgramSource Source;
  Source.Name = orEmpty(S.name);
  Source.Text = S.text;
  for (size_t I = 0; I < S.header_count; ++I)
    Source.Headers.push_back({S.headers[I].name, S.headers[I].text});
  for (size_t I = 0; I < S.constant_count; ++I)
    Source.Constants.push_back(
        {S.constants[I].name, S.constants[I].type, S.constants[I].value});
  for (size_t I = 0; I < S.entry_count; ++I)
    Source.Entries.push_back(
        {S.entries[I].expression, orEmpty(S.entries[I].type)});
  for (size_t I = 0; I < S.type_count; ++I) {
    const kpack_jit_type &T = S.types[I];
    UnitType Type{T.name, T.size, T.alignment, {}};
    for (size_t M = 0; M < T.member_count; ++M)
      Type.Members.push_back(
          {T.members[M].name, T.members[M].offset, T.members[M].size});
    Source.Types.push_back(std::move(Type));
  }
  Source.Kind = S.kind == KPACK_JIT_HOST ? UnitKind::Host : UnitKind::Kernel;
  Source.Target = orEmpty(S.target);
  Source.Compiler = orEmpty(S.compiler);
  Source.Flags = toList(S.flags);
  return Source;
}

static Result<CompileRequest> requestFor(const kpack_jit_cache &Where,
                                         const kpack_jit_program_source &S) {
  Result<CompileRequest> Wanted = makeRequest(getSource(S));
  if (Wanted && S.should_stop)
    Wanted->Stop = [Ask = S.should_stop, User = S.stop_user] {
      return Ask(User) != 0;
    };
  if (Wanted)
    keepSource(*Wanted, Where.Sources->cache().writableDirectory());
  return Wanted;
}

/// Hashes the inputs of makeRequest() except files and GPUs: the caller's
/// structure and the variables. For equal inputs, the compiler is not searched
/// again.
static Digest wordsOf(const kpack_jit_program_source &S) {
  std::string All;
  auto Append = [&](size_t Value) { appendLittleEndian(All, Value); };
  auto Add = [&](const char *Text) {
    std::string_view Content = orEmpty(Text);
    Append(Content.size());
    All += Content;
  };
  Append(static_cast<size_t>(S.kind));
  for (const char *Text : {S.name, S.text, S.target, S.compiler})
    Add(Text);
  Append(S.header_count);
  for (size_t I = 0; I < S.header_count; ++I) {
    Add(S.headers[I].name);
    Add(S.headers[I].text);
  }
  Append(S.constant_count);
  for (size_t I = 0; I < S.constant_count; ++I)
    for (const char *Text :
         {S.constants[I].name, S.constants[I].type, S.constants[I].value})
      Add(Text);
  Append(S.entry_count);
  for (size_t I = 0; I < S.entry_count; ++I) {
    Add(S.entries[I].expression);
    Add(S.entries[I].type);
  }
  Append(S.type_count);
  for (size_t I = 0; I < S.type_count; ++I) {
    const kpack_jit_type &T = S.types[I];
    Add(T.name);
    for (size_t Value : {T.size, T.alignment, T.member_count})
      Append(Value);
    for (size_t M = 0; M < T.member_count; ++M) {
      Add(T.members[M].name);
      Append(T.members[M].offset);
      Append(T.members[M].size);
    }
  }
  for (const char *const *Flag = S.flags; Flag && *Flag; ++Flag)
    Add(*Flag);
  Append(SIZE_MAX); // not a length: marks the end of the flags
  for (const char *Name :
       {"KPACK_JIT_COMPILER", "ROCM_PATH", "PATH", "KPACK_JIT_TARGET"})
    Add(variable(Name).c_str());
  return sha256(All);
}

kpack_jit_status kpack_jit_compile(kpack_jit_cache *Where,
                                   const kpack_jit_program_source *Source,
                                   unsigned Flags,
                                   kpack_jit_program **Compiled) {
  kpack_jit_program_source S;
  if (!Where || !take(Source, S) || !areThere(S) || !Compiled ||
      (Flags & ~(KPACK_JIT_REFRESH | KPACK_JIT_ONLY_LOADED |
                 KPACK_JIT_UNCACHED | KPACK_JIT_ONLY_CACHED)))
    return failArgument("kpack_jit_compile: a cache, a source with its size, "
                        "kind, text and entries, and a place for the program "
                        "are needed");
  return guarded([&] {
    // Making a request takes ten times as long as looking up its program.
    Digest Fingerprint = wordsOf(S);
    Freshness Mode = getFreshness(Flags);
    if (Mode == Freshness::Any || Mode == Freshness::There)
      if (ProgramRef Known = Where->Programs->known(Fingerprint)) {
        *Compiled = getHandle(std::move(Known));
        return KPACK_JIT_SUCCESS;
      }
    Result<CompileRequest> Wanted = requestFor(*Where, S);
    if (!Wanted)
      return fail(Wanted.status());
    // Otherwise the target is that of the thread's GPU, which may change.
    if (Wanted->Target.empty() || *orEmpty(S.target))
      Where->Programs->remember(Fingerprint, *Wanted);
    if (Flags & KPACK_JIT_ONLY_LOADED) {
      ProgramRef Known = Where->Programs->peek(*Wanted);
      if (!Known)
        return KPACK_JIT_PENDING;
      *Compiled = getHandle(std::move(Known));
      return KPACK_JIT_SUCCESS;
    }
    Result<ProgramRef> Built = Where->Programs->get(*Wanted, Mode);
    if (!Built && Mode == Freshness::There &&
        Built.status().detail() == Errc::MissingKernel)
      return KPACK_JIT_PENDING;
    if (!Built)
      return failCompile(Built.status());
    *Compiled = getHandle(std::move(*Built));
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status kpack_jit_program_of_image(const void *Image, size_t Size,
                                            const char *Name,
                                            kpack_jit_program **Created) {
  if (!Image || !Created)
    return failArgument("kpack_jit_program_of_image: an image and a place for "
                        "the program are needed");
  return guarded([&] {
    Result<ProgramRef> Read = Program::ofImage(
        {static_cast<const char *>(Image), Size}, Name ? Name : "image");
    if (!Read)
      return fail(Read.status());
    *Created = getHandle(std::move(*Read));
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status kpack_jit_program_serialize(const kpack_jit_program *P,
                                             kpack_jit_bytes_callback Callback,
                                             void *User) {
  if (!P || !Callback)
    return failArgument("kpack_jit_program_serialize: a program and a callback "
                        "are needed");
  return guarded([&] {
    Result<std::string> Bytes = getProgram(P)->serialize();
    if (!Bytes)
      return fail(Bytes.status());
    Callback(Bytes->data(), Bytes->size(), User);
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status kpack_jit_program_deserialize(const void *Bytes, size_t Size,
                                               kpack_jit_program **Created) {
  if (!Bytes || !Created)
    return failArgument("kpack_jit_program_deserialize: bytes and a place for "
                        "the program are needed");
  return guarded([&] {
    Result<ProgramRef> Read =
        Program::deserialize({static_cast<const char *>(Bytes), Size});
    if (!Read)
      return fail(Read.status());
    *Created = getHandle(std::move(*Read));
    return KPACK_JIT_SUCCESS;
  });
}

void kpack_jit_program_retain(kpack_jit_program *P) {
  if (P)
    getProgram(P)->retain();
}

void kpack_jit_program_release(kpack_jit_program *P) {
  if (P)
    getProgram(P)->release();
}

/// Returns the number of functions; 0 for null.
static size_t countOf(const kpack_jit_program *P) {
  return P ? getProgram(P)->info().Functions.size() : 0;
}

kpack_jit_status kpack_jit_program_function(const kpack_jit_program *P,
                                            size_t Index, void **Address) {
  if (!P || !Address)
    return failArgument("kpack_jit_program_function: a program and a place for "
                        "the address are needed");
  void *Found = Index < countOf(P) ? getProgram(P)->function(Index) : nullptr;
  if (!Found)
    return fail(KPACK_JIT_ERROR_NOT_FOUND,
                Index < countOf(P)
                    ? "kpack_jit_program_function: the entry is a kernel; load "
                      "the program's image and look for its symbol"
                    : "kpack_jit_program_function: the program has not so many "
                      "entries");
  *Address = Found;
  return KPACK_JIT_SUCCESS;
}

kpack_jit_status kpack_jit_program_get_info(const kpack_jit_program *P,
                                            kpack_jit_program_info *Info) {
  if (!P)
    return failArgument("kpack_jit_program_get_info: a program is needed");
  const Program &Loaded = *getProgram(P);
  kpack_jit_program_info I{};
  I.entry_count = Loaded.info().Functions.size();
  I.target = Loaded.info().Target.c_str();
  I.log = Loaded.info().Log.c_str();
  I.key = Loaded.key().c_str();
  I.image = Loaded.image().empty() ? nullptr : Loaded.image().data();
  I.image_size = Loaded.image().size();
  I.compile_milliseconds = Loaded.info().CompileMilliseconds;
  I.was_compiled = Loaded.wasCompiled();
  return give(I, Info)
             ? KPACK_JIT_SUCCESS
             : failArgument("kpack_jit_program_get_info: a structure with its "
                            "size is needed");
}

kpack_jit_status kpack_jit_program_entry(const kpack_jit_program *P,
                                         size_t Index, const char **Expression,
                                         const char **Symbol,
                                         const char **Type) {
  if (Index >= countOf(P))
    return failArgument("kpack_jit_program_entry: a program that has so many "
                        "entries is needed");
  const EntryFunction &F = getProgram(P)->info().Functions[Index];
  if (Expression)
    *Expression = F.Name.c_str();
  if (Symbol)
    *Symbol = F.Symbol.c_str();
  if (Type)
    *Type = F.Type.c_str();
  return KPACK_JIT_SUCCESS;
}

static std::vector<kpack_jit_key_field> getFields(const KeyRecord &Key) {
  std::vector<kpack_jit_key_field> Fields;
  for (const KeyField &F : Key.Fields)
    Fields.push_back({F.Name.c_str(), F.Shown.c_str()});
  return Fields;
}

/// Passes \p Key and \p Near to \p Callback.
static void explainTo(const KeyRecord &Key,
                      const std::optional<NearestEntry> &Near,
                      kpack_jit_explanation_callback Callback, void *User) {
  std::string Hex = Key.hex(), NearHex = Near ? toHex(Near->Id) : "";
  std::vector<kpack_jit_key_field> Fields = getFields(Key);
  std::vector<KeyDifference> All;
  if (Near)
    All = Near->Differences;
  std::vector<std::string> Meanings;
  for (const KeyDifference &D : All)
    Meanings.push_back(getMeaning(D));
  std::vector<kpack_jit_difference> Differences;
  for (size_t I = 0; I < All.size(); ++I)
    Differences.push_back({All[I].Name.c_str(), All[I].Before.c_str(),
                           All[I].After.c_str(), Meanings[I].c_str()});
  kpack_jit_explanation E{};
  E.size = sizeof(E);
  E.key = Hex.c_str();
  E.is_cached = Near && Near->Id == Key.Id;
  E.nearest = NearHex.c_str();
  E.fields = Fields.data();
  E.field_count = Fields.size();
  E.differences = Differences.data();
  E.difference_count = Differences.size();
  Callback(&E, User);
}

kpack_jit_status
kpack_jit_cache_explain(kpack_jit_cache *Where,
                        const kpack_jit_program_source *Source,
                        kpack_jit_explanation_callback Callback, void *User) {
  kpack_jit_program_source S;
  if (!Where || !take(Source, S) || !areThere(S) || !Callback)
    return failArgument("kpack_jit_cache_explain: a cache, a source with its "
                        "size, kind, text and entries, and a callback are "
                        "needed");
  return guarded([&] {
    Result<CompileRequest> Wanted = requestFor(*Where, S);
    if (!Wanted)
      return fail(Wanted.status());
    auto Found = Where->Sources->nearest(*Wanted);
    if (!Found)
      return failCompile(Found.status());
    explainTo(Found->first, Found->second, Callback, User);
    return KPACK_JIT_SUCCESS;
  });
}
