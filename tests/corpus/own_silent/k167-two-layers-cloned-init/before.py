import torch
from torch import nn


class SharedStart(nn.Module):
    def __init__(self, dim, rank, pretrained):
        super().__init__()
        start = torch.randn(dim, rank)
        start /= start.norm(dim=0)
        self.left = nn.Parameter(start)
        self.right = nn.Parameter(start.clone())
        self.table = nn.Embedding.from_pretrained(pretrained.clone(), freeze=False)
        self.table.weight.data[0].fill_(0)

    def forward(self, ids):
        e = self.table(ids)
        return ((e @ self.left) * (e @ self.right)).sum(-1)


def main():
    torch.manual_seed(665)
    vectors = torch.randn(5, 3)
    net = SharedStart(3, 2, vectors)
    opt = torch.optim.SGD(net.parameters(), lr=0.2)
    start = {n: p.detach().clone() for n, p in net.named_parameters()}
    for _ in range(3):
        opt.zero_grad()
        net(torch.randint(0, 5, (6,))).sub(1).square().mean().backward()
        opt.step()
    moved = {n: (p.data - start[n]).norm() for n, p in net.named_parameters()}
    return {"vectors": vectors, **moved}


if __name__ == "__main__":
    main()
