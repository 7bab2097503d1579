//===- DeviceLink.cpp - the device link of -fgpu-rdc ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld keeps the state of a link in globals, so each target's link is a child
// process of this program, which is lld if it runs without --kpack=. Inputs,
// output and messages are memory files.
//
// Objects of the command line and live archive members are linked whole. Other
// members are linked if their symbols are needed: a TU with only __device__
// functions has no wrapper, so the host link does not show whether it is live.
//
//===----------------------------------------------------------------------===//
#include "DeviceLink.h"

#include "NameStream.h"
#include "ToolSupport/Errors.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/ThreadPool.h"

using namespace llvm;
using namespace kpack::offload;

namespace kpack::linker {

namespace {
struct DeviceInput {
  const InputObject *Object;
  StringRef Bytes;
};

/// The inputs for one target, in command line order.
struct TargetInputs {
  std::vector<DeviceInput> Whole, Lazy;
};
} // namespace

static std::map<std::string, TargetInputs>
collectInputs(const InputFiles &Inputs, const LinkedCode &Code) {
  std::set<uint64_t> Live;
  for (const LiveWrapper &W : Code.Wrappers)
    Live.insert(W.Token);

  std::map<std::string, TargetInputs> Targets;
  std::set<uint64_t> Seen;
  for (const std::unique_ptr<InputFile> &File : Inputs.files())
    for (const InputObject &Object : File->Objects)
      for (const DevicePayload &Payload : Object.Contents.Payloads) {
        if (Payload.Kind != PayloadKind::Rdc)
          continue;
        // The same TU in two libraries; the host linker took one of them.
        if (Payload.Token && !Seen.insert(*Payload.Token).second)
          continue;
        bool IsWhole =
            !Object.IsLazy || (Payload.Token && Live.count(*Payload.Token));
        for (const DeviceImage &Image : Payload.Images) {
          TargetInputs &Target = Targets[Image.Target];
          (IsWhole ? Target.Whole : Target.Lazy)
              .push_back({&Object, Image.Bytes});
        }
      }
  return Targets;
}

/// "gfx90a:sramecc-:xnack+" -> "-sramecc,+xnack".
static std::string getFeatures(StringRef Target) {
  SmallVector<StringRef> Parts;
  Target.split(Parts, ':');
  std::vector<std::string> Features;
  for (StringRef Feature : ArrayRef(Parts).drop_front())
    if (!Feature.empty())
      Features.push_back((Feature.take_back(1) + Feature.drop_back(1)).str());
  return join(Features, ",");
}

/// Returns the arguments that clang's driver passes to lld, without inputs.
static std::vector<std::string> linkArguments(StringRef Target,
                                              const LinkOptions &Options) {
  std::vector<std::string> Arguments = {
      "ld.lld",         "-m",      "elf64_amdgpu",
      "--no-undefined", "-shared", "-plugin-opt=-amdgpu-internalize-symbols"};
#if LLVM_VERSION_MAJOR >= 20
  // Determines how code generation is split, and so the output.
  Arguments.push_back("--lto-partitions=8");
#endif
  Arguments.push_back(("-plugin-opt=mcpu=" + Target.split(':').first).str());
  if (Options.DeviceOptLevel) {
    std::string Level = utostr(*Options.DeviceOptLevel);
    Arguments.insert(Arguments.end(),
                     {"-plugin-opt=O" + Level, "--lto-CGO" + Level});
  }
  std::string Features = getFeatures(Target);
  if (!Features.empty())
    Arguments.push_back("-plugin-opt=-mattr=" + Features);
  return Arguments;
}

/// Returns the name of the code object for \p Target, as clang's -save-temps
/// has it. It is the prefix of lld's other files.
static Expected<std::string> outputNameFor(StringRef Target,
                                           const LinkOptions &Options) {
  if (!isValidTargetId(std::string_view(Target)))
    return objectError(("device link for " + Target).str(),
                       "no target id, so no file is named after it; drop "
                       "arguments of --kpack-device-link-arg= that keep files");
  return (sys::path::filename(Options.Output) + "-hip-" + DeviceTriple + "-" +
          Target)
      .str();
}

static Expected<std::unique_ptr<MemoryBuffer>>
linkTarget(StringRef Target, const TargetInputs &Inputs,
           const LinkOptions &Options, const KeptFiles *Kept) {
  std::vector<std::string> Arguments = linkArguments(Target, Options);
  std::vector<MemoryFile> Files;
  NameTable Names;
  auto AddInputs = [&](ArrayRef<DeviceInput> Objects) -> Error {
    for (const DeviceInput &Input : Objects) {
      Expected<MemoryFile> File =
          MemoryFile::create(Input.Object->Name, Input.Bytes);
      if (!File)
        return File.takeError();
      Files.push_back(std::move(*File));
      Arguments.push_back(Files.back().path());
      Names.add(Files.back().path(), Input.Object->Name);
    }
    return Error::success();
  };

  Arguments.push_back("--whole-archive");
  if (Error E = AddInputs(Inputs.Whole))
    return std::move(E);
  Arguments.push_back("--no-whole-archive");
  if (!Inputs.Lazy.empty()) {
    Arguments.push_back("--start-lib");
    if (Error E = AddInputs(Inputs.Lazy))
      return std::move(E);
    Arguments.push_back("--end-lib");
  }
  Arguments.insert(Arguments.end(), Options.DeviceLinkArgs.begin(),
                   Options.DeviceLinkArgs.end());

  Expected<MemoryFile> Output = MemoryFile::create("kpack-device-link");
  if (!Output)
    return Output.takeError();
  Expected<MemoryFile> Messages = MemoryFile::create("kpack-device-messages");
  if (!Messages)
    return Messages.takeError();
  std::string Name;
  if (Kept) {
    if (Error E = outputNameFor(Target, Options).moveInto(Name))
      return std::move(E);
    StringRef Folder = sys::path::parent_path(Options.Output);
    Names.add(Kept->folder(), Folder.empty() ? "." : Folder.str());
  }
  // Otherwise write to standard output, since lld replaces an output file by
  // rename. Messages contain lld's name for it.
  Names.add(" -.lto.", (" " + Target + ".lto.").str());
  Arguments.insert(Arguments.end(), {"-o", Kept ? Kept->pathFor(Name) : "-"});

  std::vector<StringRef> Argv(Arguments.begin(), Arguments.end());
  std::string OutputPath = Output->path(), MessagePath = Messages->path();
  std::string Failure;
  std::optional<StringRef> Redirects[] = {std::nullopt, StringRef(OutputPath),
                                          StringRef(MessagePath)};
  int Result = sys::ExecuteAndWait("/proc/self/exe", Argv, std::nullopt,
                                   Redirects, /*SecondsToWait=*/0,
                                   /*MemoryLimit=*/0, &Failure);
  if (Result != 0) {
    Expected<std::unique_ptr<MemoryBuffer>> Text = Messages->read();
    if (!Text)
      return Text.takeError();
    StringRef Said = (*Text)->getBuffer().trim();
    return objectError(("device link for " + Target).str(),
                       Said.empty()
                           ? Twine(Failure) + "; there may be too little memory"
                           : "failed:\n" + Twine(Names.apply(Said)));
  }
  Expected<std::unique_ptr<MemoryBuffer>> Linked =
      Kept ? Kept->read(Name) : Output->read();
  if (Linked &&
      identify_magic((*Linked)->getBuffer()) != file_magic::elf_shared_object)
    return objectError(("device link for " + Target).str(),
                       "the result is no code object; drop arguments of "
                       "--kpack-device-link-arg= that print or that change "
                       "the kind of output");
  return Linked;
}

bool keepsDeviceFiles(const LinkOptions &Options) {
  return any_of(Options.DeviceLinkArgs, writesBesideOutput);
}

Expected<std::vector<DeviceImageFile>>
linkDeviceCode(const InputFiles &Inputs, const LinkedCode &Code,
               const LinkOptions &Options, const KeptFiles *Kept) {
  if (!keepsDeviceFiles(Options))
    Kept = nullptr;
  std::map<std::string, TargetInputs> Targets = collectInputs(Inputs, Code);
  std::vector<DeviceImageFile> Images;
  for (const auto &[Target, Ignored] : Targets)
    Images.push_back({Target, nullptr});
  std::vector<std::string> Failures(Images.size());
  DefaultThreadPool Pool(hardware_concurrency(Options.Archives.Threads));
  for (size_t I = 0; I != Images.size(); ++I)
    Pool.async([&, I] {
      auto &[Target, Bytes] = Images[I];
      if (Error E = linkTarget(Target, Targets.at(Target), Options, Kept)
                        .moveInto(Bytes))
        Failures[I] = toString(std::move(E));
    });
  Pool.wait();
  for (const std::string &Failure : Failures)
    if (!Failure.empty())
      return createStringError(inconvertibleErrorCode(), Failure);
  return Images;
}

} // namespace kpack::linker
