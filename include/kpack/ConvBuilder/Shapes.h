//===- ConvBuilder/Shapes.h - reader of structs by member names -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a struct by the names of its members, which may be in a base and may be
// static. One function describes the shape of a struct, and both checks a type
// and reads a value:
//
//   template <typename Object>
//   constexpr void readConfig(Walk<Object> &From, TensorConfig &To) {
//     required<member::layout>(From, To.layout);
//     optional<member::data_type>(From, To.data_type);
//   }
//
// A ShapeReport lists missing, mistyped and unknown members, all under the id
// S0. Unknown members are detected by counting, and then named if names are
// available (MemberNames.h). A struct with additional members declares their
// number, or allows any number:
//
//   using kpack_conv_ignored = std::integral_constant<int, 2>;   // or void
//
// Static members, and members of a struct with constructors, are read but
// cannot be counted.
//
// Siblings: Canonical.h (signatures), CkShapes.h (algorithms).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_SHAPES_H
#define KPACK_CONVBUILDER_SHAPES_H

#include "kpack/ConvBuilder/Fields.h"
#include "kpack/ConvBuilder/FixedText.h"
#include "kpack/ConvBuilder/ForeignEnums.h"
#include "kpack/ConvBuilder/MemberNames.h"
#include "kpack/ConvBuilder/Members.h"
#include "kpack/ConvBuilder/NearestName.h"

#include <concepts>

namespace kpack::conv {

/// The capacity of a report on a shape, in bytes.
inline constexpr std::size_t MaxShapeText = 1024;

namespace detail {

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

/// The path of a member: signature.input.config.
struct ShapePath {
  const ShapePath *Outer = nullptr;
  std::string_view Name;
  int Index = -1; ///< of a list element; -1: none

  constexpr void print(TextOut &Out) const {
    if (Outer) {
      Outer->print(Out);
      if (!Name.empty())
        Out << '.';
    }
    Out << Name;
    if (Index >= 0)
      Out << '[' << Index << ']';
  }
};

/// All errors as one text. The first MaxShown are written out.
class ShapeReport {
public:
  static constexpr unsigned MaxShown = 4;

  unsigned Shape = 0;   ///< missing or mistyped members
  unsigned Unknown = 0; ///< structs with unknown members
  unsigned Value = 0;   ///< invalid values

  constexpr unsigned count() const { return Shape + Unknown + Value; }

  /// Writes a finding. Call it once for each, before the counter is
  /// incremented.
  template <typename... Parts>
  constexpr void say(std::string_view Id, const ShapePath &Path,
                     const Parts &...Message) {
    if (count() >= MaxShown)
      return;
    TextOut Out(Buffer + Used, MaxShapeText - Used);
    if (Used)
      Out << "; ";
    Out << '[' << Id << "] ";
    Path.print(Out);
    Out << ": ";
    (Out << ... << Message);
    Used += Out.size();
  }

