// Layer normalisation: forward, backward and a numerical check of gradients.
//
// For each row x of D features:
//
//   mean    = (1/D) sum_j x_j
//   var     = (1/D) sum_j (x_j - mean)^2            two passes, biased
//   std_inv = 1 / sqrt(var + eps)
//   x_hat_j = (x_j - mean) * std_inv
//   y_j     = gamma_j * x_hat_j + beta_j
//
// Derivation of the backward pass. Let g_j = dL/dx_hat_j = dy_j * gamma_j. The row enters x_hat in
// three places, so
//
//   dL/dvar  = sum_j g_j (x_j - mean) * (-1/2) std_inv^3
//   dL/dmean = -std_inv sum_j g_j      (the term through var vanishes: sum_j (x_j - mean) = 0)
//   dL/dx_j  = g_j std_inv + dL/dvar * 2 (x_j - mean) / D + dL/dmean / D
//
// Substituting x_j - mean = x_hat_j / std_inv collapses the three terms into
//
//   dL/dx_j = (std_inv / D) * (D g_j - sum_k g_k - x_hat_j sum_k g_k x_hat_k)
//
// which needs x_hat and std_inv only. Saved: x_hat, std_inv, gamma and the scalar D.
//
// Cost per element, counting one operation an arithmetic instruction: forward about 8 (one pass
// for the mean, two operations for the variance, two for x_hat, two for y), backward about 11.
// Both move far more bytes than they do arithmetic and are bound by memory on any machine.
//
// GPU mapping, one block a row. Forward: read x once into registers, reduce for the mean, reduce
// for the variance, write y, x_hat and std_inv. Backward: read dy and x_hat once, reduce both sums
// together, write dx; dgamma and dbeta as per-block partial sums, reduced by a second launch.
//
//   memory traffic, N*D elements of 4 bytes    fused    one kernel an operation
//   forward   (x; y, x_hat)                      3                 9
//   backward  (dy, x_hat; dx)                    3                11

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "interface.h"

