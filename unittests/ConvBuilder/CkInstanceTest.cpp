//===- CkInstanceTest.cpp - tests of descriptors from CK's names ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One name of each template that is known, as what it means; and what is said
// about names that are none.
//
//===----------------------------------------------------------------------===//
#include "ConvBuilder/CkInstance.h"
#include "kpack/ConvBuilder/Describe.h"

#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

#define FORWARD                                                                \
  "<2,NHWGC,GKYXC,EmptyTuple,NHWGK,fp16,fp16,fp32,fp16,EmptyTuple,fp16,"       \
  "PassThrough,PassThrough,Relu,OddC,MNKPadding"
#define BACKWARD                                                               \
  "<3,GNDHWC,GKZYXC,GNDHWK,bf16,fp32,bf16,fp32,PassThrough,PassThrough,"       \
  "PassThrough,Filter1x1Stride1Pad0"
#define OTHERS                                                                 \
  "<2,GNHWC,GKYXC,GNHWK,EmptyTuple,fp16,fp16,fp16,fp32,EmptyTuple,"            \
  "PassThrough,Scale,PassThrough,Default"
#define TRANSFERS                                                              \
  ",Seq(4,64,1),Seq(1,0,2),Seq(1,0,2),2,8,8,true,Seq(4,64,1),Seq(1,0,2),"      \
  "Seq(1,0,2),2,4,8,false,1,1,Seq(1,32,1,8),8"
#define PIECES                                                                 \
  ",Seq(1,4,16,4),Seq(0,3,1,2),Seq(0,2,1,3),2,2,4,true,Seq(1,4,16,4),"         \
  "Seq(0,3,1,2),Seq(0,2,1,3),2,2,4,true,1,1,Seq(1,32,1,8),2"

#define TRANSFER_FIELDS(MERGED)                                                \
  "a={k_pack=8,load_vector=8,lds_vector=8,vector_dim=2,lds_pad=8," MERGED      \
  "cluster={k0=4,mn=64,k1=1},cluster_order=[1,0,2],access_order=[1,0,2]},"     \
  "b={k_pack=8,load_vector=4,lds_vector=8,vector_dim=2," MERGED                \
  "cluster={k0=4,mn=64,k1=1},cluster_order=[1,0,2],access_order=[1,0,2]},"     \
  "c={store_vector=8,shuffle={m=1,n=1},cluster={mb=1,mw=32,nb=1,nw=8},"        \
  "through_lds=1}"
#define PIECE_FIELDS                                                           \
  "a={k_pack=8,load_vector=2,lds_vector=4,vector_dim=2,lds_pad=8,cluster={"    \
  "k0=4,mn=16,k1=4,kb=1},cluster_order=[0,3,1,2],access_order=[0,2,1,3]},"     \
  "b={k_pack=8,load_vector=2,lds_vector=4,vector_dim=2,lds_pad=8,cluster={"    \
  "k0=4,mn=16,k1=4,kb=1},cluster_order=[0,3,1,2],access_order=[0,2,1,3]},"     \
  "c={store_vector=2,shuffle={m=1,n=1},cluster={mb=1,mw=32,nb=1,nw=8},"        \
  "through_lds=1}"

struct InstanceCase {
  const char *Name;
  const char *How;
};

