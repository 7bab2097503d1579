//===- CompileProtocol.h - a compile request as a message -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between Compile.cpp and CompileHelper.cpp, which may be of different builds:
// the question has the protocol's version in its first word.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_COMPILEPROTOCOL_H
#define KPACK_LIB_JIT_COMPILEPROTOCOL_H

#include "Message.h"
#include "kpack/Jit/Compile.h"

namespace kpack::jit {

inline Message encodeRequest(const CompileRequest &Request,
                             const std::string &What) {
  Message M;
  M.add("what", What)
      .add("name", Request.Name)
      .add("compiler", Request.Compiler)
      .add("source", Request.Source)
      .add("directory", Request.Directory)
      .add("language", Request.Lang == Language::Hip ? "hip" : "c++")
      .add("target", Request.Target)
      .addAll("flag", Request.Flags)
      .addAll("link-flag", Request.LinkFlags)
      .addAll("symbol", Request.Symbols);
  return M;
}

inline CompileRequest decodeRequest(const Message &M) {
  CompileRequest Request;
  Request.Name = M.get("name");
  Request.Compiler = M.get("compiler");
  Request.Source = M.get("source");
  Request.Directory = M.get("directory");
  Request.Lang = M.get("language") == "hip" ? Language::Hip : Language::Cxx;
  Request.Target = M.get("target");
  Request.Flags = M.all("flag");
  Request.LinkFlags = M.all("link-flag");
  Request.Symbols = M.all("symbol");
  return Request;
}

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_COMPILEPROTOCOL_H