namespace {

// Sums are kept in double whatever the element type: a float sum over a long row or column would
// lose more digits than the result has.
using Accumulator = double;

struct RowStatistics {
  Accumulator mean;
  Accumulator std_inv;
};

// Two passes. The one-pass form E[x^2] - E[x]^2 subtracts two nearly equal numbers once |mean| is
// large against the spread, and can even turn negative.
template <typename Real>
RowStatistics row_statistics(const Real* row, std::size_t features, Accumulator eps) {
  const Accumulator count = static_cast<Accumulator>(features);
  Accumulator sum = 0;
  for (std::size_t j = 0; j < features; ++j) {
    sum += static_cast<Accumulator>(row[j]);
  }
  const Accumulator mean = sum / count;
  Accumulator squares = 0;
  for (std::size_t j = 0; j < features; ++j) {
    const Accumulator centered = static_cast<Accumulator>(row[j]) - mean;
    squares += centered * centered;
  }
  return {mean, 1.0 / std::sqrt(squares / count + eps)};
}

template <typename Real>
Real* save_array(ln_save_fn save, void* context, const char* name, std::size_t count) {
  return static_cast<Real*>(save(context, name, count * sizeof(Real)));
}

template <typename Real>
const Real* load_array(ln_load_fn load, void* context, const char* name, std::size_t count) {
  std::size_t bytes = 0;
  const void* data = load(context, name, &bytes);
  if (data == nullptr || bytes != count * sizeof(Real)) {
    return nullptr;
  }
  return static_cast<const Real*>(data);
}

template <typename Real>
int layernorm_forward(std::size_t rows, std::size_t features, const Real* x, const Real* gamma,
                      const Real* beta, Real eps, Real* y, ln_save_fn save, void* context) {
  if (features == 0) {
    return LN_INVALID_ARGUMENT;
  }
  Real* x_hat = save_array<Real>(save, context, "x_hat", rows * features);
  Real* std_inv = save_array<Real>(save, context, "std_inv", rows);
  Real* saved_gamma = save_array<Real>(save, context, "gamma", features);
  std::size_t* saved_features = save_array<std::size_t>(save, context, "D", 1);
  if (x_hat == nullptr || std_inv == nullptr || saved_gamma == nullptr ||
      saved_features == nullptr) {
    return LN_OUT_OF_MEMORY;
  }
  std::copy(gamma, gamma + features, saved_gamma);
  *saved_features = features;
  for (std::size_t i = 0; i < rows; ++i) {
    const Real* row = x + i * features;
    const RowStatistics stats = row_statistics(row, features, static_cast<Accumulator>(eps));
    std_inv[i] = static_cast<Real>(stats.std_inv);
    for (std::size_t j = 0; j < features; ++j) {
      const Accumulator normalised =
          (static_cast<Accumulator>(row[j]) - stats.mean) * stats.std_inv;
      x_hat[i * features + j] = static_cast<Real>(normalised);
      y[i * features + j] = static_cast<Real>(static_cast<Accumulator>(gamma[j]) * normalised +
                                              static_cast<Accumulator>(beta[j]));
    }
  }
  return LN_OK;
}

template <typename Real>
void backward_row(std::size_t features, const Real* dy, const Real* x_hat, const Real* gamma,
                  Accumulator std_inv, Real* dx, Accumulator* dgamma, Accumulator* dbeta) {
  Accumulator sum_g = 0;
  Accumulator sum_g_x_hat = 0;
  for (std::size_t j = 0; j < features; ++j) {
    const Accumulator upstream = static_cast<Accumulator>(dy[j]);
    const Accumulator normalised = static_cast<Accumulator>(x_hat[j]);
    const Accumulator g = upstream * static_cast<Accumulator>(gamma[j]);
    sum_g += g;
    sum_g_x_hat += g * normalised;
    dgamma[j] += upstream * normalised;
    dbeta[j] += upstream;
  }
  const Accumulator count = static_cast<Accumulator>(features);
  for (std::size_t j = 0; j < features; ++j) {
    const Accumulator g = static_cast<Accumulator>(dy[j]) * static_cast<Accumulator>(gamma[j]);
    const Accumulator normalised = static_cast<Accumulator>(x_hat[j]);
    dx[j] = static_cast<Real>(std_inv * (g - sum_g / count - normalised * (sum_g_x_hat / count)));
  }
}

template <typename Real>
int layernorm_backward(std::size_t rows, std::size_t features, const Real* dy, ln_load_fn load,
                       void* context, Real* dx, Real* dgamma, Real* dbeta) {
  if (features == 0) {
    return LN_INVALID_ARGUMENT;
  }
  std::vector<Accumulator> gamma_sums(features, 0.0);
  std::vector<Accumulator> beta_sums(features, 0.0);
  if (rows > 0) {
    const Real* x_hat = load_array<Real>(load, context, "x_hat", rows * features);
    const Real* std_inv = load_array<Real>(load, context, "std_inv", rows);
    const Real* gamma = load_array<Real>(load, context, "gamma", features);
    const std::size_t* saved_features = load_array<std::size_t>(load, context, "D", 1);
    if (x_hat == nullptr || std_inv == nullptr || gamma == nullptr ||
        saved_features == nullptr || *saved_features != features) {
      return LN_INVALID_ARGUMENT;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      backward_row(features, dy + i * features, x_hat + i * features, gamma,
                   static_cast<Accumulator>(std_inv[i]), dx + i * features, gamma_sums.data(),
                   beta_sums.data());
    }
  }
  for (std::size_t j = 0; j < features; ++j) {
    dgamma[j] = static_cast<Real>(gamma_sums[j]);
    dbeta[j] = static_cast<Real>(beta_sums[j]);
  }
  return LN_OK;
}

// ---- numerical gradient check ------------------------------------------------------------------

// The loss sum(dy * y), evaluated from scratch for every probe.
double weighted_loss(std::size_t rows, std::size_t features, const double* x, const double* gamma,
                     const double* beta, double eps, const double* dy) {
  double loss = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double* row = x + i * features;
    const RowStatistics stats = row_statistics(row, features, eps);
    for (std::size_t j = 0; j < features; ++j) {
      const double normalised = (row[j] - stats.mean) * stats.std_inv;
      loss += dy[i * features + j] * (gamma[j] * normalised + beta[j]);
    }
  }
  return loss;
}