const InstanceCase Cases[] = {
    {"DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle" FORWARD
     ",1,256,128,128,32,8,8,32,32,2,2" TRANSFERS ",fp16,fp16,Default,4>",
     "{kind=IMPLICIT_GEMM,isa=MFMA,block_size=256,tile={m=128,n=128,k=32},"
     "wave={waves={m=2,n=2,k=1},instr={m=32,n=32}}," TRANSFER_FIELDS(
         "") ",pipeline={stages=1},split={groups_merge=4},specialization=ODD_C,"
             "padding={m=1,n=1,k=1}}"},
    {"DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle_V3" FORWARD
     ",256,128,128,32,8,8,32,32,2,2" TRANSFERS ",Interwave,v4,fp16,fp16,true>",
     "{kind=IMPLICIT_GEMM,isa=MFMA,block_size=256,tile={m=128,n=128,k=32},"
     "wave={waves={m=2,n=2,k=1},instr={m=32,n=32}}," TRANSFER_FIELDS(
         "direct_to_lds=1,") ",pipeline={version=V4,scheduler=INTERWAVE},"
                             "specialization=ODD_C,padding={m=1,n=1,k=1}}"},
    {"DeviceGroupedConvFwdMultipleD_Xdl_CShuffle_Large_Tensor" FORWARD
     ",1,256,128,128,32,8,8,32,32,2,2" TRANSFERS ",fp16,fp16,Default>",
     "{kind=IMPLICIT_GEMM,isa=MFMA,block_size=256,tile={m=128,n=128,k=32},"
     "wave={waves={m=2,n=2,k=1},instr={m=32,n=32}}," TRANSFER_FIELDS(
         "") ",pipeline={stages=1},split={index64=1},specialization=ODD_C,"
             "padding={m=1,n=1,k=1}}"},
    {"DeviceGroupedConvFwdMultipleD_Wmma_CShuffle" FORWARD
     ",1,256,128,64,32,8,16,16,2,2" TRANSFERS ",Default,v1>",
     "{kind=IMPLICIT_GEMM,isa=WMMA,block_size=256,tile={m=128,n=64,k=32},"
     "wave={waves={m=4,n=2,k=1},instr={m=16,n=16}}," TRANSFER_FIELDS(
         "") ",pipeline={stages=1},specialization=ODD_C,padding={m=1,n=1,k=1}"
             "}"},
    {"DeviceGroupedConvFwdDlMultipleD_NHWC_KYXC_NHWK<2,fp16,fp16,EmptyTuple,"
     "fp16,fp32,GNHWC,GKYXC,EmptyTuple,GNHWK,PassThrough,PassThrough,Relu,"
     "Default,MNKPadding,8,16,4,2,1,1,2,1,Seq(4,2),Seq(1,1),Seq(2,1,2,1),"
     "Seq(1,1,8,1),Seq(1,2,0,3),Seq(1,2,0,3),Seq(1,1,1,1),Seq(1,2,0,3),"
     "Seq(1,1,1,1),Seq(1,1,1,1),Seq(2,1,4,1),Seq(1,2,0,3),Seq(1,2,0,3),"
     "Seq(1,1,1,1),Seq(1,2,0,3),Seq(1,1,1,1),Seq(0,1,2,3,4,5),5,1>",
     "{kind=IMPLICIT_GEMM,isa=VALU,block_size=8,tile={m=16,n=4,k=2},a={"
     "k_pack=1,cluster_order=[1,2,0,3],access_order=[1,2,0,3],slice={lengths=["
     "2,1,2,1],cluster=[1,1,8,1],source_vector=[1,1,1,1],vector_order=[1,2,0,3]"
     ",target_vector=[1,1,1,1]}},b={k_pack=1,cluster_order=[1,2,0,3],"
     "access_order=[1,2,0,3],slice={lengths=[1,1,1,1],cluster=[2,1,4,1],"
     "source_vector=[1,1,1,1],vector_order=[1,2,0,3],target_vector=[1,1,1,1]}},"
     "c={store_vector=1,vector_dim=5,access_order=[0,1,2,3,4,5]},thread={m1=1,"
     "n1=2,k_per_thread=1,k0=2,k1=1,m1_xs=[4,2],n1_xs=[1,1]},"
     "padding={m=1,n=1,k=1}}"},
    {"DeviceGroupedConvBwdWeight_Xdl_CShuffle" BACKWARD
     ",256,64,128,4,8,32,32,1,2" PIECES ",bf16,bf16,1,2>",
     "{kind=IMPLICIT_GEMM,isa=MFMA,block_size=256,tile={m=64,n=128,k=32},"
     "wave={waves={m=2,n=2,k=1},instr={m=32,n=32}}," PIECE_FIELDS
     ",transpose={source_vector=1,target_vector=2},"
     "specialization=FILTER_1X1_STRIDE1_PAD0}"},
    {"DeviceGroupedConvBwdWeight_Xdl_CShuffleV3" BACKWARD
     ",256,64,128,32,8,32,32,1,2" TRANSFERS ",Intrawave,v3,bf16,bf16>",
     "{kind=IMPLICIT_GEMM,isa=MFMA,block_size=256,tile={m=64,n=128,k=32},"
     "wave={waves={m=2,n=2,k=1},instr={m=32,n=32}}," TRANSFER_FIELDS(
         "") ",pipeline={version=V3,scheduler=INTRAWAVE},"
             "specialization=FILTER_1X1_STRIDE1_PAD0}"},
    {"DeviceGroupedConvBwdWeight_Wmma_CShuffleV3" BACKWARD
     ",256,64,64,32,8,16,16,1,2" TRANSFERS ",Intrawave,v1,bf16,bf16,1,1>",
     "{kind=IMPLICIT_GEMM,isa=WMMA,block_size=256,tile={m=64,n=64,k=32},"
     "wave={waves={m=4,n=2,k=1},instr={m=16,n=16}}," TRANSFER_FIELDS(
         "") ",pipeline={scheduler=INTRAWAVE},transpose={source_vector=1,"
             "target_vector=1},specialization=FILTER_1X1_STRIDE1_PAD0}"},
    {"DeviceGroupedConvBwdWeightTwoStage_Xdl_CShuffle" BACKWARD
     ",256,64,128,32,8,32,32,1,2" TRANSFERS ",Intrawave,v1,2,bf16,bf16,1,4>",
     "{kind=IMPLICIT_GEMM,isa=MFMA,block_size=256,tile={m=64,n=128,k=32},"
     "wave={waves={m=2,n=2,k=1},instr={m=32,n=32}}," TRANSFER_FIELDS(
         "") ",pipeline={scheduler=INTRAWAVE},split={two_stage=1,groups_merge="
             "2},"
             "transpose={source_vector=1,target_vector=4},"
             "specialization=FILTER_1X1_STRIDE1_PAD0}"},
    {"DeviceGroupedConvBwdWeightTwoStage_Wmma_CShuffleV3" BACKWARD
     ",256,64,64,32,8,16,16,1,2" TRANSFERS ",Intrawave,v1,1,bf16,bf16,1,1>",
     "{kind=IMPLICIT_GEMM,isa=WMMA,block_size=256,tile={m=64,n=64,k=32},"
     "wave={waves={m=4,n=2,k=1},instr={m=16,n=16}}," TRANSFER_FIELDS(
         "") ",pipeline={scheduler=INTRAWAVE},split={two_stage=1,groups_merge="
             "1},"
             "transpose={source_vector=1,target_vector=1},"
             "specialization=FILTER_1X1_STRIDE1_PAD0}"},
    {"DeviceGroupedConvBwdWeightMultipleD_Xdl_CShuffle" OTHERS
     ",256,64,128,4,8,32,32,1,2" PIECES ",fp16,fp16>",
     "{kind=IMPLICIT_GEMM,isa=MFMA,block_size=256,tile={m=64,n=128,k=32},"
     "wave={waves={m=2,n=2,k=1},instr={m=32,n=32}}," PIECE_FIELDS "}"},
    {"DeviceGroupedConvBwdWeightMultipleD_Wmma_CShuffleV3" OTHERS
     ",256,64,64,32,8,16,16,1,2" TRANSFERS ",Intrawave,v1,fp16,fp16>",
     "{kind=IMPLICIT_GEMM,isa=WMMA,block_size=256,tile={m=64,n=64,k=32},"
     "wave={waves={m=4,n=2,k=1},instr={m=16,n=16}}," TRANSFER_FIELDS(
         "") ",pipeline={scheduler=INTRAWAVE}}"},
    {"DeviceGroupedConvBwdWeight_Dl" BACKWARD
     ",256,128,128,16,1,4,4,1,Seq(8,2),Seq(8,2),Seq(1,8,1,1,1),"
     "Seq(1,2,1,128,1),Seq(0,2,3,1,4),Seq(0,2,3,1,4),Seq(1,1,1,1,1),"
     "Seq(0,2,3,1,4),Seq(1,1,1,1,1),Seq(1,1,1,8,1),Seq(1,16,1,16,1),"
     "Seq(0,1,4,2,3),Seq(0,1,4,2,3),Seq(1,1,1,1,1),Seq(0,1,4,2,3),"
     "Seq(1,1,1,1,1),Seq(0,1,2,3,4,5),5,1>",
     "{kind=IMPLICIT_GEMM,isa=VALU,block_size=256,tile={m=128,n=128,k=16},"
     "a={k_pack=1,cluster_order=[0,2,3,1,4],access_order=[0,2,3,1,4],slice={"
     "lengths=[1,8,1,1,1],cluster=[1,2,1,128,1],source_vector=[1,1,1,1,1],"
     "vector_order=[0,2,3,1,4],target_vector=[1,1,1,1,1]}},b={k_pack=1,"
     "cluster_order=[0,1,4,2,3],access_order=[0,1,4,2,3],slice={lengths=["
     "1,1,1,8,1],cluster=[1,16,1,16,1],source_vector=[1,1,1,1,1],vector_order="
     "[0,1,4,2,3],target_vector=[1,1,1,1,1]}},c={store_vector=1,vector_dim=5,"
     "access_order=[0,1,2,3,4,5]},thread={m1=4,n1=4,k_per_thread=1,k0=16,k1=1,"
     "m1_xs=[8,2],n1_xs=[8,2]},specialization=FILTER_1X1_STRIDE1_PAD0}"},
};

