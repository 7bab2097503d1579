//===- LazyBundle.cpp - offload bundle made on demand ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This code runs while a runtime waits in the middle of a read, so it cannot
// return errors. A failure before the layout is fixed leaves the entry out of
// the header and writes a message; after a later failure the entry reads as
// zeros.
//
// The header states sizes before any code object is read. So an entry is as
// large as the largest of its candidates, because a later candidate replaces
// the best one if that is damaged. Entries with the same best candidate share
// one place, which is read once for all of them. The header is measured first,
// which works because its numbers have a fixed width; then the code objects are
// placed after it, page by page.
//
//===----------------------------------------------------------------------===//
#include "LazyBundle.h"

#include "Runtime/BinaryPath.h"
#include "Runtime/ReadableMemory.h"
#include "Support/BundleHeader.h"
#include "Support/Files.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <unistd.h>

using namespace kpack;
using namespace kpack::hipshim;
using namespace kpack::runtime;

static uint64_t wholePages(uint64_t Size) {
  uint64_t Page = LazyMemory::pageSize();
  return (Size + Page - 1) / Page * Page;
}

/// Decodes the marker and finds the binary that contains it; writes a message
/// on failure.
std::optional<Wanted> LazyBundle::identify() {
  if (!Marker)
    return std::move(W);
  Result<FilePlace> Binary = findBinary(Marker);
  if (!Binary) {
    Context.Messages.say("a HIP binary", Binary.status().message());
    return std::nullopt;
  }
  Result<kpack::Marker> M = decodeMarker(readableBytes(Marker, MaxMarkerSize));
  if (!M) {
    Context.Messages.say(Binary->Path, M.status().message());
    return std::nullopt;
  }
  return Wanted{std::move(*M), Binary->Path, Index};
}

void LazyBundle::addDevices(const std::vector<runtime::Device> &Devices) {
  for (const runtime::Device &D : Devices) {
    Search S = Context.Finder.find(W, D);
    if (S.Candidates.empty()) {
      Context.Messages.missing(W, D, S);
      continue;
    }
    Entries.push_back({D.front(), std::move(S.Candidates), 0, 0});
  }
}

void LazyBundle::addAllTargets() {
  Search S = Context.Finder.findAll(W);
  if (S.Candidates.empty())
    Context.Messages.missing(W, {}, S);
  for (Candidate &C : S.Candidates) {
    auto Same = [&](const Entry &E) { return E.Target == C.Target; };
    auto It = std::find_if(Entries.begin(), Entries.end(), Same);
    if (It == Entries.end())
      It = Entries.insert(Entries.end(), {C.Target, {}, 0, 0});
    It->Candidates.push_back(std::move(C));
  }
}

/// Places the entries. Devices that share a code object share its place.
void LazyBundle::place(uint64_t RangeSize) {
  HeaderSize = wholePages(header().size());
  uint64_t End = HeaderSize;
  for (size_t I = 0; I != Entries.size();) {
    Entry &E = Entries[I];
    E.Size = 0; // filled by any of the candidates
    for (const Candidate &C : E.Candidates)
      E.Size = std::max(E.Size, C.Entry->OriginalSize);
    auto Same = [&](const Entry &Other) {
      return Other.Candidates.front().Entry == E.Candidates.front().Entry;
    };
    auto First = std::find_if(Entries.begin(), Entries.begin() + I, Same);
    if (First != Entries.begin() + I) {
      E.Offset = First->Offset;
      E.Size = First->Size; // its candidates are read
    } else if (RangeSize - End < E.Size ||
               RangeSize - End < wholePages(E.Size)) {
      Context.Messages.say(
          W.BinaryPath, "no address space for the " + std::to_string(E.Size) +
                            " bytes of its device code for " + E.Target +
                            "; raise the limit that 'ulimit -v' shows");
      Entries.erase(Entries.begin() + I);
      continue;
    } else {
      E.Offset = End;
      End += wholePages(E.Size);
    }
    ++I;
  }
}

void LazyBundle::layOut(uint64_t RangeSize) {
  Entries.clear(); // memory may have run out in an earlier attempt
  std::optional<Wanted> Identified = identify();
  if (Identified) {
    W = std::move(*Identified);
    if (Context.Finder.environment().Disabled) {
      Context.Messages.say(W.BinaryPath,
                           "kpack is disabled; unset ROCM_KPACK_DISABLE");
    } else if (std::vector<runtime::Device> Devices = Gpus.devices();
               !Devices.empty()) {
      addDevices(Devices);
    } else {
      addAllTargets();
    }
  }
  place(RangeSize);
  IsLaidOut = true;
}

PageSource::Part LazyBundle::partAt(uint64_t Offset, uint64_t RangeSize) {
  if (!IsLaidOut)
    layOut(RangeSize);
  if (Offset < HeaderSize)
    return {0, HeaderSize};
  for (const Entry &E : Entries)
    if (Offset >= E.Offset && Offset - E.Offset < wholePages(E.Size))
      return {E.Offset, wholePages(E.Size)};
  return {};
}

uint64_t LazyBundle::usedSize(uint64_t RangeSize) const {
  if (!IsLaidOut)
    return RangeSize;
  uint64_t End = HeaderSize;
  for (const Entry &E : Entries)
    End = std::max(End, E.Offset + wholePages(E.Size));
  return End;
}

/// Returns the header. Its length does not depend on the entries' offsets.
std::string LazyBundle::header() const {
  std::vector<BundleEntry> All = {
      {"host-x86_64-unknown-linux--", HeaderSize, 0}};
  for (const Entry &E : Entries)
    All.push_back({deviceEntryId(E.Target), E.Offset, E.Size});
  return bundleHeader(All);
}

void LazyBundle::fill(const Part &P, char *Target) {
  if (P.Offset < HeaderSize) {
    std::string Bytes = header();
    std::memcpy(Target, Bytes.data(), Bytes.size());
    return;
  }
  for (const Entry &E : Entries) {
    if (E.Offset != P.Offset)
      continue;
    // A later candidate replaces a damaged one; the rest of the entry stays
    // zero.
    for (const Candidate &C : E.Candidates)
      if (Context.Finder.read(C, Target, E.Size))
        return;
    Context.Messages.unreadable(W, E.Target, E.Candidates);
    return;
  }
}

void LazyBundle::noMemory(const Part &P) noexcept {
  try {
    Context.Messages.say(W.BinaryPath.empty() ? "a HIP binary" : W.BinaryPath,
                         "no memory for " + std::to_string(P.Size) +
                             " bytes of device code");
  } catch (const std::bad_alloc &) {
    constexpr std::string_view Text =
        "kpack_hip: error: no memory for device code\n";
    (void)writeAll(STDERR_FILENO, Text);
  }
}
