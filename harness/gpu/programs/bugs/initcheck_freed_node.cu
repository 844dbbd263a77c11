// SPDX-License-Identifier: Apache-2.0
// A list made by new in device code, whose nodes are deleted before their next pointer is read.
#include "../common/bug.h"

struct Node {
  int value;
  Node* next;
};

__global__ void Sum(int* sum) {
  Node* head = nullptr;
  for (int i = 0; i < 5; ++i) {
    head = new Node{i, head};
  }
  int total = 0;
  while (head != nullptr) {
    total += head->value;
    Node* const done = head;
    if (!kBug) {
      head = head->next;
    }
    delete done;
    if (kBug) {
      head = done->next;  // BUG: initcheck uninitialized
    }
  }
  *sum = total;
}

int main() {
  int* sum = Allocate<int>(1);
  Sum<<<1, 1>>>(sum);
  const int outcome = Finish();
  cudaFree(sum);
  return outcome;
}
