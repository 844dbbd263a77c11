// SPDX-License-Identifier: Apache-2.0
// Layer norm forward and backward in f32: row sums by shuffles, dgamma and dbeta gathered in
// dynamic shared memory, then added by atomics.
#include "../common/check.h"
#include "../common/layer_norm.cuh"

int main() {
  constexpr int kRows = 37;
  constexpr int kWidth = 200;
  constexpr float kEpsilon = 1e-5F;
  check::Random random(2);
  const std::vector<float> x = random.Floats(kRows * kWidth, -2, 3);
  const std::vector<float> dy = random.Floats(kRows * kWidth, -1, 1);
  const std::vector<float> gamma = random.Floats(kWidth, 0.5F, 1.5F);
  const std::vector<float> beta = random.Floats(kWidth, -1, 1);
  const layer_norm::Reference want =
      layer_norm::Compute(x, gamma, beta, dy, kRows, kWidth, kEpsilon);

  const check::DeviceArray<float> device_x(x), device_dy(dy), device_gamma(gamma),
      device_beta(beta);
  const check::DeviceArray<float> y(x.size()), mean(kRows), rstd(kRows), dx(x.size());
  const check::DeviceArray<float> dgamma(kWidth, 0), dbeta(kWidth, 0);
  layer_norm::Forward<<<8, 128>>>(device_x.get(), device_gamma.get(), device_beta.get(), y.get(),
                                  mean.get(), rstd.get(), kRows, kWidth, kEpsilon);
  layer_norm::Backward<<<8, 128, 2 * kWidth * sizeof(float)>>>(
      device_dy.get(), device_x.get(), device_gamma.get(), mean.get(), rstd.get(), dx.get(),
      dgamma.get(), dbeta.get(), kRows, kWidth);
  SYNCHRONIZE();
  check::ExpectNear("forward y", y.Download(), want.y, 4e-6);
  check::ExpectNear("forward mean", mean.Download(), want.mean, 1e-6);
  check::ExpectNear("forward rstd", rstd.Download(), want.rstd, 1e-6);
  check::ExpectNear("backward dx", dx.Download(), want.dx, 4e-6);
  check::ExpectNear("backward dgamma", dgamma.Download(), want.dgamma, 2e-5);
  check::ExpectNear("backward dbeta", dbeta.Download(), want.dbeta, 2e-5);
  return check::Finish();
}
