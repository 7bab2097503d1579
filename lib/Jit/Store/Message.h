//===- Message.h - messages to helper programs ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Named strings in order, each as u64le length and bytes. A message ends with
// "end", so a truncated one is not taken for a shorter one. It has no
// version: CompileProtocol.h needs two ends of one build, RemoteProtocol.h and
// BundleProtocol.h add a field for it. File lists in the cache (FileSet.h) use
// the same encoding.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_MESSAGE_H
#define KPACK_JIT_STORE_MESSAGE_H

#include "kpack/Support/LittleEndian.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kpack::jit {

class Message {
public:
  Message &add(std::string Name, std::string Value) {
    Fields.emplace_back(std::move(Name), std::move(Value));
    return *this;
  }
  Message &addAll(const std::string &Name,
                  const std::vector<std::string> &Values) {
    for (const std::string &Value : Values)
      add(Name, Value);
    return *this;
  }

  /// Returns the first value named \p Name, or empty.
  std::string_view get(std::string_view Name) const {
    for (const auto &[Key, Value] : Fields)
      if (Key == Name)
        return Value;
    return {};
  }
  std::vector<std::string> all(std::string_view Name) const {
    std::vector<std::string> Values;
    for (const auto &[Key, Value] : Fields)
      if (Key == Name)
        Values.push_back(Value);
    return Values;
  }
  const std::vector<std::pair<std::string, std::string>> &fields() const {
    return Fields;
  }

  std::string encode() const {
    std::string Bytes;
    for (const auto &[Name, Value] : Fields) {
      put(Bytes, Name);
      put(Bytes, Value);
    }
    put(Bytes, "end");
    return Bytes;
  }

  /// Returns nullopt if \p Bytes are not a whole message.
  static std::optional<Message> decode(std::string_view Bytes) {
    Message M;
    while (true) {
      std::string_view Name, Value;
      if (!take(Bytes, Name))
        return std::nullopt;
      if (Name == "end")
        return Bytes.empty() ? std::optional<Message>(std::move(M))
                             : std::nullopt;
      if (!take(Bytes, Value))
        return std::nullopt;
      M.add(std::string(Name), std::string(Value));
    }
  }

private:
  static void put(std::string &Bytes, std::string_view Text) {
    appendLittleEndian(Bytes, Text.size());
    Bytes += Text;
  }
  static bool take(std::string_view &Bytes, std::string_view &Text) {
    if (Bytes.size() < 8)
      return false;
    uint64_t Length = readLittleEndian(Bytes.data());
    Bytes.remove_prefix(8);
    if (Length > Bytes.size())
      return false;
    Text = Bytes.substr(0, Length);
    Bytes.remove_prefix(Length);
    return true;
  }

  std::vector<std::pair<std::string, std::string>> Fields;
};

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_MESSAGE_H
