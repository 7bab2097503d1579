//===- Canonical.h - signatures from foreign structs ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts any struct that is shaped like a signature of CK's builder to a
// Signature, by the names of its members, which may be inherited or static. Its
// enumerations may be CK's or ours. Optional members may be absent.
//
// clang-format off
//   struct Mine { int spatial_dim; DataType data_type; Conv input,
//                                               weight, output; };
//   constexpr Mine M{2, DataType::FP16, ...};
//   constexpr Signature S = canonical(M);
//
//   shapeReport<Mine>()     errors of the type as text, or an empty text
//   importSignature(M)      the value and a text, also at run time
//   canonicalOf<M>()        the value; the text as a compile-time error
// clang-format on
//
// The concepts have CK's names and CK's meaning. shapeReport() finds errors
// that they do not see, above all a misspelled optional member.
//
// Sibling: CkShapes.h (algorithms).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_CANONICAL_H
#define KPACK_CONVBUILDER_CANONICAL_H

#include "kpack/ConvBuilder/CompileTimeError.h"
#include "kpack/ConvBuilder/Requirements.h"
#include "kpack/ConvBuilder/Shapes.h"

namespace kpack::conv {

namespace detail {

//===----------------------------------------------------------------------===//
// Shapes of structs
//===----------------------------------------------------------------------===//

/// Reads into \p To, a TensorConfig or the AuxiliaryOperand with the same
/// members.
template <typename Object, typename Config>
constexpr void readConfig(Walk<Object> &Walker, Config &Parsed) {
  required<member::layout>(Walker, Parsed.layout);
  optional<member::data_type>(Walker, Parsed.data_type);
  optional<member::compute_type>(Walker, Parsed.compute_type);
}

/// Reads the operation of an auxiliary operand that is a tensor itself.
template <typename Object>
constexpr void readUnary(Walk<Object> &Walker, AuxiliaryOperand &Parsed) {
  required<member::elementwise_operation>(Walker, Parsed.elementwise_operation);
  optionalList<member::auxiliary_operand_configs>(
      Walker, MaxAuxiliary,
      [&](const auto *Element, const ShapePath &Path, ShapeReport &Report,
          unsigned) {
        if (!Element)
          return; // without a value the number is unknown
        Report.say("S6", Path,
                   "an auxiliary operand has auxiliary operands itself; give "
                   "them to the tensor's operation");
        ++Report.Value;
      });
}

/// Reads a TensorConfig, or a tensor that has one.
template <typename Object>
constexpr void readAuxiliary(Walk<Object> &Walker, AuxiliaryOperand &Parsed) {
  if constexpr (Walk<Object>::template Has<member::config>) {
    requiredPart<member::config>(
        Walker, "config", [&](auto &Inner) { readConfig(Inner, Parsed); });
    optionalPart<member::operation>(
        Walker, "operation", [&](auto &Inner) { readUnary(Inner, Parsed); });
  } else {
    readConfig(Walker, Parsed);
    optional<member::elementwise_operation>(Walker,
                                            Parsed.elementwise_operation);
  }
}

template <typename Object>
constexpr void readOperation(Walk<Object> &Walker, Operation &Parsed) {
  required<member::elementwise_operation>(Walker, Parsed.elementwise_operation);
  optionalList<member::auxiliary_operand_configs>(
      Walker, MaxAuxiliary,
      [&](const auto *Element, const ShapePath &Path, ShapeReport &Report,
          unsigned) {
        AuxiliaryOperand Operand;
        readStruct<Walk<Object>::WithNames>(
            Element, Path, Report, "config",
            [&](auto &Inner) { readAuxiliary(Inner, Operand); });
        Parsed.auxiliary_operand_configs.push(Operand);
      });
  optional<member::activation>(Walker, Parsed.activation);
  optional<member::chain>(Walker, Parsed.chain);
}

template <typename Object>
constexpr void readTensor(Walk<Object> &Walker, Tensor &Parsed) {
  requiredPart<member::config>(
      Walker, "config", [&](auto &Inner) { readConfig(Inner, Parsed.config); });
  optionalPart<member::operation>(Walker, "operation", [&](auto &Inner) {
    readOperation(Inner, Parsed.operation.make());
  });
}

template <typename Object>
constexpr void readSignature(Walk<Object> &Walker, Signature &Parsed) {
  required<member::spatial_dim>(Walker, Parsed.spatial_dim);
  optional<member::direction>(Walker, Parsed.direction);
  optional<member::data_type>(Walker, Parsed.data_type);
  optional<member::accumulation_data_type>(Walker,
                                           Parsed.accumulation_data_type);
  optional<member::elementwise_operation>(Walker, Parsed.elementwise_operation);
  requiredPart<member::input>(
      Walker, "tensor", [&](auto &Inner) { readTensor(Inner, Parsed.input); });
  requiredPart<member::weight>(
      Walker, "tensor", [&](auto &Inner) { readTensor(Inner, Parsed.weight); });
  requiredPart<member::output>(
      Walker, "tensor", [&](auto &Inner) { readTensor(Inner, Parsed.output); });
}

/// Each shape as a type: reads into a value that is dropped.
struct ConfigShape {
  static constexpr std::string_view Name = "config";
  template <typename Object> static constexpr void read(Walk<Object> &Walker) {
    TensorConfig Parsed;
    readConfig(Walker, Parsed);
  }
};
struct OperationShape {
  static constexpr std::string_view Name = "operation";
  template <typename Object> static constexpr void read(Walk<Object> &Walker) {
    Operation Parsed;
    readOperation(Walker, Parsed);
  }
};
struct TensorShape {
  static constexpr std::string_view Name = "tensor";
  template <typename Object> static constexpr void read(Walk<Object> &Walker) {
    Tensor Parsed;
    readTensor(Walker, Parsed);
  }
};
struct SignatureShape {
  static constexpr std::string_view Name = "signature";
  template <typename Object> static constexpr void read(Walk<Object> &Walker) {
    Signature Parsed;
    readSignature(Walker, Parsed);
  }
};

template <typename Shape, typename Type, bool WithNames>
constexpr ShapeReport reportOn() {
  ShapeReport Report;
  ShapePath Path{nullptr, Shape::Name};
  readStruct<WithNames>(static_cast<const Type *>(nullptr), Path, Report,
                        Shape::Name, [](auto &Walker) { Shape::read(Walker); });
  return Report;
}

/// The report on a type, computed once.
template <typename Shape, typename Type>
inline constexpr ShapeReport ReportOn = reportOn<Shape, Type, false>();

/// True if unknown members must be listed by name.
template <typename Shape, typename Type>
inline constexpr bool HasUnknown = ReportOn<Shape, Type>.Unknown != 0;

template <typename Shape, typename Type>
inline constexpr FixedText<MaxShapeText> ShapeText =
    reportOn<Shape, Type, HasUnknown<Shape, Type>>().text();

/// A complete class type.
template <typename Type>
concept Complete = std::is_class_v<Type> && requires { sizeof(Type); };

/// True if all required members exist and all members have the right types.
template <typename Shape, typename Type>
concept HasShape = Complete<std::remove_reference_t<Type>> &&
                   ReportOn<Shape, std::remove_cvref_t<Type>>.Shape == 0;

/// A type that is meant as a signature, valid or not.
template <typename Type>
concept LikeSignature =
    IsIn<member::spatial_dim, Type> || IsIn<member::input, Type> ||
    IsIn<member::weight, Type> || IsIn<member::output, Type>;

//===----------------------------------------------------------------------===//
// Tuple types
//===----------------------------------------------------------------------===//

/// Returns FP16 for FP16_FP16; UNDEFINED_DATA_TYPE for a type that is no tuple.
constexpr DataType elementOfTuple(DataType Type) {
  DataType Element = elementOf(Type);
  return Element == Type ? DataType::UNDEFINED_DATA_TYPE : Element;
}

/// Splits FP16_FP16 into FP16 and an auxiliary operand of type FP16: the first
/// operand, or, without operands, a new one that is like the tensor.
constexpr void splitTuple(const Signature &Sig, Tensor &In) {
  DataType Element = elementOfTuple(In.config.data_type);
  if (Element == DataType::UNDEFINED_DATA_TYPE)
    return;
  In.config.data_type = Element;
  if (!In.operation)
    In.operation.make().elementwise_operation = Sig.elementwise_operation;
  auto &Operands = In.operation->auxiliary_operand_configs;
  if (Operands.empty())
    Operands.push({});
  if (Operands[0].data_type == DataType::UNDEFINED_DATA_TYPE)
    Operands[0].data_type = Element;
}

constexpr void splitTuples(Signature &In, ShapeReport &Report) {
  splitTuple(In, In.input);
  splitTuple(In, In.weight);
  splitTuple(In, In.output);
  if (elementOfTuple(In.data_type) == DataType::UNDEFINED_DATA_TYPE)
    return;
  ShapePath Outer{nullptr, SignatureShape::Name}, Path{&Outer, "data_type"};
  Report.say("S2", Path, nameOf(In.data_type),
             " is of one tensor, and given with it");
  ++Report.Value;
}

} // namespace detail

//===----------------------------------------------------------------------===//
// Concepts
//===----------------------------------------------------------------------===//

/// Requires layout; optional: data_type, compute_type.
template <typename Type>
concept TensorConfigDescriptor = detail::HasShape<detail::ConfigShape, Type>;

/// Requires elementwise_operation; optional: auxiliary_operand_configs (a list
/// of configs or tensors), activation and chain.
template <typename Type>
concept TensorOperatorDescriptor =
    detail::HasShape<detail::OperationShape, Type>;

/// Requires config; optional: operation.
template <typename Type>
concept ConvTensorDescriptor = detail::HasShape<detail::TensorShape, Type>;

/// Requires spatial_dim, input, weight, output; optional: direction, data_type,
/// accumulation_data_type, elementwise_operation.
template <typename Type>
concept ConvSignatureDescriptor =
    detail::HasShape<detail::SignatureShape, Type>;

/// Any class type; CkShapes.h recognises algorithms.
template <typename Type>
concept ConvAlgorithmDescriptor = std::is_class_v<Type>;

/// True for a tensor whose operation has a list of operands.
template <typename Type>
concept HasElementwiseOpWithAuxiliaryOperands = requires(const Type &Value) {
  Value.operation.auxiliary_operand_configs;
} || requires(const Type &Value) {
  (*Value.operation).auxiliary_operand_configs;
};

template <auto Number>
concept ConvSpatialDim = std::is_integral_v<decltype(Number)> &&
                         (Number == 1 || Number == 2 || Number == 3);

template <DataType Type>
concept ValidConvDataType = isConvolvable(Type);

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// A value, and the errors of the struct that it was read from.
template <typename Result> struct Imported {
  Result Value{};
  FixedText<MaxShapeText> Error;

  constexpr bool failed() const { return !Error.empty(); }
};

/// Returns the errors of a type that is meant as a signature; empty if none.
template <typename Type> constexpr FixedText<MaxShapeText> shapeReport() {
  return detail::ShapeText<detail::SignatureShape, Type>;
}

/// Converts \p From to a Signature.
template <typename Object>
constexpr Imported<Signature> importSignature(const Object &Source) {
  Imported<Signature> Result;
  detail::ShapeReport Report;
  detail::ShapePath Root{nullptr, detail::SignatureShape::Name};
  if constexpr (std::is_same_v<Object, Signature>) {
    Result.Value = Source;
  } else {
    constexpr bool WithNames =
        detail::HasUnknown<detail::SignatureShape, Object>;
    detail::readStruct<WithNames>(
        &Source, Root, Report, Root.Name,
        [&](auto &Inner) { detail::readSignature(Inner, Result.Value); });
  }
  detail::splitTuples(Result.Value, Report);
  detail::checkAllBounds<Object>(Result.Value, Root, Report);
  if (Report.count())
    Result.Error = Report.text();
  return Result;
}

namespace detail {

/// Used by canonicalOf(); CkShapes.h specialises it for algorithms.
template <typename Object> struct Importer;

template <LikeSignature Object> struct Importer<Object> {
  static constexpr Imported<Signature> read(const Object &Source) {
    return importSignature(Source);
  }
};

/// Not constexpr, so that a call of canonical() with an error stops the
/// compilation; the compiler's message has this name.
inline void theValueMeansNothing(std::string_view) {}

} // namespace detail

/// Converts a signature or an algorithm to our form. Both an unsuitable type
/// and an unsuitable value stop the compilation; for a value, only
/// canonicalOf() shows the text of the error.
template <detail::LikeSignature Object>
consteval Signature canonical(const Object &Source) {
  requireEmpty<detail::ShapeText<detail::SignatureShape, Object>>();
  Imported<Signature> Result = importSignature(Source);
  if (Result.failed())
    detail::theValueMeansNothing(Result.Error.view());
  return Result.Value;
}

namespace detail {
template <auto Value>
inline constexpr auto ImportedOf =
    Importer<std::remove_const_t<decltype(Value)>>::read(Value);
template <auto Value>
inline constexpr FixedText<MaxShapeText> ImportErrorOf =
    ImportedOf<Value>.Error;
} // namespace detail

namespace detail {

/// True if texts can represent the number.
constexpr bool isInBounds(int Value, const Field &Bounds) {
  return Value >= Bounds.Min && Value <= Bounds.Max;
}
template <typename Type>
constexpr bool isInBounds(const Type &Value, const Field &Bounds) {
  bool IsIn = true;
  if constexpr (Fielded<Type>)
    forEachField<Type>([&](auto Member, const Field &Inner) {
      IsIn = IsIn && isInBounds(Value.*Member, Inner);
    });
  else if constexpr (MaybeThere<Type>)
    IsIn = !Value || isInBounds(*Value, Bounds);
  else if constexpr (ListLike<Type>)
    for (const auto &Element : Value)
      IsIn = IsIn && isInBounds(Element, Bounds);
  return IsIn;
}

constexpr bool hasTuple(const Signature &Sig) {
  for (DataType Type :
       {Sig.data_type, Sig.input.config.data_type, Sig.weight.config.data_type,
        Sig.output.config.data_type})
    if (elementOf(Type) != Type)
      return true;
  return false;
}

/// True if a value has our type and is unchanged by the import. Then no report
/// is made, which takes most of the time of an import.
template <typename Type> constexpr bool isCanonical(const Type &Value) {
  if constexpr (std::is_same_v<Type, Signature>)
    return !hasTuple(Value) && isInBounds(Value, Field{});
  else if constexpr (std::is_same_v<Type, Algorithm>)
    return isInBounds(Value, Field{});
  else
    return false;
}

} // namespace detail

/// Like canonical() for a constant, with the text of every error.
template <auto Value> constexpr const auto &canonicalOf() {
  if constexpr (detail::isCanonical(Value)) {
    return Value;
  } else {
    if constexpr (detail::ImportedOf<Value>.failed())
      requireEmpty<detail::ImportErrorOf<Value>>();
    return detail::ImportedOf<Value>.Value;
  }
}

//===----------------------------------------------------------------------===//
// Questions about a signature
//===----------------------------------------------------------------------===//

namespace detail {

/// False if \p Value is no signature, or its type has unknown members.
template <auto Value> constexpr bool isReadable() {
  if constexpr (LikeSignature<decltype(Value)>)
    return !ImportedOf<Value>.failed();
  else
    return false;
}
template <auto Value> constexpr bool isValidConstant() {
  if constexpr (isReadable<Value>())
    return validate(ImportedOf<Value>.Value).ok();
  else
    return false;
}
template <auto Value, ConvDirection Direction> constexpr bool isConstantWith() {
  if constexpr (isReadable<Value>())
    return ImportedOf<Value>.Value.direction == Direction;
  else
    return false;
}

} // namespace detail

/// True for a constant of any type that converts to a Signature for which all
/// requirements on signatures hold.
template <auto Value>
concept ValidConvSignature = detail::isValidConstant<Value>();

/// True for a constant without a direction as well, which is FORWARD.
template <auto Value>
concept ConvDirectionIsForward =
    detail::isConstantWith<Value, ConvDirection::FORWARD>();

template <auto Value>
concept ConvDirectionIsBackwardData =
    detail::isConstantWith<Value, ConvDirection::BACKWARD_DATA>();

template <auto Value>
concept ConvDirectionIsBackwardWeight =
    detail::isConstantWith<Value, ConvDirection::BACKWARD_WEIGHT>();

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CANONICAL_H
