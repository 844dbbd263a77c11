// SPDX-License-Identifier: Apache-2.0
// The CUDA form against the oracle at NaN, infinities and zeros of both signs, at every place of
// small rows, on the emulated GPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "client/compare.h"
#include "interface.h"
#include "on_device.h"
#include "oracle.h"
#include "special_values.h"

namespace assay::layernorm {
namespace {

/// Ordinary numbers, no two neighbours alike.
std::vector<float> OrdinaryValues(std::size_t count, float first) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = first + std::sin(static_cast<float>(i) * 1.7F + first);
  }
  return values;
}

void ExpectWithin(const char* output, const std::vector<float>& got,
                  const std::vector<long double>& want, const std::vector<double>& bounds) {
  const Comparison compared = CompareWithin<float, long double>(got, want, bounds, {});
  EXPECT_TRUE(compared.AllWithin()) << Describe(output, compared);
}

void ExpectRight(const Problem<float>& problem) {
  SCOPED_TRACE(testing::Message() << problem.rows << " x " << problem.features);
  const std::size_t elements = problem.rows * problem.features;
  OnDevice<float> x(problem.x);
  OnDevice<float> gamma(problem.gamma);
  OnDevice<float> beta(problem.beta);
  OnDevice<float> dy(problem.dy);
  OnDevice<float> y(elements);
  OnDevice<float> mean(problem.rows);
  OnDevice<float> rstd(problem.rows);
  ASSERT_EQ(ln_forward_cuda_f32(problem.rows, problem.features, x.get(), gamma.get(), beta.get(),
                                problem.eps, y.get(), mean.get(), rstd.get(), nullptr),
            LN_OK);
  OnDevice<float> dx(elements);
  OnDevice<float> dgamma(problem.features);
  OnDevice<float> dbeta(problem.features);
  OnDevice<char> workspace(ln_backward_cuda_workspace_bytes(problem.rows, problem.features));
  ASSERT_EQ(ln_backward_cuda_f32(problem.rows, problem.features, dy.get(), x.get(), gamma.get(),
                                 mean.get(), rstd.get(), dx.get(), dgamma.get(), dbeta.get(),
                                 workspace.get(), workspace.size_bytes(), nullptr),
            LN_OK);
  const Answer taken = Solve(problem);
  ExpectWithin("mean", mean.Read(), taken.forward.mean, taken.bounds.mean);
  ExpectWithin("rstd", rstd.Read(), taken.forward.rstd, taken.bounds.rstd);
  ExpectWithin("y", y.Read(), taken.forward.y, taken.bounds.y);
  const Answer given = SolveWith(problem, mean.Read(), rstd.Read());
  ExpectWithin("dx", dx.Read(), given.gradients.dx, given.bounds.dx);
  ExpectWithin("dgamma", dgamma.Read(), given.gradients.dgamma, given.bounds.dgamma);
  ExpectWithin("dbeta", dbeta.Read(), given.gradients.dbeta, given.bounds.dbeta);
}

Problem<float> OrdinaryProblem(std::size_t rows, std::size_t features) {
  return {.rows = rows,
          .features = features,
          .x = OrdinaryValues(rows * features, 0.25F),
          .gamma = OrdinaryValues(features, 2),
          .beta = OrdinaryValues(features, 0.5F),
          .dy = OrdinaryValues(rows * features, -0.75F)};
}

/// All rows in one call, where no row may reach another's y or dx.
TEST(LayernormSpecialValuesInCuda, EveryRowOfUpToSix) {
  for (std::size_t features = 2; features <= kMostSpecialValues; ++features) {
    const std::vector<float> rows = EveryRowOf(kSpecialValues<float>, features);
    for (const auto input : {&Problem<float>::x, &Problem<float>::dy}) {
      Problem<float> problem = OrdinaryProblem(rows.size() / features, features);
      problem.*input = rows;
      ExpectRight(problem);
    }
  }
}

/// One special value a call, among ordinary ones, so that dgamma and dbeta say something.
TEST(LayernormSpecialValuesInCuda, OneAtEveryPlace) {
  for (const auto input : {&Problem<float>::x, &Problem<float>::dy}) {
    Problem<float> problem = OrdinaryProblem(3, 18);
    for (float& at : problem.*input) {
      const float ordinary = at;
      for (const float special : kSpecialValues<float>) {
        at = special;
        ExpectRight(problem);
      }
      at = ordinary;
    }
  }
}

}  // namespace
}  // namespace assay::layernorm