TEST(CkInstanceTest, ParsesEachTemplate) {
  for (const InstanceCase &Case : Cases) {
    Result<CkInstance> Read = parseCkInstance(Case.Name);
    ASSERT_TRUE(Read.ok()) << Case.Name << ": " << Read.status().message();
    EXPECT_TRUE(std::string_view(Case.Name).starts_with(Read->Template + "<"));
    EXPECT_EQ(text(Read->How), Case.How) << Case.Name;
  }
}

TEST(CkInstanceTest, ReadsTheSignatureFromTheName) {
  EXPECT_EQ(text(parseCkInstance(Cases[3].Name)->Sig),
            "{spatial_dim=2,accumulation_data_type=FP32,input={config={layout="
            "NHWGC,data_type=FP16},operation={}},weight={config={layout=GKYXC,"
            "data_type=FP16},operation={}},output={config={layout=NHWGK,"
            "data_type=FP16},operation={elementwise_operation=RELU}}}");
  // A is the output of BACKWARD_WEIGHT, B the input.
  std::string Name = Cases[5].Name;
  Name.replace(Name.find(",bf16,bf16,1,2>"), 15, ",fp32,bf16,1,2>");
  EXPECT_EQ(text(parseCkInstance(Name)->Sig),
            "{spatial_dim=3,direction=BACKWARD_WEIGHT,accumulation_data_type="
            "FP32,input={config={layout=GNDHWC,data_type=BF16,compute_type="
            "BF16},operation={}},weight={config={layout=GKZYXC,data_type=FP32},"
            "operation={}},output={config={layout=GNDHWK,data_type=BF16,"
            "compute_type=FP32},operation={}}}");
  // Operands that the name does not tell are open.
  Name = Cases[3].Name;
  Name.replace(Name.find("Relu"), 4, "Bilinear");
  EXPECT_EQ(parseCkInstance(Name)
                ->Sig.output.operation->auxiliary_operand_configs.size(),
            1U);
}

