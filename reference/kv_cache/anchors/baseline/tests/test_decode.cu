// SPDX-License-Identifier: Apache-2.0
// Attention over pages in device memory, against the definition in double. Beside the tests of a
// submission, those that the hundred of the scale is graded with. Exit status 0: every check
// passed.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "interface.h"

namespace {

using Floats = std::vector<float>;

int failures = 0;

// One line each, as TAP has it, so that one check that fails does not void the others.
void Check(bool holds, const char* name) {
  std::printf("%s %s\n", holds ? "ok" : "not ok", name);
  failures += holds ? 0 : 1;
}

// Memory of the device that holds what it was made of.
template <typename T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) {
    const size_t bytes = values.size() * sizeof(T);
    works_ = cudaMalloc(&data_, bytes) == cudaSuccess &&
             cudaMemcpy(data_, values.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess;
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  bool works() const { return works_; }
  T* get() const { return data_; }
  std::vector<T> Copy(size_t count) const {
    std::vector<T> values(count);
    cudaMemcpy(values.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  T* data_ = nullptr;
  bool works_ = false;
};

struct Shape {
  int query_heads;
  int kv_heads;
  int head_size;
  int page_size;
  std::vector<int32_t> lengths;
  int first_page = 0;  // Of the pool; those before it are not there, and no sequence uses them.
  int floats_before_values = 0;  // From an aligned address to the values.
};

// Tokens in pages that were drawn at random. What holds no token is NaN, and what is no page of a
// sequence is -1 in its table.
class Problem {
 public:
  explicit Problem(Shape shape) : shape_(std::move(shape)), random_(7) {
    const int sequences = static_cast<int>(shape_.lengths.size());
    int pages = 0;
    for (const int32_t length : shape_.lengths) {
      pages += Pages(length);
      stride_ = std::max(stride_, Pages(length) + 2);
    }
    std::vector<int32_t> order(pages);
    for (int i = 0; i < pages; ++i) {
      order[i] = i;
    }
    std::shuffle(order.begin(), order.end(), random_);
    table_.assign(static_cast<size_t>(sequences) * stride_, -1);
    k_.assign(pages * PageFloats(), std::numeric_limits<float>::quiet_NaN());
    v_ = k_;
    for (int s = 0; s < sequences; ++s) {
      for (int i = 0; i < Pages(shape_.lengths[s]); ++i) {
        table_[s * stride_ + i] = shape_.first_page + order.back();
        order.pop_back();
      }
      for (int token = 0; token < shape_.lengths[s]; ++token) {
        Fill(s, token);
      }
    }
    q_ = Noise(static_cast<size_t>(sequences) * shape_.query_heads * shape_.head_size);
  }

  // Whether the outputs are right.
  bool Run() const {
    const int sequences = static_cast<int>(shape_.lengths.size());
    const size_t workspace_bytes =
        kv_paged_decode_cuda_workspace_bytes(sequences, shape_.query_heads, shape_.kv_heads,
                                             shape_.head_size, shape_.page_size, stride_);
    const OnDevice<float> q(q_);
    const OnDevice<float> k(k_);
    Floats shifted(shape_.floats_before_values);
    shifted.insert(shifted.end(), v_.begin(), v_.end());
    const OnDevice<float> v(shifted);
    const OnDevice<int32_t> table(table_);
    const OnDevice<int32_t> lengths(shape_.lengths);
    const OnDevice<float> out(Floats(q_.size(), -1.0F));
    const OnDevice<char> workspace(std::vector<char>(std::max<size_t>(workspace_bytes, 1)));
    const bool ran = q.works() && k.works() && v.works() && table.works() && lengths.works() &&
                     out.works() && workspace.works() &&
                     kv_paged_decode_f32_cuda(sequences, shape_.query_heads, shape_.kv_heads,
                                              shape_.head_size, shape_.page_size, q.get(),
                                              PoolOf(k), PoolOf(v) + shape_.floats_before_values,
                                              table.get(), stride_, lengths.get(), out.get(),
                                              workspace_bytes == 0 ? nullptr : workspace.get(),
                                              workspace_bytes, nullptr) == KV_OK &&
                     cudaDeviceSynchronize() == cudaSuccess;
    return ran && AreRight(out.Copy(q_.size()));
  }

 private:
  int Pages(int32_t length) const { return (length + shape_.page_size - 1) / shape_.page_size; }
  size_t PageFloats() const {
    return static_cast<size_t>(shape_.kv_heads) * shape_.page_size * shape_.head_size;
  }
  // Where the pool would begin if it had the pages before its first.
  const float* PoolOf(const OnDevice<float>& pages) const {
    const size_t before_bytes = shape_.first_page * PageFloats() * sizeof(float);
    return reinterpret_cast<const float*>(reinterpret_cast<uintptr_t>(pages.get()) - before_bytes);
  }
  Floats Noise(size_t count) {
    std::normal_distribution<float> normal;
    Floats values(count);
    for (float& value : values) {
      value = normal(random_);
    }
    return values;
  }
  // Where the row of a token begins in k_ and v_.
  size_t RowAt(int sequence, int token, int kv_head) const {
    const int32_t page = table_[sequence * stride_ + token / shape_.page_size];
    const int slot = kv_head * shape_.page_size + token % shape_.page_size;
    return (page - shape_.first_page) * PageFloats() + static_cast<size_t>(slot) * shape_.head_size;
  }
  // Keys grow from the first token to the last, so that splits differ in their largest score.
  void Fill(int sequence, int token) {
    const float growth = 0.5F + 2.0F * token / shape_.lengths[sequence];
    for (int head = 0; head < shape_.kv_heads; ++head) {
      const size_t at = RowAt(sequence, token, head);
      const Floats k = Noise(shape_.head_size);
      const Floats v = Noise(shape_.head_size);
      for (int i = 0; i < shape_.head_size; ++i) {
        k_[at + i] = growth * k[i];
        v_[at + i] = v[i];
      }
    }
  }

  bool AreRight(const Floats& out) const {
    bool right = true;
    for (size_t s = 0; s < shape_.lengths.size(); ++s) {
      for (int head = 0; head < shape_.query_heads; ++head) {
        const size_t at = (s * shape_.query_heads + head) * shape_.head_size;
        const std::vector<double> expected = Definition(static_cast<int>(s), head, &q_[at]);
        for (int i = 0; i < shape_.head_size; ++i) {
          right = right && std::fabs(out[at + i] - expected[i]) < 1e-5;
        }
      }
    }
    return right;
  }
  std::vector<double> Definition(int sequence, int head, const float* q) const {
    const int kv_head = head / (shape_.query_heads / shape_.kv_heads);
    std::vector<double> scores;
    double largest = -std::numeric_limits<double>::infinity();
    for (int token = 0; token < shape_.lengths[sequence]; ++token) {
      const size_t at = RowAt(sequence, token, kv_head);
      double score = 0;
      for (int i = 0; i < shape_.head_size; ++i) {
        score += static_cast<double>(q[i]) * k_[at + i];
      }
      scores.push_back(score / std::sqrt(static_cast<double>(shape_.head_size)));
      largest = std::max(largest, scores.back());
    }
    std::vector<double> out(shape_.head_size, 0.0);
    double sum = 0;
    for (size_t token = 0; token < scores.size(); ++token) {
      const double weight = std::exp(scores[token] - largest);
      sum += weight;
      const size_t at = RowAt(sequence, static_cast<int>(token), kv_head);
      for (int i = 0; i < shape_.head_size; ++i) {
        out[i] += weight * v_[at + i];
      }
    }
    for (double& value : out) {
      value = scores.empty() ? 0 : value / sum;
    }
    return out;
  }

  Shape shape_;
  std::mt19937 random_;
  int stride_ = 1;
  std::vector<int32_t> table_;
  Floats k_;
  Floats v_;
  Floats q_;
};

}  // namespace

int main() {
  Check(Problem({2, 2, 32, 8, {16, 8, 0, 24}}).Run(), "full pages, and an empty sequence");
  Check(Problem({2, 2, 32, 8, {13, 1, 39}}).Run(), "what lies behind the last token does not act");
  Check(Problem({8, 2, 64, 16, {40, 16}}).Run(),
        "4 neighbours among the query heads for a KV head");
  Check(Problem({3, 1, 37, 7, {20, 5}}).Run(), "heads and pages of odd sizes");
  Check(Problem({2, 1, 64, 16, {1500, 40}}).Run(), "a long sequence is one sum");
  // 2^26 pages before the first of 64 floats: 2^32 elements.
  Check(Problem({2, 1, 16, 4, {30, 9}, 1 << 26}).Run(), "pages beyond 2^31 elements of a pool");
  Check(Problem({2, 1, 64, 16, {40, 9}, 0, 1}).Run(), "keys are aligned and values are not");
  Check(Problem({1, 1, 8, 16, {66000}}).Run(), "positions of more than 16 bits");
  std::vector<int32_t> many(300);
  for (size_t i = 0; i < many.size(); ++i) {
    many[i] = static_cast<int32_t>(i % 4);
  }
  Check(Problem({1, 1, 4, 2, many}).Run(), "300 sequences");
  return failures == 0 ? 0 : 1;
}
