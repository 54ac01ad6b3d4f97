import torch
import torch.nn as nn


class Tree:
    def __init__(self, idx, *children):
        self.idx = idx
        self.children = children

    def postorder(self):
        for child in self.children:
            yield from child.postorder()
        yield self


class ChildSumTreeLSTM(nn.Module):
    def __init__(self, in_dim, mem_dim):
        super().__init__()
        self.mem_dim = mem_dim
        self.ioux = nn.Linear(in_dim, 3 * mem_dim)
        self.iouh = nn.Linear(mem_dim, 3 * mem_dim)
        self.fx = nn.Linear(in_dim, mem_dim)
        self.fh = nn.Linear(mem_dim, mem_dim)

    def node_forward(self, x, child_c, child_h):
        iou = self.ioux(x) + self.iouh(child_h.sum(dim=0, keepdim=True))
        i, o, u = iou.split(self.mem_dim, dim=1)
        f = torch.sigmoid(self.fh(child_h) + self.fx(x))
        c = torch.sigmoid(i) * torch.tanh(u) + (f * child_c).sum(dim=0, keepdim=True)
        return c, torch.sigmoid(o) * torch.tanh(c)

    def forward(self, tree, inputs):
        state = {}
        zeros = inputs.new_zeros(1, self.mem_dim)
        for node in tree.postorder():
            cs, hs = zip(*(state[ch] for ch in node.children)) if node.children else ((zeros,), (zeros,))
            state[node] = self.node_forward(inputs[node.idx].unsqueeze(0), torch.cat(cs), torch.cat(hs))
        return state[tree]


class SimilarityTreeLSTM(nn.Module):
    def __init__(self, pretrained, mem_dim, sparse=False):
        super().__init__()
        self.emb = nn.Embedding(*pretrained.shape, padding_idx=0, sparse=sparse)
        self.emb.weight.copy_(pretrained)
        self.encoder = ChildSumTreeLSTM(pretrained.shape[1], mem_dim)

    def forward(self, ltree, lsent, rtree, rsent):
        _, lh = self.encoder(ltree, self.emb(lsent))
        _, rh = self.encoder(rtree, self.emb(rsent))
        return (lh * rh).sum(dim=1), (lh - rh).abs().sum(dim=1)


def main():
    torch.manual_seed(0)
    model = SimilarityTreeLSTM(torch.randn(9, 4), mem_dim=3)
    left, right = Tree(0, Tree(1), Tree(2, Tree(3))), Tree(2, Tree(0), Tree(1))
    dot, dist = model(left, torch.tensor([1, 4, 5, 2]), right, torch.tensor([3, 8, 7]))
    (dist - dot).mean().backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
