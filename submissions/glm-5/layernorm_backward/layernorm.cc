// Layer normalisation, forward and backward, from a minimal set of saved tensors.
//
// Forward, per row of D features:
//   mu = mean(x)            var = mean((x - mu)^2)         rstd = 1 / sqrt(var + eps)
//   xhat = (x - mu) * rstd  y = gamma * xhat + beta
//
// Backward, with d = dy * gamma:
//   dx = rstd * (d - mean(d) - xhat * mean(d * xhat))
//   dgamma_j = sum_i dy_ij * xhat_ij        dbeta_j = sum_i dy_ij
//
// dx is d projected twice: mean(d) removes the part along the constant vector, because a shift of
// the row changes nothing, and xhat * mean(d * xhat) the part along xhat, because a scaling of the
// row changes nothing. Nothing but xhat and rstd of the forward pass appears in it, so these two
// and gamma are all that is saved: 3 tensors, N*D + N + D elements.
//
// Where it can go wrong numerically:
//   1. Cancellation in var: E[x^2] - E[x]^2 loses every digit when |mu| is far above sigma. The
//      mean is subtracted first (two passes) instead.
//   2. Constant rows: var is 0 and only eps keeps rstd finite, at 1/sqrt(eps).
//   3. Overflow of (x - mu)^2 for very large inputs.
//   4. Recovering xhat as (y - beta) / gamma fails where gamma is 0: xhat is saved instead.
//   5. Long sums: the column sums over N rows lose digits in the order of N roundings.
//
// Fusing the backward pass on a GPU, one block a row:
//   (1) load dy, xhat, gamma once; (2) reduce d and d * xhat together in shared memory;
//   (3) broadcast both means and rstd; (4) write dx and add the row to partial dgamma and dbeta.
// Unfused, each of d, d * xhat, both means, and the three terms goes through memory: about 10
// passes over N*D elements against 3.

#include <cmath>
#include <cstddef>
#include <vector>

#include "interface.h"

namespace {

template <class T>
bool save_tensor(ln_save_fn save, void* context, const char* name, const T* data,
                 std::size_t count) {
  T* saved = static_cast<T*>(save(context, name, count * sizeof(T)));
  if (saved == nullptr) {
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    saved[i] = data[i];
  }
  return true;
}

template <class T>
int forward(std::size_t rows, std::size_t features, const T* x, const T* gamma, const T* beta,
            T eps, T* y, ln_save_fn save, void* context) {
  if (features == 0) {
    return LN_INVALID_ARGUMENT;
  }
  T* xhat = static_cast<T*>(save(context, "xhat", rows * features * sizeof(T)));
  T* rstd = static_cast<T*>(save(context, "rstd", rows * sizeof(T)));
  if (xhat == nullptr || rstd == nullptr ||
      !save_tensor(save, context, "gamma", gamma, features)) {
    return LN_OUT_OF_MEMORY;
  }
  const T count = static_cast<T>(features);
  for (std::size_t i = 0; i < rows; ++i) {
    const T* row = x + i * features;
    T sum = 0;
    for (std::size_t j = 0; j < features; ++j) {
      sum += row[j];
    }
    const T mu = sum / count;
    T squares = 0;
    for (std::size_t j = 0; j < features; ++j) {
      const T centered = row[j] - mu;
      squares += centered * centered;
    }
    rstd[i] = T(1) / std::sqrt(squares / count + eps);
    for (std::size_t j = 0; j < features; ++j) {
      const T normalised = (row[j] - mu) * rstd[i];
      xhat[i * features + j] = normalised;
      y[i * features + j] = gamma[j] * normalised + beta[j];
    }
  }
  return LN_OK;
}

template <class T>
const T* load_tensor(ln_load_fn load, void* context, const char* name, std::size_t count) {
  std::size_t bytes = 0;
  const void* data = load(context, name, &bytes);
  return bytes == count * sizeof(T) ? static_cast<const T*>(data) : nullptr;
}

template <class T>
int backward(std::size_t rows, std::size_t features, const T* dy, ln_load_fn load, void* context,
             T* dx, T* dgamma, T* dbeta) {
  if (features == 0) {
    return LN_INVALID_ARGUMENT;
  }
  for (std::size_t j = 0; j < features; ++j) {
    dgamma[j] = 0;
    dbeta[j] = 0;
  }
  if (rows == 0) {
    return LN_OK;
  }
  const T* xhat = load_tensor<T>(load, context, "xhat", rows * features);
  const T* rstd = load_tensor<T>(load, context, "rstd", rows);
  const T* gamma = load_tensor<T>(load, context, "gamma", features);
  if (xhat == nullptr || rstd == nullptr || gamma == nullptr) {
    return LN_INVALID_ARGUMENT;
  }
  const T count = static_cast<T>(features);
  for (std::size_t i = 0; i < rows; ++i) {
    const T* g = dy + i * features;
    const T* h = xhat + i * features;
    T sum_d = 0;
    T sum_dh = 0;
    for (std::size_t j = 0; j < features; ++j) {
      const T d = g[j] * gamma[j];
      sum_d += d;
      sum_dh += d * h[j];
      dgamma[j] += g[j] * h[j];
      dbeta[j] += g[j];
    }
    const T mean_d = sum_d / count;
    const T mean_dh = sum_dh / count;
    for (std::size_t j = 0; j < features; ++j) {
      dx[i * features + j] = rstd[i] * (g[j] * gamma[j] - mean_d - h[j] * mean_dh);
    }
  }
  return LN_OK;
}

// ---- gradient check: central differences of the loss sum(dy * y), one element at a time --------

double loss(std::size_t rows, std::size_t features, const std::vector<double>& x,
            const std::vector<double>& gamma, const std::vector<double>& beta, double eps,
            const double* dy) {
  double total = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double* row = x.data() + i * features;
    double mu = 0;
    for (std::size_t j = 0; j < features; ++j) {
      mu += row[j];
    }
    mu /= static_cast<double>(features);
    double var = 0;
    for (std::size_t j = 0; j < features; ++j) {
      var += (row[j] - mu) * (row[j] - mu);
    }
    const double rstd = 1.0 / std::sqrt(var / static_cast<double>(features) + eps);
    for (std::size_t j = 0; j < features; ++j) {
      total += dy[i * features + j] * (gamma[j] * (row[j] - mu) * rstd + beta[j]);
    }
  }
  return total;
}

