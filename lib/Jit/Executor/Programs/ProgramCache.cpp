//===- ProgramCache.cpp - in-memory cache of loaded programs --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are two kinds of locks. The cache's lock is held for look-ups only,
// since fork() waits for it; a slot's lock is held while its program is
// compiled. Programs are released without a lock, since that may unload them.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Programs/ProgramCache.h"

#include <chrono>
#include <thread>

using namespace kpack;
using namespace kpack::jit;

Digest jit::getDigest(const CompileRequest &R) {
  KeyBuilder Key("kpack-jit request 3");
  for (const std::string *Text :
       {&R.Name, &R.Compiler, &R.Source, &R.Directory, &R.Target})
    Key.add("text", *Text);
  Key.add("language", R.Lang == Language::Hip ? "hip" : "c++")
      .add("output", kindOf(R.Output));
  for (const auto *List : {&R.Flags, &R.LinkFlags, &R.Symbols, &R.Entries}) {
    for (const std::string &Text : *List)
      Key.add("item", Text);
    Key.add("end", "");
  }
  if (R.Text) {
    Key.add("before", R.Text->Before)
        .add("text", R.Text->Text)
        .add("after", R.Text->After);
    for (const MemoryFile &Header : R.Text->Headers)
      Key.add("header", Header.Name).add("header text", Header.Text);
  }
  return Key.finish().Id;
}

ProgramCache::ProgramCache(SourceCache &Sources, size_t Capacity)
    : Sources(Sources), Capacity(Capacity),
      Guard(Lock, [this] { forgetThreads(); }) {}

/// Returns the slot of the request as the most recently used one; end with
/// leave().
ProgramCache::SlotRef ProgramCache::slot(const Digest &Id) {
  std::lock_guard<std::mutex> Held(Lock);
  SlotRef &Place = Slots[Id];
  if (!Place) {
    Place = std::make_shared<Slot>();
    Order.push_front(Id);
    Place->Use = Order.begin();
  } else {
    Order.splice(Order.begin(), Order, Place->Use);
  }
  ++Place->Users;
  return Place;
}

ProgramRef ProgramCache::getProgram(const Slot &Place) const {
  std::lock_guard<std::mutex> Held(Lock);
  return Place.Program;
}

/// Removes programs over capacity, for the caller to release.
std::vector<ProgramRef> ProgramCache::evict() {
  std::vector<ProgramRef> Gone;
  auto Position = Order.end();
  while (Slots.size() > Capacity && Position != Order.begin()) {
    --Position;
    auto Found = Slots.find(*Position);
    if (!Found->second->Program)
      continue; // being compiled
    Gone.push_back(std::move(Found->second->Program));
    Slots.erase(Found);
    Position = Order.erase(Position);
  }
  return Gone;
}

void ProgramCache::keep(Slot &Place, const ProgramRef &Loaded) {
  ProgramRef Before = Loaded;
  std::vector<ProgramRef> Gone;
  std::lock_guard<std::mutex> Held(Lock);
  std::swap(Place.Program, Before);
  Gone = evict();
}

/// Returns true if a cached program serves.
static bool isOfCache(Freshness Wanted) {
  return Wanted == Freshness::Any || Wanted == Freshness::There;
}

Result<ProgramRef> ProgramCache::load(const CompileRequest &Request,
                                      Freshness HowNew, StoredEntry Entry) {
  if (Show)
    if (Status Shown = Show(Request, Entry); !Shown.ok())
      return Shown;
  if (isOfCache(HowNew)) {
    std::lock_guard<std::mutex> Held(Lock);
    if (auto Found = Preloaded.find(Entry.Info.Key.Id);
        Found != Preloaded.end())
      return Found->second;
  }
  return Program::load(std::move(Entry));
}

size_t ProgramCache::preload() {
  size_t Count = 0;
  Sources.cache().eachProduct([&](StoredEntry &&Entry) {
    if (Entry.Info.Functions.empty() || isForeignObject(Entry))
      return true; // not a program
    Digest Id = Entry.Info.Key.Id;
    {
      std::lock_guard<std::mutex> Held(Lock);
      if (Preloaded.count(Id))
        return true;
    }
    Result<ProgramRef> Loaded = Program::load(std::move(Entry));
    if (!Loaded)
      return true; // reported when it is requested
    ++Count;
    std::lock_guard<std::mutex> Held(Lock);
    Preloaded.emplace(Id, std::move(*Loaded));
    return Preloaded.size() < Capacity;
  });
  return Count;
}

/// Takes the lock of \p Place unless its holder may be compiling. If the files
/// have the entry, the holder is only loading it, and the wait is short.
bool ProgramCache::lockWithoutCompile(std::unique_lock<std::mutex> &One,
                                      const Slot &Place,
                                      const CompileRequest &Request) {
  if (One.try_lock())
    return true;
  if (Place.IsReplaced || !Sources.get(Request, Freshness::There))
    return false;
  One.lock();
  return true;
}

