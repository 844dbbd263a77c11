// SPDX-License-Identifier: Apache-2.0
// What the bench makes of timed outputs: the baseline in this process is both sides, and one is
// spoilt.

#include "bench_workloads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interface.h"

namespace assay::layernorm {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

void* SaveTo(void* context, const char* name, std::size_t bytes) {
  auto& saved = *static_cast<SavedTensors*>(context);
  saved.push_back({.name = name, .data = std::vector<std::byte>(bytes)});
  return saved.back().data.data();
}

const void* LoadFrom(void* context, const char* name, std::size_t* bytes) {
  const auto& saved = *static_cast<const SavedTensors*>(context);
  const auto found = std::ranges::find(saved, name, &SavedTensor::name);
  if (found == saved.end()) {
    return nullptr;
  }
  *bytes = found->data.size();
  return found->data.data();
}

/// Calls the baseline with the memory of an invocation.
class InProcess : public BenchHosts {
 public:
  using Spoil = std::function<void(const Invocation&)>;
  explicit InProcess(Spoil spoil = {}) : spoil_(std::move(spoil)) {}

  int backward_calls = 0;

  void Call(std::string_view /*role*/, const Invocation& call) override {
    const auto arguments = call.arguments();
    const auto rows = arguments[0].bits;
    const auto features = arguments[1].bits;
    const auto input = [&](std::size_t i) {
      return reinterpret_cast<const float*>(arguments[i].source);
    };
    const auto output = [&](std::size_t i) {
      return reinterpret_cast<float*>(arguments[i].destination);
    };
    if (call.operation() == "ln_forward_f32") {
      call.saved()->clear();
      call.saved()->reserve(8);
      const float eps = std::bit_cast<float>(static_cast<std::uint32_t>(arguments[5].bits));
      ASSERT_EQ(ln_forward_f32(rows, features, input(2), input(3), input(4), eps, output(6), SaveTo,
                               call.saved()),
                LN_OK);
    } else {
      ++backward_calls;
      SavedTensors saved = *call.loads();
      ASSERT_EQ(ln_backward_f32(rows, features, input(2), LoadFrom, &saved, output(4), output(5),
                                output(6)),
                LN_OK);
    }
    if (spoil_) {
      spoil_(call);
    }
  }
  void CallTimed(std::string_view role, const Invocation& call) override { Call(role, call); }

 private:
  Spoil spoil_;
};

/// What the first of some pairs is wrong with; empty when all are right.
std::string FirstFinding(const TimedShape& shape, InProcess::Spoil spoil, int pairs = 24) {
  std::mt19937_64 random(7);
  const std::unique_ptr<assay::Workload> workload = MakeTimed(shape);
  InProcess submission(std::move(spoil));
  InProcess baseline;
  for (int pair = 0; pair < pairs; ++pair) {
    workload->MakeInput(random);
    workload->Run(Side::kSubmission, submission);
    workload->Run(Side::kBaseline, baseline);
    if (std::string wrong = workload->Check(); !wrong.empty()) {
      return wrong;
    }
  }
  return {};
}

/// Small, so that tests are quick; as wide as what is timed.
constexpr TimedShape kForward{"forward_f32/64x768", TimedPass::kForward, 64, 768, 4};
constexpr TimedShape kBackward{"backward_f32/512x768", TimedPass::kBackward, 512, 768, 4};

float* Output(const Invocation& call, std::size_t argument) {
  return reinterpret_cast<float*>(call.arguments()[argument].destination);
}

/// xhat as forward saved it, spoilt element by element.
InProcess::Spoil OfSavedXhat(float (*spoil)(float)) {
  return [spoil](const Invocation& call) {
    if (call.saved() == nullptr) {
      return;
    }
    for (SavedTensor& tensor : *call.saved()) {
      if (tensor.name == "xhat") {
        auto* const values = reinterpret_cast<float*>(tensor.data.data());
        std::transform(values, values + tensor.data.size() / sizeof(float), values, spoil);
      }
    }
  };
}

float ToHalf(float value) {
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
}

TEST(BenchWorkloads, WhatIsRightIsAccepted) {
  EXPECT_THAT(FirstFinding(kForward, {}), IsEmpty());
  EXPECT_THAT(FirstFinding(kBackward, {}, 4), IsEmpty());
}

/// Nothing but a backward pass reads them.
TEST(BenchWorkloads, GarbageSavedByATimedForward_IsFound) {
  const std::string wrong = FirstFinding(kForward, OfSavedXhat([](float) { return 0.0F; }));
  EXPECT_THAT(wrong, HasSubstr("what the timed forward saved"));
}

TEST(BenchWorkloads, XhatSavedInHalfByATimedForward_IsFound) {
  const std::string wrong = FirstFinding(kForward, OfSavedXhat(ToHalf));
  EXPECT_THAT(wrong, HasSubstr("dgamma: the root mean square"));
}

TEST(BenchWorkloads, XhatSavedInHalfForATimedBackward_IsFound) {
  const std::string wrong = FirstFinding(kBackward, OfSavedXhat(ToHalf));
  EXPECT_THAT(wrong, HasSubstr("dgamma: the root mean square"));
}

/// Which pairs are used is drawn anew, so that a host cannot know.
TEST(BenchWorkloads, SomeTimedForwardsAreUsedAndSomeAreNot) {
  std::mt19937_64 random(3);
  const std::unique_ptr<assay::Workload> workload = MakeTimed(kForward);
  InProcess host;
  for (int pair = 0; pair < 40; ++pair) {
    workload->MakeInput(random);
    workload->Run(Side::kSubmission, host);
  }
  EXPECT_GT(host.backward_calls, 5);
  EXPECT_LT(host.backward_calls, 35);
}

TEST(BenchWorkloads, YInHalf_IsFound) {
  const std::string wrong = FirstFinding(kForward, [](const Invocation& call) {
    if (call.operation() == "ln_forward_f32") {
      float* const y = Output(call, 6);
      std::transform(y, y + std::size_t{64} * 768, y, ToHalf);
    }
  });
  EXPECT_THAT(wrong, HasSubstr("y"));
}

/// One row a bit off, for which the comparison of whole outputs has room: its oracle has none.
TEST(BenchWorkloads, ARowABitOff_IsFoundByTheOracle) {
  const std::string wrong = FirstFinding(kForward, [](const Invocation& call) {
    if (call.operation() == "ln_forward_f32") {
      float* const row = Output(call, 6) + std::size_t{5} * 768;
      std::transform(row, row + 768, row, [](float value) { return value * 1.00005F; });
    }
  });
  EXPECT_THAT(wrong, HasSubstr("against the oracle"));
}

}  // namespace
}  // namespace assay::layernorm
