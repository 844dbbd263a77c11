// SPDX-License-Identifier: Apache-2.0
#include "grade/device_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kKernel = "__global__ void K(float* x) { *x = Used(*x); }\n";

TEST(UnusedDeviceFunctions, NamesThoseThatNothingNames) {
  // Not one expression: g++ 12 at -O1 sees a copy past the end of a sum of strings in a list.
  std::string source = kKernel;
  source +=
      "__device__ float Used(float x) { return x; }\n"
      "static __device__ __forceinline__ float Dead(float x) {\n"
      "  return x;\n}\n";
  EXPECT_THAT(UnusedDeviceFunctions({source}), ElementsAre("Dead"));
}

TEST(UnusedDeviceFunctions, AUseInAnotherFileCounts) {
  const std::string header = "__device__ inline float Used(float x) { return x; }\n";
  EXPECT_THAT(UnusedDeviceFunctions({header, kKernel}), IsEmpty());
  EXPECT_THAT(UnusedDeviceFunctions({header}), ElementsAre("Used"));
}

TEST(UnusedDeviceFunctions, WhatOnlyUnusedOnesOrItselfCallIsUnused) {
  EXPECT_THAT(UnusedDeviceFunctions(
                  {"__device__ int Last(int x) { return x; }\n"
                   "__device__ int Middle(int x) { return Last(Last(x)); }\n"
                   "__device__ int First(int x) { return x ? First(x - 1) : Middle(x); }\n"}),
              ElementsAre("First", "Last", "Middle"));
}

TEST(UnusedDeviceFunctions, CommentsStringsAndDeclarationsAreNoUses) {
  EXPECT_THAT(UnusedDeviceFunctions(
                  {"__device__ int Dead(int x);\n// Dead(1) \\\nDead(2)\n/* Dead(3) */\n"
                   "const char* s = \"Dead(4) \\\" Dead(5)\"; const char* r = R\"x(Dead(6))x\";\n"
                   "int n = 1'000; char c = '\\'';\n"
                   "__device__ int Dead(int x) { return x; }\n"}),
              ElementsAre("Dead"));
}

TEST(UnusedDeviceFunctions, ReadsTemplatesAttributesAndTrailingReturns) {
  EXPECT_THAT(UnusedDeviceFunctions(
                  {"template <int kK, class T = std::pair<int, float>>\n"
                   "__host__ __device__ __launch_bounds__(256) inline std::pair<T, int>\n"
                   "Dead(const T (&x)[kK], float y = f(1)) noexcept(true) { return {}; }\n"
                   "template <> __device__ float Special<int, 3>(int x) { if (x) { return 1; } "
                   "return 2; }\n"
                   "__device__ auto Trailing(int x) -> decltype(x + 1) { return x; }\n"}),
              ElementsAre("Dead", "Special", "Trailing"));
}

TEST(UnusedDeviceFunctions, VariablesOperatorsLambdasAndConstructorsAreNoFunctions) {
  EXPECT_THAT(
      UnusedDeviceFunctions({"__device__ int counter;\n__device__ float table[2] = {1, 2};\n"
                             "struct Pair { __device__ Pair() : a(0) {} int a; };\n"
                             "__device__ bool operator<(Pair x, Pair y) { return x.a < y.a; }\n"
                             "auto f = [] __device__(int x) { return x; };\n"}),
      IsEmpty());
}

TEST(UnusedDeviceFunctions, AMacroMayStandForDevice) {
  EXPECT_THAT(UnusedDeviceFunctions({"#define HD __host__ \\\n  __device__\n"
                                     "HD int Dead(int x) { return x; }\n"
                                     "#define CALL(x) Alive(x)\n"
                                     "HD int Alive(int x) { return x; }\n"}),
              ElementsAre("Dead"));
}

TEST(UnusedDeviceFunctions, HostFunctionsAndKernelsAreNotMeant) {
  EXPECT_THAT(UnusedDeviceFunctions({"void Host() {}\n__global__ void Kernel() {}\n"}), IsEmpty());
}

TEST(UnusedDeviceFunctions, TextThatIsNoCudaIsRead) {
  for (const std::string text :
       {"__device__", "__device__ int f(", "__device__ int f() {", "__device__ <<<<", "\"", "'",
        "R\"(", "/*", "#define", "#define X", "\\", "__device__ __launch_bounds__", "//\\"}) {
    EXPECT_LE(UnusedDeviceFunctions({text}).size(), 1U) << text;
  }
  EXPECT_THAT(UnusedDeviceFunctions({"__device__ int f() {"}), ElementsAre("f"));
}

TEST(UnusedDeviceFunctions, TimeGrowsWithSizeAlone) {
  // Each calls the next: found unused one after the other.
  std::string chain;
  for (int i = 0; i < 20'000; ++i) {
    chain += "__device__ int f" + std::to_string(i) + "(int x) { return f" + std::to_string(i + 1) +
             "(x); }\n";
  }
  EXPECT_EQ(UnusedDeviceFunctions({chain}).size(), 20'000U);
  const std::string brackets = "__device__ int f" + std::string(1'000'000, '<');
  EXPECT_THAT(UnusedDeviceFunctions({brackets}), IsEmpty());
}

}  // namespace
}  // namespace assay
