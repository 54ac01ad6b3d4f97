import torch


class Embeddings:
    def __init__(self, n, dim):
        self.token = torch.randn(n, dim, requires_grad=True)
        self.segment = torch.randn(n, dim, requires_grad=True)
        self.position = torch.randn(n, dim, requires_grad=True)

    @property
    def tables(self):
        return [self.token, self.segment, self.position]

    def __call__(self):
        return self.token + self.segment + self.position


def decayed_gradients(emb, loss, wd):
    grads = torch.autograd.grad(loss, emb.tables)
    for g, table in zip(grads, emb.tables):
        g.add_(table.detach(), alpha=wd)
    return grads


def main():
    torch.manual_seed(331)
    emb = Embeddings(4, 3)
    loss = (emb() - torch.ones(4, 3)).pow(2).sum()
    names = ("token", "segment", "position")
    return dict(zip(names, decayed_gradients(emb, loss, 0.3)))


if __name__ == "__main__":
    main()
