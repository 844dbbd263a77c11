// SPDX-License-Identifier: Apache-2.0
// Calls with nothing to do, and calls that are refused: tag `errors`. The status is the right one,
// and the outputs hold what they held.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "interface.h"
#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Errors : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"errors"});
  }

  /// Calls with that stride, and with outputs of a few elements whatever the shape says.
  void ExpectUntouched(int status, Shape shape, std::size_t stride) {
    ExpectUntouchedWithOneOf({status}, shape, stride);
  }

  void ExpectUntouchedWithOneOf(const std::vector<int>& statuses, Shape shape, std::size_t stride) {
    this->BeginCheck(Variant::kName);
    this->template Need<Variant>();
    for (const std::string_view role :
         kOnCpu<Variant> ? this->Schedules().first(1) : this->SchedulesUsed()) {
      for (const std::uint32_t kind : {0U, 1U}) {
        CallOnce(statuses, shape, stride, role, kind);
      }
    }
    this->EndCheckRight(Variant::kName, VariantTest<Variant>::Asks::kStatus);
  }

 private:
  void CallOnce(const std::vector<int>& statuses, Shape shape, std::size_t stride,
                std::string_view role, std::uint32_t kind) {
    constexpr std::size_t kElements = 24;
    const std::vector<float> held(kElements, 7.25F);
    const std::vector<std::int32_t> held_indices(kElements, 1234567);
    std::vector<float> probabilities = held;
    std::vector<std::int32_t> indices = held_indices;
    // At least one row of logits, so that there is something to read where nothing should be.
    const auto problem =
        this->Random({1, std::clamp<std::size_t>(shape.vocabulary, 1, 1 << 16), 1});
    const std::string operation(Variant::kOperation);
    int returned = 0;
    if constexpr (kOnCpu<Variant>) {
      Invocation call(operation);
      call.Scalar(shape.rows).Scalar(shape.vocabulary).Scalar(shape.k).Input(problem.logits);
      call.Scalar(stride).InOut(probabilities).InOut(indices);
      returned = this->Call(role, call).status;
    } else {
      const std::uint64_t workspace_bytes =
          statuses.front() == SOFTMAX_TOPK_OK ? this->WorkspaceBytes(role, shape) : 0;
      gpu::DeviceInvocation call(operation);
      call.Scalar(shape.rows).Scalar(shape.vocabulary).Scalar(shape.k).Input(problem.logits);
      call.Scalar(stride).InOut(probabilities).InOut(indices);
      call.Scratch(workspace_bytes).Scalar(workspace_bytes).Scalar(kind);
      returned = this->CallOnDevice(role, call).reply.status;
    }
    const std::string where = fmt::format("{} {}x{} k={} stride {} ({})", operation, shape.rows,
                                          shape.vocabulary, shape.k, stride, role);
    if (std::ranges::find(statuses, returned) == statuses.end()) {
      this->FailCase(fmt::format("{} returned status {} instead of {}", where, returned,
                                 fmt::join(statuses, " or ")));
    }
    if (probabilities != held || indices != held_indices) {
      this->FailCase(fmt::format("{} wrote to its outputs", where));
    }
  }
};
TYPED_TEST_SUITE(Errors, Variants, VariantNames);

/// Whoever does nothing is right here, and refuses nothing: so these cases ask for an answer too.
TYPED_TEST(Errors, NoRows) {
  this->ExpectRandom({1, kPlainVocabulary, 5});
  this->ExpectUntouched(SOFTMAX_TOPK_OK, {0, 100, 5}, 100);
  this->ExpectUntouched(SOFTMAX_TOPK_OK, {0, 33, 1}, 40);
}

TYPED_TEST(Errors, NothingAskedFor) {
  this->ExpectRandom({1, kPlainVocabulary, 5});
  this->ExpectUntouched(SOFTMAX_TOPK_OK, {1, 100, 0}, 100);
  this->ExpectUntouched(SOFTMAX_TOPK_OK, {1, 1, 0}, 1);
}

TYPED_TEST(Errors, KBeyondTheVocabulary) {
  for (const std::size_t vocabulary : {1U, 4U, 7U}) {
    this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {1, vocabulary, vocabulary + 1},
                          vocabulary);
    this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {2, vocabulary, 8}, 8);
  }
}

TYPED_TEST(Errors, NoVocabulary) {
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {1, 0, 1}, 0);
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {3, 0, 8}, 16);
}

TYPED_TEST(Errors, StrideShorterThanARow) {
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {2, 100, 5}, 99);
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {3, 64, 8}, 0);
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {3, 64, 8}, 63);
}

