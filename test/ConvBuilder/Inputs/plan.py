"""A plan by ctypes: structures as kpack/ConvBuilder/CApi.h has them, a convolution in
1D with a bias and a RELU, and what is told of a text that is none.

usage: plan.py LIBRARY
"""
import ctypes
import sys

Numbers = ctypes.c_float * 3


class Auxiliary(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("numbers", Numbers)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("numbers", Numbers), ("activation", Numbers),
                ("dynamic", ctypes.c_int), ("auxiliary", Auxiliary * 5)]


class Args(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("input", Tensor), ("weight", Tensor), ("output", Tensor),
                ("workspace", ctypes.c_void_p)]


class ContextOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_char_p), ("cache", ctypes.c_void_p),
                ("archives", ctypes.c_void_p), ("tuning_files", ctypes.c_void_p)]


class PlanOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("workspace_limit", ctypes.c_size_t),
                ("has_workspace_limit", ctypes.c_int), ("deterministic", ctypes.c_int),
                ("allow_reference", ctypes.c_int), ("cold", ctypes.c_int), ("algorithm", ctypes.c_char_p)]


SIGNATURE = (b"{spatial_dim=1,data_type=FP32,output={operation={elementwise_operation=SCALE_ADD,"
             b"auxiliary_operand_configs=[{layout=G_K_strided}]}}}")
PROBLEM = b"{c=1,k=1,image=[6],filter=[3],auxiliary_strides=[[1,1]]}"


def main():
    lib = ctypes.CDLL(sys.argv[1])
    lib.kpack_conv_last_error.restype = lib.kpack_conv_text.restype = ctypes.c_char_p
    lib.kpack_conv_count.restype = ctypes.c_size_t
    lib.kpack_conv_text.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

    def check(status):
        if status:
            sys.exit("%d: %s" % (status, lib.kpack_conv_last_error().decode()))

    context, plan = ctypes.c_void_p(), ctypes.c_void_p()
    check(lib.kpack_conv_context_create(
        ctypes.byref(ContextOptions(size=ctypes.sizeof(ContextOptions), device=b"cpu")), ctypes.byref(context)))
    options = PlanOptions(size=ctypes.sizeof(PlanOptions), allow_reference=1)
    check(lib.kpack_conv_plan(context, SIGNATURE, PROBLEM, ctypes.byref(options), ctypes.byref(plan)))
    for index in range(lib.kpack_conv_count(plan)):
        print(lib.kpack_conv_text(plan, index).decode())
    args = Args(size=ctypes.sizeof(Args))
    check(lib.kpack_conv_args_init(plan, ctypes.byref(args)))
    x, w = (ctypes.c_float * 6)(1, 2, 3, 4, 5, 6), (ctypes.c_float * 3)(1, 0, -1)
    bias, y = (ctypes.c_float * 1)(10), (ctypes.c_float * 4)()
    args.input.data, args.weight.data, args.output.data = map(ctypes.addressof, (x, w, y))
    args.output.numbers[0] = 0.5
    args.output.auxiliary[0].data = ctypes.addressof(bias)
    check(lib.kpack_conv_run(plan, None, ctypes.byref(args)))
    print(list(y))
    lib.kpack_conv_release(plan)
    print(lib.kpack_conv_plan(context, b"{spatial_dim=4}", PROBLEM, None, ctypes.byref(plan)),
          lib.kpack_conv_last_error().decode())
    lib.kpack_conv_context_destroy(context)


main()
