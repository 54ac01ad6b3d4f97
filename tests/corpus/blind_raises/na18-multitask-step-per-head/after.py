from collections import OrderedDict

import torch
from torch import nn


class SharedTrunk(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, ids):
        return self.rnn(self.embed(ids))[0]


class MultiTaskTagger(nn.Module):
    def __init__(self, vocab, dim, tasks):
        super().__init__()
        self.trunk = SharedTrunk(vocab, dim)
        self.proj = nn.Linear(dim, dim)
        self.heads = nn.ModuleDict({task: nn.Linear(dim, n) for task, n in tasks.items()})

    def forward(self, ids):
        h = torch.relu(self.proj(self.trunk(ids)))
        return OrderedDict((task, head(h)) for task, head in self.heads.items())


class TaskSampler:
    def __init__(self, tasks, batches, seed=0):
        self.tasks, self.batches = tasks, batches
        self.gen = torch.Generator().manual_seed(seed)

    def __iter__(self):
        for _ in range(self.batches):
            ids = torch.randint(0, 20, (2, 4), generator=self.gen)
            yield ids, {t: torch.randint(0, n, (2, 4), generator=self.gen) for t, n in self.tasks.items()}


def train(model, loader, optimizer):
    criterion = nn.CrossEntropyLoss()
    for ids, gold in loader:
        for task in gold:
            logits = model(ids)[task]
            loss = criterion(logits.flatten(0, 1), gold[task].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def main():
    torch.manual_seed(0)
    tasks = {"pos": 4, "ner": 3}
    model = MultiTaskTagger(20, 5, tasks)
    train(model, TaskSampler(tasks, batches=2), torch.optim.AdamW(model.parameters(), lr=1e-2, foreach=False))
    return {n: p.detach() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
