# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every outside library, in one place; scripts/dependencies names the packages.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd>=1.5.0)

# kpack_stand_in(<target>...): defines empty targets for libraries that no chosen product
# needs; targets of other products name them.
function(kpack_stand_in)
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      add_library(${target} INTERFACE IMPORTED GLOBAL)
    endif()
  endforeach()
endfunction()

# SHA-256 of the JIT cache's keys.
kpack_is_wanted(_wanted Jit/Store)
if(_wanted)
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)
else()
  kpack_stand_in(OpenSSL::Crypto)
endif()

# What kpack-jit-remote speaks HTTP and Redis with; no other program has them.
if(KPACK_ENABLE_REMOTE)
  kpack_is_wanted(_wanted tools/kpack-jit-remote)
  if(_wanted)
    pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl>=7.85)
    pkg_check_modules(HIREDIS REQUIRED IMPORTED_TARGET hiredis)
  else()
    kpack_stand_in(PkgConfig::CURL PkgConfig::HIREDIS)
  endif()
endif()

# The bundles of `ck-jit cache export` are tar files; kpack-jit-remote reads and writes them, too.
if(KPACK_ENABLE_LLVM OR KPACK_ENABLE_REMOTE)
  kpack_is_wanted(_wanted Jit/Bundle)
  if(_wanted)
    pkg_check_modules(LIBARCHIVE REQUIRED IMPORTED_TARGET libarchive)
  else()
    kpack_stand_in(PkgConfig::LIBARCHIVE)
  endif()
endif()

# xxHash is used header-only (XXH_INLINE_ALL): nothing to link or to export.
find_path(KPACK_XXHASH_INCLUDE xxhash.h REQUIRED)

if(KPACK_ENABLE_LLVM)
  # Several LLVMs live side by side on Debian; their version files refuse a bare
  # major number, so the folder names the version. A caller's own LLVM_DIR wins.
  set(_llvm /usr/lib/llvm-${KPACK_LLVM_VERSION}/lib/cmake)
  set(_packages LLVM:llvm Clang:clang)
  kpack_is_wanted(_wanted Linker Jit/Server)
  if(_wanted)
    list(APPEND _packages LLD:lld)
  endif()
  foreach(pkg IN LISTS _packages)
    string(REPLACE ":" ";" pair ${pkg})
    list(GET pair 0 name)
    list(GET pair 1 dir)
    if(NOT ${name}_DIR)
      set(${name}_DIR ${_llvm}/${dir} CACHE PATH "${name}Config.cmake of LLVM ${KPACK_LLVM_VERSION}")
    endif()
    find_package(${name} REQUIRED CONFIG)
  endforeach()
  if(NOT LLVM_VERSION_MAJOR EQUAL KPACK_LLVM_VERSION)
    message(FATAL_ERROR "LLVM ${LLVM_VERSION_MAJOR} found, ${KPACK_LLVM_VERSION} asked for: set KPACK_LLVM_VERSION or LLVM_DIR")
  endif()
  separate_arguments(KPACK_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_INSTALL_PREFIX}")

  # Where programs look for libLLVM and libclang-cpp: nowhere of their own if the
  # dynamic linker finds them anyway. Debian's folder of an LLVM only links to
  # files in the system's; a RUNPATH to it would break with each new version.
  set(KPACK_LLVM_RPATH)
  foreach(name LLVM clang-cpp)
    if(NOT TARGET ${name})
      continue()
    endif()
    get_target_property(_library ${name} LOCATION)
    file(REAL_PATH "${_library}" _library)
    cmake_path(GET _library PARENT_PATH _folder)
    list(APPEND KPACK_LLVM_RPATH ${_folder})
    # Not /usr/local: not every distribution's dynamic linker looks there.
    foreach(_libraries lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE})
      list(REMOVE_ITEM KPACK_LLVM_RPATH /${_libraries} /usr/${_libraries})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES KPACK_LLVM_RPATH)
endif()

if(KPACK_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
