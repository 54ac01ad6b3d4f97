import torch
from torch import nn


def beam_search(step, start, width, steps):
    beams = torch.full((width, 1), start)
    scores = torch.full((width,), -1e9)
    scores[0] = 0.0
    done = torch.zeros(width, dtype=torch.bool)
    for _ in range(steps):
        logp = step(beams).log_softmax(-1)
        logp[done] = -1e9
        logp[done, 0] = 0.0
        total = (scores[:, None] + logp).view(-1)
        scores, flat = total.topk(width)
        parent = torch.div(flat, logp.size(1), rounding_mode="floor")
        token = flat.remainder(logp.size(1))
        beams = torch.cat([beams[parent], token[:, None]], 1)
        done = done[parent]
        done = done | (token == 0)
    lengths = (beams != 0).sum(1)
    lengths += 1
    return beams, scores / lengths


def main():
    torch.manual_seed(445)
    lm = nn.Sequential(nn.Embedding(6, 4), nn.Linear(4, 6))
    with torch.no_grad():
        beams, scores = beam_search(lambda ids: lm(ids[:, -1]), 2, 3, 4)
    lm(beams[:, :-1]).flatten(0, 1).logsumexp(1).sum().backward()
    return {"beams": beams, "scores": scores, "emb": lm[0].weight.grad}


if __name__ == "__main__":
    main()
