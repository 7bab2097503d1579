//===- HipRuntime.cpp - the runtime behind us -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read findHipFunctions() first. A scope is asked for __hipRegisterFunction,
// which callers use beside the functions that we replace and which no shim
// replaces: so a shim that stands in front of the runtime in that scope, we or
// another copy, does not hide it, and handles go where the caller's next call
// takes them. Nothing is remembered: what was true for one caller may be wrong
// for the next, and a library may have gone away. No handle need be kept for a
// runtime that was found: with its dlsym() glibc has noted that we depend on
// it, and unloads it no earlier than us.
//
//===----------------------------------------------------------------------===//
#include "HipRuntime.h"

#include "LoadedObjects.h"

#include <dlfcn.h>
#include <link.h>

using namespace kpack::hipshim;

static constexpr char RegisterName[] = "__hipRegisterFatBinary";
static constexpr char UnregisterName[] = "__hipUnregisterFatBinary";
static constexpr char NotReplacedName[] = "__hipRegisterFunction";

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

link_map *kpack::hipshim::objectOf(const void *Address) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE // glibc 2.35: takes no lock, and is fast
  dl_find_object Found;
  if (_dl_find_object(const_cast<void *>(Address), &Found) == 0)
    return Found.dlfo_link_map;
  return nullptr;
#else
  Dl_info Info;
  void *Map = nullptr;
  if (dladdr1(Address, &Info, &Map, RTLD_DL_LINKMAP) == 0)
    return nullptr;
  return static_cast<link_map *>(Map);
#endif
}

static Lmid_t namespaceOf(link_map *Object) {
  Lmid_t Id = LM_ID_BASE;
  if (Object) // with glibc, a handle is the link map
    dlinfo(Object, RTLD_DI_LMID, &Id);
  return Id;
}

/// What was looked for in vain is no error of the program's, which may ask
/// dlerror() after the dlopen() that brought us here.
static void *quietly(void *Found) {
  if (!Found)
    dlerror();
  return Found;
}

namespace {
/// A handle of an object that is loaded already. A link map alone does not do:
/// glibc makes the scope of a library that came with another one only when the
/// library itself is opened.
class Handle {
public:
  /// In our namespace; the program itself if \p Path is empty.
  explicit Handle(const char *Path)
      : Value(quietly(*Path ? dlopen(Path, RTLD_LAZY | RTLD_NOLOAD)
                            : dlopen(nullptr, RTLD_LAZY))) {}
  explicit Handle(link_map *Object)
      : Value(*Object->l_name
                  ? quietly(dlmopen(namespaceOf(Object), Object->l_name,
                                    RTLD_LAZY | RTLD_NOLOAD))
                  : quietly(dlopen(nullptr, RTLD_LAZY))) {
    // Names that the program made up ("/proc/self/fd/3") may occur twice.
    if (Value && Value != Object) {
      dlclose(Value);
      Value = Object;
      IsBorrowed = true;
    }
  }
  ~Handle() {
    if (Value && !IsBorrowed)
      dlclose(Value);
  }
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;

  void *find(const char *Name) const {
    return Value ? quietly(dlsym(Value, Name)) : nullptr;
  }
  void keep() { IsBorrowed = true; }

private:
  void *Value;
  bool IsBorrowed = false;
};
} // namespace

void *kpack::hipshim::findInScopeOf(link_map *Object, const char *Name) {
  return Handle(Object).find(Name);
}

void kpack::hipshim::keepLoaded(link_map *Object) { Handle(Object).keep(); }

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

static link_map *ourObject() {
  return objectOf(reinterpret_cast<const void *>(&ourObject));
}

static HipFunctions functionsAt(void *Register, void *Unregister) {
  return {reinterpret_cast<void **(*)(const void *)>(Register),
          reinterpret_cast<void (*)(void **)>(Unregister)};
}

/// Another copy of us would take us for the caller.
static bool isShim(const link_map *Object) {
  return Object && soNameOf(*Object).rfind("libkpack_hip.so", 0) == 0;
}

/// The runtime in a scope.
static HipFunctions runtimeIn(const Handle &Scope) {
  link_map *Runtime = objectOf(Scope.find(NotReplacedName));
  if (!Runtime)
    return {};
  Handle Functions(Runtime);
  void *Register = Functions.find(RegisterName);
  if (!Register || isShim(objectOf(Register)))
    return {};
  return functionsAt(Register, Functions.find(UnregisterName));
}

static HipFunctions runtimeInScopeOf(link_map *Object) {
  return Object ? runtimeIn(Handle(Object)) : HipFunctions{};
}

/// What stands behind us: a runtime, or another tool in front of one.
static HipFunctions nextFunctions() {
  void *Register = quietly(dlsym(RTLD_NEXT, RegisterName));
  if (!Register || isShim(objectOf(Register)))
    return {};
  return functionsAt(Register, quietly(dlsym(RTLD_NEXT, UnregisterName)));
}

/// In the scope that all callers of our namespace look into first.
static HipFunctions globalFunctions(const Handle &Global) {
  if (HipFunctions Next = nextFunctions())
    return Next;
  return runtimeIn(Global);
}

/// Any other: of who loaded the caller (a library need not be linked with the
/// runtime that its user brings along), or the first that there is.
static HipFunctions anyFunctions(link_map *Caller) {
  LoadedObjects Objects = LoadedObjects::read();
  for (const std::string &Path : Objects.usersOf(Caller ? Caller->l_name : ""))
    if (HipFunctions Found = runtimeIn(Handle(Path.c_str())))
      return Found;
  for (const std::string &Path : Objects.named("libamdhip64.so"))
    if (HipFunctions Found = runtimeIn(Handle(Path.c_str())))
      return Found;
  return {};
}

HipFunctions kpack::hipshim::findHipFunctions(const void *Caller,
                                              const void *Wrapper) {
  link_map *From = objectOf(Caller);
  link_map *Owner = objectOf(Wrapper);
  link_map *Ours = ourObject();
  bool IsOurNamespace = !From || namespaceOf(From) == namespaceOf(Ours);
  Handle Global("");

  // The usual case: whoever sees us in the scope of the whole program sees
  // what stands behind us there.
  if (IsOurNamespace && objectOf(Global.find(RegisterName)) == Ours)
    if (HipFunctions Found = globalFunctions(Global))
      return Found;
  if (HipFunctions Found = runtimeInScopeOf(From))
    return Found;
  if (HipFunctions Found = runtimeInScopeOf(Owner))
    return Found;
  if (!IsOurNamespace)
    return {};
  if (HipFunctions Found = globalFunctions(Global))
    return Found;
  return anyFunctions(From);
}
