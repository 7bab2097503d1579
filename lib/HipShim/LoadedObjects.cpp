//===- LoadedObjects.cpp - loaded libraries and dependencies --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strings are copied under the dynamic linker's lock: a library may be unloaded
// as soon as the lock is released.
//
//===----------------------------------------------------------------------===//
#include "LoadedObjects.h"

#include <algorithm>
#include <cstdint>
#include <link.h>
#include <new>

using namespace kpack::hipshim;

static const ElfW(Dyn) * dynamicSection(const dl_phdr_info &Info) {
  for (unsigned I = 0; I != Info.dlpi_phnum; ++I)
    if (Info.dlpi_phdr[I].p_type == PT_DYNAMIC)
      return reinterpret_cast<const ElfW(Dyn) *>(Info.dlpi_addr +
                                                 Info.dlpi_phdr[I].p_vaddr);
  return nullptr;
}

static const char *stringTable(uintptr_t Base, const ElfW(Dyn) * Dynamic) {
  for (; Dynamic->d_tag != DT_NULL; ++Dynamic)
    if (Dynamic->d_tag == DT_STRTAB) {
      // An address in the file if glibc has not relocated it.
      uintptr_t Value = Dynamic->d_un.d_ptr;
      return reinterpret_cast<const char *>(Value < Base ? Base + Value
                                                         : Value);
    }
  return nullptr;
}

std::string kpack::hipshim::getSoName(const link_map &Object) {
  const char *Strings = stringTable(Object.l_addr, Object.l_ld);
  for (const ElfW(Dyn) *D = Object.l_ld; Strings && D->d_tag != DT_NULL; ++D)
    if (D->d_tag == DT_SONAME)
      return Strings + D->d_un.d_val;
  return "";
}

LoadedObjects LoadedObjects::read() {
  struct Reader {
    std::vector<Object> All;
    bool IsComplete = true;

    void add(const dl_phdr_info &Info) {
      const ElfW(Dyn) *Dynamic = dynamicSection(Info);
      const char *Strings =
          Dynamic ? stringTable(Info.dlpi_addr, Dynamic) : nullptr;
      if (!Strings)
        return;
      Object O;
      O.Path = Info.dlpi_name;
      O.Name = O.Path.substr(O.Path.rfind('/') + 1); // npos + 1 is 0
      for (; Dynamic->d_tag != DT_NULL; ++Dynamic)
        if (Dynamic->d_tag == DT_NEEDED)
          O.Needed.emplace_back(Strings + Dynamic->d_un.d_val);
        else if (Dynamic->d_tag == DT_SONAME)
          O.Name = Strings + Dynamic->d_un.d_val;
      All.push_back(std::move(O));
    }

    // No exception may leave the dynamic linker's loop, which holds a lock.
    static int take(dl_phdr_info *Info, size_t, void *Self) {
      try {
        static_cast<Reader *>(Self)->add(*Info);
        return 0;
      } catch (const std::bad_alloc &) {
        static_cast<Reader *>(Self)->IsComplete = false;
        return 1;
      }
    }
  } R;
  dl_iterate_phdr(Reader::take, &R);
  LoadedObjects Objects;
  if (!R.IsComplete)
    throw std::bad_alloc();
  Objects.All = std::move(R.All);
  return Objects;
}

std::vector<std::string> LoadedObjects::findUsers(std::string_view Path) const {
  auto Start = std::find_if(All.begin(), All.end(),
                            [&](const Object &O) { return O.Path == Path; });
  if (Start == All.end())
    return {};
  std::vector<bool> IsUser(All.size(), false);
  std::vector<const Object *> Pending = {&*Start};
  while (!Pending.empty()) {
    const Object *Used = Pending.back();
    Pending.pop_back();
    for (size_t I = 0; I != All.size(); ++I) {
      const std::vector<std::string> &Needed = All[I].Needed;
      auto IsUsed = [&](const std::string &Name) {
        return Name == Used->Name || Name == Used->Path;
      };
      if (IsUser[I] || std::none_of(Needed.begin(), Needed.end(), IsUsed))
        continue;
      IsUser[I] = true;
      Pending.push_back(&All[I]);
    }
  }
  std::vector<std::string> Users;
  for (size_t I = 0; I != All.size(); ++I)
    if (IsUser[I] && !All[I].Path.empty())
      Users.push_back(All[I].Path);
  return Users;
}

std::vector<std::string> LoadedObjects::named(std::string_view Name) const {
  std::vector<std::string> Paths;
  for (const Object &O : All)
    if (std::string_view(O.Name).substr(0, Name.size()) == Name)
      Paths.push_back(O.Path);
  return Paths;
}
