; Kernels of HIP are told to use no queue of the device, in code objects of
; version 4 only; those of OpenCL may use one.

; RUN: rm -rf %t && split-file %s %t && cd %t
; RUN: opt -load-pass-plugin=%kpack_plugin -passes=kpack hip.ll -S | FileCheck %s --check-prefix=HIP
; HIP: define amdgpu_kernel void @k() #[[A:[0-9]+]]
; HIP: declare void @f() #[[A]]
; HIP: attributes #[[A]] = { "amdgpu-no-completion-action" "amdgpu-no-default-queue" }
; RUN: opt -load-pass-plugin=%kpack_plugin -passes=kpack later.ll -S | FileCheck %s --check-prefix=SAME
; RUN: opt -load-pass-plugin=%kpack_plugin -passes=kpack opencl.ll -S | FileCheck %s --check-prefix=SAME
; SAME: define amdgpu_kernel void @k()
; SAME-NOT: amdgpu-no-

; The hidden arguments that a runtime of HIP 5 takes for their use.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx90a -O0 hip.ll -o - | FileCheck %s --check-prefix=LISTED
; LISTED: hidden_default_queue
; RUN: opt -load-pass-plugin=%kpack_plugin -passes=kpack hip.ll | llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx90a -O0 -o - | FileCheck %s --check-prefix=NOTLISTED
; NOTLISTED-NOT: hidden_default_queue
; NOTLISTED-NOT: hidden_completion_action

;--- hip.ll
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k() {
  call void @f()
  ret void
}
declare void @f()
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 400}

;--- later.ll
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k() {
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}

;--- opencl.ll
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k() !kernel_arg_type !1 {
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 400}
!1 = !{!"int*"}
