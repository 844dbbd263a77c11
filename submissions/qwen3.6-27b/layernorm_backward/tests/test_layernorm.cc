// Tests of layernorm.cc: edge cases, a second derivation, and the numerical-stability demo.
// Exit status 0 means that every check passed.

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "interface.h"

namespace {

int failures = 0;

void check(bool condition, const char* what, double value) {
  std::printf("%s %s (%.3g)\n", condition ? "ok  " : "FAIL", what, value);
  if (!condition) {
    ++failures;
  }
}

struct Store {
  std::map<std::string, std::vector<char>> tensors;

  static void* save(void* context, const char* name, size_t bytes) {
    auto& tensor = static_cast<Store*>(context)->tensors[name];
    tensor.resize(bytes + 1);
    return tensor.data();
  }
  static const void* load(void* context, const char* name, size_t* bytes) {
    auto& tensors = static_cast<Store*>(context)->tensors;
    const auto found = tensors.find(name);
    if (found == tensors.end()) {
      return nullptr;
    }
    *bytes = found->second.size() - 1;
    return found->second.data();
  }
};

struct Layer {
  size_t rows, features;
  std::vector<double> x, gamma, beta, dy;
  std::vector<double> y, dx, dgamma, dbeta;
  double eps = 1e-5;

  Layer(size_t n, size_t d, unsigned seed, double mean = 0.0, double spread = 1.0)
      : rows(n), features(d), x(n * d), gamma(d), beta(d), dy(n * d), y(n * d), dx(n * d),
        dgamma(d), dbeta(d) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    for (double& value : x) value = mean + spread * normal(generator);
    for (double& value : gamma) value = 1.0 + 0.1 * normal(generator);
    for (double& value : beta) value = 0.1 * normal(generator);
    for (double& value : dy) value = normal(generator);
  }

  bool run() {
    Store store;
    return ln_forward_f64(rows, features, x.data(), gamma.data(), beta.data(), eps, y.data(),
                          Store::save, &store) == LN_OK &&
           ln_backward_f64(rows, features, dy.data(), Store::load, &store, dx.data(),
                           dgamma.data(), dbeta.data()) == LN_OK;
  }
};

double largest(const std::vector<double>& values) {
  double result = 0;
  for (double value : values) {
    if (!(std::fabs(value) <= result)) result = std::fabs(value);
  }
  return result;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> delta(a.size());
  for (size_t i = 0; i < a.size(); ++i) delta[i] = a[i] - b[i];
  return largest(delta);
}

// The chain rule written out node by node: through x_hat, the variance and the mean.
void chain_rule(const Layer& layer, std::vector<double>* dx, std::vector<double>* dgamma,
                std::vector<double>* dbeta) {
  const size_t d = layer.features;
  const double count = static_cast<double>(d);
  for (size_t i = 0; i < layer.rows; ++i) {
    const double* x = &layer.x[i * d];
    const double* dy = &layer.dy[i * d];
    double mean = 0;
    for (size_t j = 0; j < d; ++j) mean += x[j] / count;
    double var = 0;
    for (size_t j = 0; j < d; ++j) var += (x[j] - mean) * (x[j] - mean) / count;
    const double std_inv = 1.0 / std::sqrt(var + layer.eps);
    double dvar = 0;
    for (size_t j = 0; j < d; ++j) {
      const double x_hat = (x[j] - mean) * std_inv;
      (*dgamma)[j] += dy[j] * x_hat;
      (*dbeta)[j] += dy[j];
      dvar += dy[j] * layer.gamma[j] * (x[j] - mean) * -0.5 * std_inv * std_inv * std_inv;
    }
    double dmean = 0;
    for (size_t j = 0; j < d; ++j) {
      dmean += -dy[j] * layer.gamma[j] * std_inv + dvar * -2.0 * (x[j] - mean) / count;
    }
    for (size_t j = 0; j < d; ++j) {
      (*dx)[i * d + j] = dy[j] * layer.gamma[j] * std_inv + dvar * 2.0 * (x[j] - mean) / count +
                         dmean / count;
    }
  }
}

