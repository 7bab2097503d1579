; A host-only compile: the wrapper is marked and keeps its symbol. What is not a
; HIP wrapper stays as it is.

; RUN: opt -load-pass-plugin=%kpack_plugin -passes=kpack -S < %s | FileCheck %s --implicit-check-not=kpack
; RUN: opt -load-pass-plugin=%kpack_plugin -passes=kpack %s -o - | llc -filetype=obj -o %t.o
; RUN: llvm-readelf -rSW %t.o | FileCheck %s --check-prefix=ELF

; CHECK: @__hip_fatbin_3fc15a68e0db35d = external constant i8, section ".hip_fatbin"
; CHECK: @__hip_fatbin_wrapper = internal constant {{.*}} { i32 1263552840, i32 1, ptr @__hip_fatbin_3fc15a68e0db35d, ptr inttoptr (i64 287128281336886109 to ptr) }, section ".hipFatBinSegment", align 8
; CHECK: @__hip_fatbin_wrapper.7 = internal constant {{.*}} { i32 1263552840, i32 1, ptr @__hip_fatbin_ffffffffffffffff, ptr inttoptr (i64 -1 to ptr) }
; CHECK: @__cuda_fatbin_wrapper = internal constant {{.*}} { i32 1180844977, i32 1, ptr @cubin, ptr null }, section ".nvFatBinSegment"
; ELF: .hipFatBinSegment PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000030
; ELF: R_X86_64_64 {{.*}} __hip_fatbin_3fc15a68e0db35d + 0
; ELF: R_X86_64_64 {{.*}} __hip_fatbin_ffffffffffffffff + 0

target triple = "x86_64-unknown-linux-gnu"

@__hip_fatbin_3fc15a68e0db35d = external constant i8, section ".hip_fatbin"
@__hip_fatbin_ffffffffffffffff = external constant i8, section ".hip_fatbin"
@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, ptr @__hip_fatbin_3fc15a68e0db35d, ptr null }, section ".hipFatBinSegment", align 8
@__hip_fatbin_wrapper.7 = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, ptr @__hip_fatbin_ffffffffffffffff, ptr null }, section ".hipFatBinSegment", align 8
@cubin = external constant i8
@__cuda_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1180844977, i32 1, ptr @cubin, ptr null }, section ".nvFatBinSegment", align 8
@keep = global [3 x ptr] [ptr @__hip_fatbin_wrapper, ptr @__hip_fatbin_wrapper.7, ptr @__cuda_fatbin_wrapper]
