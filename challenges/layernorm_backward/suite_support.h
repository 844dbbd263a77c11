// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_LAYERNORM_BACKWARD_SUITE_SUPPORT_H_
#define ASSAY_CHALLENGES_LAYERNORM_BACKWARD_SUITE_SUPPORT_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "client/case.h"
#include "oracle.h"

namespace assay::layernorm {

/// What the cases of this suite share: how inputs are drawn, how the four functions are called, and
/// what it takes for their outputs to be right.

/// Cases written once run for both types as `Gradient/f32.RowOfOne`, `Gradient/f64.RowOfOne`.
using ElementTypes = testing::Types<float, double>;
struct ElementNames {
  template <class T>
  static std::string GetName(int /*index*/) {
    return std::is_same_v<T, float> ? "f32" : "f64";
  }
};

/// Normally distributed inputs. gamma is drawn about 1, beta and dy about 0.
struct Distribution {
  double offset = 0;  ///< Mean of x.
  double scale = 1;   ///< Standard deviation of x.
};

template <class T>
[[nodiscard]] Problem<T> RandomProblem(std::mt19937_64& random, std::size_t rows,
                                       std::size_t features, Distribution distribution = {});

/// One row or column count: half of them small, else evenly on a logarithmic scale up to `most`.
[[nodiscard]] std::size_t RandomExtent(std::mt19937_64& random, std::size_t most);

/// Makes about one row in eight of a drawn problem, never the first or last, one in which narrow
/// storage costs most: dy along xhat, far from zero, large, small, of one element, or beyond what
/// half precision holds.
template <class T>
void MakeMiddleRowsHostile(std::mt19937_64& random, Problem<T>& problem);

/// What one forward call gave.
template <class T>
struct ForwardOutputs {
  std::vector<T> y;
  SavedTensors saved;
};

template <class T>
struct BackwardOutputs {
  std::vector<T> dx;
  std::vector<T> dgamma;
  std::vector<T> dbeta;
};

/// The oracle's values and bounds as an output is held against them: where the oracle is not finite
/// any value of `got` that is not finite is right (interface.h), and each finite one is wrong.
struct Admitted {
  std::vector<long double> want;
  std::vector<double> bound;
};
template <class T>
[[nodiscard]] Admitted AdmitWhatIsNotFinite(const std::vector<T>& got,
                                            const std::vector<long double>& want,
                                            const std::vector<double>& bound);

/// Which outputs a case judges.
enum class Judge { kForward, kGradients, kAll };

class LayerNormTest : public CaseTest {
 protected:
  /// Of all buffers of all calls. Against a guard, so that a read past the end shows.
  Placement placement = Placement::kAgainstGuard;
  /// What is asked beside the shape, where a case asks many things: messages of failures say it.
  std::string asked;

  /// Calls the forward function for T in the forward host. A status of LN_UNSUPPORTED skips the
  /// case, any other but LN_OK ends it as a wrong answer.
  template <class T>
  ForwardOutputs<T> RunForward(const Problem<T>& problem);

  /// Calls the backward function in the backward host, which has never seen the forward call.
  template <class T>
  BackwardOutputs<T> RunBackward(const Problem<T>& problem, const SavedTensors& saved);

  /// Forward, backward in the other host, and both against the oracle. Where the oracle is not
  /// finite any value that is not finite is right (interface.h), and each finite one is wrong.
  template <class T>
  void ExpectRight(const Problem<T>& problem, Judge judge = Judge::kAll);

  /// The same of all outputs, and each as a whole within what random roundings make of it
  /// (random_rounding.h): storage narrower than T is outside at any size. For drawn rows.
  template <class T>
  void ExpectPrecise(const Problem<T>& problem);

  /// The root mean square of error over bound of an output.
  template <class T>
  void ExpectRmsWithin(const Output& output, const std::vector<T>& got,
                       const std::vector<long double>& want, const std::vector<double>& bound);

  /// Whether they are; if not, the case is a wrong answer.
  template <class T>
  bool ExpectForwardRight(const Answer& answer, const ForwardOutputs<T>& got);
  template <class T>
  bool ExpectGradientsRight(const Answer& answer, const BackwardOutputs<T>& got);

  /// A random problem of that shape, judged by its gradients.
  template <class T>
  void ExpectGradientsRightFor(std::size_t rows, std::size_t features) {
    ExpectRight(RandomProblem<T>(random(), rows, features), Judge::kGradients);
  }

  /// Ends the case as skipped when T is double and the functions for it are not there, and as a
  /// wrong answer when T is float and they are not.
  template <class T>
  void NeedType();

 private:
  void ExpectStatusOk(std::string_view function, const Reply& reply);
  [[nodiscard]] std::string ShapeOf(const Answer& answer) const;
  template <class T>
  bool ExpectOutput(const Output& output, const std::vector<T>& got,
                    const std::vector<long double>& want, const std::vector<double>& bound);
};

/// The name of a function for T: `ln_forward` and float give `ln_forward_f32`.
template <class T>
[[nodiscard]] std::string FunctionName(std::string_view stem) {
  return std::string(stem) + (std::is_same_v<T, float> ? "_f32" : "_f64");
}

}  // namespace assay::layernorm

#endif  // ASSAY_CHALLENGES_LAYERNORM_BACKWARD_SUITE_SUPPORT_H_
