// SPDX-License-Identifier: Apache-2.0
#include "suite_support.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "interface.h"
#include "random_rounding.h"

namespace assay::layernorm {
namespace {

template <class T>
std::vector<T> Normal(std::mt19937_64& random, std::size_t count, double mean, double deviation) {
  std::normal_distribution<double> normal;
  std::vector<T> values(count);
  std::ranges::generate(values, [&] { return static_cast<T>(mean + deviation * normal(random)); });
  return values;
}

}  // namespace

template <class T>
Problem<T> RandomProblem(std::mt19937_64& random, std::size_t rows, std::size_t features,
                         Distribution distribution) {
  return {.rows = rows,
          .features = features,
          .x = Normal<T>(random, rows * features, distribution.offset, distribution.scale),
          .gamma = Normal<T>(random, features, 1, 0.5),
          .beta = Normal<T>(random, features, 0, 1),
          .dy = Normal<T>(random, rows * features, 0, 1)};
}

template <class T>
void MakeRowHostile(std::mt19937_64& random, std::size_t row, Problem<T>& problem) {
  const std::size_t first = row * problem.features;
  const std::span<T> x = std::span(problem.x).subspan(first, problem.features);
  const std::span<T> dy = std::span(problem.dy).subspan(first, problem.features);
  const auto scale = [](std::span<T> values, double factor, double offset) {
    for (T& value : values) {
      value = static_cast<T>(factor * static_cast<double>(value) + offset);
    }
  };
  switch (random() % 6) {
    case 0:  // Half of dy is along xhat: mean(d xhat) is about 1 and not 1 / sqrt(features).
      std::ranges::transform(dy, x, dy.begin(), [](T noise, T along) { return noise + along; });
      break;
    case 1:
      scale(x, 1, 30);
      break;
    case 2:
      scale(x, 3e4, 0);
      break;
    case 3:
      scale(x, 1e-3, 0);
      break;
    case 4:  // xhat is sqrt(features) at one place, and small elsewhere.
      x[random() % x.size()] = T(1e3);
      break;
    default:
      scale(dy, 1e5, 0);
  }
}

template <class T>
void MakeMiddleRowsHostile(std::mt19937_64& random, Problem<T>& problem) {
  for (std::size_t row = 1; row + 1 < problem.rows; ++row) {
    if (random() % 8 == 0) {
      MakeRowHostile(random, row, problem);
    }
  }
}

std::size_t RandomExtent(std::mt19937_64& random, std::size_t most) {
  constexpr std::size_t kSmall = 20;
  if (random() % 2 == 0) {
    return std::uniform_int_distribution<std::size_t>(1, std::min(kSmall, most))(random);
  }
  std::uniform_real_distribution<double> exponent(0, std::log(static_cast<double>(most) + 1));
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::exp(exponent(random))), 1, most);
}

/// ` of 7x33`: tells a reader which of a case's several shapes an output is of.
std::string LayerNormTest::ShapeOf(const Answer& answer) const {
  return " of " + std::to_string(answer.forward.mean.size()) + "x" +
         std::to_string(answer.bounds.dgamma.size()) + (asked.empty() ? "" : " (" + asked + ")");
}

void LayerNormTest::ExpectStatusOk(std::string_view function, const Reply& reply) {
  if (reply.status == LN_UNSUPPORTED) {
    Skip(std::string(function) + " says LN_UNSUPPORTED");
  }
  if (reply.status != LN_OK) {
    FailCase(std::string(function) + " returned status " + std::to_string(reply.status) +
             " instead of LN_OK" + (asked.empty() ? "" : " (" + asked + ")"));
  }
}

template <class T>
void LayerNormTest::NeedType() {
  for (const std::string_view stem : {"ln_forward", "ln_backward"}) {
    if (std::is_same_v<T, float>) {
      RequireOperation(FunctionName<T>(stem));
    } else {
      NeedOptionalOperation(FunctionName<T>(stem));
    }
  }
}

template <class T>
ForwardOutputs<T> LayerNormTest::RunForward(const Problem<T>& problem) {
  ForwardOutputs<T> got{.y = std::vector<T>(problem.x.size()), .saved = {}};
  const std::string function = FunctionName<T>("ln_forward");
  Invocation call(function);
  call.Scalar(problem.rows)
      .Scalar(problem.features)
      .Input(problem.x)
      .Input(problem.gamma)
      .Input(problem.beta)
      .Scalar(problem.eps)
      .Output(got.y)
      .Save(&got.saved)
      .Place(placement);
  ExpectStatusOk(function, Call(kForward, call));
  return got;
}

template <class T>
BackwardOutputs<T> LayerNormTest::RunBackward(const Problem<T>& problem,
                                              const SavedTensors& saved) {
  BackwardOutputs<T> got{.dx = std::vector<T>(problem.x.size()),
                         .dgamma = std::vector<T>(problem.features),
                         .dbeta = std::vector<T>(problem.features)};
  const std::string function = FunctionName<T>("ln_backward");
  Invocation call(function);
  call.Scalar(problem.rows)
      .Scalar(problem.features)
      .Input(problem.dy)
      .Load(saved)
      .Output(got.dx)
      .Output(got.dgamma)
      .Output(got.dbeta)
      .Place(placement);
  ExpectStatusOk(function, Call(kBackward, call));
  return got;
}

