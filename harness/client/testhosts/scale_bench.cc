// SPDX-License-Identifier: Apache-2.0
// A bench for scale_host.cc.
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "client/compare.h"
#include "client/paired_bench.h"

namespace assay {
namespace {

class ScaleWorkload : public Workload {
 public:
  explicit ScaleWorkload(std::size_t count) : x_(count) {}

  void MakeInput(std::mt19937_64& random) override {
    for (float& x : x_) {
      x = static_cast<float>(random() % 1000);
    }
  }

  void Run(Side side, BenchHosts& hosts) override {
    std::vector<float>& y = side == Side::kSubmission ? submission_ : baseline_;
    y.resize(x_.size());
    Invocation call("scale_f32");
    call.Scalar(x_.size()).Input(x_).Scalar(3.0F).Output(y);
    hosts.CallTimed("forward", call);
  }

  std::string Check() override {
    const std::vector<double> want(baseline_.begin(), baseline_.end());
    const std::vector<double> bound(want.size(), 1e-3);
    const Comparison comparison = CompareWithin<float, double>(submission_, want, bound);
    return comparison.AllWithin() ? "" : Describe("y", comparison);
  }

 private:
  std::vector<float> x_;
  std::vector<float> submission_;
  std::vector<float> baseline_;
};

bool Add(const std::string& name, std::size_t count, double least_bytes) {
  return RegisterWorkload({.name = name,
                           .operation = "scale_f32",
                           .unsupported_status = 2,
                           .least_bytes = least_bytes,
                           .make = [count] { return std::make_unique<ScaleWorkload>(count); }});
}

[[maybe_unused]] const bool kAdded =
    Add("scale_f32/100", 100, 800) && Add("scale_f32/1000", 1000, 8000) &&
    // As if it had to move a petabyte: whoever answers at all was faster than memory.
    Add("impossible/100", 100, 1e15);

}  // namespace
}  // namespace assay