std::string getMessage(std::string Name, std::string_view Pattern,
                       std::string_view Replacement) {
  size_t Position = Name.find(Pattern);
  EXPECT_NE(Position, Name.npos) << Pattern;
  return parseCkInstance(Name.replace(Position, Pattern.size(), Replacement))
      .status()
      .message();
}

TEST(CkInstanceTest, MalformedNamesAreRefused) {
  const std::string Good = Cases[0].Name;
  EXPECT_EQ(getMessage(Good, "MultipleABD", "MultipleXYZ"),
            "instance: at 0: 'DeviceGroupedConvFwdMultipleXYZ_Xdl_CShuffle' is "
            "no template that is known");
  EXPECT_EQ(getMessage(Good, "<2,", "<4,"),
            "instance: at 45: dimensions are 1, 2 or 3");
  EXPECT_EQ(getMessage(Good, "NHWGC", "NHWGX"),
            "instance: at 47: 'NHWGX' is no layout");
  EXPECT_EQ(getMessage(Good, "EmptyTuple", "Tuple(GK)"),
            "instance: at 59: 'Tuple(GK)' is not EmptyTuple");
  EXPECT_EQ(getMessage(Good, "fp16", "fp17"),
            "instance: at 76: 'fp17' is no type");
  EXPECT_EQ(getMessage(Good, "Relu", "AddRelu"),
            "instance: at 136: 'AddRelu' is no operation that is known");
  EXPECT_EQ(getMessage(Good, "MNKPadding", "MXKPadding"),
            "instance: at 146: 'MXKPadding' is no padding");
  EXPECT_EQ(getMessage(Good, ",256,", ",-1,"),
            "instance: at 159: '-1' is no number from 0 to 4096");
  EXPECT_EQ(getMessage(Good, "Seq(4,64,1)", "Seq(4,64)"),
            "instance: at 188: 'Seq(4,64)' is no Seq of 3 to 4 numbers");
  EXPECT_EQ(getMessage(Good, "true", "yes"),
            "instance: at 228: 'yes' is neither true nor false");
  EXPECT_EQ(getMessage(Good, ",4>", ">"),
            "instance: at 316: ',' and a parameter is expected");
  EXPECT_EQ(getMessage(Good, ",4>", ",4,5>").substr(18),
            "'>' and nothing more is expected behind 49 parameters");
  EXPECT_EQ(getMessage(Good, ",4>", ",4> ").substr(18),
            "'>' and nothing more is expected behind 49 parameters");
  EXPECT_EQ(getMessage(Good, "32,32,2,2", "32,32,3,2"),
            "instance: at 0: a tile of 128 is no multiple of what a wave has, "
            "32 of an instruction, 3 times");
  EXPECT_EQ(getMessage(Good, "Seq(1,0,2)", "Seq(1,0,9)").substr(0, 33),
            "instance: at 0: algorithm: at 220");
  EXPECT_EQ(parseCkInstance("").status().message(),
            "instance: at 0: '' is no template that is known");
  // Each place where it may be cut off.
  for (size_t Size = 0; Size < Good.size(); ++Size)
    EXPECT_FALSE(parseCkInstance(Good.substr(0, Size)).ok()) << Size;
}

} // namespace
