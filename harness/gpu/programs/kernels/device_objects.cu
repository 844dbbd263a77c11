// SPDX-License-Identifier: Apache-2.0
// Objects on the device: malloc and new in a kernel, virtual functions, function pointers in a
// table, a linked list made in one launch and walked in the next.
// HARDWARE: the GPU's malloc, free and tables of virtual functions are code that counts
#include "../common/check.h"

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float Area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float Area() const override { return side * side; }
};
struct Rectangle : Shape {
  float width, height;
  __device__ Rectangle(float w, float h) : width(w), height(h) {}
  __device__ float Area() const override { return width * height; }
};

__global__ void MakeShapes(Shape** shapes) {
  const int i = threadIdx.x;
  if (i % 3 == 0) {
    shapes[i] = new Square(static_cast<float>(i));
  } else {
    shapes[i] = new Rectangle(static_cast<float>(i), 2);
  }
}
__global__ void Areas(Shape* const* shapes, float* areas) {
  areas[threadIdx.x] = shapes[threadIdx.x]->Area();
}
__global__ void DeleteShapes(Shape* const* shapes) { delete shapes[threadIdx.x]; }

using Operation = int (*)(int, int);
__device__ int Add(int a, int b) { return a + b; }
__device__ int Subtract(int a, int b) { return a - b; }
__device__ int Multiply(int a, int b) { return a * b; }
__device__ Operation const kOperations[] = {Add, Subtract, Multiply};

__global__ void Apply(int* out) {
  const int i = threadIdx.x;
  out[i] = kOperations[i % 3](i, 7);
}

struct Node {
  Node* next;
  int value;
};
__global__ void MakeList(Node** head, int length) {
  Node* list = nullptr;
  for (int i = 0; i < length; ++i) {
    Node* node = static_cast<Node*>(malloc(sizeof(Node)));
    node->next = list;
    node->value = i;
    list = node;
  }
  *head = list;
}
__global__ void SumAndFreeList(Node** head, int* sum) {
  int total = 0;
  for (Node* node = *head; node != nullptr;) {
    Node* next = node->next;
    total += node->value;
    free(node);
    node = next;
  }
  *sum = total;
}

int main() {
  constexpr int kCount = 48;
  const check::DeviceArray<Shape*> shapes(kCount);
  const check::DeviceArray<float> areas(kCount);
  MakeShapes<<<1, kCount>>>(shapes.get());
  Areas<<<1, kCount>>>(shapes.get(), areas.get());
  DeleteShapes<<<1, kCount>>>(shapes.get());
  SYNCHRONIZE();
  std::vector<float> want;
  std::vector<int> applied;
  for (int i = 0; i < kCount; ++i) {
    want.push_back(static_cast<float>(i % 3 == 0 ? i * i : 2 * i));
    applied.push_back(i % 3 == 0 ? i + 7 : i % 3 == 1 ? i - 7 : i * 7);
  }
  check::ExpectEqual("virtual functions", areas.Download(), want);

  const check::DeviceArray<int> out(kCount), sum(1);
  Apply<<<1, kCount>>>(out.get());
  SYNCHRONIZE();
  check::ExpectEqual("function pointers", out.Download(), applied);

  const check::DeviceArray<Node*> head(1);
  MakeList<<<1, 1>>>(head.get(), 100);
  SumAndFreeList<<<1, 1>>>(head.get(), sum.get());
  SYNCHRONIZE();
  check::ExpectEqual("a list of mallocs", sum.Download(), std::vector<int>{4950});
  return check::Finish();
}
