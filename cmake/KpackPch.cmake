# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Precompiled headers. Four fifths of a build without them parse the same headers
# of LLVM and of the C++ library. They hold headers of others alone: a change of
# a header of ours never makes one again, and each source still includes all it
# uses (the nightly tier `no-pch` builds with KPACK_PCH=OFF).
#
# clang loads a precompiled header only into a compile with the same language
# options. Targets are therefore grouped by set of headers and options once all
# of them are defined, and each group shares one.
#
# ccache does not keep precompiled headers, which name files by their full
# paths; cmake/launcher compiles them and tells ccache what is in them.
#
# Only clang has them here: g++ accepts one only with the same macros as well.
option(KPACK_PCH "Precompile the headers of LLVM, clang and the C++ library" ON)

# Headers of the sets. A set begins with those of the set that it extends.
set(KPACK_PCH_STD algorithm array atomic cerrno chrono condition_variable cstdint cstdlib cstring functional map memory
  mutex optional set string string_view thread utility vector)
set(KPACK_PCH_LLVM ${KPACK_PCH_STD})
foreach(header ADT/ArrayRef ADT/DenseMap ADT/STLExtras ADT/SmallString ADT/SmallVector ADT/StringExtras ADT/StringMap
    ADT/StringRef ADT/StringSet ADT/Twine BinaryFormat/ELF Object/ELF Option/ArgList Option/OptTable Support/Endian
    Support/Error Support/FileSystem Support/Format Support/FormatVariadic Support/JSON Support/MathExtras
    Support/MemoryBuffer Support/Path Support/raw_ostream)
  list(APPEND KPACK_PCH_LLVM llvm/${header}.h)
endforeach()
set(KPACK_PCH_CLANG ${KPACK_PCH_LLVM})
foreach(header AST/ASTConsumer AST/ASTContext AST/DeclCXX AST/DeclTemplate AST/ExprCXX AST/Mangle Basic/Diagnostic
    Basic/SourceManager Frontend/CompilerInstance Frontend/FrontendAction Lex/Lexer)
  list(APPEND KPACK_PCH_CLANG clang/${header}.h)
endforeach()
set(KPACK_PCH_STD_TEST ${KPACK_PCH_STD} gtest/gtest.h)
set(KPACK_PCH_LLVM_TEST ${KPACK_PCH_LLVM} gtest/gtest.h)

# A group of fewer sources than this costs more than it saves.
set(KPACK_PCH_MIN_SOURCES 5)

# kpack_pch_set(<target> <SET>): chooses the set of headers of a target, or NONE.
# A target that links kpack_options and was given none has STD.
function(kpack_pch_set target set)
  set_target_properties(${target} PROPERTIES KPACK_PCH_SET ${set})
endfunction()

# Sources of <target> in C++, counted.
function(_kpack_count_sources target result)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(LENGTH sources count)
  set(${result} ${count} PARENT_SCOPE)
endfunction()

# All targets defined in <directory> and below.
function(_kpack_targets_below directory result)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS folders)
    _kpack_targets_below(${folder} below)
    list(APPEND targets ${below})
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# The set of <target>; empty if it has no precompiled header.
function(_kpack_set_of target result)
  set(${result} "" PARENT_SCOPE)
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(STATIC|SHARED|MODULE|OBJECT)_LIBRARY$|^EXECUTABLE$")
    return()
  endif()
  get_target_property(set ${target} KPACK_PCH_SET)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  if(NOT set AND libraries MATCHES "kpack_options")
    set(set STD)
  endif()
  if(set AND NOT set STREQUAL "NONE")
    set(${result} ${set} PARENT_SCOPE)
  endif()
endfunction()

# Defines <pch>, which precompiles the headers of <set> with the options of <model>.
function(_kpack_add_pch pch set model)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/pch/${pch}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// CMake compiles a precompiled header with some source: this one.\n")
  add_library(${pch} OBJECT EXCLUDE_FROM_ALL ${source})
  foreach(property COMPILE_OPTIONS CXX_STANDARD)
    get_target_property(value ${model} ${property})
    if(value)
      set_target_properties(${pch} PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  get_target_property(libraries ${model} LINK_LIBRARIES)
  if(libraries MATCHES "kpack_options")
    target_link_libraries(${pch} PRIVATE kpack_options)
  endif()
  if(set MATCHES "TEST$")
    target_link_libraries(${pch} PRIVATE GTest::gtest)
  endif()
  if(set MATCHES "LLVM|CLANG")
    target_include_directories(${pch} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
    target_compile_definitions(${pch} PRIVATE ${KPACK_LLVM_DEFINITIONS})
  endif()
  list(TRANSFORM KPACK_PCH_${set} REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>" OUTPUT_VARIABLE headers)
  target_precompile_headers(${pch} PRIVATE ${headers})
endfunction()

# Called when all targets are defined.
function(kpack_share_pchs)
  _kpack_targets_below(${PROJECT_SOURCE_DIR} targets)
  set(groups)
  foreach(target IN LISTS targets)
    _kpack_set_of(${target} set)
    if(NOT set)
      continue()
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      # Whether code is for a program is one of those language options.
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
    get_target_property(options ${target} COMPILE_OPTIONS)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    string(REGEX MATCH "kpack_options" common "${libraries}")
    get_target_property(standard ${target} CXX_STANDARD)
    list(REMOVE_ITEM options -fPIC)
    string(SHA256 key "${set};${options};${standard};${common}")
    string(SUBSTRING ${key} 0 8 key)
    list(APPEND groups ${set}_${key})
    list(APPEND ${set}_${key} ${target})
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    set(sources 0)
    foreach(target IN LISTS ${group})
      _kpack_count_sources(${target} count)
      math(EXPR sources "${sources} + ${count}")
    endforeach()
    if(sources LESS KPACK_PCH_MIN_SOURCES)
      continue()
    endif()
    string(TOLOWER "kpack_pch_${group}" pch)
    string(REGEX REPLACE "_[0-9a-f]+$" "" set ${group})
    list(GET ${group} 0 model)
    _kpack_add_pch(${pch} ${set} ${model})
    foreach(target IN LISTS ${group})
      target_precompile_headers(${target} REUSE_FROM ${pch})
    endforeach()
  endforeach()
endfunction()
