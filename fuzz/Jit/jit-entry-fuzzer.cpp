//===- jit-entry-fuzzer.cpp - fuzzer of the reader of cache entries -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte says what the rest is: an entry as it is; or payload and
// description, whose lengths and checksum are made right here, so that what
// lies behind them is reached too. An entry that is taken must be the same when
// it is written again; both ways to read one must agree.
//
//===----------------------------------------------------------------------===//
#include "Jit/Store/Entry.h"
#include "kpack/Support/UniqueFd.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

using namespace kpack;
using namespace kpack::jit;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

static void append(std::string &To, uint64_t Value) {
  for (unsigned I = 0; I != 8; ++I)
    To += static_cast<char>(Value >> (8 * I));
}

/// An entry with the first \p PayloadSize bytes as payload.
static std::string framed(std::string_view Bytes, size_t PayloadSize) {
  PayloadSize = std::min(PayloadSize, Bytes.size());
  std::string Entry(Bytes.substr(0, PayloadSize));
  Entry.append((8 - Entry.size() % 8) % 8, '\0');
  const uint64_t InfoAt = Entry.size();
  Entry += Bytes.substr(PayloadSize);
  const uint64_t InfoSize = Entry.size() - InfoAt;
  for (uint64_t Value :
       {uint64_t(1), uint64_t(PayloadSize), InfoAt, InfoSize, uint64_t(0)})
    append(Entry, Value);
  XXH128_canonical_t Sum;
  XXH128_canonicalFromHash(&Sum, XXH3_128bits(Entry.data(), Entry.size()));
  Entry.append(reinterpret_cast<const char *>(Sum.digest), sizeof(Sum.digest));
  return Entry + "KPACKJIT";
}

static bool isSame(const EntryInfo &A, const EntryInfo &B) {
  if (A.Key.Fields.size() != B.Key.Fields.size())
    return false;
  for (size_t I = 0; I != A.Key.Fields.size(); ++I)
    if (!(A.Key.Fields[I] == B.Key.Fields[I]) ||
        A.Key.Fields[I].Shown != B.Key.Fields[I].Shown)
      return false;
  auto IsSameFunction = [](const EntryFunction &F, const EntryFunction &G) {
    return F.Name == G.Name && F.Symbol == G.Symbol && F.Type == G.Type;
  };
  if (!std::equal(A.Functions.begin(), A.Functions.end(), B.Functions.begin(),
                  B.Functions.end(), IsSameFunction))
    return false;
  return A.Key.Id == B.Key.Id && A.Name == B.Name && A.Kind == B.Kind &&
         A.Target == B.Target && A.Symbol == B.Symbol &&
         A.Producer == B.Producer && A.Log == B.Log && A.Created == B.Created &&
         A.CompileMilliseconds == B.CompileMilliseconds;
}

/// The description as a listing reads it.
static Result<DescribedEntry> described(std::string_view Entry) {
  static const UniqueFd File(::memfd_create("entry", MFD_CLOEXEC));
  check(::ftruncate(File.get(), 0) == 0 &&
        ::pwrite(File.get(), Entry.data(), Entry.size(), 0) ==
            static_cast<ssize_t>(Entry.size()));
  return describeEntry(File.get(), Entry.size());
}

static void read(std::string_view Entry) {
  // A copy of exactly this size, so that a read behind its end is seen.
  const std::vector<char> Copy(Entry.begin(), Entry.end());
  const std::string_view Bytes(Copy.data(), Copy.size());
  Result<DecodedEntry> Decoded = decodeEntry(Bytes);
  Result<DescribedEntry> Described = described(Entry);
  if (!Decoded) {
    check(!Decoded.status().message().empty());
    return;
  }
  check(Described.ok() && isSame(Described->Info, Decoded->Info) &&
        Described->PayloadSize == Decoded->Payload.size());
  check(Decoded->Payload.empty() || (Decoded->Payload.data() >= Bytes.data() &&
                                     Decoded->Payload.size() <= Bytes.size()));
  Result<std::string> Tail = encodeEntryTail(Decoded->Info, Decoded->Payload);
  if (!Tail)
    return; // numbers may be longer as we write them
  const std::string Written = std::string(Decoded->Payload) + *Tail;
  Result<DecodedEntry> Again = decodeEntry(Written);
  check(Again.ok() && Again->Payload == Decoded->Payload &&
        isSame(Again->Info, Decoded->Info));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (Size == 0)
    return 0;
  const std::string_view Bytes(reinterpret_cast<const char *>(Data + 1),
                               Size - 1);
  if (Data[0] == 'e')
    read(Bytes);
  else
    read(framed(Bytes, Data[0]));
  return 0;
}
