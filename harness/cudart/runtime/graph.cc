// SPDX-License-Identifier: Apache-2.0
// Graphs as values: nodes, edges, order, clones.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "cudart/runtime/state.h"

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

std::vector<cudaGraphNode_t> NodesOf(const CUgraph_st& graph, bool roots_only) {
  std::vector<cudaGraphNode_t> nodes;
  for (const auto& node : graph.nodes) {
    if (!roots_only || node->after.empty()) {
      nodes.push_back(node.get());
    }
  }
  return nodes;
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

}  // extern "C"
}  // namespace assay::gpu::runtime
