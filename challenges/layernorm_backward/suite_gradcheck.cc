// SPDX-License-Identifier: Apache-2.0
// ln_check_gradients against backward passes that are right or planted wrong. Never gates: the
// function is optional. Tags: gradcheck for all; gradcheck_planted, gradcheck_right,
// gradcheck_restored, gradcheck_reported, gradcheck_large for what is asked.
//
// The backward under check runs here, in the suite's process, as an upcall: nothing in the host
// tells a planted one from a right one.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "interface.h"
#include "suite_support.h"

namespace assay::layernorm {
namespace {

struct DoubleGradients {
  std::vector<double> dx;
  std::vector<double> dgamma;
  std::vector<double> dbeta;
};

/// Turns right gradients into wrong ones.
using Planting = std::function<void(const Problem<double>&, DoubleGradients&)>;

DoubleGradients RightGradients(const Problem<double>& problem) {
  const Gradients exact = Backward(problem, Forward(problem));
  return {.dx = {exact.dx.begin(), exact.dx.end()},
          .dgamma = {exact.dgamma.begin(), exact.dgamma.end()},
          .dbeta = {exact.dbeta.begin(), exact.dbeta.end()}};
}

struct Found {
  bool right = false;
  std::vector<double> report = {};
  Problem<double> problem;  ///< x, gamma and beta as they are after the check.
  std::chrono::duration<double> seconds{0};
};

std::vector<double> Elements(const UpcallRequest& request, std::size_t index) {
  const auto input = request.Input<double>(index);
  return {input.begin(), input.end()};
}

/// Upcalls that one check may make: both sides of each element, several times over.
constexpr UpcallLimits kUpcallLimits = {.calls = 100'000, .bytes = std::uint64_t{128} << 20};

class GradientCheck : public LayerNormTest {
 protected:
  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"gradcheck"});
    DoesNotGate();
  }

  /// Of a run.
  struct Alarms {
    int count = 0;             ///< Right backward passes that were not called right.
    bool tells_apart = false;  ///< A wrong one was rejected.
  };
  static Alarms& TheAlarms() {
    static Alarms alarms;
    return alarms;
  }
  /// What calls everything right raises no alarm, and is no check.
  void NoteFalseAlarms() {
    if (TheAlarms().tells_apart) {
      Metric("gradcheck_false_alarms", TheAlarms().count);
    }
  }

  /// One check of a backward pass that is right but for what `planting` does to it.
  Found Check(const Problem<double>& problem, const Planting& planting) {
    Found found = Ask(problem, LN_OK, [&](const UpcallRequest& request) {
      return Answer(problem, planting, request);
    });
    if (found.report[0] != 0 && found.report[0] != 1) {
      FailCase("report.right is neither 0 nor 1");
    }
    found.right = found.report[0] == 1;
    return found;
  }

  Found Ask(const Problem<double>& problem, int status,
            const std::function<int(const UpcallRequest&)>& backward) {
    NeedOptionalOperation("ln_check_gradients");
    Found found{.report = std::vector<double>(4, -1), .problem = problem};
    Invocation call("ln_check_gradients");
    call.Scalar(problem.rows)
        .Scalar(problem.features)
        .InOut(found.problem.x)
        .InOut(found.problem.gamma)
        .InOut(found.problem.beta)
        .Scalar(problem.eps)
        .Input(problem.dy)
        .Output(found.report)
        .OnUpcall(backward, kUpcallLimits);
    found.seconds = CallExpecting(status, kForward, call).elapsed;
    return found;
  }

  void ExpectRejected(const Problem<double>& problem, const Planting& planting) {
    ExpectEachRejected(problem, {planting});
  }

  void ExpectEachRejected(const Problem<double>& problem, const std::vector<Planting>& plantings,
                          const char* tag = "gradcheck_planted") {
    Tag({tag});
    for (const Planting& planting : plantings) {
      if (Check(problem, planting).right) {
        FailCase("a wrong backward pass was called right");
      }
      TheAlarms().tells_apart = true;
      NoteFalseAlarms();
    }
  }

