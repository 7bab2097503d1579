//===- Parse.cpp - clang's parse of a translation unit --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flags are those of a compile; options that write files are removed.
//
//===----------------------------------------------------------------------===//
#include "Parse.h"
#include "SharedBodies.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/QualTypeNames.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/Stack.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Sema/SemaConsumer.h"
#include "clang/Tooling/ArgumentsAdjusters.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/thread.h"

#include <malloc.h>

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {

/// 1344 branches need 20 MiB; unused pages are never mapped.
constexpr unsigned StackSize = 512u << 20;
constexpr size_t MaxProblems = 20;

class ProblemCollector : public DiagnosticConsumer {
public:
  explicit ProblemCollector(std::vector<ParseProblem> &Output)
      : Problems(Output) {}
  void HandleDiagnostic(DiagnosticsEngine::Level Level,
                        const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (Level < DiagnosticsEngine::Error)
      return;
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    ParseProblem P;
    if (Info.hasSourceManager() && Info.getLocation().isValid()) {
      SourceManager &Sources = Info.getSourceManager();
      P.File = Sources.getPresumedLoc(Info.getLocation()).getFilename();
      P.Message = placeOf(Sources, Info.getLocation()) + ": ";
    }
    P.Message += Text.str();
    Problems.push_back(std::move(P));
  }

private:
  std::vector<ParseProblem> &Problems;
};

using UseFunction = llvm::function_ref<void(ASTContext &)>;
using BodyFilter = llvm::function_ref<bool(const FunctionDecl *)>;

class CallbackConsumer : public SemaConsumer {
public:
  CallbackConsumer(UseFunction Use, BodyFilter WantsBody, SharedBodies *Shared)
      : Use(Use), WantsBody(WantsBody), Shared(Shared) {}
  void InitializeSema(Sema &S) override {
    if (Shared)
      Shared->begin(S);
  }
  void HandleCXXImplicitFunctionInstantiation(FunctionDecl *F) override {
    if (Shared)
      Shared->requested(F);
  }
  void HandleTranslationUnit(ASTContext &Context) override {
    if (Shared)
      Shared->finish();
    Use(Context);
  }
  bool shouldSkipFunctionBody(Decl *D) override {
    const FunctionDecl *F = D ? D->getAsFunction() : nullptr;
    return !F || !WantsBody || !WantsBody(F);
  }

private:
  UseFunction Use;
  BodyFilter WantsBody;
  SharedBodies *Shared;
};

class CallbackAction : public ASTFrontendAction {
public:
  CallbackAction(bool SkipBodies, std::unique_ptr<ASTConsumer> Consumer)
      : SkipBodies(SkipBodies), Consumer(std::move(Consumer)) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler,
                                                 StringRef) override {
    Compiler.getFrontendOpts().SkipFunctionBodies = SkipBodies;
    return std::move(Consumer);
  }

private:
  bool SkipBodies;
  std::unique_ptr<ASTConsumer> Consumer;
};

bool isHip(StringRef Path, ArrayRef<std::string> Flags) {
  for (size_t I = 0; I < Flags.size(); ++I)
    if (Flags[I] == "-xhip" ||
        (Flags[I] == "-x" && I + 1 < Flags.size() && Flags[I + 1] == "hip"))
      return true;
  return Path.ends_with(".hip");
}

/// HIP's headers before 7.0 use macros, and before 5.6 functions, that the
/// build's clang may have and ours lacks. The values are those for the host
/// half of a compile.
constexpr llvm::StringLiteral HipDefaultsPath = "/ck-jit/hip-defaults.h";
constexpr llvm::StringLiteral HipDefaults = R"(
#if __has_include(<hip/hip_version.h>)
#include <hip/hip_version.h>
#if HIP_VERSION_MAJOR < 7 && !defined(__AMDGCN_WAVEFRONT_SIZE)
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
#if HIP_VERSION_MAJOR < 7 && !defined(__AMDGCN_WAVEFRONT_SIZE__)
#define __AMDGCN_WAVEFRONT_SIZE__ 64
#endif
#if HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR < 506 && __clang_major__ >= 20
#define __llvm_amdgcn_rcp_f16(X) ((_Float16)1 / (X))
#define __llvm_amdgcn_rcp_2f16(X) ((__2f16)1 / (__2f16)(X))
#endif
#endif
)";

