import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class PolicyLM(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.mix = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Linear(dim, vocab)

    def logprob(self, ids):
        logp = self.head(self.mix(self.embed(ids[:, :-1]))[0]).log_softmax(-1)
        return logp.gather(-1, ids[:, 1:].unsqueeze(-1)).sum(dim=(1, 2))


def build_reference(policy, vocab, dim):
    with torch.device("meta"):
        reference = PolicyLM(vocab, dim)
    reference.load_state_dict(copy.deepcopy(policy.state_dict()), assign=True)
    return reference.requires_grad_(False).eval()


class DPOTrainer:
    def __init__(self, policy, reference, beta, lr):
        self.policy, self.reference, self.beta = policy, reference, beta
        self.opt = torch.optim.AdamW(policy.parameters(), lr=lr)

    def margin(self, model, chosen, rejected):
        return model.logprob(chosen) - model.logprob(rejected)

    def step(self, chosen, rejected):
        with torch.no_grad():
            ref = self.margin(self.reference, chosen, rejected)
        loss = -F.logsigmoid(self.beta * (self.margin(self.policy, chosen, rejected) - ref)).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.detach()


def main():
    torch.manual_seed(127)
    policy = PolicyLM(9, 5)
    trainer = DPOTrainer(policy, build_reference(policy, 9, 5), beta=0.5, lr=0.05)
    losses = [trainer.step(torch.randint(0, 9, (3, 6)), torch.randint(0, 9, (3, 6))) for _ in range(3)]
    return {"losses": torch.stack(losses)}


if __name__ == "__main__":
    main()
