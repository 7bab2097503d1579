//===- SourceUnit.cpp - source text with named functions ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks are templates, so that an overload set without a match gives an
// answer and not an error. The error is then ours, with a text that a constant
// expression makes of both types. EntryTable.cpp reads the table from the
// linked file.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Programs/SourceUnit.h"

#include <algorithm>
#include <cctype>

using namespace kpack;
using namespace kpack::jit;

const char jit::EntryTableSymbol[] = "kpack_jit_entries";

/// Host functions that launch kernels are also compiled for the GPU, which must
/// see their instantiations but cannot hold their addresses. No line is
/// continued with a backslash: a text with such a line would be scanned.
static constexpr char HostTable[] = R"(
#ifdef __HIP_DEVICE_COMPILE__
#define kpack_jit_table static __attribute__((__unused__))
#else
#define kpack_jit_shown __attribute__((__used__, __visibility__("default")))
#define kpack_jit_table extern "C" kpack_jit_shown
#endif
)";

/// The attribute has no spelling with underscores that HIP's headers leave
/// undefined. No part of the text follows.
static constexpr char KernelTable[] = R"(#undef device
#define kpack_jit_table extern "C" __attribute__((device, __used__))
)";

/// The common part of all units. It follows the text, and macros of the text or
/// of -D options may have any name: all names except those that the language
/// requires (data and size of a message) begin with kpack_unit_, kpack_jit_ or
/// KpackJit.
static constexpr char Machinery[] = R"(
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++26-extensions"
#pragma clang diagnostic ignored "-Wignored-attributes"
#pragma push_macro("data")
#pragma push_macro("size")
#undef data
#undef size
namespace kpack_jit_unit {
struct kpack_unit_yes {};
struct kpack_unit_no {};
template <class KpackJitOne, class KpackJitTwo>
constexpr bool kpack_unit_same = false;
template <class KpackJitOne>
constexpr bool kpack_unit_same<KpackJitOne, KpackJitOne> = true;
template <unsigned long KpackJitSize> struct kpack_unit_text {
  char kpack_unit_s[KpackJitSize];
};
template <class KpackJitType> constexpr auto kpack_unit_spell() {
  kpack_unit_text<sizeof(__PRETTY_FUNCTION__)> kpack_unit_t{};
  for (unsigned long kpack_unit_i = 0;
       kpack_unit_i != sizeof(__PRETTY_FUNCTION__); ++kpack_unit_i)
    kpack_unit_t.kpack_unit_s[kpack_unit_i] = __PRETTY_FUNCTION__[kpack_unit_i];
  return kpack_unit_t;
}
template <class KpackJitType> struct kpack_unit_function {
  using kpack_unit_type = KpackJitType;
};
template <class KpackJitResult, class... KpackJitArguments>
struct kpack_unit_function<KpackJitResult(KpackJitArguments...) noexcept> {
  using kpack_unit_type = KpackJitResult(KpackJitArguments...);
};
template <class KpackJitType> struct kpack_unit_overloaded;
template <class KpackJitType> struct kpack_unit_member;
template <class KpackJitType> struct kpack_unit_declared;
template <class KpackJitWanted, class KpackJitFound>
typename kpack_unit_function<KpackJitFound>::kpack_unit_type *
kpack_unit_deduce(KpackJitFound *);
template <class KpackJitWanted, class KpackJitClass, class KpackJitFound>
kpack_unit_member<KpackJitWanted> **
kpack_unit_deduce(KpackJitFound KpackJitClass::*);
template <class KpackJitType> struct kpack_unit_plain_of {
  using kpack_unit_type = KpackJitType;
};
template <class KpackJitType> struct kpack_unit_plain_of<KpackJitType &> {
  using kpack_unit_type = KpackJitType;
};
template <class KpackJitType>
using kpack_unit_plain =
    typename kpack_unit_plain_of<KpackJitType>::kpack_unit_type;
struct kpack_unit_words {
  char kpack_unit_s[4096]{};
  unsigned long kpack_unit_n = 0;
  constexpr kpack_unit_words &kpack_unit_add(const char *kpack_unit_p) {
    while (*kpack_unit_p && kpack_unit_n != sizeof(kpack_unit_s))
      kpack_unit_s[kpack_unit_n++] = *kpack_unit_p++;
    return *this;
  }
  template <class KpackJitType> constexpr kpack_unit_words &kpack_unit_name() {
    constexpr auto kpack_unit_t = kpack_unit_spell<KpackJitType>();
    unsigned long kpack_unit_at = 0;
    unsigned long kpack_unit_end = sizeof(kpack_unit_t.kpack_unit_s) - 2;
    while (kpack_unit_t.kpack_unit_s[kpack_unit_at] != '=')
      ++kpack_unit_at;
    kpack_unit_at += 2;
    while (kpack_unit_at < kpack_unit_end && kpack_unit_n != sizeof(kpack_unit_s))
      kpack_unit_s[kpack_unit_n++] = kpack_unit_t.kpack_unit_s[kpack_unit_at++];
    return *this;
  }
  constexpr const char *data() const { return kpack_unit_s; }
  constexpr unsigned long size() const { return kpack_unit_n; }
};
struct kpack_unit_silence {
  constexpr const char *data() const { return ""; }
  constexpr unsigned long size() const { return 0; }
};
template <bool KpackJitFits, class KpackJitDeclared, class KpackJitActual>
constexpr auto kpack_unit_differs(const char *kpack_unit_entry) {
  if constexpr (KpackJitFits) {
    return kpack_unit_silence{};
  } else {
    kpack_unit_words kpack_unit_w;
    kpack_unit_w.kpack_unit_add("entry '").kpack_unit_add(kpack_unit_entry);
    if constexpr (kpack_unit_same<KpackJitActual,
                                 kpack_unit_overloaded<KpackJitDeclared>>)
      kpack_unit_w.kpack_unit_add(
          "' is overloaded, and none has the type that the caller declared: ");
    else if constexpr (kpack_unit_same<KpackJitActual,
                                      kpack_unit_member<KpackJitDeclared> *>)
      kpack_unit_w.kpack_unit_add("' is a member that needs an object; "
                                "the caller declared ");
    else
      kpack_unit_w.kpack_unit_add("' has type ")
          .template kpack_unit_name<KpackJitActual>()
          .kpack_unit_add(", the caller declared ");
    return kpack_unit_w.template kpack_unit_name<KpackJitDeclared>();
  }
}
} // namespace kpack_jit_unit
#pragma pop_macro("data")
#pragma pop_macro("size")
)";

