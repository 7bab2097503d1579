//===- Cuid.cpp - one cuid for all compiles of a TU -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The list names the options to exclude from the hash, not those to include. An
// option missing from it only makes two cuids differ that could be equal; one
// missing from a list of relevant options would give the same cuid to different
// TUs, a.hip with -DA and a.hip with -DB.
//
// The parts of the hashed text (path, options in order, language) are separated
// by NUL, which none of them can contain. A -cuid= for two TUs of a command is
// refused here; for two commands, the link detects that their device code
// differs (lib/Linker/Resolve.cpp).
//
//===----------------------------------------------------------------------===//

#include "Cuid.h"
#include "ClangOptions.h"
#include "Offload/HipSymbols.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace llvm::opt;
using kpack::objectError;

namespace kpack::driver {

/// True for options that cannot change the generated code. An omission is
/// harmless: the cuid only differs needlessly.
static bool leavesCodeAlone(const Option &O) {
  OptSpecifier Ids[] = {
      options::OPT_o,
      options::OPT_c,
      options::OPT_S,
      options::OPT_emit_llvm,
      options::OPT_v,
      options::OPT__HASH_HASH_HASH,
      options::OPT_M_Group,
      options::OPT_W_Group,
      options::OPT_w,
      options::OPT_Link_Group,
      options::OPT_save_temps_EQ,
      options::OPT_fuse_ld_EQ,
      options::OPT_dumpdir,
      options::OPT_Qunused_arguments,
      options::OPT_fcolor_diagnostics,
      options::OPT_fno_color_diagnostics,
      options::OPT_cuid_EQ,
      options::OPT_fuse_cuid_EQ,
      options::OPT_offload_compress,
      options::OPT_no_offload_compress,
      options::OPT_x,
      options::OPT__DASH_DASH,
  };
  return any_of(Ids, [&](OptSpecifier Id) { return O.matches(Id); }) ||
         O.hasFlag(options::LinkerInput) || O.getKind() == Option::InputClass;
}

std::string hashCuid(const CommandLine &Command, const Input &Source) {
  SmallString<256> Real;
  if (sys::fs::real_path(Source.Path, Real))
    Real = Source.Path; // "-", or a file that clang will not find
  ArgStringList Options;
  for (const Arg *A : Command.args())
    if (!Command.isOwn(*A) && !Command.isSupplied(*A) &&
        !leavesCodeAlone(A->getOption()))
      A->render(Command.args(), Options);

  std::string Text(Real);
  for (StringRef Option : Options)
    Text.append({'\0'}).append(Option.str());
  Text.append({'\0'}).append(Source.Language);
  return offload::hex16(xxh3_64bits(arrayRefFromStringRef(Text)));
}

static std::string randomCuid() {
  uint64_t Value = (uint64_t(sys::Process::GetRandomNumber()) << 32) |
                   sys::Process::GetRandomNumber();
  return offload::hex16(Value);
}

Expected<std::vector<std::string>> cuids(const CommandLine &Command) {
  const Arg *Given = Command.args().getLastArg(options::OPT_cuid_EQ);
  StringRef Method =
      Command.args().getLastArgValue(options::OPT_fuse_cuid_EQ, "hash");
  if (!Given && Method == "none" && Command.hasHipInput())
    return objectError("-fuse-cuid=none",
                       "device code of one TU could not be told from that of "
                       "another; use -fuse-cuid=hash or -cuid=ID");

  std::vector<std::string> Result;
  for (const Input &Source : Command.Inputs) {
    if (!Source.IsHip)
      continue;
    if (Given && !Result.empty())
      return objectError(
          Source.Path, "-cuid=" + Twine(Given->getValue()) +
                           " is taken by another TU of this command; compile "
                           "each in a command of its own with its own -cuid=, "
                           "or drop -cuid=");
    if (Given)
      Result.push_back(Given->getValue());
    else if (Method == "random")
      Result.push_back(randomCuid());
    else
      Result.push_back(hashCuid(Command, Source));
  }
  return Result;
}

} // namespace kpack::driver