/// Nothing to do comes before what is invalid, and that before what is not supported.
TYPED_TEST(Errors, SeveralReasonsAtOnce) {
  this->ExpectUntouched(SOFTMAX_TOPK_OK, {0, 4, 9}, 4);
  this->ExpectUntouched(SOFTMAX_TOPK_OK, {0, 100, 5}, 99);
  this->ExpectUntouched(SOFTMAX_TOPK_OK, {1, 100, 0}, 99);
  this->ExpectUntouched(SOFTMAX_TOPK_OK, {3, 0, 0}, 0);
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {1, 64, 5000}, 64);
}

/// All that can be asked for of which nothing is computed: each reason, and each two or more of
/// them together. The first that interface.h names decides.
TYPED_TEST(Errors, EveryReasonWithEachOther) {
  this->UseOneSchedule();
  for (const std::size_t rows : {0U, 1U, 3U}) {
    for (const std::size_t vocabulary : {0U, 1U, 8U, 64U}) {
      for (const std::size_t k :
           {std::size_t{0}, std::size_t{1}, vocabulary + 1, std::size_t{5000}}) {
        for (const std::size_t stride :
             {std::size_t{0}, vocabulary / 2, vocabulary, vocabulary + 8}) {
          const bool is_nothing = rows == 0 || k == 0;
          if (is_nothing || k > vocabulary || stride < vocabulary) {
            this->ExpectUntouched(is_nothing ? SOFTMAX_TOPK_OK : SOFTMAX_TOPK_INVALID_ARGUMENT,
                                  {rows, vocabulary, k}, stride);
          }
        }
      }
    }
  }
  this->ExpectRandom({1, kPlainVocabulary, 5});
}

/// What need not be supported, and a reason that comes before.
TYPED_TEST(Errors, BeyondWhatIsSupportedForAReason) {
  constexpr std::size_t kHuge = std::size_t{1} << 31;
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {1, kHuge, 1}, kHuge - 1);
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {1, kHuge, kHuge + 1}, kHuge);
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {1, 300'000, 5000}, 1);
  this->ExpectUntouched(SOFTMAX_TOPK_OK, {0, kHuge, 5}, kHuge);
  this->ExpectUntouched(SOFTMAX_TOPK_OK, {1, kHuge, 0}, kHuge);
}

/// Sizes that are other ones in 32 bits, of which something could be computed.
TYPED_TEST(Errors, SizesOfMoreThan32Bits) {
  constexpr std::size_t kBeyond = std::size_t{1} << 32;
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {1, 64, kBeyond + 4}, 64);
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {kBeyond, 4, 5}, 4);
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {1, kBeyond + 64, 4}, 64);
  this->ExpectRandom({1, kPlainVocabulary, 5});
}

/// Sizes whose product with each other, or its bytes, is nothing in 64 bits, and a size to which no
/// other can be added.
TYPED_TEST(Errors, ProductsOfMoreThan64Bits) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  const auto power = [](int exponent) { return std::size_t{1} << exponent; };
  for (const Shape shape : {Shape{power(32), 64, power(32)}, Shape{power(63), 64, 66},
                            Shape{power(62), 64, 65}, Shape{power(58), 64, 65},
                            Shape{1, 64, power(62)}, Shape{1, 64, kMost}, Shape{kMost, 1, 2}}) {
    this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, shape, shape.vocabulary);
  }
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {power(63), 64, 2}, 63);
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {power(59), 64, 5}, 32);
  this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {1, kMost, 4}, kMost - 1);
  this->ExpectRandom({1, kPlainVocabulary, 5});
}

/// A stride and a row of which the bytes, in 64 bits, compare the other way round.
TYPED_TEST(Errors, StridesWhoseBytesWrapAround) {
  for (const int exponent : {61, 62, 63}) {
    const std::size_t vocabulary = std::size_t{1} << exponent;
    for (const std::size_t stride : {std::size_t{100}, vocabulary / 2, vocabulary - 1}) {
      this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {1, vocabulary, 1}, stride);
    }
    this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {2, vocabulary + 8, 4}, vocabulary + 4);
  }
  this->ExpectRandom({1, kPlainVocabulary, 5});
}

