import torch
import torch.nn as nn


class Graph:
    def __init__(self, edges, num_nodes):
        self.src, self.dst = edges
        self.num_nodes = num_nodes


class MaxAggregate(nn.Module):
    def __init__(self, dim_in, dim_out):
        super().__init__()
        self.message = nn.Linear(2 * dim_in, dim_out)
        self.update = nn.Linear(dim_in + dim_out, dim_out)

    def forward(self, graph, x):
        pair = torch.cat([x[graph.src], x[graph.dst] - x[graph.src]], dim=1)
        messages = torch.relu(self.message(pair))
        pooled = x.new_zeros(graph.num_nodes, messages.size(1))
        pooled[graph.dst] = torch.maximum(pooled[graph.dst], messages)
        return self.update(torch.cat([x, pooled], dim=1))


class GraphSage(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.layers = nn.ModuleList(MaxAggregate(a, b) for a, b in zip(dims, dims[1:]))

    def forward(self, graph, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(graph, x))
        return self.layers[-1](graph, x)


def main():
    torch.manual_seed(18)
    edges = torch.tensor([[0, 1, 2, 3, 4, 0, 2], [1, 2, 1, 1, 0, 4, 4]])
    graph, net = Graph(edges, 5), GraphSage([3, 8, 2])
    loss = nn.functional.cross_entropy(net(graph, torch.randn(5, 3)), torch.tensor([0, 1, 1, 0, 1]))
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