/// Waits for the lock. Returns false if \p Stop cancels.
static bool lockUnlessStopped(std::unique_lock<std::mutex> &One,
                              const StopCallback &Stop) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point Question = Clock::now();
  while (!One.try_lock()) {
    if (Clock::now() >= Question) {
      if (Stop())
        return false;
      Question = Clock::now() + StopInterval;
    }
    std::this_thread::sleep_for(StopInterval / 10);
  }
  return true;
}

/// Removes a slot that got no program, so that the next request starts again;
/// but not while another thread may fill it, since no request would find that
/// program.
void ProgramCache::leave(const Digest &Id, const SlotRef &Place) {
  std::lock_guard<std::mutex> Held(Lock);
  if (Place->Users != 0 && --Place->Users != 0)
    return;
  auto Found = Slots.find(Id);
  if (Found == Slots.end() || Found->second != Place || Place->Program)
    return;
  Order.erase(Place->Use);
  Slots.erase(Found);
}

Result<ProgramRef> ProgramCache::get(const CompileRequest &Request,
                                     Freshness Wanted) {
  if (Wanted == Freshness::Own) {
    Result<StoredEntry> Entry = Sources.get(Request, Wanted);
    return Entry ? load(Request, Wanted, std::move(*Entry))
                 : Result<ProgramRef>(Entry.status());
  }
  Digest Id = getDigest(Request);
  SlotRef Place = slot(Id);
  ProgramRef Known = isOfCache(Wanted) ? getProgram(*Place) : ProgramRef();
  Result<ProgramRef> Loaded =
      Known ? Result<ProgramRef>(Known) : makeIn(*Place, Request, Wanted);
  leave(Id, Place);
  return Loaded;
}

Result<ProgramRef> ProgramCache::makeIn(Slot &Place,
                                        const CompileRequest &Request,
                                        Freshness Wanted) {
  std::unique_lock<std::mutex> One(Place.Loading, std::defer_lock);
  if (Wanted != Freshness::There && Request.Stop) {
    if (!lockUnlessStopped(One, Request.Stop))
      return stoppedStatus(Request.Name);
  } else if (Wanted != Freshness::There)
    One.lock();
  else if (!lockWithoutCompile(One, Place, Request))
    return Status(StatusCode::KernelNotFound,
                  Request.Name + ": is being compiled", Errc::MissingKernel);
  if (isOfCache(Wanted))
    if (ProgramRef Known = getProgram(Place))
      return Known;
  Place.IsReplaced = Wanted == Freshness::New;
  Result<StoredEntry> Entry = Sources.get(Request, Wanted);
  Result<ProgramRef> Loaded = Entry ? load(Request, Wanted, std::move(*Entry))
                                    : Result<ProgramRef>(Entry.status());
  Place.IsReplaced = false;
  if (Loaded)
    keep(Place, *Loaded);
  return Loaded;
}

ProgramRef ProgramCache::peek(const CompileRequest &Request) {
  Digest Id = getDigest(Request);
  std::lock_guard<std::mutex> Held(Lock);
  auto Found = Slots.find(Id);
  return Found == Slots.end() ? ProgramRef() : Found->second->Program;
}

ProgramRef ProgramCache::known(const Digest &Fingerprint) {
  std::lock_guard<std::mutex> Held(Lock);
  auto Meant = RequestOf.find(Fingerprint);
  if (Meant == RequestOf.end())
    return ProgramRef();
  auto Found = Slots.find(Meant->second);
  if (Found == Slots.end() || !Found->second->Program)
    return ProgramRef();
  Order.splice(Order.begin(), Order, Found->second->Use);
  return Found->second->Program;
}

void ProgramCache::remember(const Digest &Fingerprint,
                            const CompileRequest &Request) {
  Digest Meant = getDigest(Request);
  std::lock_guard<std::mutex> Held(Lock);
  // Programs are evicted one by one; digests of their inputs all at once, when
  // they outnumber the capacity four to one.
  if (RequestOf.size() > 4 * Capacity)
    RequestOf.clear();
  RequestOf.insert_or_assign(Fingerprint, Meant);
}

void ProgramCache::clear() {
  std::map<Digest, SlotRef> Gone;
  std::map<Digest, ProgramRef> GoneToo;
  std::lock_guard<std::mutex> Held(Lock);
  std::swap(GoneToo, Preloaded);
  for (auto It = Slots.begin(); It != Slots.end();) {
    auto Next = std::next(It);
    if (It->second->Program) {
      Order.erase(It->second->Use);
      Gone.insert(Slots.extract(It));
    }
    It = Next;
  }
}

size_t ProgramCache::size() const {
  std::lock_guard<std::mutex> Held(Lock);
  size_t Count = 0;
  for (const auto &[Id, Place] : Slots)
    Count += Place->Program ? 1 : 0;
  return Count;
}

/// Runs in a forked child. The programs that other threads were making will not
/// be finished. Their slots, whose locks stay taken, are leaked.
void ProgramCache::forgetThreads() {
  for (auto It = Slots.begin(); It != Slots.end();) {
    auto Next = std::next(It);
    It->second->Users = 0;
    if (It->second->Loading.try_lock()) {
      It->second->Loading.unlock();
    } else {
      Order.erase(It->second->Use);
      new SlotRef(std::move(It->second)); // never destroyed
      Slots.erase(It);
    }
    It = Next;
  }
}