struct Inputs {
  std::size_t rows;
  std::size_t features;
  std::vector<double> x;
  std::vector<double> gamma;
  std::vector<double> beta;
  double eps;
  const double* dy;

  double loss() const {
    return weighted_loss(rows, features, x.data(), gamma.data(), beta.data(), eps, dy);
  }
};

double central_difference(Inputs& inputs, std::vector<double>& tensor, std::size_t index) {
  const double original = tensor[index];
  const double step = 1e-5 * std::max(1.0, std::fabs(original));
  tensor[index] = original + step;
  const double above = inputs.loss();
  tensor[index] = original - step;
  const double below = inputs.loss();
  tensor[index] = original;
  return (above - below) / (2.0 * step);
}

void check_tensor(Inputs& inputs, std::vector<double>& tensor, const std::vector<double>& analytic,
                  int tensor_index, ln_check_report* report) {
  constexpr double kFloor = 1e-2;
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    const double numeric = central_difference(inputs, tensor, i);
    const double scale = std::max(kFloor, std::max(std::fabs(numeric), std::fabs(analytic[i])));
    const double error = std::fabs(numeric - analytic[i]) / scale;
    const bool worse = !(error <= report->worst_relative_error);
    if (worse) {
      report->worst_relative_error = error;
      report->worst_tensor = tensor_index;
      report->worst_index = i;
    }
  }
}

}  // namespace

extern "C" {

int ln_forward_f32(size_t rows, size_t features, const float* x, const float* gamma,
                   const float* beta, float eps, float* y, ln_save_fn save, void* save_context) {
  return layernorm_forward(rows, features, x, gamma, beta, eps, y, save, save_context);
}

int ln_backward_f32(size_t rows, size_t features, const float* dy, ln_load_fn load,
                    void* load_context, float* dx, float* dgamma, float* dbeta) {
  return layernorm_backward(rows, features, dy, load, load_context, dx, dgamma, dbeta);
}

int ln_forward_f64(size_t rows, size_t features, const double* x, const double* gamma,
                   const double* beta, double eps, double* y, ln_save_fn save,
                   void* save_context) {
  return layernorm_forward(rows, features, x, gamma, beta, eps, y, save, save_context);
}

int ln_backward_f64(size_t rows, size_t features, const double* dy, ln_load_fn load,
                    void* load_context, double* dx, double* dgamma, double* dbeta) {
  return layernorm_backward(rows, features, dy, load, load_context, dx, dgamma, dbeta);
}

int ln_check_gradients(size_t rows, size_t features, double* x, double* gamma, double* beta,
                       double eps, const double* dy, ln_backward_under_check_fn backward,
                       void* backward_context, struct ln_check_report* report) {
  const std::size_t count = rows * features;
  Inputs inputs{rows,
                features,
                std::vector<double>(x, x + count),
                std::vector<double>(gamma, gamma + features),
                std::vector<double>(beta, beta + features),
                eps,
                dy};
  std::vector<double> dx(count);
  std::vector<double> dgamma(features);
  std::vector<double> dbeta(features);
  const int status = backward(backward_context, rows, features, x, gamma, beta, eps, dy, dx.data(),
                              dgamma.data(), dbeta.data());
  if (status != LN_OK) {
    return status;
  }
  *report = ln_check_report{};
  check_tensor(inputs, inputs.x, dx, 0, report);
  check_tensor(inputs, inputs.gamma, dgamma, 1, report);
  check_tensor(inputs, inputs.beta, dbeta, 2, report);
  constexpr double kThreshold = 1e-5;
  report->right = report->worst_relative_error < kThreshold ? 1 : 0;
  return LN_OK;
}

}  // extern "C"
