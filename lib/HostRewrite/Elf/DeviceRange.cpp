//===- DeviceRange.cpp - byte range of a file's device code ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without section headers, the size in a bundle gives its end, and bytes
// between two bundles are padding only if they are zeros.
//
//===----------------------------------------------------------------------===//
#include "DeviceRange.h"

#include "../WrapperBundle.h"
#include "Offload/HipSymbols.h"

#include <set>

using namespace llvm;

namespace kpack::hostrewrite {

static Expected<DeviceRange> findBareRange(const ElfView &View,
                                           const PointerFacts &Pointers) {
  std::set<uint64_t> Starts;
  for (const WrapperSite &Site : Pointers.Wrappers)
    Starts.insert(Site.Pointer);
  DeviceRange Device;
  for (uint64_t Pointer : Starts) {
    std::optional<uint64_t> Offset = View.offsetOf(Pointer, 1);
    if (!Offset)
      return View.error("a wrapper points to nothing in the file; it is "
                        "damaged, get it again");
    Expected<uint64_t> Size =
        DeviceCode::sizeOf(View.Bytes.drop_front(*Offset), View.Name);
    if (!Size)
      return Size.takeError();
    if (Device.File.End == 0) {
      Device.File = {*Offset, *Offset};
      Device.Address = Pointer;
    }
    bool IsNext = *Offset >= Device.File.End &&
                  *Offset - Device.File.Begin == Pointer - Device.Address;
    StringRef Between =
        IsNext ? View.Bytes.slice(Device.File.End, *Offset) : StringRef("?");
    if (Between.find_first_not_of('\0') != StringRef::npos)
      return View.error("something stands between its bundles of device code, "
                        "and it has no section headers that say what; convert "
                        "the file as its linker has left it");
    Device.File.End = *Offset + *Size;
  }
  return Device;
}

Expected<DeviceRange> findDeviceRange(const ElfView &View,
                                      const PointerFacts &Pointers) {
  if (View.Sections.empty())
    return findBareRange(View, Pointers);
  DeviceRange Device;
  Device.Section = View.findSection(offload::FatBinSectionName);
  if (!Device.Section)
    return View.error("wrappers, but no section .hip_fatbin that they point "
                      "to; convert the file as its linker has left it");
  Device.File = fileRange(View.Sections[*Device.Section]);
  Device.Address = View.Sections[*Device.Section].sh_addr;
  return Device;
}

} // namespace kpack::hostrewrite
