import torch
from torch import nn


class ManualModule(nn.Module):
    def optimizers(self):
        return self._opts

    def manual_backward(self, loss, **kwargs):
        loss.backward(**kwargs)

    def fit(self, batches):
        self._opts = self.configure_optimizers()
        for i, b in enumerate(batches):
            self.training_step(b, i)


class Disentangler(ManualModule):
    def __init__(self, d=6):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(d, 8), nn.ELU(), nn.Linear(8, 3))
        self.adversary = nn.Sequential(nn.Linear(3, 8), nn.ELU(), nn.Linear(8, 2))

    def configure_optimizers(self):
        return (torch.optim.RMSprop(self.encoder.parameters(), lr=1e-3),
                torch.optim.RMSprop(self.adversary.parameters(), lr=1e-3))

    def training_step(self, batch, batch_idx):
        x, nuisance = batch
        enc_opt, adv_opt = self.optimizers()
        z = self.encoder(x)
        adv_loss = nn.functional.cross_entropy(self.adversary(z), nuisance)
        enc_loss = z.var(0).sum() - adv_loss

        adv_opt.zero_grad()
        self.manual_backward(adv_loss, retain_graph=True)

        enc_opt.zero_grad()
        self.manual_backward(enc_loss)
        adv_opt.step()
        enc_opt.step()


def main():
    torch.manual_seed(9)
    model = Disentangler()
    model.fit([(torch.randn(8, 6), torch.randint(0, 2, (8,)))])
    return {n: p.grad.clone() for n, p in model.encoder.named_parameters()}


if __name__ == "__main__":
    main()
