//===- tensor.h - numbers as a GPU has them ---------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of the GPU, the three data types, and tensors in the layouts that
// kernels are called with. Elements between rows hold a pattern: what reads
// them gets NaN, and what writes them is found.
//
//===----------------------------------------------------------------------===//
#ifndef MINICK_NUMBERS_TENSOR_H
#define MINICK_NUMBERS_TENSOR_H

#include "reference.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <utility>

// Of the HIP runtime; its headers need an older compiler.
extern "C" {
int hipMalloc(void **, size_t);
int hipFree(void *);
int hipMemcpy(void *, const void *, size_t, int);
int hipDeviceSynchronize();
const char *hipGetErrorString(int);
}

inline void check(int Code, const char *What) {
  if (Code == 0)
    return;
  std::printf("%s: %s\n", What, hipGetErrorString(Code));
  std::exit(2);
}

/// The same numbers in every run, everywhere.
inline double random_number() {
  static std::mt19937 Random(20261121);
  return (Random() >> 8) * (2.0 / (1 << 24)) - 1; // in [-1, 1)
}

struct number_format {
  const char *Name;
  size_t Bytes;
  double Rounding; // relative error of rounding to it
};
inline const number_format &format_of(const std::string &Name) {
  static const number_format All[] = {
      {"fp32", 4, 0x1p-24}, {"fp16", 2, 0x1p-11}, {"bf16", 2, 0x1p-8}};
  for (const number_format &F : All)
    if (F.Name == Name)
      return F;
  std::printf("%s: no data type\n", Name.c_str());
  std::exit(2);
}

inline void encode(const number_format &F, double Value, void *To) {
  if (F.Name[0] == 'b') {
    float Single = float(Value);
    uint32_t Bits;
    std::memcpy(&Bits, &Single, 4);
    uint16_t Upper = uint16_t((Bits + 0x7fff + (Bits >> 16 & 1)) >> 16);
    std::memcpy(To, &Upper, 2);
  } else if (F.Bytes == 2) {
    _Float16 Half = _Float16(float(Value));
    std::memcpy(To, &Half, 2);
  } else {
    float Single = float(Value);
    std::memcpy(To, &Single, 4);
  }
}
inline double decode(const number_format &F, const void *From) {
  if (F.Name[0] == 'b') {
    uint16_t Upper;
    std::memcpy(&Upper, From, 2);
    uint32_t Bits = uint32_t(Upper) << 16;
    float Single;
    std::memcpy(&Single, &Bits, 4);
    return Single;
  }
  if (F.Bytes == 2) {
    _Float16 Half;
    std::memcpy(&Half, From, 2);
    return float(Half);
  }
  float Single;
  std::memcpy(&Single, From, 4);
  return Single;
}

/// Bytes on both sides.
class memory {
public:
  explicit memory(size_t Size) : Host(Size, 0xff) {
    check(hipMalloc(&Device, Size), "hipMalloc");
  }
  memory(const memory &) = delete;
  memory(memory &&Other)
      : Host(std::move(Other.Host)),
        Device(std::exchange(Other.Device, nullptr)) {}
  ~memory() { (void)hipFree(Device); }
  void upload() {
    check(hipMemcpy(Device, Host.data(), Host.size(), 1), "upload");
  }
  void download() {
    check(hipMemcpy(Host.data(), Device, Host.size(), 2), "download");
  }
  std::vector<unsigned char> Host;
  void *Device = nullptr;
};

template <typename T> class array : public memory {
public:
  explicit array(const std::vector<T> &Values)
      : memory(Values.size() * sizeof(T)) {
    std::memcpy(Host.data(), Values.data(), Host.size());
    upload();
  }
  explicit array(size_t Count) : memory(Count * sizeof(T)) { upload(); }
  T *device() { return static_cast<T *>(Device); }
  T operator[](size_t I) const {
    T Value;
    std::memcpy(&Value, &Host[I * sizeof(T)], sizeof(T));
    return Value;
  }
};

enum class order { tokens_first, heads_first, columns };

/// [batch][head][token][dimension]. Where batches lie one after another, as in
/// group mode, Starts says where; else a batch has as many tokens as another.
class tensor : public memory {
public:
  tensor(const number_format &F, order O, bool Grouped,
         const std::vector<int> &Lengths, int Heads, int Dims, int Slack = 0)
      : memory(bytes(F, Grouped, Lengths, Heads, Dims + Slack)), Format(F),
        Lengths(Lengths), Heads(Heads), Dims(Dims) {
    int Tokens = 0;
    for (int Length : Lengths) {
      Starts.push_back(Grouped ? Tokens : 0);
      Tokens = Grouped ? Tokens + Length : std::max(Tokens, Length);
    }
    Starts.push_back(Tokens);
    const int Room = Dims + Slack;
    Batch = Grouped ? 0 : Tokens * Heads * Room;
    Head = O == order::tokens_first ? Room : Tokens * Room;
    Token = O == order::tokens_first ? Heads * Room
            : O == order::columns    ? 1
                                     : Room;
    Dim = O == order::columns ? Tokens : 1;
  }

  /// The stride that is called so: from row to row of what is stored.
  int stride() const { return Dim == 1 ? Token : Dim; }

  size_t at(int B, int H, int T, int D) const {
    return (size_t(B) * Batch + H * Head + (Starts[B] + T) * size_t(Token) +
            size_t(D) * Dim) *
           Format.Bytes;
  }
  void set(int B, int H, int T, int D, double Value) {
    encode(Format, Value, &Host[at(B, H, T, D)]);
  }
  double get(int B, int H, int T, int D) const {
    return decode(Format, &Host[at(B, H, T, D)]);
  }
  reference::matrix head(int B, int H) const {
    reference::matrix M(Lengths[B], Dims);
    for (int T = 0; T < M.Rows; ++T)
      for (int D = 0; D < Dims; ++D)
        M(T, D) = get(B, H, T, D);
    return M;
  }
  void fill() {
    for (size_t B = 0; B < Lengths.size(); ++B)
      for (int H = 0; H < Heads; ++H)
        for (int T = 0; T < Lengths[B]; ++T)
          for (int D = 0; D < Dims; ++D)
            set(int(B), H, T, D, random_number());
    upload();
  }
  /// Bytes that are no element and no longer have the pattern.
  size_t strayed() const {
    std::vector<bool> Own(Host.size());
    for (size_t B = 0; B < Lengths.size(); ++B)
      for (int H = 0; H < Heads; ++H)
        for (int T = 0; T < Lengths[B]; ++T)
          for (int D = 0; D < Dims; ++D)
            for (size_t I = 0; I < Format.Bytes; ++I)
              Own[at(int(B), H, T, D) + I] = true;
    size_t Count = 0;
    for (size_t I = 0; I < Host.size(); ++I)
      Count += !Own[I] && Host[I] != 0xff;
    return Count;
  }

  const number_format &Format;
  std::vector<int> Lengths, Starts;
  int Heads, Dims;
  int Batch, Head, Token, Dim; // strides in elements

private:
  static size_t bytes(const number_format &F, bool Grouped,
                      const std::vector<int> &Lengths, int Heads, int Room) {
    int Longest = 0, Sum = 0;
    for (int Length : Lengths) {
      Longest = std::max(Longest, Length);
      Sum += Length;
    }
    const int Tokens = Grouped ? Sum : Longest * int(Lengths.size());
    return size_t(Tokens) * Heads * Room * F.Bytes;
  }
};

#endif // MINICK_NUMBERS_TENSOR_H
