import torch
from torch import nn, Tensor


class ConstantVelocity(nn.Module):
    def __init__(self, dt: float = 1.0):
        super().__init__()
        self.register_buffer("F", torch.tensor([[1.0, dt], [0.0, 1.0]]))
        self.register_buffer("H", torch.tensor([[1.0, 0.0]]))
        self.log_q = nn.Parameter(torch.tensor([-2.0, -3.0]))
        self.log_r = nn.Parameter(torch.tensor(-1.0))

    def process_noise(self) -> Tensor:
        return torch.diag_embed(self.log_q.exp())

    def observation_noise(self) -> Tensor:
        return self.log_r.exp().view(1, 1)


class KalmanFilter:
    def __init__(self, model: ConstantVelocity, batch: int):
        self.model = model
        self.mean = torch.zeros(batch, 2, 1)
        self.cov = torch.eye(2).repeat(batch, 1, 1)

    def predict(self):
        f = self.model.F
        self.mean = f @ self.mean
        self.cov = f @ self.cov @ f.t()
        self.cov = self.cov + self.model.process_noise()

    def update(self, z: Tensor) -> Tensor:
        h = self.model.H
        innovation = z.view(-1, 1, 1) - h @ self.mean
        cross = self.cov @ h.t()
        s = h @ cross
        s = s + self.model.observation_noise()
        gain = cross / s
        self.mean = self.mean + gain @ innovation
        self.cov = self.cov - gain @ cross.transpose(1, 2)
        return (0.5 * innovation.square() / s + 0.5 * s.log()).flatten()


def nll(model: ConstantVelocity, observations: Tensor) -> Tensor:
    filt = KalmanFilter(model, observations.shape[0])
    terms = []
    for z in observations.t():
        filt.predict()
        terms.append(filt.update(z))
    return torch.stack(terms).mean()


def main():
    torch.manual_seed(0)
    model = ConstantVelocity()
    track = torch.cumsum(0.5 + 0.2 * torch.randn(3, 6), dim=1)
    nll(model, track + 0.3 * torch.randn(3, 6)).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
