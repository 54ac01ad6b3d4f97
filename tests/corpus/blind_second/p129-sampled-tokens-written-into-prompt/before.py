import torch
import torch.nn as nn


class CausalConvLM(nn.Module):
    def __init__(self, vocab, dim, reach=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.conv = nn.Conv1d(dim, dim, reach)
        self.out = nn.Linear(dim, vocab)
        self.reach = reach

    def forward(self, tokens):
        x = self.embed(tokens).transpose(1, 2)
        x = nn.functional.pad(x, (self.reach - 1, 0))
        return self.out(torch.relu(self.conv(x)).transpose(1, 2))


class SelfCritical:
    def __init__(self, model, reward, length, seed):
        self.model, self.reward, self.length = model, reward, length
        self.gen = torch.Generator().manual_seed(seed)

    def rollout(self, prompt):
        start = prompt.size(1)
        tokens = torch.cat([prompt, prompt.new_zeros(len(prompt), self.length)], dim=1)
        logps = []
        for t in range(start, start + self.length):
            logp = self.model(tokens[:, :t])[:, -1].log_softmax(-1)
            choice = torch.multinomial(logp.exp().detach(), 1, generator=self.gen)
            tokens[:, t:t + 1] = choice
            logps.append(logp.gather(1, choice))
        return tokens, torch.cat(logps, dim=1)

    def loss(self, prompt):
        tokens, logp = self.rollout(prompt)
        r = self.reward(tokens)
        return -((r - r.mean()).unsqueeze(1) * logp).mean()


def main():
    torch.manual_seed(69)
    model = CausalConvLM(7, 5)
    scst = SelfCritical(model, lambda t: (t == 3).float().sum(1), length=4, seed=3)
    scst.loss(torch.tensor([[1, 2], [4, 5], [6, 1]])).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
