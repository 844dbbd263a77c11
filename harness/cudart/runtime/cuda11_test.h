// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_CUDA11_TEST_H_
#define ASSAY_CUDART_RUNTIME_CUDA11_TEST_H_

#include <cuda_runtime_api.h>

#include <cstddef>

// Overloads by which tests call the functions of CUDA 11 and 12 as CUDA 13 declares them.
#if CUDART_VERSION < 12000

struct cudaGraphExecUpdateResultInfo {
  cudaGraphExecUpdateResult result;
};

inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphExecUpdateResultInfo* result) {
  cudaGraphNode_t node = nullptr;
  return cudaGraphExecUpdate(exec, graph, &node, &result->result);
}

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                        unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

#endif

#if CUDART_VERSION < 13000

inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                     const void* /*data*/, std::size_t* count) {
  return cudaGraphGetEdges(graph, from, to, count);
}

inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, const void* /*data*/,
                                            std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, count);
}

#endif

#endif  // ASSAY_CUDART_RUNTIME_CUDA11_TEST_H_
