// SPDX-License-Identifier: Apache-2.0
// The calls that bench.cc times, as it makes them: tag `cpu`. A form that computes less, or more
// narrowly, at the timed sizes alone is wrong here, and not only slower or faster there.

#include <fmt/format.h>

#include <iterator>

#include "bench_shapes.h"
#include "interface.h"
#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

class Timed : public SoftmaxTopkTest {
 protected:
  void SetUp() override {
    SoftmaxTopkTest::SetUp();
    TagFor<CpuF32>({});
    LogitsAreDrawn();
  }

  /// As many calls as a host of the bench sees (client/README.md), in one that is as new. Every row
  /// is judged.
  void ExpectRightAsTimed(const TimedShape& timed) {
    constexpr int kCalls = 4;
    const Shape shape{.rows = timed.rows, .vocabulary = timed.vocabulary, .k = timed.k};
    BeginCheck(CpuF32::kName);
    Need<CpuF32>();
    RestartHost(kForward);
    Problem<float> problem{.rows = shape.rows, .vocabulary = shape.vocabulary, .k = shape.k};
    problem.logits.resize(shape.rows * shape.vocabulary);
    TimedOutputs outputs;
    for (int i = 0; i < (sanitized() ? 1 : kCalls); ++i) {
      DrawTimedLogits(random(), problem.logits);
      const int status = Call(kForward, TimedCall(timed, problem.logits, outputs)).status;
      const Outputs got{
          .status = status, .probabilities = outputs.probabilities, .indices = outputs.indices};
      const std::string where =
          fmt::format("call {} of {}", i + 1, Describe<CpuF32>(shape, {}, "as timed"));
      if (got.status == SOFTMAX_TOPK_UNSUPPORTED) {
        NoteRefusal<CpuF32>(shape, {}, got, where);
        Skip(fmt::format("{} is refused as unsupported", where));
      }
      if (got.status != SOFTMAX_TOPK_OK) {
        FailCase(fmt::format("{} returned status {} instead of 0", where, got.status));
      }
      const Answer answer = SolveWithoutBounds(problem);
      ExpectIndices(shape, answer, got, where);
      ExpectPrecision(shape, answer, got, where);
    }
    EndCheckRight(CpuF32::kName);
  }
};

TEST_F(Timed, Rows256OfVocabulary32000) { ExpectRightAsTimed(kTimedShapes[0]); }
TEST_F(Timed, Rows128OfVocabulary32000) { ExpectRightAsTimed(kTimedShapes[1]); }
TEST_F(Timed, Rows32OfVocabulary128256) { ExpectRightAsTimed(kTimedShapes[2]); }
static_assert(std::size(kTimedShapes) == 3, "each timed shape is a case");

}  // namespace
}  // namespace assay::softmax_topk
