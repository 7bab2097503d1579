//===- InterposeModules.cpp - HIP's functions that load code objects ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They load by file name or from memory; Modules.cpp handles references. The
// runtime is searched for the function that was called, since older ones lack
// some of them. Sibling: Interpose.cpp.
//
//===----------------------------------------------------------------------===//
#include "NextFunction.h"
#include "TheShim.h"

#include <exception>
#include <new>

using namespace kpack;
using namespace kpack::hipshim;

namespace {

/// The runtime that a call reaches.
class Call {
public:
  explicit Call(const void *Caller) : Hip(hipFunctions(Caller, nullptr)) {}

  template <typename Function> Function *find(const char *Name) const {
    return Hip ? reinterpret_cast<Function *>(findHipFunction(Hip, Name))
               : nullptr;
  }
  /// The error if the runtime lacks the function.
  int failure() const { return Hip ? HipNotSupported : HipNotInitialized; }

  const HipFunctions Hip;
};

/// Runs \p Body and turns exceptions into HIP errors for the C caller.
template <typename Function> int withoutExceptions(Function Body) {
  try {
    return Body();
  } catch (const std::bad_alloc &) {
    return HipOutOfMemory;
  } catch (const std::exception &) {
    return HipUnknown;
  }
}

/// \p Name is the runtime's function, which has \p More parameters.
template <typename... Values>
int loadImage(const void *Caller, const char *Name, void **Handle,
              const void *Image, Values... More) {
  return withoutExceptions([&] {
    Call C(Caller);
    auto *Load = C.find<int(void **, const void *, Values...)>(Name);
    if (!Load)
      return C.failure();
    return theShim().loadImage(Handle, Image, C.Hip, [&](const void *Used) {
      return Load(Handle, Used, More...);
    });
  });
}

/// \p ImageName is the function that loads from memory.
template <typename... Values>
int loadFile(const void *Caller, const char *Name, const char *ImageName,
             void **Handle, const char *Path, Values... More) {
  return withoutExceptions([&] {
    Call C(Caller);
    auto *Load = C.find<int(void **, const char *, Values...)>(Name);
    auto *LoadData = C.find<int(void **, const void *, Values...)>(ImageName);
    if (!Load)
      return C.failure();
    return theShim().loadFile(
        Handle, Path, C.Hip,
        [&](const void *Used) {
          return LoadData ? LoadData(Handle, Used, More...) : HipNotSupported;
        },
        [&] { return Load(Handle, Path, More...); });
  });
}

int unload(const void *Caller, const char *Name, void *Handle) {
  return withoutExceptions([&] {
    Call C(Caller);
    auto *Unload = C.find<int(void *)>(Name);
    return Unload ? theShim().unload(Handle, Unload) : C.failure();
  });
}

} // namespace

#define KPACK_CALLER __builtin_return_address(0)

extern "C" {

KPACK_INTERPOSED int hipModuleLoad(void **Module, const char *Path) {
  return loadFile(KPACK_CALLER, "hipModuleLoad", "hipModuleLoadData", Module,
                  Path);
}

KPACK_INTERPOSED int hipModuleLoadData(void **Module, const void *Image) {
  return loadImage(KPACK_CALLER, "hipModuleLoadData", Module, Image);
}

KPACK_INTERPOSED int hipModuleLoadDataEx(void **Module, const void *Image,
                                         unsigned Count, void *Options,
                                         void **Values) {
  return loadImage(KPACK_CALLER, "hipModuleLoadDataEx", Module, Image, Count,
                   Options, Values);
}

KPACK_INTERPOSED int hipModuleLoadFatBinary(void **Module, const void *Image) {
  return loadImage(KPACK_CALLER, "hipModuleLoadFatBinary", Module, Image);
}

KPACK_INTERPOSED int hipModuleUnload(void *Module) {
  return unload(KPACK_CALLER, "hipModuleUnload", Module);
}

KPACK_INTERPOSED int hipLibraryLoadFromFile(void **Library, const char *Path,
                                            void *JitOptions, void **JitValues,
                                            unsigned JitCount, void *Options,
                                            void **Values, unsigned Count) {
  return loadFile(KPACK_CALLER, "hipLibraryLoadFromFile", "hipLibraryLoadData",
                  Library, Path, JitOptions, JitValues, JitCount, Options,
                  Values, Count);
}

KPACK_INTERPOSED int hipLibraryLoadData(void **Library, const void *Image,
                                        void *JitOptions, void **JitValues,
                                        unsigned JitCount, void *Options,
                                        void **Values, unsigned Count) {
  return loadImage(KPACK_CALLER, "hipLibraryLoadData", Library, Image,
                   JitOptions, JitValues, JitCount, Options, Values, Count);
}

KPACK_INTERPOSED int hipLibraryUnload(void *Library) {
  return unload(KPACK_CALLER, "hipLibraryUnload", Library);
}

} // extern "C"
