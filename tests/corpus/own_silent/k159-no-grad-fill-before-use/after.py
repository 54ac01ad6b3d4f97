import torch
from torch import nn


class PromptTuner(nn.Module):
    def __init__(self, vocab, dim, prompt_ids):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.prompt = nn.Parameter(torch.empty(len(prompt_ids), dim))
        with torch.no_grad():
            self.prompt.copy_(self.embed.weight[prompt_ids])
            self.embed.weight[0] = 0.0
        self.embed.weight.requires_grad_(False)
        self.head = nn.Linear(dim, 2)

    def forward(self, ids):
        x = self.embed(ids)
        with torch.no_grad():
            x = 2 * x.masked_fill((ids == 0).unsqueeze(-1), 0.5)
        prompt = self.prompt.expand(len(ids), -1, -1)
        return self.head(torch.cat([prompt, x], dim=1).tanh().mean(1))


def main():
    torch.manual_seed(585)
    net = PromptTuner(6, 3, [2, 4])
    out = net(torch.randint(0, 6, (4, 3)))
    nn.functional.cross_entropy(out, torch.tensor([0, 1, 1, 0])).backward()
    return {"prompt": net.prompt.grad, "head": net.head.weight.grad}


if __name__ == "__main__":
    main()