  constexpr FixedText<MaxShapeText> text() const {
    FixedText<MaxShapeText> Text(std::string_view(Buffer, Used));
    if (count() > MaxShown)
      Text << "; and " << count() - MaxShown << " more";
    return Text;
  }

private:
  char Buffer[MaxShapeText] = {};
  std::size_t Used = 0;
};

//===----------------------------------------------------------------------===//
// Names of members
//===----------------------------------------------------------------------===//

/// True if the object has the member, one of Members.h.
template <typename Member, typename Object>
concept IsIn = requires(const Object &Value) {
  requires std::is_object_v<
      std::remove_reference_t<decltype(Member::of(Value))>>;
};

/// True if it is static: the address of other members is a pointer to member.
template <typename Member, typename Object>
concept IsStaticIn = requires {
  requires std::is_pointer_v<decltype(Member::template addressOf<Object>())>;
};

template <typename Member, typename Object>
using TypeIn =
    std::remove_cvref_t<decltype(Member::of(std::declval<const Object &>()))>;

/// Counts a member of this type as arity() does.
template <typename Type> constexpr std::size_t membersOf() {
  if constexpr (std::is_bounded_array_v<Type>)
    return std::extent_v<Type> * membersOf<std::remove_extent_t<Type>>();
  else
    return 1;
}

//===----------------------------------------------------------------------===//
// Types of members
//===----------------------------------------------------------------------===//

/// How a value of type Ours is read. From<Theirs> tells whether the type is
/// accepted; read(Theirs, Ours &) returns false for an invalid value; What is
/// its name in messages.
template <typename Ours> struct Reading;

template <Enumeration Ours> struct Reading<Ours> {
  static constexpr std::string_view What = EnumTable<Ours>::Type;
  template <typename Theirs>
  static constexpr bool From =
      SameWords<Theirs, Ours> ||
      (std::is_class_v<Theirs> && std::convertible_to<Theirs, Ours>);
  template <typename Theirs>
  static constexpr bool read(const Theirs &Value, Ours &Parsed) {
    if constexpr (SameWords<Theirs, Ours>)
      return translate(Value, Parsed);
    else
      return translate(static_cast<Ours>(Value), Parsed);
  }
};

template <> struct Reading<int> {
  static constexpr std::string_view What = "number";
  template <typename Theirs>
  static constexpr bool From =
      (std::is_integral_v<Theirs> && !std::is_same_v<Theirs, bool>) ||
      (std::is_class_v<Theirs> && std::convertible_to<Theirs, int>);
  template <typename Theirs>
  static constexpr bool read(const Theirs &Value, int &Parsed) {
    if constexpr (std::is_class_v<Theirs>) {
      return read(static_cast<int>(Value), Parsed);
    } else {
      constexpr unsigned long long Largest = 0x7fffffff;
      if (Value < 0 || static_cast<unsigned long long>(Value) > Largest)
        return false;
      Parsed = static_cast<int>(Value);
      return true;
    }
  }
};

template <> struct Reading<bool> {
  static constexpr std::string_view What = "bool";
  template <typename Theirs>
  static constexpr bool From =
      std::is_integral_v<Theirs> ||
      (std::is_class_v<Theirs> && std::convertible_to<Theirs, bool>);
  template <typename Theirs>
  static constexpr bool read(const Theirs &Value, bool &Parsed) {
    Parsed = static_cast<bool>(Value);
    if constexpr (std::is_integral_v<Theirs>)
      return Value == static_cast<Theirs>(Parsed);
    else
      return true;
  }
};

/// std::array, an array, a List, and other types with a size and elements.
template <typename Type>
concept ListLike =
    std::is_bounded_array_v<Type> || requires(const Type &Value) {
      { Value.size() } -> std::convertible_to<std::size_t>;
      Value[std::size_t(0)];
    };

template <typename Type>
using ElementOf =
    std::remove_cvref_t<decltype(std::declval<const Type &>()[std::size_t(0)])>;

template <typename Type> constexpr std::size_t sizeOf(const Type &Container) {
  if constexpr (std::is_bounded_array_v<Type>)
    return std::extent_v<Type>;
  else
    return Container.size();
}

/// Optional, std::optional, and other types of that kind.
template <typename Type>
concept MaybeThere = std::is_class_v<Type> && requires(const Type &Value) {
  static_cast<bool>(Value);
  *Value;
};

template <typename Type>
using ThereOf = std::remove_cvref_t<decltype(*std::declval<const Type &>())>;

/// Returns "int", "float", in the compiler's spelling.
template <typename Type> constexpr std::string_view typeName() {
  std::string_view Name = __PRETTY_FUNCTION__;
  constexpr std::string_view Before = "Type = ";
  std::size_t Start = Name.find(Before);
  if (Start == std::string_view::npos)
    return "something else";
  Name.remove_prefix(Start + Before.size());
  return Name.substr(0, Name.find_first_of(";]"));
}

//===----------------------------------------------------------------------===//
// Walking over members
//===----------------------------------------------------------------------===//

/// Marks a type whose unknown members are named. Naming takes compile time, so
/// it is done only after counting has found some.
template <typename Type> struct Named;

template <typename Type> struct UnnamedOf {
  using Struct = Type;
};
template <typename Type> struct UnnamedOf<Named<Type>> {
  using Struct = Type;
};

/// A struct, possibly Named, whose members are read. Value is null if only the
/// type is checked.
template <typename Object> class Walk {
public:
  using Struct = typename UnnamedOf<Object>::Struct;
  static constexpr bool WithNames = !std::is_same_v<Struct, Object>;

  constexpr Walk(const Struct *Value, const ShapePath &Path,
                 ShapeReport &Report)
      : Value(Value), At(Path), Report(Report) {}
  Walk(const Walk &) = delete;
  Walk &operator=(const Walk &) = delete;

  template <typename Member> static constexpr bool Has = IsIn<Member, Struct>;

  template <typename Member> using TypeOf = TypeIn<Member, Struct>;

  const Struct *Value;
  const ShapePath &At;
  ShapeReport &Report;

  /// Marks a member as known. Call it for each possible member.
  template <typename Member> constexpr bool ask() {
    const char *Name = Member::Name;
    if constexpr (Has<Member>) {
      Seen.push(Name);
      if constexpr (!IsStaticIn<Member, Struct>)
        Known += membersOf<TypeOf<Member>>();
    } else {
      Absent.push(Name);
    }
    return Has<Member>;
  }

  /// Call it after the last member: reports further members.
  constexpr void finish() {
    if constexpr (std::is_aggregate_v<Struct>) {
      std::size_t Members = memberCount<Struct>();
      if (Members <= Known + ignored())
        return;
      if (!tellNames())
        Report.say("S0", At, Members, Members == 1 ? " member, " : " members, ",
                   Known, " recognised", Names{Seen, " (", ")", MaxAsked},
                   ": one is misspelled or unknown",
                   Names{Absent, "; absent: ", ""});
      ++Report.Unknown;
    }
  }

private:
  static constexpr unsigned MaxAsked = 40;
  using NameList = List<const char *, MaxAsked>;

  /// Prints names between two texts; nothing if there are none or too many.
  struct Names {
    const NameList &Of;
    std::string_view Before, Behind;
    unsigned Most = 8;

    friend constexpr TextOut &operator<<(TextOut &Out, const Names &List) {
      if (List.Of.empty() || List.Of.size() > List.Most)
        return Out;
      Out << List.Before;
      for (unsigned Index = 0; Index < List.Of.size(); ++Index)
        Out << (Index ? ", " : "") << List.Of[Index];
      return Out << List.Behind;
    }
  };

  /// Names unknown members if possible.
  constexpr bool tellNames() {
    bool Told = false;
    if constexpr (WithNames)
      for (std::string_view Name : memberNames<Struct>()) {
        NearestName Near(Name);
        bool Asked = false;
        for (const char *Found : Seen)
          Asked |= Name == Found;
        for (const char *Missed : Absent)
          Near.offer(Missed);
        if (Asked)
          continue;
        ShapePath Member{&At, Name};
        if (Near.found().empty())
          Report.say("S0", Member, "is no member that is known",
                     Names{Absent, "; absent: ", ""});
        else
          Report.say("S0", Member, "is no member that is known; did you mean ",
                     Near.found(), "?");
        Told = true;
      }
    return Told;
  }

  static constexpr std::size_t ignored() {
    if constexpr (requires { typename Struct::kpack_conv_ignored; }) {
      using Ignored = typename Struct::kpack_conv_ignored;
      if constexpr (std::is_void_v<Ignored>)
        return ~std::size_t(0) / 2;
      else
        return Ignored::value;
    } else {
      return 0;
    }
  }

  NameList Seen, Absent;
  std::size_t Known = 0;
};

/// Reads \p From, a member at the path \p At, into \p To.
template <typename Ours, typename Theirs>
constexpr void readValue(const Theirs *Source, const ShapePath &Path,
                         ShapeReport &Report, Ours &Parsed) {
  using How = Reading<Ours>;
  if constexpr (!How::template From<Theirs>) {
    Report.say("S0", Path, "is ", typeName<Theirs>(), ", which is no ",
               How::What);
    ++Report.Shape;
  } else if (Source && !How::read(*Source, Parsed)) {
    if constexpr (std::is_class_v<Theirs>)
      Report.say("S0", Path, "is no ", How::What);
    else
      Report.say("S0", Path, static_cast<long long>(*Source), " is no ",
                 How::What);
    ++Report.Value;
  }
}

template <typename Member, typename Object>
constexpr auto addressIn(const Walk<Object> &Walker) {
  using Type = typename Walk<Object>::template TypeOf<Member>;
  return Walker.Value ? &Member::of(*Walker.Value)
                      : static_cast<const Type *>(nullptr);
}

template <typename Member, typename Object>
constexpr void tellMissing(Walk<Object> &Walker, std::string_view Noun) {
  ShapePath Path{&Walker.At, Member::Name};
  Walker.Report.say("S0", Path, "this ", Noun, " is missing");
  ++Walker.Report.Shape;
}

/// Reads an optional member. Returns true if it exists.
template <typename Member, typename Object, typename Ours>
constexpr bool optional(Walk<Object> &Walker, Ours &Parsed) {
  if constexpr (Walk<Object>::template Has<Member>) {
    ShapePath Path{&Walker.At, Member::Name};
    readValue(addressIn<Member>(Walker), Path, Walker.Report, Parsed);
  }
  return Walker.template ask<Member>();
}

template <typename Member, typename Object, typename Ours>
constexpr void required(Walk<Object> &Walker, Ours &Parsed) {
  if (!optional<Member>(Walker, Parsed))
    tellMissing<Member>(Walker, Reading<Ours>::What);
}

/// Reads the struct \p From with \p Read, which takes a Walk.
template <bool WithNames, typename Theirs, typename Function>
constexpr void readStruct(const Theirs *Source, const ShapePath &Path,
                          ShapeReport &Report, std::string_view Noun,
                          const Function &Read) {
  if constexpr (!std::is_class_v<Theirs>) {
    Report.say("S0", Path, "is ", typeName<Theirs>(), ", which is no ", Noun);
    ++Report.Shape;
  } else {
    Walk<std::conditional_t<WithNames, Named<Theirs>, Theirs>> Inner(
        Source, Path, Report);
    Read(Inner);
    Inner.finish();
  }
}

/// Reads an optional struct member, called \p What in messages. Returns true if
/// it exists.
template <typename Member, typename Object, typename Function>
constexpr bool optionalPart(Walk<Object> &Walker, std::string_view Noun,
                            const Function &Read) {
  bool There = Walker.template ask<Member>();
  if constexpr (Walk<Object>::template Has<Member>) {
    using Type = typename Walk<Object>::template TypeOf<Member>;
    ShapePath Path{&Walker.At, Member::Name};
    const Type *Part = addressIn<Member>(Walker);
    if constexpr (MaybeThere<Type>) {
      There = !Part || static_cast<bool>(*Part);
      const ThereOf<Type> *Inner = Part && There ? &**Part : nullptr;
      if (There)
        readStruct<Walk<Object>::WithNames>(Inner, Path, Walker.Report, Noun,
                                            Read);
    } else {
      readStruct<Walk<Object>::WithNames>(Part, Path, Walker.Report, Noun,
                                          Read);
    }
  }
  return There;
}

template <typename Member, typename Object, typename Function>
constexpr void requiredPart(Walk<Object> &Walker, std::string_view Noun,
                            const Function &Read) {
  if (!optionalPart<Member>(Walker, Noun, Read))
    tellMissing<Member>(Walker, Noun);
}

/// Calls \p Each(element or null, path, report, index) for the elements of a
/// member, or once with null if there is no value. Returns true if it exists.
template <typename Member, typename Object, typename Function>
constexpr bool optionalList(Walk<Object> &Walker, std::size_t Most,
                            const Function &Each) {
  if constexpr (Walk<Object>::template Has<Member>) {
    using Type = typename Walk<Object>::template TypeOf<Member>;
    ShapePath Path{&Walker.At, Member::Name};
    if constexpr (!ListLike<Type>) {
      Walker.Report.say("S0", Path, "is ", typeName<Type>(),
                        ", which is no list, such as std::array");
      ++Walker.Report.Shape;
    } else if (!Walker.Value) {
      Each(static_cast<const ElementOf<Type> *>(nullptr), Path, Walker.Report,
           0u);
    } else if (const Type &Values = *addressIn<Member>(Walker);
               sizeOf(Values) > Most) {
      Walker.Report.say("S0", Path, "has ", sizeOf(Values),
                        " elements; at most ", Most, " are possible");
      ++Walker.Report.Value;
    } else {
      for (unsigned Index = 0; Index < sizeOf(Values); ++Index) {
        ShapePath Element{&Walker.At, Member::Name, static_cast<int>(Index)};
        Each(&Values[Index], Element, Walker.Report, Index);
      }
    }
  }
  return Walker.template ask<Member>();
}

/// Reports numbers that texts cannot represent, by the list of fields.
constexpr void checkBounds(int Value, const Field &Bounds,
                           const ShapePath &Path, ShapeReport &Report) {
  if (Value >= Bounds.Min && Value <= Bounds.Max)
    return;
  bool Few = Value < Bounds.Min;
  Report.say("S0", Path, Value, Few ? " is less than " : " is more than ",
             Few ? Bounds.Min : Bounds.Max);
  ++Report.Value;
}
template <typename Type>
constexpr void checkBounds(const Type &Value, const Field &Bounds,
                           const ShapePath &Path, ShapeReport &Report) {
  if constexpr (Fielded<Type>)
    forEachField<Type>([&](auto Member, const Field &Inner) {
      ShapePath There{&Path, Inner.Name};
      checkBounds(Value.*Member, Inner, There, Report);
    });
  else if constexpr (MaybeThere<Type>)
    checkBounds(*Value, Bounds, Path, Report);
  else if constexpr (ListLike<Type>)
    for (const auto &Element : Value)
      checkBounds(Element, Bounds, Path, Report);
}

/// Checks all fields of a value. Object, its source type, only makes this a
/// dependent template, so that compilers look at the fields when it is used.
template <typename Object, typename Type>
constexpr void checkAllBounds(const Type &Value, const ShapePath &Path,
                              ShapeReport &Report) {
  checkBounds(Value, Field{}, Path, Report);
}

/// Reads a list of numbers or words.
template <typename Member, typename Object, typename Ours, unsigned Most>
constexpr bool optional(Walk<Object> &Walker, List<Ours, Most> &Parsed) {
  return optionalList<Member>(Walker, Most,
                              [&](const auto *Element, const ShapePath &Path,
                                  ShapeReport &Report, unsigned) {
                                Ours Value{};
                                readValue(Element, Path, Report, Value);
                                Parsed.push(Value);
                              });
}

template <typename Member, typename Object, typename Ours, unsigned Most>
constexpr void required(Walk<Object> &Walker, List<Ours, Most> &Parsed) {
  if (!optional<Member>(Walker, Parsed))
    tellMissing<Member>(Walker, "list");
}

} // namespace detail
} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_SHAPES_H
