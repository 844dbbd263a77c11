// SPDX-License-Identifier: Apache-2.0
// Graphs as values: nodes, edges, order, clones.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "gpu/runtime/state.h"

namespace assay::gpu::runtime {

CUgraph_st* FindGraph(State& state, cudaGraph_t handle) {
  const auto found = state.graphs.graphs.find(handle);
  return found == state.graphs.graphs.end() ? nullptr : found->second.get();
}

CUgraphNode_st* FindNode(State& state, cudaGraphNode_t handle) {
  return state.graphs.nodes.contains(handle) ? handle : nullptr;
}

cudaGraph_t NewGraph(State& state) {
  auto graph = std::make_shared<CUgraph_st>();
  cudaGraph_t handle = graph.get();
  state.graphs.graphs[handle] = std::move(graph);
  return handle;
}

bool ReadNodes(State& state, const cudaGraphNode_t* nodes, std::size_t count,
               std::vector<cudaGraphNode_t>* read) {
  if (count != 0 && nodes == nullptr) {
    return false;
  }
  read->assign(nodes, nodes + count);
  return std::ranges::all_of(
      *read, [&](cudaGraphNode_t node) { return FindNode(state, node) != nullptr; });
}

cudaGraphNode_t AddNode(State& state, CUgraph_st& graph, Work work,
                        std::vector<cudaGraphNode_t> after) {
  auto& node = graph.nodes.emplace_back(std::make_unique<CUgraphNode_st>());
  node->graph = &graph;
  node->work = std::move(work);
  node->after = std::move(after);
  state.graphs.nodes.insert(node.get());
  return node.get();
}

std::vector<const CUgraphNode_st*> TopologicalOrder(const CUgraph_st& graph) {
  std::unordered_map<const CUgraphNode_st*, std::size_t> open;
  std::unordered_map<const CUgraphNode_st*, std::vector<const CUgraphNode_st*>> before;
  for (const auto& node : graph.nodes) {
    open[node.get()] = node->after.size();
    for (const cudaGraphNode_t earlier : node->after) {
      before[earlier].push_back(node.get());
    }
  }
  std::vector<const CUgraphNode_st*> order;
  order.reserve(graph.nodes.size());
  for (const auto& node : graph.nodes) {
    if (node->after.empty()) {
      order.push_back(node.get());
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const CUgraphNode_st* const later : before[order[i]]) {
      if (--open[later] == 0) {
        order.push_back(later);
      }
    }
  }
  if (order.size() != graph.nodes.size()) {
    order.clear();
  }
  return order;
}

std::shared_ptr<CUgraph_st> CloneGraph(State& state, const CUgraph_st& graph) {
  auto clone = std::make_shared<CUgraph_st>();
  state.graphs.graphs[clone.get()] = clone;
  std::unordered_map<const CUgraphNode_st*, cudaGraphNode_t> twin;
  for (const auto& node : graph.nodes) {
    Work work = node->work;
    if (auto* const child = std::get_if<ChildWork>(&work)) {
      child->graph = CloneGraph(state, *child->graph);
    }
    const cudaGraphNode_t copy = AddNode(state, *clone, std::move(work), {});
    copy->original = node.get();
    twin[node.get()] = copy;
  }
  for (const auto& node : graph.nodes) {
    for (const cudaGraphNode_t earlier : node->after) {
      twin[node.get()]->after.push_back(twin[earlier]);
    }
  }
  return clone;
}

void DropGraph(State& state, cudaGraph_t handle) {
  const auto found = state.graphs.graphs.find(handle);
  if (found == state.graphs.graphs.end()) {
    return;
  }
  const std::shared_ptr<CUgraph_st> graph = std::move(found->second);
  state.graphs.graphs.erase(found);
  for (const auto& node : graph->nodes) {
    state.graphs.nodes.erase(node.get());
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) {
      DropGraph(state, child->graph.get());
    }
  }
}