/// Indices do not fit in their type. No workspace is given, which may be what is said instead.
TYPED_TEST(Errors, VocabularyBeyondAllIndices) {
  constexpr std::size_t kBeyond = std::size_t{1} << 32;
  for (const Shape shape :
       {Shape{1, kBeyond + 8, 4}, Shape{64, kBeyond + 64, 1}, Shape{1, 2 * kBeyond, kBeyond + 4}}) {
    this->ExpectUntouchedWithOneOf({SOFTMAX_TOPK_UNSUPPORTED, SOFTMAX_TOPK_INVALID_ARGUMENT}, shape,
                                   shape.vocabulary);
  }
  this->ExpectRandom({1, kPlainVocabulary, 5});
}

/// After a call that was refused the next is as if it had not been.
TYPED_TEST(Errors, RefusedCallsLeaveNothingBehind) {
  for (int i = 0; i < 3; ++i) {
    this->ExpectUntouched(SOFTMAX_TOPK_INVALID_ARGUMENT, {2, 5, 6}, 5);
    this->ExpectRandom({1, kPlainVocabulary, 6});
    this->ExpectUntouched(SOFTMAX_TOPK_OK, {0, 200, 6}, 200);
    this->ExpectRandom({1, 64, 3});
  }
}

/// Buffers of no elements, as vectors and cudaMalloc give them.
TYPED_TEST(Errors, NullWhereNothingIsNeeded) {
  this->ExpectRandom({1, kPlainVocabulary, 5});
  const std::string operation(TypeParam::kOperation);
  std::vector<float> probabilities;
  std::vector<std::int32_t> indices;
  for (const Shape shape : {Shape{0, 64, 4}, Shape{2, 64, 0}}) {
    const auto problem = this->Random(shape);
    const auto begin = [&](auto& call) {
      call.Scalar(shape.rows).Scalar(shape.vocabulary).Scalar(shape.k).Input(problem.logits);
      call.Scalar(shape.vocabulary).Output(probabilities).Output(indices).EmptyIsNull();
    };
    for (const std::string_view role : this->SchedulesUsed()) {
      if constexpr (kOnCpu<TypeParam>) {
        Invocation call(operation);
        begin(call);
        this->CallExpecting(SOFTMAX_TOPK_OK, role, call);
      } else {
        gpu::DeviceInvocation call(operation);
        begin(call);
        call.Scratch(0).Scalar(std::uint64_t{0}).Scalar(std::uint32_t{0});
        this->CallOnDeviceExpecting(SOFTMAX_TOPK_OK, role, call);
      }
    }
  }
}

template <class Variant>
using DeviceErrors = Errors<Variant>;
TYPED_TEST_SUITE(DeviceErrors, DeviceVariants, VariantNames);

/// Where one is needed at all. A check that knows of one row, or of one of the things that a
/// workspace holds, takes less than all of it for enough: of several rows too, and of lists of one
/// and of a hundred.
TYPED_TEST(DeviceErrors, SmallerWorkspace) {
  this->ExpectRandom({1, kPlainVocabulary, 5});
  std::size_t turn = 0;
  for (const Shape shape :
       {Shape{1, 131'072, 8}, Shape{3, 20'000, 1}, Shape{2, 20'000, 8}, Shape{5, 20'000, 100}}) {
    const std::string_view role = this->Schedules()[turn++ % this->Schedules().size()];
    const std::uint64_t needed_bytes = this->WorkspaceBytes(role, shape);
    if (needed_bytes == 0) {
      continue;
    }
    const auto problem = this->Random(shape);
    std::vector<float> probabilities(shape.rows * shape.k);
    std::vector<std::int32_t> indices(shape.rows * shape.k);
    for (const std::uint64_t bytes : {std::uint64_t{0}, needed_bytes / 2,
                                      needed_bytes - needed_bytes / 16 - 1, needed_bytes - 1}) {
      gpu::DeviceInvocation call{std::string(TypeParam::kOperation)};
      call.Scalar(shape.rows).Scalar(shape.vocabulary).Scalar(shape.k).Input(problem.logits);
      call.Scalar(shape.vocabulary).Output(probabilities).Output(indices);
      call.Scratch(bytes).Scalar(bytes).Scalar(std::uint32_t{0});
      const gpu::DeviceReply reply = this->CallOnDeviceExpectingOneOf(
          {SOFTMAX_TOPK_INVALID_ARGUMENT, SOFTMAX_TOPK_UNSUPPORTED}, role, call);
      if (BytesWritten(reply.launches, reply.copied) > 0) {
        this->FailCase(
            fmt::format("a call with {} of the {} bytes of workspace that it needs "
                        "wrote to global memory",
                        bytes, needed_bytes));
      }
    }
  }
}

}  // namespace
}  // namespace assay::softmax_topk