struct Problem {
  std::size_t rows;
  std::size_t features;
  // Copies: the caller's tensors are never touched.
  std::vector<double> x, gamma, beta;
  double eps;
  const double* dy;

  double derivative(std::vector<double>& tensor, std::size_t index) {
    const double h = 1e-5;
    const double kept = tensor[index];
    tensor[index] = kept + h;
    const double above = loss(rows, features, x, gamma, beta, eps, dy);
    tensor[index] = kept - h;
    const double below = loss(rows, features, x, gamma, beta, eps, dy);
    tensor[index] = kept;
    return (above - below) / (2 * h);
  }
};

void compare(Problem& problem, std::vector<double>& tensor, const std::vector<double>& analytic,
             int which, ln_check_report* report) {
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    const double numeric = problem.derivative(tensor, i);
    const double scale = std::fabs(numeric) + std::fabs(analytic[i]) + 1e-3;
    const double error = std::fabs(numeric - analytic[i]) / scale;
    if (!(error <= report->worst_relative_error)) {
      report->worst_relative_error = error;
      report->worst_tensor = which;
      report->worst_index = i;
    }
  }
}

}  // namespace

extern "C" {

int ln_forward_f32(size_t rows, size_t features, const float* x, const float* gamma,
                   const float* beta, float eps, float* y, ln_save_fn save, void* save_context) {
  return forward(rows, features, x, gamma, beta, eps, y, save, save_context);
}

int ln_backward_f32(size_t rows, size_t features, const float* dy, ln_load_fn load,
                    void* load_context, float* dx, float* dgamma, float* dbeta) {
  return backward(rows, features, dy, load, load_context, dx, dgamma, dbeta);
}

int ln_forward_f64(size_t rows, size_t features, const double* x, const double* gamma,
                   const double* beta, double eps, double* y, ln_save_fn save,
                   void* save_context) {
  return forward(rows, features, x, gamma, beta, eps, y, save, save_context);
}

int ln_backward_f64(size_t rows, size_t features, const double* dy, ln_load_fn load,
                    void* load_context, double* dx, double* dgamma, double* dbeta) {
  return backward(rows, features, dy, load, load_context, dx, dgamma, dbeta);
}

int ln_check_gradients(size_t rows, size_t features, double* x, double* gamma, double* beta,
                       double eps, const double* dy, ln_backward_under_check_fn backward_fn,
                       void* backward_context, struct ln_check_report* report) {
  const std::size_t count = rows * features;
  std::vector<double> dx(count), dgamma(features), dbeta(features);
  const int status = backward_fn(backward_context, rows, features, x, gamma, beta, eps, dy,
                                 dx.data(), dgamma.data(), dbeta.data());
  if (status != LN_OK) {
    return status;
  }
  Problem problem{rows,
                  features,
                  std::vector<double>(x, x + count),
                  std::vector<double>(gamma, gamma + features),
                  std::vector<double>(beta, beta + features),
                  eps,
                  dy};
  report->worst_relative_error = 0;
  report->worst_tensor = 0;
  report->worst_index = 0;
  compare(problem, problem.x, dx, 0, report);
  compare(problem, problem.gamma, dgamma, 1, report);
  compare(problem, problem.beta, dbeta, 2, report);
  report->right = report->worst_relative_error < 1e-4 ? 1 : 0;
  return LN_OK;
}

}  // extern "C"