static Status invalid(const std::string &Object, const std::string &Why,
                      Errc Detail = Errc::BadConstant) {
  return Status(StatusCode::InvalidArgument, Object + ": " + Why, Detail);
}

static bool isIdentifier(const std::string &Name) {
  return !Name.empty() && !std::isdigit((unsigned char)Name[0]) &&
         std::all_of(Name.begin(), Name.end(), [](unsigned char C) {
           return std::isalnum(C) || C == '_' || C >= 0x80;
         });
}

static bool isOneLine(const std::string &Text) {
  return !Text.empty() && Text.find_first_of("\n\r") == std::string::npos &&
         Text.find_first_not_of(" \t") != std::string::npos;
}

/// Returns a C++ string literal.
static std::string quoted(const std::string &Text) {
  std::string Literal = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Literal += '\\';
    Literal += C;
  }
  return Literal + "\"";
}

static Result<std::string>
getConstants(const std::vector<UnitConstant> &Constants) {
  std::string Lines;
  std::vector<std::string> Names;
  for (const UnitConstant &C : Constants) {
    if (!isIdentifier(C.Name))
      return invalid("constant '" + C.Name + "'",
                     "is no identifier; give it a name of C++");
    if (!isOneLine(C.Type) || !isOneLine(C.Value))
      return invalid("constant '" + C.Name + "'",
                     "has no type or no value, or one of more than a line");
    if (std::find(Names.begin(), Names.end(), C.Name) != Names.end())
      return invalid("constant '" + C.Name + "'",
                     "is given twice; leave one out");
    Names.push_back(C.Name);
    Lines +=
        "inline constexpr " + C.Type + " " + C.Name + " = " + C.Value + ";\n";
  }
  return Lines.empty() ? Lines : "#line 1 \"constants\"\n" + Lines;
}

