//===- CompileProtocol.h - a compile request as a message -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages between Compile.cpp and CompileHelper.cpp. They hold no protocol
// version, so both must be of the same build. A helper answers an unknown
// question with UnsupportedVersion.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_COMPILEPROTOCOL_H
#define KPACK_JIT_SERVICE_COMPILEPROTOCOL_H

#include "Jit/Service/Compile.h"
#include "Jit/Store/Message.h"

#include <cstdlib>

namespace kpack::jit {

inline void encodeText(Message &M, const SourceText &Source) {
  M.add("before", Source.Before)
      .add("text", Source.Text)
      .add("after", Source.After);
  for (const MemoryFile &Header : Source.Headers)
    M.add("header", Header.Name).add("header-text", Header.Text);
}

/// Returns nullopt if the request has no text.
inline std::optional<SourceText> decodeText(const Message &M) {
  if (M.all("text").empty())
    return std::nullopt;
  SourceText Source{std::string(M.get("before")),
                    std::string(M.get("text")),
                    std::string(M.get("after")),
                    {}};
  std::vector<std::string> Names = M.all("header"),
                           Texts = M.all("header-text");
  for (size_t I = 0; I != Names.size() && I != Texts.size(); ++I)
    Source.Headers.push_back({std::move(Names[I]), std::move(Texts[I])});
  return Source;
}

inline Message encodeRequest(const CompileRequest &Request,
                             const std::string &Task) {
  Message M;
  M.add("what", Task)
      .add("name", Request.Name)
      .add("compiler", Request.Compiler)
      .add("source", Request.Source)
      .add("directory", Request.Directory)
      .add("language", Request.Lang == Language::Hip ? "hip" : "c++")
      .add("target", Request.Target)
      .addAll("flag", Request.Flags)
      .addAll("link-flag", Request.LinkFlags)
      .addAll("symbol", Request.Symbols)
      .addAll("entry", Request.Entries)
      .add("jobs", std::to_string(Request.Jobs))
      .add("output", kindOf(Request.Output));
  if (Request.Text)
    encodeText(M, *Request.Text);
  return M;
}

inline void encodePlace(Message &M, const PchPlace &Place, PchPolicy Policy,
                        double MinSeconds) {
  M.add("pch", std::to_string(int(Policy)))
      .add("pch-seconds", std::to_string(MinSeconds))
      .add("pch-kernels", Place.WithKernels ? "1" : "")
      .add("pch-store", Place.Store);
  for (const KeyField &Field : Place.Key.Fields)
    M.add("pch-field", Field.Name)
        .add("pch-hash", toHex(Field.Hash))
        .add("pch-shown", Field.Shown);
}

/// Leaves Store empty if any field is missing.
inline PchPlace decodePlace(const Message &M) {
  PchPlace Place;
  std::vector<std::string> Names = M.all("pch-field"),
                           Hashes = M.all("pch-hash"),
                           Shown = M.all("pch-shown");
  if (Names.empty() || Hashes.size() != Names.size() ||
      Shown.size() != Names.size())
    return Place;
  for (size_t I = 0; I != Names.size(); ++I) {
    KeyField Field{Names[I], {}, Shown[I]};
    if (!fromHex(Hashes[I], Field.Hash))
      return Place;
    Place.Key.Fields.push_back(std::move(Field));
  }
  Place.Key.Id = getKey(Place.Key.Fields);
  Place.WithKernels = !M.get("pch-kernels").empty();
  Place.Store = M.get("pch-store");
  return Place;
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
  Request.Entries = M.all("entry");
  Request.Jobs =
      unsigned(std::strtoul(std::string(M.get("jobs")).c_str(), nullptr, 10));
  Request.Text = decodeText(M);
  for (CompileOutput Output : {CompileOutput::CodeObject, CompileOutput::Ptx})
    if (M.get("output") == kindOf(Output))
      Request.Output = Output;
  std::string Policy(M.get("pch"));
  Request.Pch = Policy == "1"   ? PchPolicy::Auto
                : Policy == "2" ? PchPolicy::On
                                : PchPolicy::Off;
  Request.PchSeconds = std::atof(std::string(M.get("pch-seconds")).c_str());
  return Request;
}

inline void encodeFunctions(Message &M,
                            const std::vector<EntryFunction> &Functions) {
  for (const EntryFunction &F : Functions)
    M.add("function", F.Name)
        .add("function-symbol", F.Symbol)
        .add("function-type", F.Type);
}

inline std::vector<EntryFunction> decodeFunctions(const Message &M) {
  std::vector<std::string> Names = M.all("function"),
                           Symbols = M.all("function-symbol"),
                           Types = M.all("function-type");
  std::vector<EntryFunction> Functions;
  for (size_t I = 0; I < Names.size() && I < Symbols.size() && I < Types.size();
       ++I)
    Functions.push_back(
        {std::move(Names[I]), std::move(Symbols[I]), std::move(Types[I])});
  return Functions;
}

inline void encodeNames(Message &M, const FileNames &Names) {
  M.addAll("file", Names.Files)
      .addAll("linked", Names.Linked)
      .addAll("named", Names.Named)
      .add("note", Names.Note);
  for (const FolderRecord &Folder : Names.Folders)
    M.add("folder", Folder.Path)
        .add("missing", Folder.Missing)
        .add("ending", Folder.Ending);
  for (const ProgramRecord &Program : Names.Programs)
    M.add("program", Program.Name).add("path", Program.Path);
  for (const auto &[Name, Value] : Names.Facts)
    M.add("fact", Name).add("value", Value);
}

inline FileNames decodeNames(const Message &M) {
  FileNames Names;
  Names.Files = M.all("file");
  Names.Linked = M.all("linked");
  Names.Named = M.all("named");
  Names.Note = M.get("note");
  for (const auto &[Name, Value] : M.fields()) {
    if (Name == "folder")
      Names.Folders.push_back({Value, {}, {}, {}, {}});
    else if (Name == "missing" && !Names.Folders.empty())
      Names.Folders.back().Missing = Value;
    else if (Name == "ending" && !Names.Folders.empty())
      Names.Folders.back().Ending = Value;
    else if (Name == "program")
      Names.Programs.push_back({Value, {}});
    else if (Name == "path" && !Names.Programs.empty())
      Names.Programs.back().Path = Value;
    else if (Name == "fact")
      Names.Facts.push_back({Value, {}});
    else if (Name == "value" && !Names.Facts.empty())
      Names.Facts.back().second = Value;
  }
  return Names;
}

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_COMPILEPROTOCOL_H