  void ExpectAccepted(const Problem<double>& problem) {
    NeedOptionalOperation("ln_check_gradients");
    ++TheAlarms().count;  // Until it is accepted: a check that dies accepts nothing.
    NoteFalseAlarms();
    if (!Check(problem, [](const auto&, auto&) {}).right) {
      FailCase("a right backward pass was called wrong");
    }
    --TheAlarms().count;
    NoteFalseAlarms();
  }

  Problem<double> Small() { return RandomProblem<double>(random(), 5, 12); }
  Problem<double> SmallGradients() {
    auto problem = Small();
    for (double& value : problem.dy) {
      value *= 1e-9;
    }
    return problem;
  }
  /// A million elements, most of them in x: few enough in gamma and beta to check each one.
  Problem<double> Large() { return RandomProblem<double>(random(), 15'625, 64); }

 private:
  /// The backward under check. A request that is not of the checked shape is refused, as a backward
  /// pass would refuse it.
  static int Answer(const Problem<double>& problem, const Planting& planting,
                    const UpcallRequest& request) {
    if (request.id != 1 || request.inputs.size() != 5 || request.outputs.size() != 3) {
      return LN_INVALID_ARGUMENT;
    }
    Problem<double> asked{.rows = problem.rows, .features = problem.features};
    asked.x = Elements(request, 0);
    asked.gamma = Elements(request, 1);
    asked.beta = Elements(request, 2);
    asked.dy = Elements(request, 4);
    if (asked.x.size() != problem.x.size() || asked.dy.size() != problem.dy.size() ||
        asked.gamma.size() != problem.features || asked.beta.size() != problem.features ||
        request.Input<double>(3).size() != 1) {
      return LN_INVALID_ARGUMENT;
    }
    asked.eps = request.Input<double>(3)[0];
    DoubleGradients gradients = RightGradients(asked);
    planting(asked, gradients);
    const auto fill = [&request](std::size_t index, const std::vector<double>& from) {
      const auto to = request.Output<double>(index);
      std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
    };
    fill(0, gradients.dx);
    fill(1, gradients.dgamma);
    fill(2, gradients.dbeta);
    return LN_OK;
  }
};

/// Adds back one of the two means of dx = rstd (d - M1 - xhat M2).
void LeaveOutMeanTerm(const Problem<double>& problem, DoubleGradients& gradients) {
  const Normalised forward = Forward(problem);
  const std::size_t features = problem.features;
  for (std::size_t i = 0; i < problem.rows; ++i) {
    double mean = 0;
    for (std::size_t j = 0; j < features; ++j) {
      mean += problem.dy[i * features + j] * problem.gamma[j] / static_cast<double>(features);
    }
    for (std::size_t j = 0; j < features; ++j) {
      gradients.dx[i * features + j] += static_cast<double>(forward.rstd[i]) * mean;
    }
  }
}

void LeaveOutXhatTerm(const Problem<double>& problem, DoubleGradients& gradients) {
  const Normalised forward = Forward(problem);
  const std::size_t features = problem.features;
  for (std::size_t i = 0; i < problem.rows; ++i) {
    long double mean = 0;
    for (std::size_t j = 0; j < features; ++j) {
      mean += problem.dy[i * features + j] * problem.gamma[j] * forward.xhat[i * features + j] /
              static_cast<long double>(features);
    }
    for (std::size_t j = 0; j < features; ++j) {
      const std::size_t at = i * features + j;
      gradients.dx[at] += static_cast<double>(forward.rstd[i] * mean * forward.xhat[at]);
    }
  }
}

double LargestMagnitude(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

TEST_F(GradientCheck, AcceptsRight) {
  Tag({"gradcheck_right"});
  ExpectAccepted(Small());
  ExpectAccepted(RandomProblem<double>(random(), 1, 7));
  ExpectAccepted(RandomProblem<double>(random(), 12, 20));
  ExpectAccepted(RandomProblem<double>(random(), 3, 33, {.offset = 5, .scale = 2}));
}

TEST_F(GradientCheck, AcceptsRightWithLargeGradients) {
  Tag({"gradcheck_right"});
  auto problem = Small();
  for (double& value : problem.dy) {
    value *= 1e4;
  }
  ExpectAccepted(problem);
}

/// An error is relative to the largest of its tensor, however small that is.
TEST_F(GradientCheck, AcceptsRightWithSmallGradients) {
  Tag({"gradcheck_right"});
  ExpectAccepted(SmallGradients());
}

TEST_F(GradientCheck, RejectsScaleOffByAThousandthInSmallGradients) {
  ExpectRejected(SmallGradients(), [](const auto&, DoubleGradients& gradients) {
    for (double& value : gradients.dx) {
      value *= 1.001;
    }
  });
}

TEST_F(GradientCheck, PassesOnTheStatusOfTheBackwardPass) {
  Tag({"gradcheck_right"});
  const auto refuses = [](const UpcallRequest&) { return LN_OUT_OF_MEMORY; };
  Ask(Small(), LN_OUT_OF_MEMORY, refuses);
}

TEST_F(GradientCheck, RejectsMissingMeanTerm) { ExpectRejected(Small(), LeaveOutMeanTerm); }
TEST_F(GradientCheck, RejectsMissingXhatTerm) { ExpectRejected(Small(), LeaveOutXhatTerm); }

TEST_F(GradientCheck, RejectsSwappedParameterGradients) {
  ExpectRejected(Small(), [](const auto&, DoubleGradients& gradients) {
    std::swap(gradients.dgamma, gradients.dbeta);
  });
}

TEST_F(GradientCheck, RejectsOneBadElementOfDx) {
  const std::size_t bad = random()() % 60;
  ExpectRejected(Small(), [bad](const auto&, DoubleGradients& gradients) {
    gradients.dx[bad] += 1e-2 * LargestMagnitude(gradients.dx);
  });
}

TEST_F(GradientCheck, RejectsOneBadElementOfDgamma) {
  const std::size_t bad = random()() % 12;
  ExpectRejected(Small(), [bad](const auto&, DoubleGradients& gradients) {
    gradients.dgamma[bad] -= 1e-2 * LargestMagnitude(gradients.dgamma);
  });
}

TEST_F(GradientCheck, RejectsOneBadElementOfDbeta) {
  const std::size_t bad = random()() % 12;
  ExpectRejected(Small(), [bad](const auto&, DoubleGradients& gradients) {
    gradients.dbeta[bad] += 1e-2 * LargestMagnitude(gradients.dbeta);
  });
}

TEST_F(GradientCheck, RejectsScaleOffByAThousandth) {
  ExpectRejected(Small(), [](const auto&, DoubleGradients& gradients) {
    for (double& value : gradients.dx) {
      value *= 1.001;
    }
  });
}

TEST_F(GradientCheck, RejectsWrongSignInOneRow) {
  const std::size_t row = random()() % 5;
  ExpectRejected(Small(), [row](const Problem<double>& problem, DoubleGradients& gradients) {
    for (std::size_t j = 0; j < problem.features; ++j) {
      gradients.dx[row * problem.features + j] *= -1;
    }
  });
}

TEST_F(GradientCheck, RejectsNan) {
  const std::size_t bad = random()() % 60;
  ExpectRejected(Small(), [bad](const auto&, DoubleGradients& gradients) {
    gradients.dx[bad] = std::numeric_limits<double>::quiet_NaN();
  });
}

/// Of each tensor: one that is not compared, or by a maximum that loses it, is not seen in another.
TEST_F(GradientCheck, RejectsNanInParameterGradients) {
  std::vector<Planting> plantings;
  for (const auto tensor : {&DoubleGradients::dgamma, &DoubleGradients::dbeta}) {
    const std::size_t bad = random()() % 12;
    plantings.emplace_back([tensor, bad](const auto&, DoubleGradients& gradients) {
      (gradients.*tensor)[bad] = std::numeric_limits<double>::quiet_NaN();
    });
  }
  ExpectEachRejected(Small(), plantings);
}

/// The most elements of which a single one counts, at both ends and at places of both parities. Not
/// among the planted: a right check of each element may take longer than the limit.
TEST_F(GradientCheck, RejectsOneBadElementOfAHundredThousand) {
  if (sanitized()) {
    Skip("seconds in the release build, a minute here");
  }
  const auto problem = RandomProblem<double>(random(), 1000, 100);
  const std::size_t drawn = 2 * (1 + random()() % 49'000);
  std::vector<Planting> plantings;
  for (const std::size_t bad : {std::size_t{0}, drawn, drawn + 1, problem.x.size() - 1}) {
    plantings.emplace_back([bad](const auto&, DoubleGradients& gradients) {
      gradients.dx[bad] += 1e-2 * LargestMagnitude(gradients.dx);
    });
  }
  ExpectEachRejected(problem, plantings, "gradcheck_large");
}

/// Where it is worst and by how much, of an error far below and far above what is right.
TEST_F(GradientCheck, ReportsTheWorstElement) {
  Tag({"gradcheck_reported"});
  constexpr std::array kTensors = {&DoubleGradients::dx, &DoubleGradients::dgamma,
                                   &DoubleGradients::dbeta};
  for (std::size_t number = 0; number < kTensors.size(); ++number) {
    const auto tensor = kTensors[number];
    for (const double error : {1e-2, 1e3}) {
      const std::size_t bad = random()() % 12;
      const Found found = Check(Small(), [&](const auto&, DoubleGradients& gradients) {
        (gradients.*tensor)[bad] += error * LargestMagnitude(gradients.*tensor);
      });
      const std::vector<double>& report = found.report;
      if (found.right || report[1] != static_cast<double>(number) ||
          report[2] != static_cast<double>(bad) || !(std::abs(report[3] - error) <= 1e-4 * error)) {
        FailCase("an error of " + std::to_string(error) + " at [" + std::to_string(bad) +
                 "] of tensor " + std::to_string(number) + " was reported as " +
                 std::to_string(report[3]) + " at [" + std::to_string(report[2]) + "] of tensor " +
                 std::to_string(report[1]));
      }
    }
  }
}

TEST_F(GradientCheck, RestoresItsInputs) {
  Tag({"gradcheck_restored"});
  for (const Planting& planting :
       {Planting([](const auto&, auto&) {}), Planting(LeaveOutMeanTerm)}) {
    const auto problem = RandomProblem<double>(random(), 4, 15, {.offset = 0.1, .scale = 1});
    const Found found = Check(problem, planting);
    ExpectUnchanged<double>("x", found.problem.x, problem.x);
    ExpectUnchanged<double>("gamma", found.problem.gamma, problem.gamma);
    ExpectUnchanged<double>("beta", found.problem.beta, problem.beta);
  }
}

/// Last, since a check of every element by differences takes longer than the limit.
TEST_F(GradientCheck, TellsAMillionElementsApart) {
  Tag({"gradcheck_large"});
  if (sanitized()) {
    Skip("timed in the release build alone");
  }
  const auto problem = Large();
  const Found right = Check(problem, [](const auto&, auto&) {});
  if (!right.right) {
    FailCase("a right backward pass was called wrong");
  }
  if (Check(problem, LeaveOutXhatTerm).right) {
    FailCase("a backward pass without the xhat term was called right");
  }
  Metric("gradcheck_seconds_1e6", right.seconds.count());
}

}  // namespace
}  // namespace assay::layernorm
