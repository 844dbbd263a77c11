// SPDX-License-Identifier: Apache-2.0
// Built with the sanitizers: mistakes that a release build may survive.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "host/adapter.h"

namespace {

/// Not inlined: the compiler must not know how large the block is.
[[gnu::noinline]] int ReadAt(const volatile char* block, std::size_t index) { return block[index]; }

int ReadHeapAt(std::size_t index) {
  void* block = std::calloc(16, 1);
  const int value = ReadAt(static_cast<const volatile char*>(block), index);
  std::free(block);
  return value;
}

int AddOverflowing(std::int32_t a, std::int32_t b) { return a + b; }

void WriteAt(std::int64_t index, float* out) { out[index] = 1.0f; }

/// Right, and leaky: a leak is no wrong answer.
void Leak(double* out) { *out = std::malloc(100) != nullptr ? 1.0 : 2.0; }

struct Shape {
  virtual ~Shape() = default;
  [[nodiscard]] virtual double Area() const = 0;
};
struct Square final : Shape {
  explicit Square(double side) : side_(side) {}
  [[nodiscard]] double Area() const override { return side_ * side_; }
  double side_;
};

/// Right: an object with virtual functions on the heap.
void CallVirtual(double side, double* area) {
  const Shape* shape = new Square(side);
  *area = shape->Area();
  delete shape;
}

/// Saves a tensor of so many floats and writes one, inside it or not.
void WriteSavedAt(std::size_t count, std::int64_t index, assay_save_fn save, void* context) {
  static_cast<float*>(save(context, "t", count * sizeof(float)))[index] = 1.0f;
}

/// Writes where the last call of it saved, then saves so many floats.
void WriteWhereSavedBefore(std::size_t count, assay_save_fn save, void* context) {
  static float* before = nullptr;
  if (before != nullptr) {
    *before = 1.0f;
  }
  before = static_cast<float*>(save(context, "t", count * sizeof(float)));
}

}  // namespace

ASSAY_OPERATION("read_heap_at", ReadHeapAt);
ASSAY_OPERATION("add_overflowing", AddOverflowing);
ASSAY_OPERATION("write_at", WriteAt);
ASSAY_OPERATION("leak", Leak);
ASSAY_OPERATION("call_virtual", CallVirtual);
ASSAY_OPERATION("write_saved_at", WriteSavedAt);
ASSAY_OPERATION("write_where_saved_before", WriteWhereSavedBefore);
