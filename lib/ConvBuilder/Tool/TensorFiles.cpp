//===- TensorFiles.cpp - raw files of tensors -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TensorFiles.h. A file of another size is refused: its writer meant
// another layout, type or problem, so messages name the expected one.
//
//===----------------------------------------------------------------------===//
#include "TensorFiles.h"

#include "Support/Files.h"
#include "ToolSupport/Errors.h"
#include "kpack/Support/UniqueFd.h"

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

static TensorLayout getLayout(const Signature &Sig, const CallTensor &T) {
  const Tensor &Its = tensorOf(Sig, T.Of);
  if (T.Auxiliary < 0)
    return Its.config.layout;
  return Its.operation
      ->auxiliary_operand_configs[static_cast<unsigned>(T.Auxiliary)]
      .layout;
}

std::string conv::formText(const Signature &Sig, const CallTensor &T) {
  TensorLayout Layout = getLayout(Sig, T);
  const LayoutFacts &Facts = factsOf(Layout);
  std::string Text = (StringRef(nameOf(T.Type)) + ", " + nameOf(Layout)).str();
  if (Facts.Strided)
    return Text + ", from its first to its last element by the strides";
  for (unsigned I = 0; I < Facts.Count; ++I)
    Text += (I ? "x" : " ") +
            std::to_string(T.Shape.Extents[placeOf(Facts.Letters[I], T.Of)]);
  return Text;
}

Error conv::checkMemory(ArrayRef<CallTensor> Tensors) {
  auto There = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
               static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  // Each tensor is in the process and on the device.
  for (const CallTensor &T : Tensors) {
    uint64_t Bytes = uint64_t(T.bytes()) * 2;
    if (Bytes > There)
      return objectError("problem", "the " + T.name() + " and its copy need " +
                                        Twine(T.bytes()) +
                                        " bytes each, more than there are; "
                                        "take a smaller one");
    There -= Bytes;
  }
  return Error::success();
}

Expected<std::vector<std::string>>
conv::getFiles(const Invocation &I, ArrayRef<CallTensor> Tensors) {
  std::pair<OptionId, StringRef> Options[] = {{OPT_input_EQ, "--input"},
                                              {OPT_weight_EQ, "--weight"},
                                              {OPT_output_EQ, "--output"}};
  std::vector<std::string> Auxiliary = I.Args.getAllArgValues(OPT_aux_EQ);
  std::vector<std::string> Files;
  for (const CallTensor &T : Tensors) {
    size_t Index = Files.size();
    if (Index >= std::size(Options)) {
      size_t Which = Index - std::size(Options);
      Files.push_back(Which < Auxiliary.size() ? Auxiliary[Which] : "");
    } else {
      Files.push_back(I.Args.getLastArgValue(Options[Index].first).str());
    }
    StringRef Option =
        Index < std::size(Options) ? Options[Index].second : "--aux";
    if (Files.back().empty())
      return createStringError(inconvertibleErrorCode(),
                               "command line: no file for the " + T.name() +
                                   "; give " + Option + "=<file>" +
                                   (T.IsResult ? " to write it to" : ""));
  }
  size_t Wanted = Tensors.size() - std::size(Options);
  if (Auxiliary.size() > Wanted)
    return objectError("--aux=" + Auxiliary[Wanted],
                       "the operations take " + Twine(Wanted) +
                           " auxiliary operand" + (Wanted == 1 ? "" : "s") +
                           "; leave the file out");
  return Files;
}

/// Reads all of a file; fails if its size differs from the tensor's.
static Error readTensor(const Signature &Sig, const CallTensor &T,
                        StringRef Path, TensorBytes &Bytes) {
  UniqueFd File(::open(Path.str().c_str(), O_RDONLY | O_CLOEXEC));
  std::optional<std::string> Read;
  // Read one byte more to notice longer files.
  if (File)
    Read = readToEnd(File.get(), T.bytes() + 1);
  if (!Read)
    return objectError(Path, Twine("cannot be read: ") + std::strerror(errno) +
                                 "; give the file of the " + T.name());
  if (Read->size() != T.bytes())
    return objectError(
        Path, Twine("has ") + (Read->size() > T.bytes() ? "more than " : "") +
                  Twine(std::min(Read->size(), T.bytes())) + " bytes, the " +
                  T.name() + " " + Twine(T.bytes()) + " (" + formText(Sig, T) +
                  "); give a file of this size");
  Bytes.resize(Read->size());
  std::memcpy(Bytes.data(), Read->data(), Read->size());
  return Error::success();
}

Expected<std::vector<TensorBytes>>
conv::readTensors(const Signature &Sig, ArrayRef<CallTensor> Tensors,
                  ArrayRef<std::string> Files) {
  std::vector<TensorBytes> Memory(Tensors.size());
  for (size_t I = 0; I < Tensors.size(); ++I) {
    if (Tensors[I].IsResult)
      Memory[I].resize(Tensors[I].bytes());
    else if (Error E = readTensor(Sig, Tensors[I], Files[I], Memory[I]))
      return std::move(E);
  }
  return Memory;
}
