//===- Runtime/GrowOnlyTable.h - lock-free hash table -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loader's tables (open archives, resolved searches, written warnings) only
// grow until the cache is destroyed. That allows a table without locks: nodes
// are immutable once published, and insertion is one compare-and-swap at the
// head of a chain. Loads on many threads never wait for one another here, and a
// fork() during an insertion leaves the child a complete table and no lock held
// by a thread that it lacks.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_GROWONLYTABLE_H
#define KPACK_RUNTIME_GROWONLYTABLE_H

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace kpack::runtime {

/// Values have stable addresses and live as long as the table.
template <typename T> class GrowOnlyTable {
public:
  GrowOnlyTable() = default;
  GrowOnlyTable(const GrowOnlyTable &) = delete;
  GrowOnlyTable &operator=(const GrowOnlyTable &) = delete;

  ~GrowOnlyTable() {
    for (std::atomic<Node *> &Head : Heads)
      for (Node *N = Head.load(std::memory_order_acquire); N;)
        delete std::exchange(N, N->Next);
  }

  /// Returns the newest value with this hash for which \p Equal holds, or null.
  template <typename Predicate>
  T *find(size_t Hash, const Predicate &Equal) const {
    return findUntil(head(Hash).load(std::memory_order_acquire), nullptr, Hash,
                     Equal);
  }

  /// Publishes \p Value unless another thread was first with an equal one.
  /// Returns the value in the table, and true if it is the new one.
  template <typename Predicate>
  std::pair<T *, bool> insert(size_t Hash, std::unique_ptr<T> Value,
                              const Predicate &Equal) {
    std::unique_ptr<Node> New(new Node{Hash, std::move(Value), nullptr});
    std::atomic<Node *> &Head = head(Hash);
    Node *Seen = nullptr;
    Node *First = Head.load(std::memory_order_acquire);
    do {
      if (T *Other = findUntil(First, Seen, Hash, Equal))
        return {Other, false};
      New->Next = Seen = First;
    } while (!Head.compare_exchange_weak(First, New.get(),
                                         std::memory_order_acq_rel,
                                         std::memory_order_acquire));
    return {New.release()->Value.get(), true};
  }

private:
  struct Node {
    size_t Hash;
    std::unique_ptr<T> Value;
    Node *Next;
  };

  /// Searches the chain from \p First up to, not including, \p End.
  template <typename Predicate>
  static T *findUntil(Node *First, Node *End, size_t Hash,
                      const Predicate &Equal) {
    for (Node *N = First; N != End; N = N->Next)
      if (N->Hash == Hash && Equal(*N->Value))
        return N->Value.get();
    return nullptr;
  }

  static constexpr size_t Chains = 256;
  std::atomic<Node *> &head(size_t Hash) { return Heads[Hash % Chains]; }
  const std::atomic<Node *> &head(size_t Hash) const {
    return Heads[Hash % Chains];
  }

  std::array<std::atomic<Node *>, Chains> Heads{};
};

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_GROWONLYTABLE_H
