//===- OptionsWithValues.h - compiler options with values -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of options of clang, hipcc and g++ that take values, for programs
// that have to separate values from options and inputs: the form of the value,
// whether it is a path, and whether it is a part of a cache key. An option that
// the table lacks counts as a single word; that is wrong only if its value is a
// separate word. Does not use LLVM, whose table loads too slowly for a program
// that runs thousands of times in a build.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_OPTIONSWITHVALUES_H
#define KPACK_SUPPORT_OPTIONSWITHVALUES_H

#include <string_view>

namespace kpack::clangoptions {

enum : unsigned {
  Joined = 1,   ///< -Iinc
  Separate = 2, ///< -I inc
  Equals = 4,   ///< --sysroot=/x
  Either = Joined | Separate,
  Path = 8, ///< the value is a file or folder that a compile reads
  /// Not in a key if option and value are one word: the key holds the contents
  /// that the compile reads through the value.
  NoKey = 16,
  /// The same if option and value are two words.
  NoKeyOfTwo = 32,
  Linker = 64 ///< the value is a linker option
};

/// Options with equal properties. The array ends with empty names, because
/// g++ 12 rejects a constant that contains an initializer_list.
struct Group {
  unsigned Are;
  std::string_view Names[9];
};

/// An option that may be joined with its value is no prefix of another name,
/// except for names that are matched as whole words first.
inline constexpr Group Groups[] = {
    {Either | Path | NoKey | NoKeyOfTwo,
     {"-isystem", "-iquote", "-idirafter", "-isysroot", "-I", "-L", "-B"}},
    {Either | Path | NoKeyOfTwo, {"-include", "-imacros"}},
    {Either | Path, {"-F"}},
    {Either, {"-iprefix", "-MF", "-MT", "-MQ", "-MJ"}},
    {Either, {"-D", "-U", "-l", "-o", "-x", "-T", "-u", "-z", "-A"}},
    {Separate | Path, {"-include-pch", "-cxx-isystem", "--include-directory"}},
    {Separate | Equals | Path | NoKey, {"--sysroot"}},
    {Equals | Path | NoKey,
     {"--hip-path", "--rocm-path", "--rocm-device-lib-path"}},
    {Equals, {"--offload-arch", "-std"}},
    {Separate | Equals, {"--output"}},
    {Separate | NoKey, {"-resource-dir"}},
    {NoKey, {"--gcc-toolchain", "--gcc-install-dir", "-fdebug-prefix-map"}},
    {NoKey, {"-ffile-prefix-map", "-fmacro-prefix-map"}},
    {Separate | Linker, {"-Xlinker", "-Xoffload-linker"}},
    {Separate, {"-Xclang", "-Xarch_host", "-Xarch_device", "-Xpreprocessor"}},
    {Separate, {"-Xassembler", "-Xopenmp-target", "-Xcuda-ptxas"}},
    {Separate, {"-Xcuda-fatbinary", "-mllvm", "-target", "-arch", "-dumpdir"}},
    {Separate, {"-ivfsoverlay", "-iframework", "-iwithprefix", "--param"}},
    {Separate, {"-iwithsysroot", "-iwithprefixbefore", "-stdlib++-isystem"}},
    {Separate, {"-working-directory", "-gcc-toolchain", "-framework"}},
    {Separate, {"-rpath", "-e", "-G", "-b"}}};

/// Returns the first name whose option is \p Wanted and for which \p Is returns
/// true, or an empty name.
template <typename Function>
constexpr std::string_view find(unsigned Wanted, const Function &Is) {
  for (const Group &Some : Groups)
    for (std::string_view Name : Some.Names)
      if (!Name.empty() && (Some.Are & Wanted) == Wanted && Is(Name, Some.Are))
        return Name;
  return {};
}

/// True if \p Word is an option that is \p Wanted and not \p Not.
constexpr bool has(std::string_view Word, unsigned Wanted, unsigned Not = 0) {
  return !find(Wanted, [&](std::string_view Name, unsigned Are) {
            return Name == Word && (Are & Not) == 0;
          }).empty();
}

/// Returns the option in \p Word, which includes its value (-Iinc,
/// --sysroot=/x), or an empty name if that is no \p Wanted one.
constexpr std::string_view withValue(std::string_view Word, unsigned Wanted) {
  return find(Wanted, [&](std::string_view Name, unsigned Are) {
    return Word.substr(0, Name.size()) == Name &&
           ((Are & Joined) || Word.substr(Name.size(), 1) == "=");
  });
}

} // namespace kpack::clangoptions

#endif // KPACK_SUPPORT_OPTIONSWITHVALUES_H