std::vector<std::string> commandLine(StringRef Path,
                                     const SourceOptions &Options) {
  std::vector<std::string> Line = {Options.Clang.empty() ? KPACK_DEFAULT_CLANG
                                                         : Options.Clang};
  if (isHip(Path, Options.Flags))
    Line.insert(Line.end(), {"-include", HipDefaultsPath.str()});
  Line.insert(Line.end(), Options.Flags.begin(), Options.Flags.end());
  Line.insert(Line.end(), {"-fbracket-depth=8192", "-w", "-ferror-limit=0",
                           "-fno-caret-diagnostics"});
  if (isHip(Path, Options.Flags))
    Line.push_back("--offload-host-only");
  Line.push_back(Path.str());
  for (const tooling::ArgumentsAdjuster &Adjust :
       {tooling::getStripPluginsAdjuster(),
        tooling::getClangStripOutputAdjuster(),
        tooling::getClangStripDependencyFileAdjuster(),
        tooling::getClangSyntaxOnlyAdjuster()})
    Line = Adjust(Line, Path);
  return Line;
}

} // namespace

std::vector<ParseProblem> ckjit::parseSource(StringRef Path,
                                             const SourceOptions &Options,
                                             ArrayRef<VirtualFile> Files,
                                             bool SkipBodies, UseFunction Use,
                                             BodyFilter WantsBody,
                                             SharedBodies *Shared) {
  std::vector<ParseProblem> Problems;
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  llvm::SmallString<256> Here;
  if (!llvm::sys::fs::current_path(Here))
    Memory->setCurrentWorkingDirectory(Here);
  for (const VirtualFile &F : Files) {
    llvm::sys::fs::file_status Status; // __TIMESTAMP__ shows its time
    bool IsThere = !llvm::sys::fs::status(F.Path, Status);
    Memory->addFile(
        F.Path,
        IsThere ? llvm::sys::toTimeT(Status.getLastModificationTime()) : 0,
        llvm::MemoryBuffer::getMemBuffer(F.Text, F.Path));
  }
  Memory->addFile(HipDefaultsPath, 0,
                  llvm::MemoryBuffer::getMemBuffer(HipDefaults));
  auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::vfs::getRealFileSystem());
  Overlay->pushOverlay(Memory);

  auto Run = [&] {
    noteBottomOfStack();
    auto Manager =
        llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions(), Overlay);
    ProblemCollector Collector(Problems);
    tooling::ToolInvocation Invocation(
        commandLine(Path, Options),
        std::make_unique<CallbackAction>(
            SkipBodies,
            std::make_unique<CallbackConsumer>(Use, WantsBody, Shared)),
        Manager.get());
    Invocation.setDiagnosticConsumer(&Collector);
    if (!Invocation.run() && Problems.empty())
      Problems.push_back({"", "clang's front end fails without a message"});
  };
  llvm::thread Worker(std::optional<unsigned>(StackSize), Run);
  Worker.join();
  // The next parse has a new thread and so a new heap: return the memory of
  // this one's AST.
  malloc_trim(0);
  return Problems;
}

std::vector<ParseProblem> ckjit::parseTogether(ArrayRef<VirtualFile> Files,
                                               const SourceOptions &Options,
                                               UseFunction Use,
                                               BodyFilter WantsBody) {
  VirtualFile All;
  All.Path = (llvm::sys::path::parent_path(Files.front().Path) +
              "/ck-jit-all-blobs.cpp")
                 .str();
  for (const VirtualFile &F : Files)
    All.Text += "#include \"" + F.Path + "\"\n";
  std::vector<VirtualFile> Everything = Files.vec();
  Everything.push_back(std::move(All));
  return parseSource(Everything.back().Path, Options, Everything,
                     /*SkipBodies=*/true, Use, WantsBody);
}

