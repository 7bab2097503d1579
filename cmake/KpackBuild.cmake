# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How every target of the project is compiled: warnings, sanitizers, standards.
# Used as kpack_add_library(Archive SOURCES a.cpp ... LINK x y [USES_LLVM]); the
# target is kpack<Name>, for example kpackArchive. USES_LLVM is about headers and
# compile settings; the library LLVM stands after LINK like any other.

add_library(kpack_options INTERFACE)
target_include_directories(kpack_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_compile_options(kpack_options INTERFACE
  -Wall -Wextra -Wpedantic -Wno-unused-parameter
  $<$<BOOL:${KPACK_WERROR}>:-Werror>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
# GCC 12: `return std::move(E)` into an Expected is LLVM's idiom, and -Wrestrict
# is wrong about "literal" + std::string.
target_compile_options(kpack_options INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-redundant-move -Wno-restrict>)
if(KPACK_SANITIZE)
  # vptr needs RTTI of LLVM's classes, which the LLVM side is compiled without.
  target_compile_options(kpack_options INTERFACE
    -fsanitize=${KPACK_SANITIZE} -fno-sanitize-recover=all -fno-sanitize=vptr
    -fno-omit-frame-pointer -g1)
  target_link_options(kpack_options INTERFACE
    -fsanitize=${KPACK_SANITIZE} -fno-sanitize=vptr)
  if(KPACK_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # A fuzzer sees only code that counts its branches, the libraries included.
    target_compile_options(kpack_options INTERFACE -fsanitize=fuzzer-no-link)
  endif()
endif()

# kpack_harden(<target>): for what is loaded into processes of users, and what
# these start. Sanitizers have checks of their own in the same places.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-fcf-protection=full KPACK_HAS_CF_PROTECTION)
check_cxx_compiler_flag(-fstack-clash-protection KPACK_HAS_STACK_CLASH_PROTECTION)
# Start files of the C library that are not marked would unmark the output. Of
# IBT that is right: they have indirect targets without the instruction for it.
include(CheckLinkerFlag)
check_linker_flag(CXX -Wl,-z,shstk KPACK_HAS_SHADOW_STACK)
function(kpack_harden target)
  if(NOT KPACK_HARDENING OR KPACK_SANITIZE)
    return()
  endif()
  target_compile_options(${target} PRIVATE -fstack-protector-strong
    $<$<BOOL:${KPACK_HAS_CF_PROTECTION}>:-fcf-protection=full>
    $<$<BOOL:${KPACK_HAS_STACK_CLASH_PROTECTION}>:-fstack-clash-protection>
    # Needs an optimizing compile; a packager's own level is replaced.
    $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
    $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
  get_target_property(type ${target} TYPE)
  if(type MATCHES "SHARED_LIBRARY|EXECUTABLE")
    target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now,-z,noexecstack
      $<$<AND:$<BOOL:${KPACK_HAS_CF_PROTECTION}>,$<BOOL:${KPACK_HAS_SHADOW_STACK}>>:-Wl,-z,shstk>)
  endif()
endfunction()

# Compile settings of a target that includes LLVM headers. They are SYSTEM
# headers (their warnings are not ours), and Debian's LLVM has no exceptions.
function(kpack_use_llvm target)
  kpack_pch_set(${target} LLVM)
  target_include_directories(${target} SYSTEM PRIVATE
    ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS} ${LLD_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE ${KPACK_LLVM_DEFINITIONS})
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:-fno-rtti;-fno-exceptions>")
endfunction()

# Makes <output> out of the option table <td> (llvm-tblgen, as LLVM's tools do);
# ToolSupport/OptionTable.inc turns it into an OptTable.
function(kpack_option_table td output)
  add_custom_command(OUTPUT ${output}
    COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-tblgen -gen-opt-parser-defs
      -I ${LLVM_MAIN_INCLUDE_DIR} -I ${LLVM_INCLUDE_DIR}
      -I ${PROJECT_SOURCE_DIR}/lib ${CMAKE_CURRENT_SOURCE_DIR}/${td} -o ${output}
    DEPENDS ${td} ${PROJECT_SOURCE_DIR}/lib/ToolSupport/Values.td VERBATIM)
endfunction()

# kpack_add_library(<Name> SOURCES ... [LINK ...] [USES_LLVM])
function(kpack_add_library name)
  cmake_parse_arguments(ARG "USES_LLVM" "" "SOURCES;LINK" ${ARGN})
  add_library(kpack${name} STATIC ${ARG_SOURCES})
  add_library(kpack::${name} ALIAS kpack${name})
  target_link_libraries(kpack${name} PUBLIC ${ARG_LINK} PRIVATE $<BUILD_INTERFACE:kpack_options>)
  target_include_directories(kpack${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  if(ARG_USES_LLVM)
    kpack_use_llvm(kpack${name})
  else()
    kpack_harden(kpack${name})
  endif()
endfunction()

# kpack_add_tool(<name> SOURCES ... [LINK ...] [USES_LLVM] [COMPONENT ...]): a
# program in bin/, installed with component tools if nothing else is said.
function(kpack_add_tool name)
  cmake_parse_arguments(ARG "USES_LLVM" "COMPONENT" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_COMPONENT)
    set(ARG_COMPONENT tools)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} kpack_options)
  if(ARG_USES_LLVM)
    kpack_use_llvm(${name})
  else()
    kpack_harden(${name})
  endif()
  set_target_properties(${name} PROPERTIES
    INSTALL_RPATH "${KPACK_PROGRAM_RPATH};${KPACK_LLVM_RPATH}")
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${ARG_COMPONENT})
endfunction()

# kpack_add_unittest(<Name> SOURCES ... [LINK ...] [USES_LLVM] [OPTIMIZED]): a
# GoogleTest program <Name>Tests that lit runs, one lit test for each TEST().
# Tests are compiled without optimization, which takes a third of the time; the
# libraries that they test are optimized. Under a sanitizer, tests that compute
# much themselves lose more than that: OPTIMIZED ones are optimized there.
function(kpack_add_unittest name)
  cmake_parse_arguments(ARG "USES_LLVM;OPTIMIZED" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name}Tests ${ARG_SOURCES})
  if(NOT (ARG_OPTIMIZED AND KPACK_SANITIZE))
    target_compile_options(${name}Tests PRIVATE -O0)
  endif()
  target_link_libraries(${name}Tests PRIVATE ${ARG_LINK} kpack_options
    GTest::gtest GTest::gtest_main)
  set_target_properties(${name}Tests PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests/${name})
  if(ARG_USES_LLVM)
    kpack_use_llvm(${name}Tests)
    kpack_pch_set(${name}Tests LLVM_TEST)
  else()
    kpack_pch_set(${name}Tests STD_TEST)
  endif()
  set_property(GLOBAL APPEND PROPERTY KPACK_TEST_TARGETS ${name}Tests)
endfunction()

# kpack_add_fuzzer(<name> SOURCES ... [LINK ...]): fuzz/<name>, in a build with
# AddressSanitizer by clang. The libraries that it links are instrumented for
# libFuzzer as well (kpack_options), so none of their sources is compiled again.
function(kpack_add_fuzzer name)
  cmake_parse_arguments(ARG "USES_LLVM" "" "SOURCES;LINK" ${ARGN})
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang" OR NOT KPACK_SANITIZE MATCHES "address")
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} kpack_options)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  if(ARG_USES_LLVM)
    kpack_use_llvm(${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY KPACK_TEST_TARGETS ${name})
endfunction()