namespace {

cudaGraphNodeType TypeOf(const Work& work) {
  if (const auto* const event = std::get_if<EventWork>(&work)) {
    return event->kind == EventWork::Kind::kRecord ? cudaGraphNodeTypeEventRecord
                                                   : cudaGraphNodeTypeWaitEvent;
  }
  constexpr std::array kByIndex{
      cudaGraphNodeTypeEmpty,  cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy,
      cudaGraphNodeTypeMemset, cudaGraphNodeTypeHost,   cudaGraphNodeTypeEventRecord,
      cudaGraphNodeTypeGraph,
  };
  static_assert(kByIndex.size() == std::variant_size_v<Work>);
  return kByIndex.at(work.index());
}

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

template <class Body>
cudaError_t WithGraph(cudaGraph_t handle, Body&& body) {
  return Enter([&](State& state) {
    CUgraph_st* const graph = FindGraph(state, handle);
    return graph == nullptr ? cudaErrorInvalidValue : body(state, *graph);
  });
}

std::vector<cudaGraphNode_t> NodesOf(const CUgraph_st& graph, bool roots_only) {
  std::vector<cudaGraphNode_t> nodes;
  for (const auto& node : graph.nodes) {
    if (!roots_only || node->after.empty()) {
      nodes.push_back(node.get());
    }
  }
  return nodes;
}

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

}  // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return Enter([&](State& state) {
    if (graph == nullptr || flags != 0) {
      return cudaErrorInvalidValue;
    }
    *graph = NewGraph(state);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return WithGraph(handle, [&](State& state, const CUgraph_st&) {
    DropGraph(state, handle);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return WithGraph(original, [&](State& state, const CUgraph_st& graph) {
    if (clone == nullptr) {
      return cudaErrorInvalidValue;
    }
    *clone = CloneGraph(state, graph).get();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
  return WithGraph(clone, [&](State&, const CUgraph_st& graph) {
    const auto twin = std::ranges::find_if(
        graph.nodes, [&](const auto& node) { return node->original == original; });
    if (found == nullptr || original == nullptr || twin == graph.nodes.end()) {
      return cudaErrorInvalidValue;
    }
    *found = twin->get();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type) {
  return Enter([&](State& state) {
    const CUgraphNode_st* const node = FindNode(state, handle);
    if (node == nullptr || type == nullptr) {
      return cudaErrorInvalidValue;
    }
    *type = TypeOf(node->work);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
  return WithGraph(handle, [&](State&, const CUgraph_st& graph) {
    return HandOut(NodesOf(graph, false), nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
  return WithGraph(handle, [&](State&, const CUgraph_st& graph) {
    return HandOut(NodesOf(graph, true), nodes, count);
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return Enter([&](State& state) {
    CUgraphNode_st* const node = FindNode(state, handle);
    if (node == nullptr) {
      return cudaErrorInvalidValue;
    }
    CUgraph_st& graph = *node->graph;
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) {
      DropGraph(state, child->graph.get());
    }
    state.graphs.nodes.erase(handle);
    for (const auto& other : graph.nodes) {
      std::erase(other->after, handle);
    }
    std::erase_if(graph.nodes, [&](const auto& other) { return other.get() == handle; });
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
#define ASSAY_EDGE_DATA_OUT , cudaGraphEdgeData* edges
#define ASSAY_EDGE_DATA_IN , const cudaGraphEdgeData* /*edges*/
#define ASSAY_CLEAR_EDGE_DATA ClearEdges(edges, count)
#else
#define ASSAY_EDGE_DATA_OUT
#define ASSAY_EDGE_DATA_IN
#define ASSAY_CLEAR_EDGE_DATA static_cast<void>(0)
#endif

}  // extern "C"

#if CUDART_VERSION >= 13000
namespace {
/// All edges are plain: no port, full serialisation.
void ClearEdges(cudaGraphEdgeData* edges, const std::size_t* count) {
  if (edges != nullptr && count != nullptr) {
    std::fill_n(edges, *count, cudaGraphEdgeData{});
  }
}
}  // namespace
#endif

extern "C" {

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from,
                              cudaGraphNode_t* to ASSAY_EDGE_DATA_OUT, std::size_t* count) {
  const cudaError_t error = GetEdges(graph, from, to, count);
  ASSAY_CLEAR_EDGE_DATA;
  return error;
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                         cudaGraphNode_t* nodes ASSAY_EDGE_DATA_OUT,
                                         std::size_t* count) {
  const cudaError_t error = GetDependencies(node, nodes, count);
  ASSAY_CLEAR_EDGE_DATA;
  return error;
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                           cudaGraphNode_t* nodes ASSAY_EDGE_DATA_OUT,
                                           std::size_t* count) {
  const cudaError_t error = GetDependents(node, nodes, count);
  ASSAY_CLEAR_EDGE_DATA;
  return error;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to ASSAY_EDGE_DATA_IN,
                                     std::size_t count) {
  return ChangeEdges(graph, from, to, count, Change::kAdd);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to ASSAY_EDGE_DATA_IN,
                                        std::size_t count) {
  return ChangeEdges(graph, from, to, count, Change::kRemove);
}

}  // extern "C"
}  // namespace assay::gpu::runtime
