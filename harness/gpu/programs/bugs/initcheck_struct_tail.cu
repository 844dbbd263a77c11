// SPDX-License-Identifier: Apache-2.0
// Particles whose last field was not copied to the device.
#include "../common/bug.h"

struct Particle {
  float x, y, z, mass;
};

__global__ void Weigh(const Particle* particles, float* weights) {
  weights[threadIdx.x] = 9.81F * particles[threadIdx.x].mass;  // BUG: initcheck uninitialized
}

int main() {
  Particle host[32];
  for (Particle& particle : host) {
    particle = {1, 2, 3, 4};
  }
  Particle* particles = Allocate<Particle>(32);
  float* weights = Allocate<float>(32);
  const size_t copied = kBug ? 3 * sizeof(float) : sizeof(Particle);
  cudaMemcpy2D(particles, sizeof(Particle), host, sizeof(Particle), copied, 32, cudaMemcpyHostToDevice);
  Weigh<<<1, 32>>>(particles, weights);
  const int outcome = Finish();
  cudaFree(particles);
  cudaFree(weights);
  return outcome;
}
