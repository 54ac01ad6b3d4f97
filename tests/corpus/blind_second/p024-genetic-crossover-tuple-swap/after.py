import torch
import torch.nn as nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class Agent(nn.Module):
    def __init__(self, obs=3, act=2):
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(obs, 6), nn.Tanh(), nn.Linear(6, act))

    @torch.no_grad()
    def fitness(self, x, goal):
        return -(self.policy(x) - goal).pow(2).mean().item()


class Population:
    def __init__(self, size, seed):
        self.gen = torch.Generator().manual_seed(seed)
        self.agent = Agent()
        n = parameters_to_vector(self.agent.parameters()).numel()
        self.genes = torch.randn(size, n, generator=self.gen)

    def score(self, x, goal):
        scores = []
        for row in self.genes:
            vector_to_parameters(row, self.agent.parameters())
            scores.append(self.agent.fitness(x, goal))
        return torch.tensor(scores)

    def crossover(self, a, b):
        cut = int(torch.randint(1, a.numel(), (), generator=self.gen))
        a[cut:], b[cut:] = b[cut:].clone(), a[cut:].clone()
        return a, b

    def evolve(self, x, goal):
        order = self.score(x, goal).argsort(descending=True)
        parents = self.genes[order[: len(order) // 2]]
        children = []
        for i in range(0, len(parents) - 1, 2):
            children += self.crossover(parents[i].clone(), parents[i + 1].clone())
        self.genes = torch.cat([parents, torch.stack(children)])[: len(order)]


def main():
    torch.manual_seed(26)
    pop = Population(8, seed=5)
    x, goal = torch.randn(10, 3), torch.randn(10, 2)
    for _ in range(2):
        pop.evolve(x, goal)
    return {"genes": pop.genes, "score": pop.score(x, goal)}


if __name__ == "__main__":
    main()
