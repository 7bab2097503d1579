//===- kpack/Support/ClangOptions.h - options with values -------*- C++ -*-===//
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

#include <initializer_list>
#include <string_view>

namespace kpack {

/// Options of which the same holds.
struct ClangOptions {
  enum : unsigned {
    Joined = 1,   ///< -Iinc
    Separate = 2, ///< -I inc
    Equals = 4,   ///< --sysroot=/x
    Either = Joined | Separate,
    Path = 8, ///< the value is a file or folder that a compile reads
    /// In no key when option and value are one word, when they are two: what
    /// is read by it is in the key itself.
    NoKey = 16,
    NoKeyOfTwo = 32,
    Linker = 64 ///< the value is an option of a linker's
  };
  unsigned Are;
  std::initializer_list<std::string_view> Names;

  constexpr bool are(unsigned Wanted) const { return (Are & Wanted) == Wanted; }
};

/// No name begins as another one that may be joined with its value, unless it
/// is looked for as a whole word first.
inline constexpr ClangOptions AllClangOptions[] = {
    {ClangOptions::Either | ClangOptions::Path | ClangOptions::NoKey |
         ClangOptions::NoKeyOfTwo,
     {"-isystem", "-iquote", "-idirafter", "-isysroot", "-I", "-L", "-B"}},
    {ClangOptions::Either | ClangOptions::Path | ClangOptions::NoKeyOfTwo,
     {"-include", "-imacros"}},
    {ClangOptions::Either | ClangOptions::Path, {"-F"}},
    {ClangOptions::Either,
     {"-iprefix", "-MF", "-MT", "-MQ", "-MJ", "-D", "-U", "-l", "-o", "-x",
      "-T", "-u", "-z", "-A"}},
    {ClangOptions::Separate | ClangOptions::Path,
     {"-include-pch", "-cxx-isystem", "--include-directory"}},
    {ClangOptions::Separate | ClangOptions::Equals | ClangOptions::Path |
         ClangOptions::NoKey,
     {"--sysroot"}},
    {ClangOptions::Equals | ClangOptions::Path | ClangOptions::NoKey,
     {"--hip-path", "--rocm-path", "--rocm-device-lib-path"}},
    {ClangOptions::Equals, {"--offload-arch", "-std"}},
    {ClangOptions::Separate | ClangOptions::Equals, {"--output"}},
    {ClangOptions::Separate | ClangOptions::NoKey, {"-resource-dir"}},
    {ClangOptions::NoKey,
     {"--gcc-toolchain", "--gcc-install-dir", "-fdebug-prefix-map",
      "-ffile-prefix-map", "-fmacro-prefix-map"}},
    {ClangOptions::Separate | ClangOptions::Linker,
     {"-Xlinker", "-Xoffload-linker"}},
    {ClangOptions::Separate,
     {"-Xclang",
      "-mllvm",
      "-target",
      "-arch",
      "-Xarch_host",
      "-Xarch_device",
      "-Xpreprocessor",
      "-Xassembler",
      "-Xopenmp-target",
      "-working-directory",
      "-ivfsoverlay",
      "-iframework",
      "-iwithprefix",
      "-iwithsysroot",
      "-iwithprefixbefore",
      "-gcc-toolchain",
      "-dumpdir",
      "-Xcuda-ptxas",
      "-Xcuda-fatbinary",
      "-stdlib++-isystem",
      "-e",
      "-G",
      "-b",
      "--param",
      "-framework",
      "-rpath"}}};

/// The first name of options that are \p Wanted and that \p Is says it is;
/// empty: there is none.
template <typename Function>
constexpr std::string_view findClangOption(unsigned Wanted,
                                           const Function &Is) {
  for (const ClangOptions &Options : AllClangOptions)
    for (std::string_view Name : Options.Names)
      if (Options.are(Wanted) && Is(Name, Options))
        return Name;
  return {};
}

/// Whether \p Word is the name of an option that is \p Wanted and not \p Not.
constexpr bool isClangOption(std::string_view Word, unsigned Wanted,
                             unsigned Not = 0) {
  auto Is = [&](std::string_view Name, const ClangOptions &Options) {
    return Name == Word && (Options.Are & Not) == 0;
  };
  return !findClangOption(Wanted, Is).empty();
}

/// The option that \p Word is together with its value: -Iinc, --sysroot=/x.
/// Empty: it is no \p Wanted one.
constexpr std::string_view clangOptionWithValue(std::string_view Word,
                                                unsigned Wanted) {
  auto Is = [&](std::string_view Name, const ClangOptions &Options) {
    return Word.substr(0, Name.size()) == Name &&
           (Options.are(ClangOptions::Joined) ||
            Word.substr(Name.size(), 1) == "=");
  };
  return findClangOption(Wanted, Is);
}

} // namespace kpack

#endif // KPACK_SUPPORT_CLANGOPTIONS_H
