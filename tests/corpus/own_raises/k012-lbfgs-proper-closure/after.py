import torch


class Rosenbrock(torch.nn.Module):
    def __init__(self, start):
        super().__init__()
        self.xy = torch.nn.Parameter(torch.tensor(start))

    def forward(self):
        x, y = self.xy.unbind()
        return (1 - x) ** 2 + 100 * (y - x * x) ** 2


def minimise(problem, rounds, **options):
    opt = torch.optim.LBFGS(problem.parameters(), **options)

    def closure():
        opt.zero_grad()
        value = problem()
        value.backward()
        return value

    history = []
    for _ in range(rounds):
        history.append(opt.step(closure).item())
    return history


def main():
    torch.manual_seed(11)
    problem = Rosenbrock([-1.0, 1.5])
    minimise(problem, 2, lr=0.3, max_iter=3)
    total = problem().detach()
    return {"grad": problem.xy.grad.clone(), "total": total}


if __name__ == "__main__":
    main()
