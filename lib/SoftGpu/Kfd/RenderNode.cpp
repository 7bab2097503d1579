//===- RenderNode.cpp - requests to a GPU's render node -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ROCm calls libdrm, whose functions we replace (Preload/Drm.cpp). This file
// serves programs that bypass them, as amd-smi does to find a GPU's driver.
// Requests to /dev/kfd are in Requests.cpp.
//
//===----------------------------------------------------------------------===//
#include "Requests.h"
#include "SoftGpu/Kfd/Preload/CallerMemory.h"
#include "SoftGpu/Kfd/Preload/Emulator.h"

#include <algorithm>
#include <cerrno>
#include <drm/drm.h>
#include <string_view>
#include <sys/ioctl.h>

using namespace kpack::softgpu;

/// Callers ask twice: first for the sizes, then with room for the text.
static int giveText(std::string_view Text, char *Buffer,
                    __kernel_size_t &Size) {
  size_t Most = std::min<size_t>(Size, Text.size());
  Size = Text.size();
  return Buffer ? copyOut(addressOf(Buffer), Text.data(), Most) : 0;
}

/// Reports the version of Linux's driver that the files in /sys belong to.
static int describeDriver(drm_version &V) {
  V.version_major = DrmMajorVersion;
  V.version_minor = DrmMinorVersion;
  V.version_patchlevel = 0;
  if (int Problem = giveText("amdgpu", V.name, V.name_len))
    return Problem;
  if (int Problem = giveText("20150101", V.date, V.date_len))
    return Problem;
  return giveText("Emulated AMD GPU", V.desc, V.desc_len);
}

int kpack::softgpu::answerRenderRequest(unsigned long Code, void *Arguments) {
  if (Code != DRM_IOCTL_VERSION) {
    sayNotEmulated("a render node", _IOC_NR(Code));
    return -ENOTTY;
  }
  drm_version Version;
  if (int Problem = copyIn(&Version, addressOf(Arguments), sizeof(Version)))
    return Problem;
  if (int Problem = describeDriver(Version))
    return Problem;
  return copyOut(addressOf(Arguments), &Version, sizeof(Version));
}
