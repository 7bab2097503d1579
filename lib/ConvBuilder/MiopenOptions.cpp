//===- MiopenOptions.cpp - problems from MIOpenDriver options -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of options: the letter, the long name, MIOpenDriver's default, and
// the field for the value. An option that changes the result is used, or is an
// error if we do not support it; only options of MIOpen's search and output are
// ignored.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/MiopenOptions.h"

#include "kpack/ConvBuilder/Describe.h"
#include "kpack/ConvBuilder/Layouts.h"
#include "kpack/ConvBuilder/Product.h"
#include "kpack/ConvBuilder/ResolveSignature.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// The meaning of an option's value.
enum class Use : unsigned char {
  Batch,
  C,
  K,
  Groups,
  Image,
  Filter,
  Stride,
  Dilation,
  Pad,
  SpatialDim,
  Direction,
  Mode,    ///< only convolutions, with explicit padding
  OnlyOff, ///< must have its default
  Layout,  ///< of input, weight, output
  Ignored,
};

struct Option {
  char Letter;
  std::string_view Name;
  Use Of;
  int Default = 0;
  unsigned Axis = 0; ///< D, H, W; for Layout the tensor
};

constexpr Option Options[] = {
    {'n', "batchsize", Use::Batch, 100},
    {'c', "in_channels", Use::C, 3},
    {'k', "out_channels", Use::K, 32},
    {'g', "group_count", Use::Groups, 1},
    {'!', "in_d", Use::Image, 32, 0},
    {'H', "in_h", Use::Image, 32, 1},
    {'W', "in_w", Use::Image, 32, 2},
    {'@', "fil_d", Use::Filter, 3, 0},
    {'y', "fil_h", Use::Filter, 3, 1},
    {'x', "fil_w", Use::Filter, 3, 2},
    {'#', "conv_stride_d", Use::Stride, 1, 0},
    {'u', "conv_stride_h", Use::Stride, 1, 1},
    {'v', "conv_stride_w", Use::Stride, 1, 2},
    {'^', "dilation_d", Use::Dilation, 1, 0},
    {'l', "dilation_h", Use::Dilation, 1, 1},
    {'j', "dilation_w", Use::Dilation, 1, 2},
    {'$', "pad_d", Use::Pad, 0, 0},
    {'p', "pad_h", Use::Pad, 0, 1},
    {'q', "pad_w", Use::Pad, 0, 2},
    {'_', "spatial_dim", Use::SpatialDim, 2},
    {'F', "forw", Use::Direction, 0},
    {'m', "mode", Use::Mode},
    {'z', "pad_mode", Use::Mode},
    {'r', "pad_val", Use::OnlyOff, 0},
    {'Z', "tensor_vect", Use::OnlyOff, 0},
    {'L', "vector_length", Use::OnlyOff, 1},
    // Options for MIOpen's search and output, and the layouts of its data.
    {'t', "time", Use::Ignored},
    {'V', "verify", Use::Ignored},
    {'i', "iter", Use::Ignored},
    {'w', "wall", Use::Ignored},
    {'s', "search", Use::Ignored},
    {'P', "printconv", Use::Ignored},
    {'S', "solution", Use::Ignored},
    {'I', "in_layout", Use::Layout, 0, 0},
    {'f', "fil_layout", Use::Layout, 0, 1},
    {'O', "out_layout", Use::Layout, 0, 2},
};

/// The verbs of MIOpenDriver that are convolutions.
struct Verb {
  std::string_view Name;
  std::optional<DataType> Type; ///< none: conv takes any of our types
};

constexpr Verb Verbs[] = {{"conv", std::nullopt},
                          {"convfp16", DataType::FP16},
                          {"convbfp16", DataType::BF16},
                          {"convint8", DataType::I8},
                          {"convfp8", DataType::FP8}};

struct Word {
  std::string_view Text;
  size_t Offset;
};

/// Splits a text into words.
class Words {
public:
  explicit Words(std::string_view Text) : Text(Text) {}

  /// Returns the next word; empty at the end.
  Word next() {
    constexpr std::string_view Blanks = " \t\n\r";
    size_t Start = Text.find_first_not_of(Blanks, At);
    if (Start == std::string_view::npos)
      return {{}, At = Text.size()};
    At = std::min(Text.find_first_of(Blanks, Start), Text.size());
    return {Text.substr(Start, At - Start), Start};
  }

private:
  std::string_view Text;
  size_t At = 0;
};

