//===- HipFunctions.cpp - search for the caller's HIP runtime -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read findHipFunctions() first. We search a scope for __hipRegisterFunction,
// which callers use beside the functions that we replace and which no shim
// replaces. So a shim that precedes the runtime in that scope (we or another
// copy) does not hide it, and handles go to the runtime that the caller's next
// call reaches. Results are not cached: one caller's runtime may be wrong for
// the next, and a library may have been unloaded. We need not hold a handle of
// the runtime: dlsym() makes glibc record that we depend on it, so it is not
// unloaded before us.
//
//===----------------------------------------------------------------------===//
#include "HipFunctions.h"

#include "LoadedObjects.h"

#include "Runtime/DynamicLinker.h"

#include <dlfcn.h>
#include <link.h>

using namespace kpack::hipshim;
using namespace kpack::runtime;

static constexpr char RegisterName[] = "__hipRegisterFatBinary";
static constexpr char UnregisterName[] = "__hipUnregisterFatBinary";
static constexpr char NotReplacedName[] = "__hipRegisterFunction";

static link_map *ourObject() {
  return findObject(reinterpret_cast<const void *>(&ourObject));
}

static HipFunctions functionsAt(void *Register, void *Unregister) {
  return {reinterpret_cast<void **(*)(const void *)>(Register),
          reinterpret_cast<void (*)(void **)>(Unregister)};
}

/// Recognises another copy of us, which would take us for the caller.
static bool isShim(const link_map *Object) {
  return Object && getSoName(*Object).rfind("libkpack_hip.so", 0) == 0;
}

/// Returns the runtime in a scope.
static HipFunctions runtimeIn(const LoadedHandle &Scope) {
  link_map *Runtime = findObject(Scope.find(NotReplacedName));
  if (!Runtime)
    return {};
  LoadedHandle Functions(Runtime);
  void *Register = Functions.find(RegisterName);
  if (!Register || isShim(findObject(Register)))
    return {};
  return functionsAt(Register, Functions.find(UnregisterName));
}

static HipFunctions findRuntimeInScope(link_map *Object) {
  return Object ? runtimeIn(LoadedHandle(Object)) : HipFunctions{};
}

/// Returns the next definitions after ours: of a runtime, or of another tool in
/// front of one.
static HipFunctions nextFunctions() {
  void *Register = quietly(dlsym(RTLD_NEXT, RegisterName));
  if (!Register || isShim(findObject(Register)))
    return {};
  return functionsAt(Register, quietly(dlsym(RTLD_NEXT, UnregisterName)));
}

/// Returns the functions in the scope that all callers of our namespace search
/// first.
static HipFunctions globalFunctions(const LoadedHandle &Global) {
  if (HipFunctions Next = nextFunctions())
    return Next;
  return runtimeIn(Global);
}

/// Returns the functions of any other runtime: that of an object which uses the
/// caller (a library need not be linked with the runtime that its user loads),
/// or else the first in the process.
static HipFunctions anyFunctions(link_map *Caller) {
  LoadedObjects Objects = LoadedObjects::read();
  for (const std::string &Path :
       Objects.findUsers(Caller ? Caller->l_name : ""))
    if (HipFunctions Found = runtimeIn(LoadedHandle(Path.c_str())))
      return Found;
  for (const std::string &Path : Objects.named("libamdhip64.so"))
    if (HipFunctions Found = runtimeIn(LoadedHandle(Path.c_str())))
      return Found;
  return {};
}

HipFunctions kpack::hipshim::findHipFunctions(const void *Caller,
                                              const void *Wrapper) {
  link_map *CallerMap = findObject(Caller);
  link_map *Owner = findObject(Wrapper);
  link_map *Ours = ourObject();
  bool IsOurNamespace =
      !CallerMap || getNamespace(CallerMap) == getNamespace(Ours);
  LoadedHandle Global("");

  // The usual case: a caller that reaches us through the program's global scope
  // would reach the next definition there.
  if (IsOurNamespace && findObject(Global.find(RegisterName)) == Ours)
    if (HipFunctions Found = globalFunctions(Global))
      return Found;
  if (HipFunctions Found = findRuntimeInScope(CallerMap))
    return Found;
  if (HipFunctions Found = findRuntimeInScope(Owner))
    return Found;
  if (!IsOurNamespace)
    return {};
  if (HipFunctions Found = globalFunctions(Global))
    return Found;
  return anyFunctions(CallerMap);
}

void *kpack::hipshim::findHipFunction(const HipFunctions &Hip,
                                      const char *Name) {
  link_map *Runtime = findObject(reinterpret_cast<const void *>(Hip.Register));
  void *Found = Runtime ? LoadedHandle(Runtime).find(Name) : nullptr;
  // A tool in front of the runtime may be linked with us.
  return Found && isShim(findObject(Found)) ? nullptr : Found;
}
