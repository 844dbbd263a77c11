// SPDX-License-Identifier: Apache-2.0
// How far an implementation goes: tags `sweep`, `large` and `stretch`. What is refused costs
// completeness, by the metrics; what is answered must be right.

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

  /// Lists of k that fill in many ways: from an ascending row, from equal logits, from chance.
  Outcome TryK(std::size_t k) {
    auto problem = this->Random({3, 2 * k + 301, k});
    const auto row = static_cast<std::ptrdiff_t>(problem.vocabulary);
    std::ranges::sort(problem.logits.begin(), problem.logits.begin() + row, std::less<>(),
                      [](Logit logit) { return ToFloat(logit); });
    std::fill_n(problem.logits.begin() + row, row, Nearest<Logit>(0.25));
    const Outcome first = this->template Try<Variant>(problem);
    if (first != Outcome::kRight) {
      return first;
    }
    return this->template Try<Variant>(this->Random({2, k + 5, k}, {.scale = 4}));
  }
};
TYPED_TEST_SUITE(Sweep, Variants, VariantNames);

TYPED_TEST(Sweep, K) {
  for (const std::size_t k : {1U, 5U, 8U, 10U, 16U, 20U, 32U, 50U, 64U, 100U, 128U, 200U, 256U,
                              400U, 512U, 800U, 1024U}) {
    if (this->TryK(k) != TestFixture::Outcome::kRight) {
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
    if (this->template Try<TypeParam>(problem, {}) != TestFixture::Outcome::kRight) {
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
    if (this->template Try<TypeParam>(this->Random({1, vocabulary, 8}, {.scale = 2})) !=
        TestFixture::Outcome::kRight) {
      break;
    }
    if (TestFixture::kHasMetrics) {
      this->MetricMax("largest_vocabulary", static_cast<double>(vocabulary));
    }
  }
}

/// The longest list that is not refused, for rows of a vocabulary that models have.
TYPED_TEST(Sweep, LongListOfALongVocabulary) {
  for (const std::size_t k : {1024U, 256U, 100U, 32U}) {
    const auto problem = this->Random({2, 151'936, k}, {.scale = 3});
    if (this->template Try<TypeParam>(problem) != TestFixture::Outcome::kRefused) {
      return;
    }
  }
  this->Skip("k of 32 and more is refused at a vocabulary of 151,936");
}

class Shapes : public SoftmaxTopkTest {
 protected:
  /// Sizes of all that are asked for, each with another number of rows.
  std::vector<Shape> DrawShapes() {
    constexpr std::array<std::size_t, 7> kVocabularies = {1, 7, 33, 300, 1000, 5001, 20'000};
    constexpr std::array<std::size_t, 8> kKs = {1, 5, 8, 20, 50, 100, 256, 1024};
    std::vector<Shape> shapes;
    for (const std::size_t vocabulary : kVocabularies) {
      for (const std::size_t k : kKs) {
        const std::size_t rows =
            vocabulary <= 1000 ? 1 + (shapes.empty() ? 0 : random()() % 12) : 1;
        if (k <= vocabulary) {
          shapes.push_back({.rows = rows, .vocabulary = vocabulary, .k = k});
        }
      }
    }
    return shapes;
  }
};

/// The metric shapes_supported: the share of sizes and layouts that is answered, and right under
/// the first schedule: an answer that was not worked out supports nothing. A call that ends the
/// case, as what kills its host does, and those behind it count as refused. Only then are answers
/// judged under every schedule.
TEST_F(Shapes, Supported) {
  Tag({"sweep"});
  Need<F32>();
  struct Trial {
    Problem<float> problem;
    Layout layout;
  };
  std::vector<Trial> trials;
  for (const Shape shape : DrawShapes()) {
    trials.push_back({RandomProblem<float>(random(), shape), RandomLayout(random())});
  }
  double supported = 0;
  for (const Trial& trial : trials) {
    Metric("shapes_supported", supported / static_cast<double>(trials.size()));
    const Outputs got = Run<F32>(Schedules().front(), trial.problem, trial.layout);
    supported +=
        got.status == SOFTMAX_TOPK_OK && IsRight<F32>(trial.problem, Solve(trial.problem), got) ? 1
                                                                                                : 0;
  }
  Metric("shapes_supported", supported / static_cast<double>(trials.size()));
  for (const Trial& trial : trials) {
    Try<F32>(trial.problem, trial.layout);
  }
}

class Large : public SoftmaxTopkTest {};

/// More rows than 16 bits count, which is the limit of a grid's y and z. A right kernel of many
/// instructions a block can meet the limit of a launch here, so the verdict does not hang on it.
TEST_F(Large, MoreRowsThanAGridHasInY) {
  Tag({"large"});
  DoesNotGate();
  UseOneSchedule();
  ExpectRight<F32>(RandomProblem<float>(random(), {65'537, 2, 1}), {});
}

/// rows * row_stride beyond 2^31: few rows, far apart, on memory that is there where it is touched.
TEST_F(Large, OffsetsBeyond31Bits) {
  Tag({"large"});
  if (OnRealGpu()) {
    Skip("needs 10.7 GB of device memory, which is real there");
  }
  constexpr std::size_t kStride = (std::size_t{1} << 29) + 3;
  ExpectRight<F32>(RandomProblem<float>(random(), {6, 1000, 5}), {.gap = kStride - 1000});
}

class Stretch : public SoftmaxTopkTest {
 protected:
  void SetUp() override {
    SoftmaxTopkTest::SetUp();
    Tag({"stretch"});
    DoesNotGate();
  }
};

TEST_F(Stretch, VocabularyBeyondWhatIsAskedFor) {
  ExpectRight<F32>(RandomProblem<float>(random(), {1, 400'009, 8}, {.scale = 2}), {});
}

TEST_F(Stretch, KBeyondWhatIsAskedFor) {
  ExpectRight<F32>(RandomProblem<float>(random(), {2, 4100, 2048}, {.scale = 2}), {});
}

}  // namespace
}  // namespace assay::softmax_topk