std::vector<ParseProblem> ckjit::parseDispatcher(
    StringRef Path, const SourceOptions &Options, ArrayRef<VirtualFile> Short,
    llvm::function_ref<void(ASTContext &, SharedBodies &)> Use) {
  SharedBodies Shared, None;
  if (!Options.Thorough &&
      parseSource(
          Path, Options, Short, /*SkipBodies=*/false,
          [&](ASTContext &Context) { Use(Context, Shared); }, nullptr, &Shared)
          .empty() &&
      Shared.isTrusted())
    return {};
  return parseSource(Path, Options, {}, /*SkipBodies=*/false,
                     [&](ASTContext &Context) { Use(Context, None); });
}

llvm::Error ckjit::toError(StringRef Object, ArrayRef<ParseProblem> Problems) {
  std::string Text;
  for (const ParseProblem &P : Problems.take_front(MaxProblems))
    Text += "\n  " + P.Message;
  if (Problems.size() > MaxProblems)
    Text +=
        "\n  and " + std::to_string(Problems.size() - MaxProblems) + " more";
  return llvm::createStringError(
      Object + ": it does not compile; give the flags of its build after '--'" +
      Text);
}

PrintingPolicy ckjit::printingPolicy(const ASTContext &Context) {
  PrintingPolicy Policy(Context.getLangOpts());
  Policy.adjustForCPlusPlus();
  Policy.Bool = true;
  return Policy;
}

std::string ckjit::readableName(const FunctionDecl *F) {
  std::string Name;
  llvm::raw_string_ostream OS(Name);
  PrintingPolicy Policy = printingPolicy(F->getASTContext());
  F->printQualifiedName(OS, Policy);
  if (const TemplateArgumentList *Args = F->getTemplateSpecializationArgs())
    printTemplateArgumentList(OS, Args->asArray(), Policy);
  return Name;
}

std::string ckjit::qualifiedType(QualType Type, const ASTContext &Context,
                                 StringRef Name) {
  std::string Text = Name.str();
  TypeName::getFullyQualifiedType(Type, Context)
      .getAsStringInternal(Text, printingPolicy(Context));
  return Text;
}

std::string ckjit::getSignature(const FunctionDecl *F) {
  const ASTContext &Context = F->getASTContext();
  std::string Text = qualifiedType(F->getReturnType(), Context) + " (";
  for (unsigned I = 0; I < F->getNumParams(); ++I)
    Text +=
        (I ? ", " : "") + qualifiedType(F->getParamDecl(I)->getType(), Context);
  return Text + ")";
}

std::string ckjit::getCallType(const FunctionDecl *F) {
  std::string Text = getSignature(F);
  return Text.erase(Text.find(" ("), 1);
}

std::string ckjit::placeOf(const SourceManager &Sources,
                           SourceLocation Location) {
  PresumedLoc Place = Sources.getPresumedLoc(Location);
  if (Place.isInvalid())
    return "<unknown>";
  return (llvm::Twine(Place.getFilename()) + ":" +
          llvm::Twine(Place.getLine()) + ":" + llvm::Twine(Place.getColumn()))
      .str();
}

StringRef ckjit::getFile(const SourceManager &Sources,
                         SourceLocation Location) {
  PresumedLoc Place =
      Sources.getPresumedLoc(Location, /*UseLineDirectives=*/false);
  return Place.isValid() ? Place.getFilename() : StringRef();
}

bool ckjit::isTemplateParameter(TemplateName Name) {
#if LLVM_VERSION_MAJOR >= 20
  const TemplateDecl *T = Name.getAsTemplateDecl(/*IgnoreDeduced=*/true);
#else
  const TemplateDecl *T = Name.getAsTemplateDecl();
#endif
  return isa_and_nonnull<TemplateTemplateParmDecl>(T);
}

bool ckjit::isUndefinedSpecialization(const FunctionDecl *F,
                                      const SourceManager &Sources) {
  const FunctionTemplateDecl *Template = F->getPrimaryTemplate();
  if (!Template || F->isDependentContext() || F->isDefined() ||
      Sources.isInSystemHeader(Template->getLocation()))
    return false;
  const FunctionDecl *Pattern = F->getTemplateInstantiationPattern(false);
  return !Pattern || !Pattern->isDefined();
}
