import torch
import torch.nn as nn
import torch.nn.functional as F


class CharLM(nn.Module):
    def __init__(self, vocab, dim, ctx):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, dim), nn.Embedding(ctx, dim)
        self.ln = nn.LayerNorm(dim)
        self.fc = nn.Linear(dim, dim)
        self.lm_head = nn.Linear(dim, vocab, bias=False)
        self.wte.weight = self.lm_head.weight
        for p in (self.wte.weight, self.wpe.weight):
            nn.init.normal_(p, std=0.1)

    def forward(self, ids, targets=None):
        h = self.wte(ids) + self.wpe(torch.arange(ids.size(1)))
        logits = self.lm_head(self.ln(h + torch.tanh(self.fc(h))))
        loss = None if targets is None else F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return logits, loss


def optim_groups(model, decay):
    params = [p for p in model.parameters() if p.requires_grad]
    return [
        {"params": [p for p in params if p.dim() >= 2], "weight_decay": decay},
        {"params": [p for p in params if p.dim() < 2], "weight_decay": 0.0},
    ]


def main():
    torch.manual_seed(109)
    model = CharLM(6, 4, 8)
    opt = torch.optim.AdamW(optim_groups(model, 0.1), lr=0.05, fused=True)
    ids = torch.randint(0, 6, (3, 9))
    for _ in range(3):
        opt.zero_grad(set_to_none=True)
        _, loss = model(ids[:, :-1], ids[:, 1:])
        loss.backward()
        opt.step()
    return {n: p.detach().clone() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
