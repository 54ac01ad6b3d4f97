import torch
import torch.nn as nn


class Captioner(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed, self.cell, self.out = nn.Embedding(vocab, dim), nn.GRUCell(dim, dim), nn.Linear(dim, vocab)

    def step(self, token, h):
        h = self.cell(self.embed(token), h)
        return self.out(h).log_softmax(-1), h

    def loss(self, feats, tokens):
        h, total = feats, 0.0
        for now, nxt in zip(tokens.unbind(1), tokens[:, 1:].unbind(1)):
            logp, h = self.step(now, h)
            total = total + nn.functional.nll_loss(logp, nxt)
        return total


@torch.no_grad()
def beam_search(model, feat, beams, length, bos, eos):
    h = feat.unsqueeze(0).repeat(beams, 1)
    tokens = torch.full((beams, 1), bos)
    scores = torch.full((beams,), -1e9)
    scores[0] = 0
    for step in range(length):
        logp, h = model.step(tokens[:, -1], h)
        if step < 2:
            logp[:, eos] = -1e9
        logp[:, bos] -= 1e4
        logp.add_(scores.unsqueeze(1))
        scores, flat = logp.flatten().topk(beams)
        parent, token = flat // logp.size(1), flat % logp.size(1)
        tokens = torch.cat([tokens[parent], token.unsqueeze(1)], dim=1)
        h = h[parent]
    return tokens[0], scores[0]


def main():
    torch.manual_seed(94)
    model, feats = Captioner(9, 6), torch.randn(2, 6)
    opt = torch.optim.Adam(model.parameters(), lr=0.05)
    opt.zero_grad()
    model.loss(feats, torch.randint(2, 9, (2, 5))).backward()
    opt.step()
    best, score = beam_search(model, feats[0], beams=3, length=4, bos=0, eos=1)
    return {"best": best, "score": score, "out": model.out.weight.grad}


if __name__ == "__main__":
    main()
