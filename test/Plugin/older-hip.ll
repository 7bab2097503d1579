; What HIP 5's headers and device libraries leave undefined, in a device module:
; a fence, and the option that says whether small numbers count as zero. (What
; reads this file gives intrinsics their new names: they are tested in
; Driver/real-functions.test.)
; RUN: opt -load-pass-plugin=%kpack_plugin -passes=kpack -S %s | FileCheck %s --implicit-check-not="declare {{.*}}fence" --implicit-check-not=external
; RUN: sed 's/ieee,ieee/preserve-sign,preserve-sign/' %s | opt -load-pass-plugin=%kpack_plugin -passes=kpack -S | FileCheck %s --check-prefix=FLUSH
; RUN: sed 's/^declare void @__atomic_work_item_fence.*/define void @__atomic_work_item_fence(i32 %%0, i32 %%1, i32 %%2) { ret void }/' %s | \
; RUN:   opt -load-pass-plugin=%kpack_plugin -passes=kpack -S | FileCheck %s --check-prefix=THEIRS

target triple = "amdgcn-amd-amdhsa"

; CHECK: @__oclc_daz_opt = internal local_unnamed_addr addrspace(4) constant i8 0
; FLUSH: @__oclc_daz_opt = internal local_unnamed_addr addrspace(4) constant i8 1
@__oclc_daz_opt = external hidden local_unnamed_addr addrspace(4) constant i8

; CHECK-LABEL: define void @user
define void @user(ptr %p) #0 {
  ; CHECK: call void @__atomic_work_item_fence
  call void @__atomic_work_item_fence(i32 1, i32 5, i32 1)
  ret void
}

; CHECK: define internal void @__atomic_work_item_fence(i32 %0, i32 %1, i32 %2) #[[#FENCE:]]
; CHECK-DAG: fence syncscope("workgroup") seq_cst
; CHECK-DAG: fence syncscope("agent") acquire
; CHECK-DAG: fence release
; CHECK-DAG: fence syncscope("wavefront") acq_rel
; CHECK: attributes #[[#FENCE]] = { alwaysinline }
; THEIRS-NOT: fence syncscope
declare void @__atomic_work_item_fence(i32, i32, i32)

attributes #0 = { "denormal-fp-math-f32"="ieee,ieee" }
