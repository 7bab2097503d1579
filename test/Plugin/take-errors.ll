; What cannot be done is an error, said once.

; DEFINE: %{case} =
; DEFINE: %{check} = not opt -load-pass-plugin=%kpack_plugin -passes=kpack,kpack %{case}.ll -disable-output 2>%{case}.err && \
; DEFINE:   FileCheck %s --input-file=%{case}.err --check-prefix=%{case} --implicit-check-not=error:

; RUN: rm -rf %t && split-file %s %t && cd %t
; REDEFINE: %{case} = anonymous
; RUN: %{check}
; anonymous: error: anonymous.hip: '__hip_fatbin' does not tell this source from others, its device code could not be found; drop -fuse-cuid=none or pass -cuid=<id>
; REDEFINE: %{case} = no-hash
; RUN: %{check}
; no-hash: error: no-hash.hip: '__hip_fatbin_xyz' does not tell this source from others
; REDEFINE: %{case} = version
; RUN: %{check}
; version: error: version.hip: '__hip_fatbin_wrapper' in section .hipFatBinSegment is not a wrapper this kpack knows; use a kpack made for this compiler
; REDEFINE: %{case} = shape
; RUN: %{check}
; shape: error: shape.hip: 'other' in section .hipFatBinSegment is not a wrapper this kpack knows
; REDEFINE: %{case} = null
; RUN: %{check}
; null: error: null.hip: '__hip_fatbin_wrapper' in section .hipFatBinSegment is not a wrapper this kpack knows
; REDEFINE: %{case} = shared
; RUN: %{check}
; shared: error: shared.hip: the embedded fat binary is used outside its wrapper; use a kpack made for this compiler
; REDEFINE: %{case} = zeros
; RUN: %{check}
; zeros: error: zeros.hip: the embedded fat binary is not a string of bytes; use a kpack made for this compiler
; REDEFINE: %{case} = not-a-bundle
; RUN: %{check}
; not-a-bundle: error: not-a-bundle.hip: 
; REDEFINE: %{case} = cut-off
; RUN: %{check}
; cut-off: error: cut-off.hip: offload bundle is cut off
; REDEFINE: %{case} = no-code
; RUN: %{check}
; no-code: error: no-code.hip: the embedded fat binary has no device code; name an architecture with --offload-arch=

;--- anonymous.ll
source_filename = "anonymous.hip"
@__hip_fatbin = external constant i8, section ".hip_fatbin"
@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, ptr @__hip_fatbin, ptr null }, section ".hipFatBinSegment", align 8
;--- no-hash.ll
source_filename = "no-hash.hip"
@__hip_fatbin_xyz = external constant i8, section ".hip_fatbin"
@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, ptr @__hip_fatbin_xyz, ptr null }, section ".hipFatBinSegment", align 8
;--- version.ll
source_filename = "version.hip"
@0 = private constant [156 x i8] c"__CLANG_OFFLOAD_BUNDLE__\02\00\00\00\00\00\00\00\8E\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\1E\00\00\00\00\00\00\00host-x86_64-unknown-linux-gnu-\8E\00\00\00\00\00\00\00\0E\00\00\00\00\00\00\00 \00\00\00\00\00\00\00hipv4-amdgcn-amd-amdhsa--gfx1100code for 1100\0A", section ".hip_fatbin"
@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 2, ptr @0, ptr null }, section ".hipFatBinSegment", align 8
;--- shape.ll
source_filename = "shape.hip"
@other = internal constant [6 x i32] zeroinitializer, section ".hipFatBinSegment"
;--- null.ll
source_filename = "null.hip"
@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, ptr null, ptr null }, section ".hipFatBinSegment", align 8
;--- shared.ll
source_filename = "shared.hip"
@0 = private constant [156 x i8] c"__CLANG_OFFLOAD_BUNDLE__\02\00\00\00\00\00\00\00\8E\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\1E\00\00\00\00\00\00\00host-x86_64-unknown-linux-gnu-\8E\00\00\00\00\00\00\00\0E\00\00\00\00\00\00\00 \00\00\00\00\00\00\00hipv4-amdgcn-amd-amdhsa--gfx1100code for 1100\0A", section ".hip_fatbin"
@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, ptr @0, ptr null }, section ".hipFatBinSegment", align 8
@user = global ptr @0
;--- zeros.ll
source_filename = "zeros.hip"
@0 = private constant [4096 x i8] zeroinitializer, section ".hip_fatbin"
@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, ptr @0, ptr null }, section ".hipFatBinSegment", align 8
;--- not-a-bundle.ll
source_filename = "not-a-bundle.hip"
@0 = private constant [8 x i8] c"notabund", section ".hip_fatbin"
@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, ptr @0, ptr null }, section ".hipFatBinSegment", align 8
;--- cut-off.ll
source_filename = "cut-off.hip"
@0 = private constant [40 x i8] c"__CLANG_OFFLOAD_BUNDLE__\02\00\00\00\00\00\00\00\8E\00\00\00\00\00\00\00", section ".hip_fatbin"
@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, ptr @0, ptr null }, section ".hipFatBinSegment", align 8
;--- no-code.ll
source_filename = "no-code.hip"
@0 = private constant [86 x i8] c"__CLANG_OFFLOAD_BUNDLE__\01\00\00\00\00\00\00\00V\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\1E\00\00\00\00\00\00\00host-x86_64-unknown-linux-gnu-", section ".hip_fatbin"
@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, ptr @0, ptr null }, section ".hipFatBinSegment", align 8
