//===- DynamicLinker.cpp - loaded objects and their scopes ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A glibc handle is the link map of its object, so we compare the handle that
// dlopen() finds by name with the intended object: a program may make up names
// ("/proc/self/fd/3"), and then two objects have the same one.
//
//===----------------------------------------------------------------------===//
#include "Runtime/DynamicLinker.h"

#include <link.h>

using namespace kpack;
using namespace kpack::runtime;

link_map *runtime::findObject(const void *Address) {
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

Lmid_t runtime::getNamespace(link_map *Object) {
  Lmid_t Id = LM_ID_BASE;
  if (Object)
    ::dlinfo(Object, RTLD_DI_LMID, &Id);
  return Id;
}

void *runtime::quietly(void *Found) {
  if (!Found)
    ::dlerror();
  return Found;
}

LoadedHandle::LoadedHandle(const char *Path)
    : Value(quietly(*Path ? ::dlopen(Path, RTLD_LAZY | RTLD_NOLOAD)
                          : ::dlopen(nullptr, RTLD_LAZY))) {}

LoadedHandle::LoadedHandle(link_map *Object)
    : Value(*Object->l_name
                ? quietly(::dlmopen(getNamespace(Object), Object->l_name,
                                    RTLD_LAZY | RTLD_NOLOAD))
                : quietly(::dlopen(nullptr, RTLD_LAZY))) {
  if (Value && Value != Object) {
    ::dlclose(Value);
    Value = Object;
    IsBorrowed = true;
  }
}

LoadedHandle::~LoadedHandle() {
  if (Value && !IsBorrowed)
    ::dlclose(Value);
}

void *LoadedHandle::find(const char *Name) const {
  return Value ? quietly(::dlsym(Value, Name)) : nullptr;
}