/// Accepts names such as "ns::Point".
static bool isQualifiedName(const std::string &Name) {
  for (size_t Start = 0; Start <= Name.size();) {
    size_t End = std::min(Name.find("::", Start), Name.size());
    // Allow a leading "::".
    if (!(Start == 0 && End == 0) &&
        !isIdentifier(Name.substr(Start, End - Start)))
      return false;
    Start = End + 2;
  }
  return !Name.empty();
}

/// Asserts that the text's types have the program's layout.
static Result<std::string> makeChecks(const std::vector<UnitType> &Types) {
  std::string Lines;
  auto Assert = [&](const std::string &Expression, size_t Value,
                    const std::string &Description) {
    Lines += "static_assert(" + Expression + " == " + std::to_string(Value) +
             ", " +
             quoted(Description + " is " + std::to_string(Value) +
                    " in the program, and another one in the text") +
             ");\n";
  };
  for (const UnitType &T : Types) {
    if (!isQualifiedName(T.Name))
      return invalid("type '" + T.Name + "'", "is no name of a structure",
                     Errc::UnsupportedType);
    Assert("sizeof(" + T.Name + ")", T.Size, "the size of " + T.Name);
    Assert("alignof(" + T.Name + ")", T.Alignment,
           "the alignment of " + T.Name);
    for (const UnitType::Member &M : T.Members) {
      if (!isIdentifier(M.Name))
        return invalid("member '" + M.Name + "' of " + T.Name,
                       "is no identifier", Errc::UnsupportedType);
      Assert("__builtin_offsetof(" + T.Name + ", " + M.Name + ")", M.Offset,
             "the place of " + T.Name + "::" + M.Name);
      Assert("sizeof(" + T.Name + "::" + M.Name + ")", M.Size,
             "the size of " + T.Name + "::" + M.Name);
    }
  }
  return Lines.empty() ? Lines : "#line 1 \"types\"\n" + Lines;
}

/// Returns the checks of entry number \p N. They are outside of all namespaces,
/// where the expression means the same as in the source, and declare only names
/// that the source does not use. Before clang 20 the message of a static_assert
/// is a literal: spellEntryTypes (EntryComplaints.h) adds the types, which
/// those versions print as part of the condition.
static std::string makeChecks(const UnitEntry &Entry, const std::string &N) {
  static constexpr char Templates[] = R"(
template <class KpackJitType> auto kpack_jit_fits_$N(int)
    -> decltype((void)static_cast<KpackJitType *>(&$ENTRY),
                kpack_jit_unit::kpack_unit_yes{});
template <class KpackJitType>
kpack_jit_unit::kpack_unit_no kpack_jit_fits_$N(...);
template <class KpackJitType> constexpr auto kpack_jit_pick_$N(int)
    -> decltype(static_cast<KpackJitType *>(&$ENTRY)) {
  return static_cast<KpackJitType *>(&$ENTRY);
}
template <class KpackJitType>
constexpr KpackJitType *kpack_jit_pick_$N(...) { return nullptr; }
template <class KpackJitType> auto kpack_jit_actual_$N(int)
    -> decltype(*kpack_jit_unit::kpack_unit_deduce<KpackJitType>(&$ENTRY));
template <class KpackJitType>
kpack_jit_unit::kpack_unit_overloaded<KpackJitType> &kpack_jit_actual_$N(...);
template <class KpackJitType> using kpack_jit_found_$N =
    kpack_jit_unit::kpack_unit_plain<
        decltype(kpack_jit_actual_$N<KpackJitType>(0))>;
)";
  static constexpr char OfAnyType[] = R"(
using kpack_jit_type_of_$N = kpack_jit_found_$N<void>;
static_assert(!kpack_jit_unit::kpack_unit_same<
                  kpack_jit_type_of_$N,
                  kpack_jit_unit::kpack_unit_overloaded<void>>,
              "entry '" $NAME "' is overloaded; declare which type is wanted");
static_assert(!kpack_jit_unit::kpack_unit_same<
                  kpack_jit_type_of_$N,
                  kpack_jit_unit::kpack_unit_member<void> *>,
              "entry '" $NAME "' is a member that needs an object; name a "
              "function that needs none");
)";
  static constexpr char OfThisType[] = R"(
