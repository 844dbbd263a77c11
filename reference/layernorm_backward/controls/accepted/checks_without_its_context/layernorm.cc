// SPDX-License-Identifier: Apache-2.0
// Right, with a gradient check that calls the backward pass under check without the context that it
// was given: it could tell right from wrong only of a pass that needs none. No case of the check
// gates.

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "plain_layernorm.h"

PLAIN_EXPORT(plain::Forward, plain::Backward);

namespace {

using Store = std::map<std::string, std::vector<double>>;

void* Save(void* context, const char* name, std::size_t bytes) {
  std::vector<double>& tensor = (*static_cast<Store*>(context))[name];
  tensor.resize(bytes / sizeof(double));
  return tensor.data();
}

const void* Load(void* context, const char* name, std::size_t* /*bytes*/) {
  return (*static_cast<Store*>(context))[name].data();
}

struct Gradients {
  Gradients(std::size_t rows, std::size_t features)
      : dx(rows * features), dgamma(features), dbeta(features) {}
  std::vector<double> dx;
  std::vector<double> dgamma;
  std::vector<double> dbeta;
};

bool IsRight(const std::vector<double>& got, const std::vector<double>& want) {
  double largest = 0;
  double error = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!std::isfinite(got[i])) return false;
    largest = std::max(largest, std::abs(want[i]));
    error = std::max(error, std::abs(got[i] - want[i]));
  }
  return error <= 1e-6 * largest;
}

}  // namespace

extern "C" int ln_check_gradients(std::size_t rows, std::size_t features, double* x, double* gamma,
                                  double* beta, double eps, const double* dy,
                                  ln_backward_under_check_fn backward, void* /*context*/,
                                  struct ln_check_report* report) {
  Gradients got(rows, features);
  const int status = backward(nullptr, rows, features, x, gamma, beta, eps, dy, got.dx.data(),
                              got.dgamma.data(), got.dbeta.data());
  if (status != LN_OK) return status;
  Store store;
  std::vector<double> y(rows * features);
  Gradients want(rows, features);
  plain::Forward<double>({rows, features, x, gamma, beta, eps, y.data(), Save, &store});
  plain::Backward<double>(
      {rows, features, dy, Load, &store, want.dx.data(), want.dgamma.data(), want.dbeta.data()});
  *report = {};
  report->right = IsRight(got.dx, want.dx) && IsRight(got.dgamma, want.dgamma) &&
                  IsRight(got.dbeta, want.dbeta);
  return LN_OK;
}
