// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_GRAPH_TYPES_H_
#define ASSAY_CUDART_RUNTIME_GRAPH_TYPES_H_

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "cudart/runtime/cuda_types.h"
#include "cudart/runtime/work.h"

/// What a cudaGraphNode_t points to.
struct CUgraphNode_st {
  CUgraph_st* graph = nullptr;
  assay::gpu::runtime::Work work;
  std::vector<CUgraphNode_st*> after;        ///< What must be done before it.
  std::vector<void*> arguments;              ///< Of a kernel node: pointers into its parameters.
  const CUgraphNode_st* original = nullptr;  ///< Of a clone's node.
};

/// What a cudaGraph_t points to: nodes in the order in which they were added.
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

/// What a cudaGraphExec_t points to.
struct CUgraphExec_st {
  struct Step {
    assay::gpu::runtime::Work work;
    CUgraphNode_st* node = nullptr;  ///< What it was made from; only compared, never read.
    bool enabled = true;
  };
  /// In an order that keeps every dependency. Replaced, never changed while it is replayed.
  std::shared_ptr<const std::vector<Step>> steps;
  unsigned long long flags = 0;
};

namespace assay::gpu::runtime {

struct Graphs {
  std::map<cudaGraph_t, std::shared_ptr<CUgraph_st>> graphs;  ///< Child graphs too.
  std::set<cudaGraphNode_t> nodes;
  std::map<cudaGraphExec_t, std::unique_ptr<CUgraphExec_st>> execs;
};

CUgraph_st* FindGraph(State& state, cudaGraph_t handle);
CUgraphNode_st* FindNode(State& state, cudaGraphNode_t handle);

/// An empty graph, registered as live.
cudaGraph_t NewGraph(State& state);

/// Copies a program's array of nodes; false when one of them is not live, or the array is null.
bool ReadNodes(State& state, const cudaGraphNode_t* nodes, std::size_t count,
               std::vector<cudaGraphNode_t>* read);

/// A new node of `graph`, which is live.
cudaGraphNode_t AddNode(State& state, CUgraph_st& graph, Work work,
                        std::vector<cudaGraphNode_t> after);

/// The graph's nodes in an order that keeps every dependency, the order of addition where it can;
/// empty when there is a cycle.
std::vector<const CUgraphNode_st*> TopologicalOrder(const CUgraph_st& graph);

/// A copy with all it holds, registered as live.
std::shared_ptr<CUgraph_st> CloneGraph(State& state, const CUgraph_st& graph);
/// Replaces the work that an exec does for `node` by work of the same kind; cudaErrorInvalidValue
/// when the exec is not live, has no such node, or the kinds differ.
cudaError_t SetExecWork(State& state, cudaGraphExec_t exec, cudaGraphNode_t node, Work work);

/// CUDA's way to hand out a list: the count alone, or as many as fit, the rest null.
template <class T>
cudaError_t HandOut(const std::vector<T>& all, T* to, std::size_t* count) {
  if (count == nullptr) {
    return cudaErrorInvalidValue;
  }
  if (to != nullptr) {
    for (std::size_t i = 0; i < *count; ++i) {
      to[i] = i < all.size() ? all[i] : T{};
    }
    *count = std::min(*count, all.size());
  } else {
    *count = all.size();
  }
  return cudaSuccess;
}

/// Forgets a graph, its nodes and its child graphs.
void DropGraph(State& state, cudaGraph_t handle);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_GRAPH_TYPES_H_
