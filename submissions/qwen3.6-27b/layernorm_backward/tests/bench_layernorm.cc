// Times forward and backward over 8 shapes, and shows the naive variance losing its digits.

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "interface.h"

namespace {

std::map<std::string, std::vector<char>> saved;

void* save(void*, const char* name, size_t bytes) {
  auto& tensor = saved[name];
  tensor.resize(bytes + 1);
  return tensor.data();
}

const void* load(void*, const char* name, size_t* bytes) {
  const auto found = saved.find(name);
  if (found == saved.end()) {
    return nullptr;
  }
  *bytes = found->second.size() - 1;
  return found->second.data();
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

bool time_shape(size_t rows, size_t features) {
  std::mt19937_64 generator(rows + features);
  std::normal_distribution<float> normal;
  std::vector<float> x(rows * features), dy(rows * features), y(rows * features),
      dx(rows * features), gamma(features, 1.0f), beta(features), dgamma(features),
      dbeta(features);
  for (float& value : x) value = normal(generator);
  for (float& value : dy) value = normal(generator);
  const auto start = std::chrono::steady_clock::now();
  if (ln_forward_f32(rows, features, x.data(), gamma.data(), beta.data(), 1e-5f, y.data(), save,
                     nullptr) != LN_OK) {
    return false;
  }
  const double forward_ms = milliseconds_since(start);
  const auto middle = std::chrono::steady_clock::now();
  if (ln_backward_f32(rows, features, dy.data(), load, nullptr, dx.data(), dgamma.data(),
                      dbeta.data()) != LN_OK) {
    return false;
  }
  std::printf("%6zu x %5zu  forward %8.3f ms  backward %8.3f ms\n", rows, features, forward_ms,
              milliseconds_since(middle));
  return true;
}

void stability_demo() {
  std::printf("offset    naive variance   two-pass variance   (exact: 1.25)\n");
  for (double offset : {0.0, 1e4, 1e8, 1e10}) {
    const double row[] = {offset, offset + 1, offset + 2, offset + 3};
    double sum = 0;
    double squares = 0;
    for (double value : row) {
      sum += value;
      squares += value * value;
    }
    const double mean = sum / 4;
    double centered = 0;
    for (double value : row) centered += (value - mean) * (value - mean);
    std::printf("%-8g  %-15g  %g\n", offset, squares / 4 - mean * mean, centered / 4);
  }
}

}  // namespace

int main() {
  const size_t shapes[8][2] = {{32, 128},   {32, 768},    {256, 256},  {256, 1024},
                               {1024, 512}, {1024, 768},  {4096, 256}, {4096, 768}};
  for (const auto& shape : shapes) {
    if (!time_shape(shape[0], shape[1])) {
      return 1;
    }
  }
  stability_demo();
  return 0;
}
