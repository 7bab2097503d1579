//===- Support/ClangOptions.h - options with values -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options of clang, hipcc and g++ whose values somebody here has to tell from
// options and inputs, in one table: how the value stands, whether it is a path,
// whether it is in a cache's key. The table need not be whole: what is not in
// it is an option of one word, which is wrong only if its value is a word of
// its own. Without LLVM, whose own table starts too slowly for a program that
// runs thousands of times in a build.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_CLANGOPTIONS_H
#define KPACK_SUPPORT_CLANGOPTIONS_H

#include <string_view>

namespace kpack::clangoptions {

enum : unsigned {
  Joined = 1,   ///< -Iinc
  Separate = 2, ///< -I inc
  Equals = 4,   ///< --sysroot=/x
  Either = Joined | Separate,
  Path = 8, ///< the value is a file or folder that a compile reads
  /// In no key when option and value are one word, when they are two: what is
  /// read by it is in the key itself.
  NoKey = 16,
  NoKeyOfTwo = 32,
  Linker = 64 ///< the value is an option of a linker's
};

/// Options of which the same holds. The array ends with empty names: g++ 12
/// takes no constant with an initializer_list in it.
struct Group {
  unsigned Are;
  std::string_view Names[9];
};

/// No name begins as another one that may be joined with its value, unless it
/// is looked for as a whole word first.
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

/// The first name of options that are \p Wanted and that \p Is says it is;
/// empty: there is none.
template <typename Function>
constexpr std::string_view find(unsigned Wanted, const Function &Is) {
  for (const Group &Some : Groups)
    for (std::string_view Name : Some.Names)
      if (!Name.empty() && (Some.Are & Wanted) == Wanted && Is(Name, Some.Are))
        return Name;
  return {};
}

/// Whether \p Word is the name of an option that is \p Wanted and not \p Not.
constexpr bool has(std::string_view Word, unsigned Wanted, unsigned Not = 0) {
  return !find(Wanted, [&](std::string_view Name, unsigned Are) {
            return Name == Word && (Are & Not) == 0;
          }).empty();
}

/// The option that \p Word is together with its value: -Iinc, --sysroot=/x.
/// Empty: it is no \p Wanted one.
constexpr std::string_view withValue(std::string_view Word, unsigned Wanted) {
  return find(Wanted, [&](std::string_view Name, unsigned Are) {
    return Word.substr(0, Name.size()) == Name &&
           ((Are & Joined) || Word.substr(Name.size(), 1) == "=");
  });
}

} // namespace kpack::clangoptions

#endif // KPACK_SUPPORT_CLANGOPTIONS_H