void test_cross_check(size_t rows, size_t features) {
  Layer layer(rows, features, 7);
  check(layer.run(), "forward and backward run", static_cast<double>(features));
  std::vector<double> dx(rows * features), dgamma(features), dbeta(features);
  chain_rule(layer, &dx, &dgamma, &dbeta);
  check(difference(layer.dx, dx) < 1e-10, "compact dx equals the chain rule",
        difference(layer.dx, dx));
  check(difference(layer.dgamma, dgamma) < 1e-10, "dgamma equals the chain rule",
        difference(layer.dgamma, dgamma));
  check(difference(layer.dbeta, dbeta) < 1e-10, "dbeta equals the chain rule",
        difference(layer.dbeta, dbeta));
}

void test_zero_input() {
  Layer layer(4, 8, 1, 0.0, 0.0);
  check(layer.run(), "zero input runs", 0);
  check(difference(layer.y, std::vector<double>(32)) <= 1.0 && std::isfinite(largest(layer.y)),
        "zero input gives beta", largest(layer.y));
  check(largest(layer.dgamma) == 0.0, "zero input has no gamma gradient", largest(layer.dgamma));
  check(std::isfinite(largest(layer.dx)), "zero input has a finite dx", largest(layer.dx));
}

void test_single_feature() {
  Layer layer(5, 1, 2);
  check(layer.run(), "D = 1 runs", 1);
  check(largest(layer.dx) < 1e-12, "D = 1 has no input gradient", largest(layer.dx));
  check(largest(layer.dgamma) < 1e-12, "D = 1 has no gamma gradient", largest(layer.dgamma));
}

void test_normalised_rows() {
  Layer layer(6, 64, 3, 3.0, 2.0);
  layer.gamma.assign(64, 1.0);
  layer.beta.assign(64, 0.0);
  layer.run();
  double worst_mean = 0;
  double worst_variance = 0;
  for (size_t i = 0; i < 6; ++i) {
    double mean = 0;
    double square = 0;
    for (size_t j = 0; j < 64; ++j) {
      mean += layer.y[i * 64 + j] / 64;
      square += layer.y[i * 64 + j] * layer.y[i * 64 + j] / 64;
    }
    worst_mean = std::max(worst_mean, std::fabs(mean));
    worst_variance = std::max(worst_variance, std::fabs(square - 1.0));
  }
  check(worst_mean < 1e-12, "rows of y have mean 0", worst_mean);
  check(worst_variance < 1e-4, "rows of y have variance 1", worst_variance);
}

void test_scale_invariance() {
  Layer one(3, 32, 4);
  Layer ten(3, 32, 4);
  for (double& value : ten.x) value *= 10.0;
  one.eps = ten.eps = 1e-12;
  one.run();
  ten.run();
  for (double& value : ten.dx) value *= 10.0;
  check(difference(one.dx, ten.dx) < 1e-9, "dx scales with 1/scale of the input",
        difference(one.dx, ten.dx));
}

// What the demo of the naive variance showed: at offset 1e8 E[x^2] - E[x]^2 gives 0 or worse in
// double, two passes are exact to the last digits of x itself.
void test_large_mean(double offset) {
  Layer layer(3, 64, 5, 0.0, 1.0);
  Layer shifted = layer;
  for (double& value : shifted.x) value += offset;
  for (size_t i = 0; i < layer.x.size(); ++i) layer.x[i] = shifted.x[i] - offset;
  layer.run();
  shifted.run();
  const double allowed = 1e-14 * offset + 1e-9;
  check(difference(layer.dx, shifted.dx) < allowed, "dx does not see the mean of a row",
        difference(layer.dx, shifted.dx));
  check(difference(layer.y, shifted.y) < allowed, "y does not see the mean of a row",
        difference(layer.y, shifted.y));
}

}  // namespace

int main() {
  test_cross_check(4, 16);
  test_cross_check(7, 33);
  test_cross_check(2, 1024);
  test_zero_input();
  test_single_feature();
  test_normalised_rows();
  test_scale_invariance();
  test_large_mean(1e4);
  test_large_mean(1e8);
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
