//===- MsgpackWriter.h - MessagePack into a string --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few MessagePack types that kpack writes, each in its shortest form (what
// msgpack-cxx and msgpack-python give), appended to a string. The reading side
// is kpack/Archive/detail/Msgpack.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_DETAIL_MSGPACKWRITER_H
#define KPACK_ARCHIVE_DETAIL_MSGPACKWRITER_H

#include "kpack/Archive/detail/Msgpack.h"

#include <msgpack/pack.hpp>

namespace kpack {
namespace detail {

class MsgpackWriter {
public:
  explicit MsgpackWriter(std::string &Out) : Sink{Out}, Packer(Sink) {}

  // The callers' counts and lengths are far below the 32 bits of the encoding.
  void map(size_t Pairs) { Packer.pack_map(static_cast<uint32_t>(Pairs)); }
  void array(size_t Items) { Packer.pack_array(static_cast<uint32_t>(Items)); }
  void uint(uint64_t Value) { Packer.pack_uint64(Value); }
  void str(std::string_view Text) {
    Packer.pack_str(static_cast<uint32_t>(Text.size()));
    Packer.pack_str_body(Text.data(), static_cast<uint32_t>(Text.size()));
  }
  void bin(std::string_view Bytes) {
    Packer.pack_bin(static_cast<uint32_t>(Bytes.size()));
    Packer.pack_bin_body(Bytes.data(), static_cast<uint32_t>(Bytes.size()));
  }

private:
  struct StringSink {
    std::string &Out;
    void write(const char *Data, size_t Size) { Out.append(Data, Size); }
  };
  StringSink Sink;
  msgpack::packer<StringSink> Packer;
};

} // namespace detail
} // namespace kpack

#endif // KPACK_ARCHIVE_DETAIL_MSGPACKWRITER_H
