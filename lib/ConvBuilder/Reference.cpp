//===- Reference.cpp - CPU reference of convolutions ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies both operands into arrays of double, in one order, after their
// operations and conversions. One loop nest over all combinations, the same for
// the three directions, then adds each product to its element of the result.
// Addresses are computed from the letters of layouts, one after another.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Reference.h"

#include "ReferenceOperations.h"
#include "kpack/ConvBuilder/Layouts.h"
#include "kpack/ConvBuilder/ResolveSignature.h"

#include <cmath>
#include <cstdint>
#include <string>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// One number for each letter of layouts.
struct Letters {
  long long G = 0, N = 0, C = 0, K = 0;
  long long Image[3] = {};  ///< D, H, W of the tensor
  long long Filter[3] = {}; ///< Z, Y, X

  long long of(char Letter) const {
    switch (Letter) {
    case 'G':
      return G;
    case 'N':
      return N;
    case 'C':
      return C;
    case 'K':
      return K;
    case 'D':
      return Image[0];
    case 'H':
      return Image[1];
    case 'W':
      return Image[2];
    case 'Z':
      return Filter[0];
    case 'Y':
      return Filter[1];
    default:
      return Filter[2];
    }
  }
};

/// The sizes of a problem, with three dimensions.
struct Sizes {
  long long Groups, Batch, C, K;
  long long Image[3], Filter[3], Output[3];
  long long Stride[3], Dilation[3], Pad[3];
};

Status bad(const std::string &Message) {
  return Status(StatusCode::InvalidArgument, "reference: " + Message);
}

