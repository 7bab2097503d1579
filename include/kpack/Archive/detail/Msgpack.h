//===- kpack/Archive/detail/Msgpack.h - strict map visitor ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two MessagePack readers of this library (table of contents and marker)
// look at the same few things: scalars, map keys, the start and the end of
// containers. MsgpackVisitor turns msgpack-cxx's events into those, bounds the
// nesting and keeps the reason of a refusal. Nothing is allocated for what the
// input claims, strings are views into it, and nothing is thrown.
// Users: Toc.h, lib/Archive/Marker.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_DETAIL_MSGPACK_H
#define KPACK_ARCHIVE_DETAIL_MSGPACK_H

#if !defined(MSGPACK_USE_BOOST) && !defined(MSGPACK_NO_BOOST)
#define MSGPACK_NO_BOOST
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <msgpack/null_visitor.hpp>
#include <msgpack/parse.hpp>
#include <msgpack/unpack.hpp>

namespace kpack {
namespace detail {

/// A value that is not a container. Text is set for Str and Bin.
struct Scalar {
  enum KindType { Uint, Str, Bin, Other } Kind = Other;
  uint64_t Number = 0;
  std::string_view Text;
};

/// CRTP base. \p Derived provides, each returning false to stop:
///   bool onKey(std::string_view Key);   // key of the innermost map
///   bool onScalar(const Scalar &Value); // value or array item
///   bool onOpen(bool IsMap);            // value or array item
///   bool onClose();
///   bool ignores() const;               // inside a value nobody asked for
template <typename Derived>
class MsgpackVisitor : public msgpack::null_visitor {
public:
  /// Deeper values are refused; kpack itself needs four levels.
  static constexpr unsigned MaxDepth = 32;

  /// Parses the value at the start of \p Bytes. False when it is refused;
  /// then reason() says why. \p End is where parsing stopped.
  bool parse(std::string_view Bytes, size_t &End) {
    End = 0;
    if (msgpack::parse(Bytes.data(), Bytes.size(), End, *this))
      return true;
    if (Reason.empty())
      Reason = "not MessagePack";
    return false;
  }

  const std::string &reason() const { return Reason; }

  bool visit_nil() { return scalar({}); }
  bool visit_boolean(bool) { return scalar({}); }
  bool visit_positive_integer(uint64_t V) {
    return scalar({Scalar::Uint, V, {}});
  }
  bool visit_negative_integer(int64_t) { return scalar({}); }
  bool visit_float32(float) { return scalar({}); }
  bool visit_float64(double) { return scalar({}); }
  bool visit_ext(const char *, uint32_t) { return scalar({}); }
  bool visit_bin(const char *P, uint32_t N) {
    return scalar({Scalar::Bin, 0, view(P, N)});
  }
  bool visit_str(const char *P, uint32_t N) {
    if (AtKey && !derived().ignores())
      return derived().onKey(view(P, N));
    return scalar({Scalar::Str, 0, view(P, N)});
  }
  bool start_map(uint32_t) { return open(true); }
  bool start_array(uint32_t) { return open(false); }
  bool end_map() { return close(); }
  bool end_array() { return close(); }
  bool start_map_key() {
    AtKey = true;
    return true;
  }
  bool end_map_key() {
    AtKey = false;
    return true;
  }
  void parse_error(size_t, size_t) { refuse("not MessagePack"); }
  void insufficient_bytes(size_t, size_t) { refuse("cut off"); }

protected:
  /// Keeps the first reason. Always false, for `return refuse(...)`.
  bool refuse(std::string Why) {
    if (Reason.empty())
      Reason = std::move(Why);
    return false;
  }

  unsigned depth() const { return Depth; }

private:
  Derived &derived() { return static_cast<Derived &>(*this); }

  // msgpack-cxx gives a null pointer for an empty string.
  static std::string_view view(const char *P, uint32_t N) {
    return N ? std::string_view(P, N) : std::string_view("", 0);
  }

  bool scalar(const Scalar &V) {
    if (derived().ignores())
      return true;
    if (AtKey)
      return refuse("a map key is not a str");
    if (Depth == 0)
      return refuse("not a map");
    return derived().onScalar(V);
  }

  bool open(bool IsMap) {
    if (Depth == MaxDepth)
      return refuse("nested deeper than " + std::to_string(MaxDepth) +
                    " levels");
    if (AtKey && !derived().ignores())
      return refuse("a map key is not a str");
    if (Depth == 0 && !IsMap)
      return refuse("not a map");
    if (!derived().onOpen(IsMap))
      return false;
    ++Depth;
    return true;
  }

  bool close() {
    --Depth;
    return derived().onClose();
  }

  std::string Reason;
  unsigned Depth = 0;
  bool AtKey = false;
};

} // namespace detail
} // namespace kpack

#endif // KPACK_ARCHIVE_DETAIL_MSGPACK_H
