//===- kernels/reference.h - kind REFERENCE ---------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kind REFERENCE: the definition of a convolution, for three directions,
// with sums in double unless they are integers. Slow by design. It allows
// comparing on a GPU without copying tensors to the host, and shares with
// direct.h only the access to elements (view.h), not the loops.
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_REFERENCE_H
#define KPACK_CONV_KERNELS_REFERENCE_H

#include "kpack/ConvBuilder/kernels/view.h"

// Elements are read one by one: in an unrolled loop, compilers merge two
// adjacent bytes into one access, which need not be aligned.
#ifdef __clang__
#define KPACK_CONV_ONE_BY_ONE _Pragma("clang loop unroll(disable)")
#else
#define KPACK_CONV_ONE_BY_ONE
#endif

namespace kpack::conv::device {

/// Calls \p Do(output position, image position, filter position) for all
/// combinations: an output and a filter position determine that of the image.
template <class Function>
KPACK_CONV_FUNCTION void forMeetings(const Arguments &A, const int *First,
                                     const int *Last, const int *FirstTap,
                                     const int *LastTap, Function &&Do) {
  int O[3], F[3], I[3];
  for (O[0] = First[0]; O[0] <= Last[0]; ++O[0])
    for (O[1] = First[1]; O[1] <= Last[1]; ++O[1])
      for (O[2] = First[2]; O[2] <= Last[2]; ++O[2])
        for (F[0] = FirstTap[0]; F[0] <= LastTap[0]; ++F[0])
          for (F[1] = FirstTap[1]; F[1] <= LastTap[1]; ++F[1])
            for (F[2] = FirstTap[2]; F[2] <= LastTap[2]; ++F[2]) {
              bool IsInside = true;
              for (int D = 0; D < 3; ++D) {
                I[D] = O[D] * A.Stride[D] + F[D] * A.Dilation[D] - A.Pad[D];
                IsInside = IsInside && I[D] >= 0 && I[D] < A.Image[D];
              }
              if (IsInside)
                Do(O, I, F);
            }
}

/// Computes the result at \p P.
template <class Sum, class Config>
KPACK_CONV_FUNCTION void referenceResult(Config C, const Arguments &A,
                                         const AuxiliaryArgument *Auxiliary,
                                         const Position &P) {
  const AuxiliaryArgument *OfInput = Auxiliary;
  const AuxiliaryArgument *OfWeight = OfInput + int(C.input.auxiliary_count);
  const AuxiliaryArgument *OfOutput = OfWeight + int(C.weight.auxiliary_count);
  auto Input = [&](int Image, int Channel, const int *I) {
    Position Place = {{P.Of[0], Image, Channel, I[0], I[1], I[2]}};
    return operandAt<Sum>(C.input, C.fnuz, A.Input, OfInput, Place,
                          offsetOf(A.Input.Stride, Place));
  };
  auto Weight = [&](int OutChannel, int Channel, const int *F) {
    Position Place = {{P.Of[0], OutChannel, Channel, F[0], F[1], F[2]}};
    return operandAt<Sum>(C.weight, C.fnuz, A.Weight, OfWeight, Place,
                          offsetOf(A.Weight.Stride, Place));
  };
  auto Output = [&](int Image, int OutChannel, const int *O) {
    Position Place = {{P.Of[0], Image, OutChannel, O[0], O[1], O[2]}};
    return operandAt<Sum>(C.output, C.fnuz, A.Output, OfOutput, Place,
                          offsetOf(A.Output.Stride, Place));
  };
  int None[3] = {0, 0, 0};
  int LastOut[3] = {A.Result[0] - 1, A.Result[1] - 1, A.Result[2] - 1};
  int LastTap[3] = {A.Filter[0] - 1, A.Filter[1] - 1, A.Filter[2] - 1};
  int Here[3] = {P.Of[3], P.Of[4], P.Of[5]};
  Sum Total = 0;
  switch (int(C.direction)) {
  case direction::FORWARD:
    forMeetings(A, Here, Here, None, LastTap,
                [&](const int *, const int *I, const int *F) {
                  KPACK_CONV_ONE_BY_ONE
                  for (int Channel = 0; Channel < A.InChannels; ++Channel)
                    Total = multiplyAdd(Total, Input(P.Of[1], Channel, I),
                                        Weight(P.Of[2], Channel, F));
                });
    return storeResult(C.output, C.fnuz, A.Output, OfOutput, P, Total);
  case direction::BACKWARD_DATA:
    forMeetings(A, None, LastOut, None, LastTap,
                [&](const int *O, const int *I, const int *F) {
                  if (I[0] != Here[0] || I[1] != Here[1] || I[2] != Here[2])
                    return;
                  KPACK_CONV_ONE_BY_ONE
                  for (int OutChannel = 0; OutChannel < A.OutChannels;
                       ++OutChannel)
                    Total = multiplyAdd(Total, Output(P.Of[1], OutChannel, O),
                                        Weight(OutChannel, P.Of[2], F));
                });
    return storeResult(C.input, C.fnuz, A.Input, OfInput, P, Total);
  default:
    forMeetings(A, None, LastOut, Here, Here,
                [&](const int *O, const int *I, const int *) {
                  KPACK_CONV_ONE_BY_ONE
                  for (int Image = 0; Image < A.Batch; ++Image)
                    Total = multiplyAdd(Total, Output(Image, P.Of[1], O),
                                        Input(Image, P.Of[2], I));
                });
    return storeResult(C.weight, C.fnuz, A.Weight, OfWeight, P, Total);
  }
}

template <class Sum, class Config>
KPACK_CONV_FUNCTION void referenceIn(Config C, const Arguments &A,
                                     const AuxiliaryArgument *Auxiliary,
                                     const Place &Here) {
  bool IsWeight = int(C.direction) == direction::BACKWARD_WEIGHT;
  bool IsInput = int(C.direction) == direction::BACKWARD_DATA;
  const int *Sizes = IsWeight ? A.Filter : IsInput ? A.Image : A.Result;
  int Size[6] = {A.Groups,
                 IsWeight ? A.OutChannels : A.Batch,
                 IsWeight || IsInput ? A.InChannels : A.OutChannels,
                 Sizes[0],
                 Sizes[1],
                 Sizes[2]};
  unsigned long long Count = 1;
  for (int I = 0; I < 6; ++I)
    Count *= unsigned(Size[I]);
  unsigned long long Step = 1ull * A.Grid[0] * unsigned(int(C.block_size));
  for (unsigned long long Index =
           1ull * Here.Group[0] * unsigned(int(C.block_size)) + Here.Thread;
       Index < Count; Index += Step) {
    Position P;
    unsigned long long Rest = Index;
    for (int I = 5; I >= 0; --I) {
      P.Of[I] = int(Rest % unsigned(Size[I]));
      Rest /= unsigned(Size[I]);
    }
    referenceResult<Sum>(C, A, Auxiliary, P);
  }
}

/// The body of a thread.
template <class Config>
KPACK_CONV_FUNCTION void reference(Config C, const Arguments &A,
                                   const AuxiliaryArgument *Auxiliary,
                                   const Place &Here) {
  switch (int(C.accumulation)) {
  case type::I32:
    return referenceIn<int>(C, A, Auxiliary, Here);
  default:
    return referenceIn<double>(C, A, Auxiliary, Here);
  }
}

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_REFERENCE_H
