// SPDX-License-Identifier: Apache-2.0
// How far an implementation goes: tags `sweep` and `stretch`. What is refused costs completeness,
// by the metrics; what is answered must be right. Single rows with their winners in one warp: it is
// their size that is asked for.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "interface.h"
#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Sweep : public VariantTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;
  using Outcome = typename VariantTest<Variant>::Outcome;

  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"sweep"});
  }

  /// Metrics are of the float forms on the device, the better of the two.
  static constexpr bool kHasMetrics = !kOnCpu<Variant> && !kOfHalves<Variant>;

  Outcome Try(const Problem<Logit>& problem) {
    return VariantTest<Variant>::template Try<Variant>(problem, {});
  }

  /// Whether to try the next size after one with that outcome. Whoever answers none has no way to
  /// go far: the case is skipped.
  bool GoesOn(Outcome outcome) {
    if (outcome == Outcome::kRefused && !has_answered_) {
      this->Skip("the first size is refused");
    }
    has_answered_ = true;
    return outcome == Outcome::kRight;
  }

  /// A list of k from equal logits, from chance, and of nearly all of a row.
  Outcome TryK(std::size_t k) {
    const std::size_t vocabulary = 2 * k + 304;
    for (const auto& problem :
         {this->Constant({1, vocabulary, k}, 0.25), this->RandomForOneWarp({1, vocabulary, k}),
          this->RandomForOneWarp({1, k + 8, k}, {.scale = 4})}) {
      if (const Outcome outcome = Try(problem); outcome != Outcome::kRight) {
        return outcome;
      }
    }
    return Outcome::kRight;
  }

 private:
  bool has_answered_ = false;
};
TYPED_TEST_SUITE(Sweep, Variants, VariantNames);

TYPED_TEST(Sweep, K) {
  for (const std::size_t k : {1U, 5U, 8U, 16U, 20U, 32U, 50U, 64U, 100U, 128U, 256U, 512U, 1024U}) {
    if (!this->GoesOn(this->TryK(k))) {
      break;
    }
  }
}

template <class Variant>
using FloatSweep = Sweep<Variant>;
using FloatVariants = testing::Types<F32, AlternativeF32>;
TYPED_TEST_SUITE(FloatSweep, FloatVariants, VariantNames);

/// The metric largest_k: of one dense row of max(k, 64) random logits the largest k, of those tried
/// here, up to which every one is right. One row and no more logits than it takes, so that it shows
/// how long a list is kept, and not what else is wrong.
TYPED_TEST(FloatSweep, KOfOneRow) {
  constexpr std::size_t kLeastLogits = 64;
  for (const std::size_t k :
       {1U, 2U, 4U, 8U, 16U, 32U, 64U, 100U, 128U, 200U, 256U, 512U, 1000U, 1024U}) {
    const auto problem = this->Random({1, std::max(k, kLeastLogits), k}, {.scale = 3});
    if (!this->GoesOn(this->Try(problem))) {
      break;
    }
    this->MetricMax("largest_k", static_cast<double>(k));
  }
}

TYPED_TEST(Sweep, Vocabulary) {
  for (const std::size_t vocabulary : {512U, 4096U, 32'000U, 50'257U, 128'256U, 262'144U}) {
    if (vocabulary > 60'000 && !TestFixture::kHasMetrics) {
      break;  // The same code as the float form's, as far as sizes go.
    }
    if (!this->GoesOn(this->Try(this->RandomForOneWarp({1, vocabulary, 8}, {.scale = 2})))) {
      break;
    }
    if (TestFixture::kHasMetrics) {
      this->MetricMax("largest_vocabulary", static_cast<double>(vocabulary));
    }
  }
}

/// The longest list that is not refused, for a row of a vocabulary that models have.
TYPED_TEST(Sweep, LongListOfALongVocabulary) {
  for (const std::size_t k : {1024U, 256U, 100U, 32U}) {
    const auto problem = this->RandomForOneWarp({1, 151'936, k}, {.scale = 3});
    if (this->Try(problem) != TestFixture::Outcome::kRefused) {
      return;
    }
  }
  this->Skip("k of 32 and more is refused at a vocabulary of 151,936");
}

class Shapes : public SoftmaxTopkTest {
 protected:
  /// Sizes of all that are asked for.
  static std::vector<Shape> AskedFor() {
    constexpr std::array<std::size_t, 7> kVocabularies = {1, 8, 32, 304, 1000, 5000, 20'000};
    constexpr std::array<std::size_t, 8> kKs = {1, 5, 8, 20, 50, 100, 256, 1024};
    std::vector<Shape> shapes;
    for (const std::size_t vocabulary : kVocabularies) {
      for (const std::size_t k : kKs) {
        if (k <= vocabulary) {
          shapes.push_back({.rows = 1, .vocabulary = vocabulary, .k = k});
        }
      }
    }
    return shapes;
  }
};

/// The metric shapes_supported: the share of sizes of a row that is answered, and right under the
/// first schedule: an answer that was not worked out supports nothing. A call that ends the
/// case, as what kills its host does, and those behind it count as refused. Only then are answers
/// judged under every schedule.
TEST_F(Shapes, Supported) {
  Tag({"sweep"});
  Need<F32>();
  std::vector<Problem<float>> problems;
  for (const Shape shape : AskedFor()) {
    problems.push_back(RandomProblem<float>(random(), shape));
    WinnersInOneWarp(random(), problems.back());
  }
  double supported = 0;
  for (const auto& problem : problems) {
    Metric("shapes_supported", supported / static_cast<double>(problems.size()));
    const Outputs got = Run<F32>(Schedules().front(), problem, {});
    supported +=
        got.status == SOFTMAX_TOPK_OK && IsRight<F32>(problem, Solve(problem), got) ? 1 : 0;
  }
  Metric("shapes_supported", supported / static_cast<double>(problems.size()));
  for (const auto& problem : problems) {
    Try<F32>(problem, {});
  }
}

class Stretch : public SoftmaxTopkTest {
 protected:
  void SetUp() override {
    SoftmaxTopkTest::SetUp();
    Tag({"stretch"});
    DoesNotGate();
  }

  void ExpectRow(Shape shape) {
    auto problem = RandomProblem<float>(random(), shape, {.scale = 2});
    WinnersInOneWarp(random(), problem);
    ExpectRight<F32>(problem, {});
  }
};

TEST_F(Stretch, VocabularyBeyondWhatIsAskedFor) { ExpectRow({1, 400'008, 8}); }

TEST_F(Stretch, KBeyondWhatIsAskedFor) { ExpectRow({1, 4096, 2048}); }

}  // namespace
}  // namespace assay::softmax_topk
