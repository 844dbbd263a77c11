// SPDX-License-Identifier: Apache-2.0
// A 5 x 5 blur of an image of uchar4: a tile with a halo in shared memory, edges clamped.
#include "../common/check.h"

constexpr int kTile = 16;
constexpr int kRadius = 2;
constexpr int kPadded = kTile + 2 * kRadius;

__global__ void Blur(const uchar4* in, uchar4* out, int width, int height) {
  __shared__ uchar4 tile[kPadded][kPadded];
  const int left = static_cast<int>(blockIdx.x) * kTile - kRadius;
  const int top = static_cast<int>(blockIdx.y) * kTile - kRadius;
  for (int y = threadIdx.y; y < kPadded; y += kTile) {
    for (int x = threadIdx.x; x < kPadded; x += kTile) {
      const int from_x = min(max(left + x, 0), width - 1);
      const int from_y = min(max(top + y, 0), height - 1);
      tile[y][x] = in[from_y * width + from_x];
    }
  }
  __syncthreads();
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
  if (x >= width || y >= height) {
    return;
  }
  int red = 0;
  int green = 0;
  int blue = 0;
  for (int dy = 0; dy <= 2 * kRadius; ++dy) {
    for (int dx = 0; dx <= 2 * kRadius; ++dx) {
      const uchar4 pixel = tile[threadIdx.y + dy][threadIdx.x + dx];
      red += pixel.x;
      green += pixel.y;
      blue += pixel.z;
    }
  }
  out[y * width + x] = make_uchar4(red / 25, green / 25, blue / 25, 255);
}

int main() {
  constexpr int kWidth = 50;
  constexpr int kHeight = 37;
  check::Random random(17);
  std::vector<uchar4> image(kWidth * kHeight);
  for (uchar4& pixel : image) {
    const std::uint32_t bits = random.Below(1U << 24);
    pixel = make_uchar4(bits & 255, bits >> 8 & 255, bits >> 16, 255);
  }
  const check::DeviceArray<uchar4> in(image), out(image.size());
  Blur<<<dim3((kWidth + kTile - 1) / kTile, (kHeight + kTile - 1) / kTile), dim3(kTile, kTile)>>>(
      in.get(), out.get(), kWidth, kHeight);
  SYNCHRONIZE();
  std::vector<int> want;
  std::vector<int> got;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      int sums[3] = {};
      for (int dy = -kRadius; dy <= kRadius; ++dy) {
        for (int dx = -kRadius; dx <= kRadius; ++dx) {
          const int from_x = std::min(std::max(x + dx, 0), kWidth - 1);
          const int from_y = std::min(std::max(y + dy, 0), kHeight - 1);
          const uchar4 pixel = image[from_y * kWidth + from_x];
          sums[0] += pixel.x;
          sums[1] += pixel.y;
          sums[2] += pixel.z;
        }
      }
      want.insert(want.end(), {sums[0] / 25, sums[1] / 25, sums[2] / 25, 255});
    }
  }
  for (const uchar4 pixel : out.Download()) {
    got.insert(got.end(), {pixel.x, pixel.y, pixel.z, pixel.w});
  }
  check::ExpectEqual("blur", got, want);
  return check::Finish();
}
