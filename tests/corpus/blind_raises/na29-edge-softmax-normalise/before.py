import torch
import torch.nn as nn


def segment_sum(values, index, num):
    out = values.new_zeros(num, *values.shape[1:])
    return out.index_add(0, index, values)


class GraphAttention(nn.Module):
    def __init__(self, cin, cout, heads=2, slope=0.2):
        super().__init__()
        self.heads, self.cout = heads, cout
        self.lin = nn.Linear(cin, heads * cout, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, cout))
        self.att_dst = nn.Parameter(torch.randn(heads, cout))
        self.slope = slope

    def edge_softmax(self, score, dst, num):
        peak = score.new_full((num, self.heads), float("-inf"))
        peak = peak.index_reduce(0, dst, score.detach(), "amax")
        alpha = (score - peak[dst]).exp()
        alpha /= segment_sum(alpha, dst, num)[dst] + 1e-16
        return alpha

    def forward(self, x, edges):
        src, dst = edges
        h = self.lin(x).view(-1, self.heads, self.cout)
        score = (h * self.att_src).sum(-1)[src] + (h * self.att_dst).sum(-1)[dst]
        alpha = self.edge_softmax(nn.functional.leaky_relu(score, self.slope), dst, x.shape[0])
        return segment_sum(alpha.unsqueeze(-1) * h[src], dst, x.shape[0]).flatten(1)


class CitationNet(nn.Module):
    def __init__(self, cin, hidden, classes):
        super().__init__()
        self.conv1 = GraphAttention(cin, hidden)
        self.conv2 = GraphAttention(2 * hidden, classes, heads=1)

    def forward(self, x, edges):
        return self.conv2(nn.functional.elu(self.conv1(x, edges)), edges)


def main():
    torch.manual_seed(0)
    edges = torch.tensor([[0, 1, 2, 3, 4, 0, 2], [1, 2, 0, 4, 3, 2, 4]])
    edges = torch.cat([edges, torch.arange(5).repeat(2, 1)], dim=1)
    net = CitationNet(3, 4, 2)
    nn.functional.cross_entropy(net(torch.randn(5, 3), edges), torch.tensor([0, 1, 1, 0, 1])).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
