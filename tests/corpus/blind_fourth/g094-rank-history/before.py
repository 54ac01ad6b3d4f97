import torch


class Descent:
    def __init__(self, start, lr):
        self.x = start.clone().requires_grad_(True)
        self.lr = lr
        self.path = [start.clone()]

    def __iter__(self):
        return self

    def __next__(self):
        if len(self.path) > 6:
            raise StopIteration
        f = rosenbrock(self.x)
        g, = torch.autograd.grad(f, self.x)
        with torch.no_grad():
            self.x -= self.lr * g
        self.path.append(self.x.detach().clone())
        return f.detach()


def rosenbrock(v):
    a, b = v
    return (1 - a) ** 2 + 10 * (b - a ** 2) ** 2


def main():
    run = Descent(torch.tensor([-0.5, 0.5]), 0.01)
    values = torch.stack(list(run))
    return {"path": torch.stack(run.path), "f": values}


if __name__ == "__main__":
    main()
