// SPDX-License-Identifier: Apache-2.0
// The CUDA forms against the oracle at NaN, infinities and zeros of both signs, at every place of
// small rows, on the emulated GPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "client/compare.h"
#include "interface.h"
#include "on_device.h"
#include "oracle.h"
#include "special_values.h"

namespace assay::softmax_topk {
namespace {

int Call(float /*logit*/, std::size_t rows, std::size_t vocabulary, std::size_t k,
         const void* logits, float* probabilities, std::int32_t* indices, void* workspace,
         std::size_t bytes) {
  return softmax_topk_f32(rows, vocabulary, k, static_cast<const float*>(logits), vocabulary,
                          probabilities, indices, workspace, bytes, nullptr);
}
int Call(Half /*logit*/, std::size_t rows, std::size_t vocabulary, std::size_t k,
         const void* logits, float* probabilities, std::int32_t* indices, void* workspace,
         std::size_t bytes) {
  return softmax_topk_f16(rows, vocabulary, k, static_cast<const std::uint16_t*>(logits),
                          vocabulary, probabilities, indices, workspace, bytes, nullptr);
}
int Call(BFloat16 /*logit*/, std::size_t rows, std::size_t vocabulary, std::size_t k,
         const void* logits, float* probabilities, std::int32_t* indices, void* workspace,
         std::size_t bytes) {
  return softmax_topk_bf16(rows, vocabulary, k, static_cast<const std::uint16_t*>(logits),
                           vocabulary, probabilities, indices, workspace, bytes, nullptr);
}

template <class Logit>
class TopkSpecialValuesInCuda : public testing::Test {
 protected:
  static void ExpectRight(const Problem<Logit>& problem) {
    SCOPED_TRACE(testing::Message()
                 << problem.rows << " x " << problem.vocabulary << ", k " << problem.k);
    const std::size_t results = problem.rows * problem.k;
    OnDevice<Logit> logits(problem.logits);
    OnDevice<float> probabilities(results);
    OnDevice<std::int32_t> indices(results);
    OnDevice<char> workspace(
        softmax_topk_workspace_bytes(problem.rows, problem.vocabulary, problem.k));
    ASSERT_EQ(Call(Logit{}, problem.rows, problem.vocabulary, problem.k, logits.get(),
                   probabilities.get(), indices.get(), workspace.get(), workspace.size_bytes()),
              SOFTMAX_TOPK_OK);
    const Answer want = Solve(problem);
    const std::vector<std::int32_t> got = indices.Read();
    const auto differ = std::ranges::mismatch(got, want.indices);
    const auto at = static_cast<std::size_t>(differ.in1 - got.begin());
    ASSERT_EQ(differ.in1, got.end()) << "place " << at % problem.k << " of row " << at / problem.k
                                     << " is " << *differ.in1 << " instead of " << *differ.in2;
    const Comparison compared = CompareWithin<float, long double>(
        probabilities.Read(), want.probabilities, want.bounds, {});
    EXPECT_TRUE(compared.AllWithin()) << Describe("probabilities", compared);
  }

  static std::vector<Logit> Logits(const std::vector<float>& values) {
    std::vector<Logit> logits(values.size());
    std::ranges::transform(values, logits.begin(),
                           [](float value) { return Nearest<Logit>(static_cast<double>(value)); });
    return logits;
  }
};
using Types = testing::Types<float, Half, BFloat16>;
TYPED_TEST_SUITE(TopkSpecialValuesInCuda, Types);

TYPED_TEST(TopkSpecialValuesInCuda, EveryRowOfUpToSix) {
  for (std::size_t length = 1; length <= kMostSpecialValues; ++length) {
    const std::vector<TypeParam> rows = this->Logits(EveryRowOf(kSpecialValues<float>, length));
    this->ExpectRight(
        {.rows = rows.size() / length, .vocabulary = length, .k = length, .logits = rows});
  }
}

/// At a stride of a lane's elements, of a vector load and of a warp, behind enough others that
/// there is a threshold.
TYPED_TEST(TopkSpecialValuesInCuda, EveryRowOfFourWithinALongOne) {
  constexpr std::size_t kLength = 700;
  const std::vector<float> fours = EveryRowOf(kSpecialValues<float>, 4);
  for (const std::size_t apart : {1U, 4U, 32U, 128U}) {
    std::vector<float> logits(fours.size() / 4 * kLength);
    for (std::size_t i = 0; i < logits.size(); ++i) {
      logits[i] = -2.0F - static_cast<float>(i * 7919 % 101) / 101.0F;
    }
    for (std::size_t i = 0; i < fours.size(); ++i) {
      logits[i / 4 * kLength + 301 + i % 4 * apart] = fours[i];
    }
    this->ExpectRight(
        {.rows = fours.size() / 4, .vocabulary = kLength, .k = 2, .logits = this->Logits(logits)});
  }
}

}  // namespace
}  // namespace assay::softmax_topk
