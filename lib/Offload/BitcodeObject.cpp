//===- BitcodeObject.cpp - wrappers and payload of an LTO object ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BitcodeObject.h. The wrapper is found by its section, not by its name:
// merging modules renames internal globals.
//
//===----------------------------------------------------------------------===//
#include "BitcodeObject.h"
#include "Damaged.h"

#include "Offload/DevicePayload.h"
#include "Offload/HipSymbols.h"
#include "ToolSupport/Errors.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::offload {

//===----------------------------------------------------------------------===//
// The file around the module
//===----------------------------------------------------------------------===//

static constexpr StringLiteral RawMagic = "BC\xC0\xDE";
static constexpr uint32_t WrapperHeaderMagic = 0x0B17C0DE;
static constexpr uint64_t WrapperHeaderSize = 20;

static bool hasWrapperHeader(StringRef Bytes) {
  return Bytes.size() >= WrapperHeaderSize &&
         read32le(Bytes.data()) == WrapperHeaderMagic;
}

bool isBitcodeFile(StringRef Bytes) {
  return Bytes.starts_with(RawMagic) || hasWrapperHeader(Bytes);
}

Expected<BitcodeParts> splitBitcode(StringRef Bytes, StringRef Object) {
  if (!hasWrapperHeader(Bytes))
    return BitcodeParts{Bytes, StringRef()};
  uint64_t Offset = read32le(Bytes.data() + 8);
  uint64_t Size = read32le(Bytes.data() + 12);
  if (Offset < WrapperHeaderSize || Offset > Bytes.size() ||
      Size > Bytes.size() - Offset)
    return offload::damagedObject(Object, "bitcode lies outside the file");
  return BitcodeParts{Bytes.substr(Offset, Size), Bytes.substr(Offset + Size)};
}

std::string joinBitcode(StringRef Module, StringRef Tail) {
  std::string Out(WrapperHeaderSize, '\0');
  write32le(&Out[0], WrapperHeaderMagic);
  write32le(&Out[8], WrapperHeaderSize);
  write32le(&Out[12], Module.size());
  Out.append(Module.begin(), Module.end());
  Out.append(Tail.begin(), Tail.end());
  // A bitstream is a sequence of 32-bit words; LLVM refuses other sizes.
  Out.resize(alignTo(Out.size(), 4));
  return Out;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static constexpr char Fix[] =
    "; compile it with a clang of LLVM " LLVM_VERSION_STRING " or older";

/// Returns reserved1, which is null or inttoptr(i64 token).
static uint64_t readReserved1(const Constant *Field) {
  if (const auto *Expr = dyn_cast<ConstantExpr>(Field))
    if (Expr->getOpcode() == Instruction::IntToPtr)
      if (const auto *Token = dyn_cast<ConstantInt>(Expr->getOperand(0)))
        return Token->getZExtValue();
  return 0;
}

static Expected<BitcodeWrapper> readWrapper(const GlobalVariable &Global,
                                            StringRef Object) {
  const auto *Fields = dyn_cast<ConstantStruct>(Global.getInitializer());
  // A sanitizer appends a redzone to the struct.
  if (Fields && Fields->getNumOperands() == 2)
    Fields = dyn_cast<ConstantStruct>(Fields->getOperand(0));
  const ConstantInt *Magic = nullptr;
  if (Fields && Fields->getNumOperands() == 4)
    Magic = dyn_cast<ConstantInt>(Fields->getOperand(0));
  if (!Magic)
    return objectError(Object, Twine(WrapperSectionName) +
                                   " of its bitcode is not understood" + Fix);
  BitcodeWrapper W;
  W.Magic = Magic->getZExtValue();
  W.Reserved1 = readReserved1(Fields->getOperand(3));
  const Constant *Pointer = Fields->getOperand(2)->stripPointerCasts();
  const auto *Target = dyn_cast<GlobalVariable>(Pointer);
  if (!Target || !Target->isDeclaration()) {
    W.IsFat = true;
    return W;
  }
  W.SymbolToken = parseTokenSymbol(Target->getName(), FatBinPrefix);
  W.IsAnonymous = !W.SymbolToken;
  return W;
}

static Error readModule(const Module &M, StringRef Object,
                        BitcodeObject &Result) {
  for (const GlobalVariable &Global : M.globals()) {
    StringRef Name = Global.getName();
    if (Global.isDeclaration()) {
      if (Name.starts_with(FatBinPrefix) ||
          Name.starts_with(GpuBinHandlePrefix))
        Result.Undefined.push_back(Name.str());
      continue;
    }
    if (Global.getSection() == WrapperSectionName) {
      Expected<BitcodeWrapper> W = readWrapper(Global, Object);
      if (!W)
        return W.takeError();
      Result.Wrappers.push_back(*W);
      continue;
    }
    std::vector<std::string> *Sections = nullptr;
    if (Global.getSection() == PayloadSectionName)
      Sections = &Result.Payloads;
    else if (Global.getSection() == ".llvm.offloading")
      Sections = &Result.Offloading;
    else
      continue;
    const auto *Data =
        dyn_cast<ConstantDataSequential>(Global.getInitializer());
    if (!Data)
      return objectError(Object, Global.getSection() +
                                     " of its bitcode is not understood" + Fix);
    Sections->push_back(Data->getRawDataValues().str());
  }
  return Error::success();
}

/// A module's string table holds the names of all symbols and sections
/// verbatim, so a file without these bytes is not HIP's and need not be parsed.
static bool mayBeHip(StringRef Module) {
  return Module.contains(FatBinPrefix) || Module.contains(GpuBinHandlePrefix) ||
         Module.contains("llvm.embedded.object");
}

Expected<BitcodeObject> readBitcode(StringRef Module, StringRef Object) {
  BitcodeObject Result;
  if (!mayBeHip(Module))
    return Result;
  Expected<std::vector<BitcodeModule>> Modules =
      getBitcodeModuleList(MemoryBufferRef(Module, Object));
  if (!Modules)
    return objectError(Object, toString(Modules.takeError()) + Fix);

  LLVMContext Context;
  // Drop diagnostics: LLVM repeats them when the module is linked.
  Context.setDiagnosticHandlerCallBack([](const DiagnosticInfo *, void *) {});
  for (BitcodeModule &Part : *Modules) {
    Expected<std::unique_ptr<llvm::Module>> M =
        Part.getLazyModule(Context, /*ShouldLazyLoadMetadata=*/true,
                           /*IsImporting=*/false);
    if (!M)
      return objectError(Object, toString(M.takeError()) + Fix);
    if (Error E = readModule(**M, Object, Result))
      return std::move(E);
  }
  return Result;
}

} // namespace kpack::offload
