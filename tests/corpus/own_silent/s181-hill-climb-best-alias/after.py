import torch


class HillClimber:
    def __init__(self, objective, start, sigma):
        self.objective, self.sigma = objective, sigma
        self.current = start
        self.best, self.best_value = start.clone(), objective(start).item()

    def propose(self):
        self.current.add_(self.sigma * torch.randn(self.current.shape))
        value = self.objective(self.current).item()
        if value < self.best_value:
            self.best, self.best_value = self.current.clone(), value
        return value


def main():
    torch.manual_seed(771)
    a = torch.randn(4, 4)
    climber = HillClimber(lambda v: (a @ v - 1).square().sum(), torch.zeros(4), 0.3)
    values = [climber.propose() for _ in range(20)]
    return {"best": climber.best, "check": climber.objective(climber.best), "values": torch.tensor(values)}


if __name__ == "__main__":
    main()