const Option *find(std::string_view Word) {
  for (const Option &O : Options)
    if (Word.starts_with("--") ? Word.substr(2) == O.Name
                               : Word.size() == 2 && Word[1] == O.Letter)
      return &O;
  return nullptr;
}

class Reader {
public:
  explicit Reader(std::string_view Text) : In(Text) {
    for (size_t I = 0; I < std::size(Options); ++I)
      Values[I] = Options[I].Default;
  }

  Result<MiopenProblem> read() {
    Word First = In.next();
    // "./bin/MIOpenDriver convfp16 -n 1", as in a log.
    if (First.Text.ends_with("MIOpenDriver"))
      First = In.next();
    if (!First.Text.empty() && First.Text[0] != '-') {
      if (Status S = readVerb(First); !S.ok())
        return S;
      First = In.next();
    }
    for (Word W = First; !W.Text.empty(); W = In.next())
      if (Status S = readOption(W); !S.ok())
        return S;
    return problem();
  }

private:
  static Status error(size_t Offset, std::string Message) {
    return Status(StatusCode::InvalidFormat, "problem: at " +
                                                 std::to_string(Offset) + ": " +
                                                 std::move(Message));
  }

  Status readVerb(Word W) {
    for (const Verb &V : Verbs)
      if (W.Text == V.Name) {
        Read.Type = V.Type;
        return Status::success();
      }
    return error(W.Offset,
                 "'" + std::string(W.Text.substr(0, 48)) +
                     "' is no problem; give {batch=1,c=64,...}, or what "
                     "MIOpenDriver takes, as one word: 'conv -n 1 -c 64 ...'");
  }

  Status readOption(Word W) {
    const Option *O = W.Text[0] == '-' ? find(W.Text) : nullptr;
    if (!O)
      return error(W.Offset, "'" + std::string(W.Text.substr(0, 48)) +
                                 "' is no option of MIOpenDriver's "
                                 "convolutions; give -n, -c, -H, -W, -k, ...");
    Word Value = In.next();
    if (Value.Text.empty())
      return error(W.Offset, std::string(W.Text) + " has no value; give one");
    if (std::exchange(IsGiven[O - Options], true))
      return error(W.Offset,
                   std::string(W.Text) + " is there twice; give it once");
    if (O->Of == Use::Ignored)
      return Status::success();
    if (O->Of == Use::Layout) {
      Read.Layouts[O->Axis] = Value.Text;
      return Status::success();
    }
    if (O->Of == Use::Mode) {
      if (Value.Text == "conv" || Value.Text == "default")
        return Status::success();
      return error(Value.Offset, std::string(W.Text) + " " +
                                     std::string(Value.Text.substr(0, 48)) +
                                     " is not supported; convolutions with "
                                     "explicit padding are");
    }
    int Parsed = 0;
    const char *End = Value.Text.data() + Value.Text.size();
    auto [Stop, Code] = std::from_chars(Value.Text.data(), End, Parsed);
    if (Stop != End || Code != std::errc() || Parsed < 0 || Parsed > 1 << 30)
      return error(Value.Offset, std::string(W.Text) +
                                     ": a number is expected, at most " +
                                     std::to_string(1 << 30));
    if (O->Of == Use::OnlyOff && Parsed != O->Default)
      return error(Value.Offset, std::string(W.Text) + " " +
                                     std::to_string(Parsed) +
                                     " is not supported; leave it out");
    Values[O - Options] = Parsed;
    return Status::success();
  }

  int valueOf(Use Purpose, unsigned Axis = 0) const {
    for (size_t I = 0; I < std::size(Options); ++I)
      if (Options[I].Of == Purpose && Options[I].Axis == Axis)
        return Values[I];
    return 0;
  }

