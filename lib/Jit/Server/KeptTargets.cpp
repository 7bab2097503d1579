//===- KeptTargets.cpp - reused LLVM target machines ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's registry has a function for each target that makes a target machine;
// ours replaces it and calls it. The caller owns a target machine, but a front
// end that must not free anything leaks it, which is the only effect of
// "-disable-free" on code generation.
//
// State of a module in a target machine is reset: its options, which functions
// change, and in its object file lowering the set of retained globals, by
// address, and a counter for sections.
//
//===----------------------------------------------------------------------===//
#include "KeptTargets.h"

#include "clang/Frontend/CompilerInvocation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/TargetLoweringObjectFileImpl.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

#include <list>
#include <memory>
#include <optional>
#include <string>

using namespace kpack;
using namespace llvm;

namespace {

/// Each takes a few megabytes.
constexpr size_t MaxKept = 4;

using ObjectFiles = TargetLoweringObjectFileELF;

/// Accesses private members without accessors: an explicit instantiation may
/// name them.
template <auto Used, auto Next> struct Opened {
  friend void forgetModule(ObjectFiles &Files) {
    (Files.*Used).clear();
    Files.*Next = 1;
  }
};
template struct Opened<&ObjectFiles::Used, &ObjectFiles::NextUniqueID>;
void forgetModule(ObjectFiles &Files);

struct Kept {
  std::string Key;
  std::unique_ptr<TargetMachine> Machine;
};

/// A target whose machines we make.
class Hooked {
public:
  Hooked(const char *Name, Target::TargetMachineCtorTy Function)
      : Function(Function) {
    for (const Target &T : TargetRegistry::targets())
      if (StringRef(T.getName()) == Name) {
        Registered = const_cast<Target *>(&T);
        Original.emplace(T);
      }
  }

  /// Call it for each run: a link registers all targets again.
  void attach() {
    if (Registered)
      TargetRegistry::RegisterTargetMachine(*Registered, Function);
  }
  const Target &original() const { return *Original; }

private:
  const Target::TargetMachineCtorTy Function;
  Target *Registered = nullptr;
  std::optional<Target> Original; ///< before our change
};

/// One per process: the registry's functions take no user data.
class KeptTargets {
public:
  static KeptTargets &get() {
    static auto *All = new KeptTargets;
    return *All;
  }

  void begin(std::string NewKey) {
    X86.attach();
    Amd.attach();
    Key = std::move(NewKey);
    Used = nullptr;
  }
  void end(bool IsGood);

  TargetMachine *make(const Target &By, const Triple &T, StringRef Cpu,
                      StringRef Features, const TargetOptions &Options,
                      std::optional<Reloc::Model> Relocations,
                      std::optional<CodeModel::Model> Model,
                      CodeGenOptLevel Level);

private:
  KeptTargets()
      : X86("x86-64", makeBy<&KeptTargets::X86>),
        Amd("amdgcn", makeBy<&KeptTargets::Amd>) {}

  template <Hooked KeptTargets::*Where>
  static TargetMachine *
  makeBy(const Target &, const Triple &T, StringRef Cpu, StringRef Features,
         const TargetOptions &Options, std::optional<Reloc::Model> Relocations,
         std::optional<CodeModel::Model> Model, CodeGenOptLevel Level, bool) {
    KeptTargets &All = get();
    return All.make((All.*Where).original(), T, Cpu, Features, Options,
                    Relocations, Model, Level);
  }

  Hooked X86, Amd;
  std::string Key;               ///< of the run; empty: keep none
  TargetMachine *Used = nullptr; ///< by the run
  std::list<Kept> Machines;      ///< most recently used first
};

} // namespace

TargetMachine *KeptTargets::make(const Target &By, const Triple &T,
                                 StringRef Cpu, StringRef Features,
                                 const TargetOptions &Options,
                                 std::optional<Reloc::Model> Relocations,
                                 std::optional<CodeModel::Model> Model,
                                 CodeGenOptLevel Level) {
  std::string Full = Key + '\0' + T.str();
  // A run that makes two uses both at once, so reuse only the first.
  if (!Key.empty() && !Used)
    for (auto It = Machines.begin(); It != Machines.end(); ++It)
      if (It->Key == Full) {
        Machines.splice(Machines.begin(), Machines, It);
        Used = It->Machine.get();
        Used->Options = Options;
        forgetModule(static_cast<ObjectFiles &>(*Used->getObjFileLowering()));
        return Used;
      }
  TargetMachine *Created = By.createTargetMachine(T, Cpu, Features, Options,
                                                  Relocations, Model, Level);
  if (!Key.empty() && !Used) {
    Used = Created;
    Machines.push_front(
        {std::move(Full), std::unique_ptr<TargetMachine>(Created)});
  }
  return Created;
}

void KeptTargets::end(bool IsGood) {
  if (!IsGood)
    Machines.remove_if([&](const Kept &K) { return K.Machine.get() == Used; });
  while (Machines.size() > MaxKept)
    Machines.pop_back();
  Key.clear();
}

/// Returns true if all state of a target machine can be reset between two runs.
static bool mayBeKept(const clang::CompilerInvocation &Invocation) {
  const clang::LangOptions &Language = Invocation.getLangOpts();
  const clang::CodeGenOptions &Code = Invocation.getCodeGenOpts();
  bool HasModes = Language.NoHonorInfs || Language.NoHonorNaNs ||
                  Language.NoSignedZero || Language.ApproxFunc;
  return Invocation.getFrontendOpts().ProgramAction ==
             clang::frontend::EmitObj &&
         Code.getDebugInfo() == codegenoptions::NoDebugInfo && !HasModes;
}

/// Joins all arguments except file names; the source is the last argument.
static std::string getKey(ArrayRef<const char *> Args) {
  std::string Key;
  for (size_t I = 0; I + 1 < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (Arg == "-o" || Arg == "-main-file-name")
      ++I;
    else
      Key.append(Arg).push_back('\0');
  }
  return Key;
}

jit::KeptTarget::KeptTarget(ArrayRef<const char *> Args,
                            clang::CompilerInvocation &Invocation) {
  bool MayBe = mayBeKept(Invocation);
  KeptTargets::get().begin(MayBe ? getKey(Args) : "");
  Invocation.getCodeGenOpts().DisableFree = MayBe;
}

jit::KeptTarget::~KeptTarget() { KeptTargets::get().end(IsGood); }
