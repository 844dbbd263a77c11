// SPDX-License-Identifier: Apache-2.0
// Edges of graphs: told and changed.
#include <algorithm>
#include <cstdarg>
#include <utility>

#include "cudart/runtime/cuda_layouts.h"
#include "cudart/runtime/program_version.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

struct Edges {
  std::vector<cudaGraphNode_t> from;
  std::vector<cudaGraphNode_t> to;
};
Edges EdgesOf(const CUgraph_st& graph) {
  Edges edges;
  for (const auto& node : graph.nodes) {
    for (const cudaGraphNode_t earlier : node->after) {
      edges.from.push_back(earlier);
      edges.to.push_back(node.get());
    }
  }
  return edges;
}

cudaError_t GetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to,
                     std::size_t* count) {
  return WithGraph(handle, [&](State&, const CUgraph_st& graph) {
    if (count == nullptr || (from == nullptr) != (to == nullptr)) {
      return cudaErrorInvalidValue;
    }
    const Edges edges = EdgesOf(graph);
    std::size_t same_count = *count;
    HandOut(edges.from, from, &same_count);
    return HandOut(edges.to, to, count);
  });
}

cudaError_t GetDependencies(cudaGraphNode_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
  return Enter([&](State& state) {
    const CUgraphNode_st* const node = FindNode(state, handle);
    return node == nullptr ? cudaErrorInvalidValue : HandOut(node->after, nodes, count);
  });
}

cudaError_t GetDependents(cudaGraphNode_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
  return Enter([&](State& state) {
    const CUgraphNode_st* const node = FindNode(state, handle);
    if (node == nullptr) {
      return cudaErrorInvalidValue;
    }
    const Edges edges = EdgesOf(*node->graph);
    std::vector<cudaGraphNode_t> dependents;
    for (std::size_t i = 0; i < edges.from.size(); ++i) {
      if (edges.from[i] == handle) {
        dependents.push_back(edges.to[i]);
      }
    }
    return HandOut(dependents, nodes, count);
  });
}

enum class Change : std::uint8_t { kAdd, kRemove };
cudaError_t ChangeEdges(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                        std::size_t count, Change change) {
  return WithGraph(handle, [&](State& state, const CUgraph_st& graph) {
    std::vector<cudaGraphNode_t> earlier;
    std::vector<cudaGraphNode_t> later;
    if (!ReadNodes(state, from, count, &earlier) || !ReadNodes(state, to, count, &later)) {
      return cudaErrorInvalidValue;
    }
    for (std::size_t i = 0; i < count; ++i) {
      auto& after = later[i]->after;
      const auto found = std::ranges::find(after, earlier[i]);
      const bool is_there = found != after.end();
      if (earlier[i]->graph != &graph || later[i]->graph != &graph || earlier[i] == later[i] ||
          is_there != (change == Change::kRemove)) {
        return cudaErrorInvalidValue;
      }
      if (is_there) {
        after.erase(found);
      } else {
        after.push_back(earlier[i]);
      }
    }
    return cudaSuccess;
  });
}

/// All edges are plain: no port, full serialisation.
void ClearEdges(cudaGraphEdgeData* edges, const std::size_t* count) {
  if (edges != nullptr && count != nullptr) {
    std::fill_n(edges, *count, cudaGraphEdgeData{});
  }
}

/// What follows the nodes in functions that take data of edges before the count in 13, and the
/// count alone in 11 and 12.
template <class Data, class Count>
struct EdgeArguments {
  Data edges;
  Count count;
};
template <class Data, class Count>
cudaError_t ReadEdgeArguments(const char* function, va_list rest,
                              EdgeArguments<Data, Count>* arguments) {
  return Enter([&](State& state) {
    Interface interface{};
    const cudaError_t error = FindInterface(state, function, &interface);
    if (error == cudaSuccess) {
      arguments->edges = interface == Interface::kCuda13 ? va_arg(rest, Data) : nullptr;
      arguments->count = va_arg(rest, Count);
    }
    return error;
  });
}
using EdgesOut = EdgeArguments<cudaGraphEdgeData*, std::size_t*>;
using EdgesIn = EdgeArguments<const cudaGraphEdgeData*, std::size_t>;

}  // namespace

extern "C" {

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                 cudaGraphEdgeData* edges, std::size_t* count) {
  const cudaError_t error = GetEdges(graph, from, to, count);
  ClearEdges(edges, count);
  return error;
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                            cudaGraphEdgeData* edges, std::size_t* count) {
  const cudaError_t error = GetDependencies(node, nodes, count);
  ClearEdges(edges, count);
  return error;
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                              cudaGraphEdgeData* edges, std::size_t* count) {
  const cudaError_t error = GetDependents(node, nodes, count);
  ClearEdges(edges, count);
  return error;
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData* /*edges*/, std::size_t count) {
  return ChangeEdges(graph, from, to, count, Change::kAdd);
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                           const cudaGraphNode_t* to,
                                           const cudaGraphEdgeData* /*edges*/, std::size_t count) {
  return ChangeEdges(graph, from, to, count, Change::kRemove);
}

// The plain names: in 13 they are what the _v2 above are in 12.

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, ...) {
  EdgesOut out{};
  va_list rest;
  va_start(rest, to);
  const cudaError_t error = ReadEdgeArguments("cudaGraphGetEdges", rest, &out);
  va_end(rest);
  return error == cudaSuccess ? cudaGraphGetEdges_v2(graph, from, to, out.edges, out.count) : error;
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, ...) {
  EdgesOut out{};
  va_list rest;
  va_start(rest, nodes);
  const cudaError_t error = ReadEdgeArguments("cudaGraphNodeGetDependencies", rest, &out);
  va_end(rest);
  return error == cudaSuccess ? cudaGraphNodeGetDependencies_v2(node, nodes, out.edges, out.count)
                              : error;
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, ...) {
  EdgesOut out{};
  va_list rest;
  va_start(rest, nodes);
  const cudaError_t error = ReadEdgeArguments("cudaGraphNodeGetDependentNodes", rest, &out);
  va_end(rest);
  return error == cudaSuccess ? cudaGraphNodeGetDependentNodes_v2(node, nodes, out.edges, out.count)
                              : error;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, ...) {
  EdgesIn in{};
  va_list rest;
  va_start(rest, to);
  const cudaError_t error = ReadEdgeArguments("cudaGraphAddDependencies", rest, &in);
  va_end(rest);
  return error == cudaSuccess ? ChangeEdges(graph, from, to, in.count, Change::kAdd) : error;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, ...) {
  EdgesIn in{};
  va_list rest;
  va_start(rest, to);
  const cudaError_t error = ReadEdgeArguments("cudaGraphRemoveDependencies", rest, &in);
  va_end(rest);
  return error == cudaSuccess ? ChangeEdges(graph, from, to, in.count, Change::kRemove) : error;
}

}  // extern "C"
}  // namespace assay::gpu::runtime