  Result<MiopenProblem> problem() {
    Problem &P = Read.Sizes;
    Read.SpatialDim = valueOf(Use::SpatialDim);
    if (Read.SpatialDim < 1 || Read.SpatialDim > 3)
      return error(0, "--spatial_dim is " + std::to_string(Read.SpatialDim) +
                          "; give 1, 2 or 3");
    P.groups = valueOf(Use::Groups);
    P.batch = valueOf(Use::Batch);
    int C = valueOf(Use::C), K = valueOf(Use::K);
    if (P.groups == 0 || C % P.groups != 0 || K % P.groups != 0)
      return error(0, "-c " + std::to_string(C) + " and -k " +
                          std::to_string(K) + " are not divided by -g " +
                          std::to_string(P.groups));
    P.c = C / P.groups;
    P.k = K / P.groups;
    for (unsigned Axis = 3 - Read.SpatialDim; Axis < 3; ++Axis) {
      P.image.push(valueOf(Use::Image, Axis));
      P.filter.push(valueOf(Use::Filter, Axis));
      P.stride.push(valueOf(Use::Stride, Axis));
      P.dilation.push(valueOf(Use::Dilation, Axis));
      int Pad = valueOf(Use::Pad, Axis);
      P.pad.push({Pad, Pad});
    }
    // The limits of the problem's own text hold for these values, too.
    if (Result<Problem> Its = parse<Problem>(text(P)); !Its)
      return Its.status();
    switch (valueOf(Use::Direction)) {
    case 1:
      Read.Direction = ConvDirection::FORWARD;
      break;
    case 2:
      Read.Direction = ConvDirection::BACKWARD_DATA;
      break;
    case 4:
      Read.Direction = ConvDirection::BACKWARD_WEIGHT;
      break;
    default:
      break;
    }
    return Read;
  }

  Words In;
  MiopenProblem Read;
  int Values[std::size(Options)] = {};
  bool IsGiven[std::size(Options)] = {};
};

/// Returns the layout in MIOpen's letters, which have no groups and name the
/// dimensions of each tensor like the input's.
std::string miopenLayout(const LayoutFacts &Facts) {
  std::string Name;
  for (char Letter : Facts.order()) {
    constexpr std::string_view Ours = "KZYX", Weights = "NDHW", Outputs = "C";
    if (Letter == 'G')
      continue;
    size_t Index = Ours.find(Letter);
    if (Index == std::string_view::npos)
      Name += Letter;
    else
      Name += Facts.Of == Role::Weight ? Weights[Index] : Outputs[0];
  }
  return Name;
}

Status differs(std::string Theirs, std::string Ours,
               const std::string &Instead) {
  return Status(StatusCode::InvalidArgument,
                "problem: " + std::move(Theirs) + ", the signature " +
                    std::move(Ours) + "; " + Instead);
}

/// Checks that the options fit \p Sig, which resolveSignature() has returned.
Status fitsSignature(const MiopenProblem &Read, const Signature &Sig) {
  if (Read.SpatialDim != Sig.spatial_dim)
    return differs("has " + std::to_string(Read.SpatialDim) + " dimensions",
                   std::to_string(Sig.spatial_dim),
                   "give --spatial_dim " + std::to_string(Sig.spatial_dim));
  if (Read.Direction && *Read.Direction != Sig.direction)
    return differs("-F says " + std::string(nameOf(*Read.Direction)),
                   std::string(nameOf(Sig.direction)),
                   "leave -F out, or change the direction");
  if (Read.Type && *Read.Type != Sig.input.config.data_type)
    return differs("is one of " + std::string(nameOf(*Read.Type)),
                   std::string(nameOf(Sig.input.config.data_type)),
                   "say conv, or change data_type");
  constexpr Role Tensors[] = {Role::Input, Role::Weight, Role::Output};
  for (unsigned I = 0; I < 3; ++I) {
    TensorLayout Is = tensorOf(Sig, Tensors[I]).config.layout;
    const LayoutFacts &Facts = factsOf(Is);
    // Strided layouts are defined by their strides, so the option is not
    // compared.
    if (!Read.Layouts[I].empty() && !Facts.Strided &&
        Read.Layouts[I] != miopenLayout(Facts))
      return differs("has the layout " + Read.Layouts[I].substr(0, 48) +
                         " for the " + std::string(nameOf(Tensors[I])),
                     std::string(nameOf(Is)) + ", which is " +
                         miopenLayout(Facts),
                     "leave the option out, or change the layout");
  }
  return Status::success();
}

} // namespace

bool conv::isMiopenOptions(std::string_view Text) {
  std::string_view First = Words(Text).next().Text;
  return !First.empty() && First[0] != '{';
}

Result<MiopenProblem> conv::parseMiopenOptions(std::string_view Text) {
  return Reader(Text).read();
}

Result<Problem> conv::problemFor(const Signature &Sig, std::string_view Text) {
  if (!isMiopenOptions(Text))
    return parse<Problem>(Text);
  Result<MiopenProblem> Read = parseMiopenOptions(Text);
  if (!Read)
    return Read.status();
  if (Status S = fitsSignature(*Read, resolveSignature(Sig)); !S.ok())
    return S;
  return std::move(Read->Sizes);
}