template <class T>
Admitted AdmitWhatIsNotFinite(const std::vector<T>& got, const std::vector<long double>& want,
                              const std::vector<double>& bound) {
  Admitted admitted{.want = want, .bound = bound};
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!std::isfinite(want[i])) {
      // NaN and the infinities are one here: which of them comes out depends on the order of
      // operations. A finite value stays wrong, since NaN is wanted.
      admitted.want[i] = std::isfinite(got[i]) ? std::numeric_limits<long double>::quiet_NaN()
                                               : static_cast<long double>(got[i]);
      admitted.bound[i] = 0;
    }
  }
  return admitted;
}

template <class T>
bool LayerNormTest::ExpectOutput(const Output& output, const std::vector<T>& got,
                                 const std::vector<long double>& want,
                                 const std::vector<double>& bound) {
  const Admitted admitted = AdmitWhatIsNotFinite(got, want, bound);
  return ExpectWithin(output, got, admitted.want, admitted.bound) <= 1;
}

template <class T>
bool LayerNormTest::ExpectForwardRight(const Answer& answer, const ForwardOutputs<T>& got) {
  const std::string shape = ShapeOf(answer);
  return ExpectOutput({"y", shape}, got.y, answer.forward.y, answer.bounds.y);
}

template <class T>
bool LayerNormTest::ExpectGradientsRight(const Answer& answer, const BackwardOutputs<T>& got) {
  const std::string shape = ShapeOf(answer);
  const bool dx = ExpectOutput({"dx", shape}, got.dx, answer.gradients.dx, answer.bounds.dx);
  const bool dgamma =
      ExpectOutput({"dgamma", shape}, got.dgamma, answer.gradients.dgamma, answer.bounds.dgamma);
  const bool dbeta =
      ExpectOutput({"dbeta", shape}, got.dbeta, answer.gradients.dbeta, answer.bounds.dbeta);
  return dx && dgamma && dbeta;
}

template <class T>
void LayerNormTest::ExpectRight(const Problem<T>& problem, Judge judge) {
  NeedType<T>();
  const Answer answer = Solve(problem);
  const ForwardOutputs<T> forward = RunForward(problem);
  if (judge != Judge::kGradients) {
    ExpectForwardRight(answer, forward);
  }
  if (judge != Judge::kForward) {
    ExpectGradientsRight(answer, RunBackward(problem, forward.saved));
  }
}

template <class T>
void LayerNormTest::ExpectRmsWithin(const Output& output, const std::vector<T>& got,
                                    const std::vector<long double>& want,
                                    const std::vector<double>& bound) {
  const std::vector<double> rms = {RmsOverBound<T>(got, want, bound)};
  ExpectWithin(Output{output.name, output.of + ", root mean square of error over bound"}, rms,
               std::vector<long double>{0}, std::vector<double>{1});
}

template <class T>
void LayerNormTest::ExpectPrecise(const Problem<T>& problem) {
  NeedType<T>();
  const Answer answer = Solve(problem);
  const ForwardOutputs<T> forward = RunForward(problem);
  ExpectForwardRight(answer, forward);
  const BackwardOutputs<T> backward = RunBackward(problem, forward.saved);
  ExpectGradientsRight(answer, backward);
  const Bounds bounds = RandomRoundingBounds(problem, answer);
  const std::string shape = ShapeOf(answer);
  ExpectRmsWithin({"y", shape}, forward.y, answer.forward.y, bounds.y);
  ExpectRmsWithin({"dx", shape}, backward.dx, answer.gradients.dx, bounds.dx);
  ExpectRmsWithin({"dgamma", shape}, backward.dgamma, answer.gradients.dgamma, bounds.dgamma);
  ExpectRmsWithin({"dbeta", shape}, backward.dbeta, answer.gradients.dbeta, bounds.dbeta);
}

#define ASSAY_LAYERNORM_INSTANTIATE(T)                                                            \
  template Problem<T> RandomProblem(std::mt19937_64&, std::size_t, std::size_t, Distribution);    \
  template void LayerNormTest::NeedType<T>();                                                     \
  template ForwardOutputs<T> LayerNormTest::RunForward(const Problem<T>&);                        \
  template BackwardOutputs<T> LayerNormTest::RunBackward(const Problem<T>&, const SavedTensors&); \
  template bool LayerNormTest::ExpectForwardRight(const Answer&, const ForwardOutputs<T>&);       \
  template bool LayerNormTest::ExpectGradientsRight(const Answer&, const BackwardOutputs<T>&);    \
  template void MakeMiddleRowsHostile(std::mt19937_64&, Problem<T>&);                             \
  template void LayerNormTest::ExpectRight(const Problem<T>&, Judge);                             \
  template void LayerNormTest::ExpectPrecise(const Problem<T>&);                                  \
  template void LayerNormTest::ExpectRmsWithin(const Output&, const std::vector<T>&,              \
                                               const std::vector<long double>&,                   \
                                               const std::vector<double>&);                       \
  template Admitted AdmitWhatIsNotFinite(const std::vector<T>&, const std::vector<long double>&,  \
                                         const std::vector<double>&)
ASSAY_LAYERNORM_INSTANTIATE(float);
ASSAY_LAYERNORM_INSTANTIATE(double);
#undef ASSAY_LAYERNORM_INSTANTIATE

}  // namespace assay::layernorm