using kpack_jit_type_of_$N =
    kpack_jit_unit::kpack_unit_function<$TYPE>::kpack_unit_type;
constexpr bool kpack_jit_good_$N = kpack_jit_unit::kpack_unit_same<
    decltype(kpack_jit_fits_$N<kpack_jit_type_of_$N>(0)),
    kpack_jit_unit::kpack_unit_yes>;
#if __clang_major__ >= 20
static_assert(kpack_jit_good_$N,
              kpack_jit_unit::kpack_unit_differs<
                  kpack_jit_good_$N, kpack_jit_type_of_$N,
                  kpack_jit_found_$N<kpack_jit_type_of_$N>>($NAME));
#else
template <class, class> constexpr bool kpack_jit_has_type_$N =
    kpack_jit_good_$N;
static_assert(kpack_jit_has_type_$N<
                  kpack_jit_found_$N<kpack_jit_type_of_$N>,
                  kpack_jit_unit::kpack_unit_declared<kpack_jit_type_of_$N>>,
              "entry '" $NAME "'");
#endif
)";
  std::string Filled;
  std::string Whole =
      std::string(Templates) + (Entry.Type.empty() ? OfAnyType : OfThisType);
  // The order matters: $N is a prefix of $NAME.
  std::pair<std::string_view, std::string> Values[] = {
      {"$NAME", quoted(Entry.Expression)},
      {"$N", N},
      {"$ENTRY", Entry.Expression},
      {"$TYPE", Entry.Type}};
  // One pass, since each '$' begins a name: a graph has this text for each
  // kernel.
  size_t Offset = 0;
  for (size_t Dollar;
       (Dollar = Whole.find('$', Offset)) != std::string::npos;) {
    const auto *Found =
        std::find_if(std::begin(Values), std::end(Values), [&](const auto &V) {
          return Whole.compare(Dollar, V.first.size(), V.first) == 0;
        });
    Filled.append(Whole, Offset, Dollar - Offset).append(Found->second);
    Offset = Dollar + Found->first.size();
  }
  return Filled.append(Whole, Offset);
}

Result<SourceText> jit::makeUnit(std::string Text,
                                 std::vector<MemoryFile> Headers,
                                 const std::vector<UnitConstant> &Constants,
                                 const std::vector<UnitEntry> &Entries,
                                 UnitKind Kind,
                                 const std::vector<UnitType> &Types) {
  // Remove a byte order mark: the text goes into the middle of a file.
  if (Text.compare(0, 3, "\xef\xbb\xbf") == 0)
    Text.erase(0, 3);
  Result<std::string> Before = getConstants(Constants);
  if (!Before)
    return Before.status();
  Result<std::string> Layouts = makeChecks(Types);
  if (!Layouts)
    return Layouts.status();
  if (Entries.empty())
    return invalid("entries", "there are none; name a function of the source",
                   Errc::UnknownEntry);
  bool IsHost = Kind == UnitKind::Host;
  const std::string Place = "kpack_jit_table ";
  std::string Checks, Addresses, Spelled;
  for (size_t I = 0; I < Entries.size(); ++I) {
    if (!isOneLine(Entries[I].Expression))
      return invalid("entry '" + Entries[I].Expression + "'",
                     "is no expression of one line", Errc::UnknownEntry);
    std::string Ordinal = std::to_string(I);
    Checks += makeChecks(Entries[I], Ordinal);
    std::string Type = "kpack_jit_type_of_" + Ordinal;
    Addresses +=
        "  (const void *)kpack_jit_pick_" + Ordinal + "<" + Type + ">(0),\n";
    Spelled += Place + "constexpr auto kpack_jit_type_" + Ordinal +
               " = kpack_jit_unit::kpack_unit_spell<" + Type + ">();\n";
  }
  std::string After = *Layouts + "#line 1 \"entries\"" + Machinery + Checks +
                      (IsHost ? HostTable : KernelTable) + Place +
                      "const void *const kpack_jit_entries[] = {\n" +
                      Addresses + "};\n" + Spelled +
                      "#pragma clang diagnostic pop\n";
  return SourceText{std::move(*Before), std::move(Text), std::move(After),
                    std::move(Headers)};
}