Result<Sizes> getSizes(const Signature &Sig, const Problem &P) {
  auto Dims = static_cast<unsigned>(Sig.spatial_dim);
  if (Dims < 1 || Dims > 3 || P.image.size() != Dims || P.filter.size() != Dims)
    return bad("image and filter do not have the signature's dimensions");
  Sizes S{P.groups,  P.batch,   P.c,       P.k,       {1, 1, 1},
          {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
  for (unsigned D = 0; D < Dims; ++D) {
    unsigned Axis = 3 - Dims + D;
    S.Image[Axis] = P.image[D];
    S.Filter[Axis] = P.filter[D];
    S.Output[Axis] = outputSize(P, D);
    S.Stride[Axis] = strideOf(P, D);
    S.Dilation[Axis] = dilationOf(P, D);
    S.Pad[Axis] = padOf(P, D).before;
    if (S.Image[Axis] < 1 || S.Filter[Axis] < 1 || S.Output[Axis] < 1)
      return bad("a size of image, filter or output is below 1");
  }
  if (P.groups < 1 || P.batch < 1 || P.c < 1 || P.k < 1)
    return bad("a number of groups, images or channels is below 1");
  return S;
}

/// Returns the extents of the tensor \p TensorRole by letters.
Letters getExtents(const Sizes &S, Role TensorRole) {
  Letters E;
  E.G = S.Groups, E.N = S.Batch, E.C = S.C, E.K = S.K;
  for (int D = 0; D < 3; ++D) {
    E.Image[D] = TensorRole == Role::Output ? S.Output[D] : S.Image[D];
    E.Filter[D] = S.Filter[D];
  }
  return E;
}

/// Returns the index of the element at \p P in a tensor with these extents.
/// Dimensions that the layout lacks do not count.
long long addressOf(const LayoutFacts &Layout, const Strides &Given,
                    const Letters &Extents, const Letters &P) {
  long long Address = 0;
  for (unsigned I = 0; I < Layout.Count; ++I) {
    char Letter = Layout.Letters[I];
    Address = Layout.Strided ? Address + P.of(Letter) * Given[I]
                             : Address * Extents.of(Letter) + P.of(Letter);
  }
  return Address;
}

/// A bias has one letter for its channel, C or K, which may be the one that the
/// tensor lacks. Gives both letters the tensor's channel.
void renameChannel(Role TensorRole, Letters &L) {
  if (TensorRole == Role::Input)
    L.K = L.C;
  if (TensorRole == Role::Output)
    L.C = L.K;
}

/// One of the three tensors, with all that is needed to read or write it.
struct Reader {
  Role Of;
  const Tensor &Is;
  const TensorArgs &Its;
  const Problem &P;
  Fp8Form Form;
  Letters Extents;
  unsigned FirstAuxiliary; ///< its number among those of all tensors

  const Strides &strides() const {
    return Of == Role::Input    ? P.input_strides
           : Of == Role::Weight ? P.weight_strides
                                : P.output_strides;
  }

  double auxiliary(unsigned I, Letters Coordinates) const {
    const AuxiliaryOperand &Operand =
        Is.operation->auxiliary_operand_configs[I];
    const AuxiliaryArgs &Data = Its.auxiliary[I];
    const LayoutFacts &Layout = factsOf(Operand.layout);
    Letters Limits = Extents;
    if (Layout.Of == Role::Bias) {
      renameChannel(Of, Coordinates);
      renameChannel(Of, Limits);
    }
    Strides None;
    unsigned Index = FirstAuxiliary + I;
    const Strides &Given =
        Index < P.auxiliary_strides.size() ? P.auxiliary_strides[Index] : None;
    double Value = elementAt(Operand.data_type, Form, Data.data,
                             addressOf(Layout, Given, Limits, Coordinates));
    return applyUnary(Operand.elementwise_operation, Data.params,
                      rounded(Operand.compute_type, Value));
  }

  /// The operation on one element with all other inputs.
  struct Operator {
    const Reader &From;
    double D[MaxAuxiliary] = {};
    double Size = 0; ///< the sum of |D|

    double of(double X) const {
      return applyOperation(*From.Is.operation, From.Its.params,
                            From.Is.config.data_type, D, X);
    }
    /// Returns how far an error of \p Error in \p X moves the result.
    double spread(double X, double Error) const {
      if (Error == 0)
        return 0;
      double Value = of(X);
      return std::fmax(std::fabs(of(X - Error) - Value),
                       std::fabs(of(X + Error) - Value));
    }
  };

  Operator operatorAt(const Letters &Coordinates) const {
    Operator Op{*this};
    for (unsigned I = 0; I < Is.operation->auxiliary_operand_configs.size();
         ++I) {
      Op.D[I] = auxiliary(I, Coordinates);
      Op.Size += std::fabs(Op.D[I]);
    }
    return Op;
  }

  bool isOperated() const {
    return Is.operation->elementwise_operation !=
           ElementwiseOperation::PASS_THROUGH;
  }

  double rounded(DataType Type, double Value) const {
    double Memory = 0;
    setElement(Type, Form, &Memory, 0, Value);
    return elementAt(Type, Form, &Memory, 0);
  }

  /// An operand as it is multiplied, and a bound of its error.
  struct Operand {
    double Value;
    double Error;
  };

  Operand load(const Letters &Coordinates, double ErrorOfOperation) const {
    DataType Type = Is.config.compute_type;
    double Element =
        elementAt(Is.config.data_type, Form, Its.data, address(Coordinates));
    Operator Op = operatorAt(Coordinates);
    double Value = rounded(Type, Op.of(Element));
    if (ErrorOfOperation == 0 || !isOperated())
      return {Value, 0};
    double Error = ErrorOfOperation * (std::fabs(Element) + Op.Size);
    return {Value, Op.spread(Element, Error) +
                       ErrorOfOperation * std::fabs(Value) +
                       ulpOf(Type, Value)};
  }

  long long address(const Letters &Coordinates) const {
    return addressOf(factsOf(Is.config.layout), strides(), Extents,
                     Coordinates);
  }

  /// Calls Do(letters) for each element; positions are the innermost loops,
  /// channels the next.
  template <typename Function> void forEach(Function &&Do) const {
    const long long *Positions =
        Of == Role::Weight ? Extents.Filter : Extents.Image;
    Letters Coordinates;
    long long Outer = Of == Role::Weight ? Extents.K : Extents.N;
    long long Channels = Of == Role::Output ? Extents.K : Extents.C;
    for (Coordinates.G = 0; Coordinates.G < Extents.G; ++Coordinates.G)
      for (long long O = 0; O < Outer; ++O)
        for (long long Channel = 0; Channel < Channels; ++Channel)
          for (long long D = 0; D < Positions[0]; ++D)
            for (long long H = 0; H < Positions[1]; ++H)
              for (long long W = 0; W < Positions[2]; ++W) {
                (Of == Role::Weight ? Coordinates.K : Coordinates.N) = O;
                (Of == Role::Output ? Coordinates.K : Coordinates.C) = Channel;
                long long *Spatial =
                    Of == Role::Weight ? Coordinates.Filter : Coordinates.Image;
                Spatial[0] = D, Spatial[1] = H, Spatial[2] = W;
                Do(Coordinates);
              }
  }

  /// Returns all elements as they are multiplied, in the order of forEach().
  std::vector<Operand> loadAll(double ErrorOfOperation) const {
    std::vector<Operand> All;
    forEach([&](const Letters &Coordinates) {
      All.push_back(load(Coordinates, ErrorOfOperation));
    });
    return All;
  }

  Status check() const;
};

Status checkStrides(const LayoutFacts &Layout, const Strides &Given,
                    std::string_view Name) {
  if (Layout.Of == Role::None)
    return bad(std::string(Name) + ": its layout is undefined");
  if (Layout.Strided && Given.size() != Layout.Count)
    return bad(std::string(Name) + ": has " + std::to_string(Given.size()) +
               " strides, its layout takes " + std::to_string(Layout.Count));
  return Status::success();
}

Status Reader::check() const {
  if (factsOf(Is.config.layout).Of != Of)
    return bad(std::string(nameOf(Of)) + ": its layout is not one of it");
  if (Status S = checkStrides(factsOf(Is.config.layout), strides(), nameOf(Of));
      !S.ok())
    return S;
  if (!Is.operation)
    return bad(std::string(nameOf(Of)) +
               ": has no operation; resolve the signature first");
  const auto &Operands = Is.operation->auxiliary_operand_configs;
  if (Operands.size() < auxiliaryCount(Is.operation->elementwise_operation))
    return bad(std::string(nameOf(Of)) + ": auxiliary operands are missing");
  for (unsigned I = 0; I < Operands.size(); ++I) {
    unsigned Index = FirstAuxiliary + I;
    const LayoutFacts &Layout = factsOf(Operands[I].layout);
    Strides Given = Index < P.auxiliary_strides.size()
                        ? P.auxiliary_strides[Index]
                        : Strides();
    if (Status S = checkStrides(Layout, Given, "auxiliary operand"); !S.ok())
      return S;
  }
  return Status::success();
}

/// Calls Do(output position, image position, filter position) for all
/// combinations inside of the image.
template <typename Function> void forMeetings(const Sizes &S, Function &&Do) {
  long long O[3], F[3], I[3];
  auto Inside = [&](int D) {
    I[D] = O[D] * S.Stride[D] + F[D] * S.Dilation[D] - S.Pad[D];
    return I[D] >= 0 && I[D] < S.Image[D];
  };
  for (O[0] = 0; O[0] < S.Output[0]; ++O[0])
    for (F[0] = 0; F[0] < S.Filter[0]; ++F[0])
      if (Inside(0))
        for (O[1] = 0; O[1] < S.Output[1]; ++O[1])
          for (F[1] = 0; F[1] < S.Filter[1]; ++F[1])
            if (Inside(1))
              for (O[2] = 0; O[2] < S.Output[2]; ++O[2])
                for (F[2] = 0; F[2] < S.Filter[2]; ++F[2])
                  if (Inside(2))
                    Do(O, I, F);
}

/// Returns the index of an element in the order of Reader::forEach().
long long getNumber(long long G, long long Outer, long long Outers,
                    long long Channel, long long Channels,
                    const long long *Position, const long long *Extents) {
  long long Index = (G * Outers + Outer) * Channels + Channel;
  for (int D = 0; D < 3; ++D)
    Index = Index * Extents[D] + Position[D];
  return Index;
}

/// Adds all products to the result's Values, their magnitudes to Magnitudes,
/// and the effect of the operands' errors to Spreads. \p Direction selects the
/// result; its vector of operands is empty.
void addUp(const Sizes &S, ConvDirection Direction,
           const std::vector<Reader::Operand> &Input,
           const std::vector<Reader::Operand> &Weight,
           const std::vector<Reader::Operand> &Output,
           ReferenceResult &Totals) {
  for (long long G = 0; G < S.Groups; ++G)
    for (long long N = 0; N < S.Batch; ++N)
      for (long long K = 0; K < S.K; ++K)
        for (long long C = 0; C < S.C; ++C)
          forMeetings(S, [&](const long long *O, const long long *I,
                             const long long *F) {
            auto InInput = static_cast<size_t>(
                getNumber(G, N, S.Batch, C, S.C, I, S.Image));
            auto InWeight =
                static_cast<size_t>(getNumber(G, K, S.K, C, S.C, F, S.Filter));
            auto InOutput = static_cast<size_t>(
                getNumber(G, N, S.Batch, K, S.K, O, S.Output));
            const Reader::Operand *A, *B;
            size_t Where;
            switch (Direction) {
            case ConvDirection::FORWARD:
              A = &Input[InInput], B = &Weight[InWeight];
              Where = InOutput;
              break;
            case ConvDirection::BACKWARD_DATA:
              A = &Output[InOutput], B = &Weight[InWeight];
              Where = InInput;
              break;
            default:
              A = &Output[InOutput], B = &Input[InInput];
              Where = InWeight;
            }
            double Product = A->Value * B->Value;
            Totals.Values[Where] += Product;
            Totals.Magnitudes[Where] += std::fabs(Product);
            Totals.Spreads[Where] +=
                std::fabs(A->Value) * B->Error +
                (std::fabs(B->Value) + B->Error) * A->Error;
          });
}

/// The three tensors of a call.
struct Readers {
  Reader Input, Weight, Output;
  const Reader &result(ConvDirection Direction) const {
    return Direction == ConvDirection::FORWARD         ? Output
           : Direction == ConvDirection::BACKWARD_DATA ? Input
                                                       : Weight;
  }
};

unsigned auxiliaryOf(const Tensor &T) {
  return T.operation->auxiliary_operand_configs.size();
}

Result<Readers> getReaders(const Signature &Sig, const Problem &P,
                           const Args &With, Fp8Form Form, const Sizes &S) {
  unsigned OfInput = auxiliaryOf(Sig.input);
  unsigned OfWeight = OfInput + auxiliaryOf(Sig.weight);
  Readers R{{Role::Input, Sig.input, With.input, P, Form,
             getExtents(S, Role::Input), 0},
            {Role::Weight, Sig.weight, With.weight, P, Form,
             getExtents(S, Role::Weight), OfInput},
            {Role::Output, Sig.output, With.output, P, Form,
             getExtents(S, Role::Output), OfWeight}};
  for (const Reader *Each : {&R.Input, &R.Weight, &R.Output})
    if (Status Checked = Each->check(); !Checked.ok())
      return Checked;
  return R;
}

ReferenceResult compute(const Signature &Sig, const Sizes &S, const Readers &R,
                        const RoundingErrors &Errors) {
  const Reader &Result = R.result(Sig.direction);
  size_t Count = 0;
  Result.forEach([&](const Letters &) { ++Count; });
  ReferenceResult Totals{std::vector<double>(Count), std::vector<double>(Count),
                         std::vector<double>(Count)};
  auto LoadOf = [&](const Reader &Each) {
    return &Each == &Result ? std::vector<Reader::Operand>()
                            : Each.loadAll(Errors.OfOperation);
  };
  double OfOperation = Result.isOperated() ? Errors.OfOperation : 0;
  addUp(S, Sig.direction, LoadOf(R.Input), LoadOf(R.Weight), LoadOf(R.Output),
        Totals);
  size_t Next = 0;
  Result.forEach([&](const Letters &Coordinates) {
    double Sum = Totals.Values[Next];
    double Error =
        Totals.Spreads[Next] + Errors.OfSum * Totals.Magnitudes[Next];
    if (Sig.accumulation_data_type == DataType::I32) { // modulo 2^32
      Sum = static_cast<int32_t>(
          static_cast<uint32_t>(static_cast<int64_t>(Sum)));
      Error = 0;
    }
    Reader::Operator Op = Result.operatorAt(Coordinates);
    Error += OfOperation * (std::fabs(Sum) + Op.Size);
    Totals.Values[Next] = Op.of(Sum);
    Totals.Spreads[Next] = Op.spread(Sum, Error);
    ++Next;
  });
  return Totals;
}

} // namespace

Result<ReferenceResult> conv::resultOf(const Signature &Sig, const Problem &P,
                                       const Args &With, Fp8Form Form,
                                       const RoundingErrors &Errors) {
  Result<Sizes> S = getSizes(Sig, P);
  if (!S)
    return S.status();
  Result<Readers> R = getReaders(Sig, P, With, Form, *S);
  if (!R)
    return R.status();
  return compute(Sig, *S, *R, Errors);
}

Status conv::reference(const Signature &Sig, const Problem &P, const Args &With,
                       Fp8Form Form) {
  Result<Sizes> S = getSizes(Sig, P);
  if (!S)
    return S.status();
  Result<Readers> R = getReaders(Sig, P, With, Form, *S);
  if (!R)
    return R.status();
  ReferenceResult Computed = compute(Sig, *S, *R, {});
  const Reader &Result = R->result(Sig.direction);
  size_t Next = 0;
  Result.forEach([&](const Letters &Coordinates) {
    setElement(Result.Is.config.data_type, Form, Result.Its.data,
               Result.address(Coordinates), Computed.Values[Next++]);
  });
  return Status::success();
}
