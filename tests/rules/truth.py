"""What the `good` programs have to print, worked out without autograd: by central differences or by hand."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

STEP = 1e-6
TRUTH: dict[str, Callable[[], Tensor]] = {}
Worked = Callable[[], Tensor]


def truth(*codes: str) -> Callable[[Worked], Worked]:
    def keep(function: Worked) -> Worked:
        TRUTH.update(dict.fromkeys(codes, torch.no_grad()(function)))
        return function

    return keep


def gradient(loss: Callable[[], Tensor], wrt: Tensor) -> Tensor:
    """Of `loss()` by the elements of `wrt`, which `loss` reads."""
    slopes = torch.zeros_like(wrt)
    flat, found = wrt.view(-1), slopes.view(-1)
    for i in range(flat.numel()):
        middle = flat[i].item()
        flat[i] = middle + STEP
        above = loss().item()
        flat[i] = middle - STEP
        below = loss().item()
        flat[i] = middle
        found[i] = (above - below) / (2 * STEP)
    return slopes


def of(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


@truth("IPG101")
def residual() -> Tensor:
    torch.manual_seed(0)
    embed, norm, proj = nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 4)
    x = torch.randn(2, 3).double()
    nn.ModuleList([embed, norm, proj]).double()

    def loss() -> Tensor:
        h = embed(x)
        return (h + proj(norm(h))).square().sum()

    return gradient(loss, embed.bias)


@truth("IPG102")
def normed_residual() -> Tensor:
    torch.manual_seed(0)
    embed, norm = nn.Linear(3, 4), nn.LayerNorm(4).double()
    x = torch.randn(2, 3).double()
    embed.double()
    return gradient(lambda: (embed(x) + norm(embed(x))).square().sum(), embed.bias)


@truth("IPG103")
def gradient_step() -> Tensor:
    w = of(1.0, 2.0)
    return w - 0.1 * gradient(lambda: w.square().sum(), w)


@truth("IPG104")
def cleared_row() -> Tensor:
    return of(0.0, 0.0)


@truth("IPG105")
def gated() -> Tensor:
    torch.manual_seed(0)
    proj = nn.Linear(3, 4)
    x = torch.randn(2, 3).double()
    proj.double()
    return gradient(lambda: (proj(x)[:, :2] * proj(x)[:, 2:].sigmoid()).sum(), proj.bias)


@truth("IPG106")
def first_column() -> Tensor:
    return of(1.0, 2.0)


@truth("IPG107", "IPG203")
def two_losses() -> Tensor:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    x = torch.randn(8, 2).double()
    net.double()
    return gradient(lambda: net(x).mean() + net(x).square().mean(), net[0].bias)


@truth("IPG108")
def head_on_features() -> Tensor:
    torch.manual_seed(0)
    backbone, head = nn.Linear(3, 4), nn.Linear(4, 1)
    x = torch.randn(2, 3).double()
    nn.ModuleList([backbone, head]).double()
    return gradient(lambda: head(backbone(x)).sum(), head.bias)


@truth("IPG109")
def clamped_sum() -> Tensor:
    w = of(0.5, 2.0)
    return gradient(lambda: w.clamp(-1, 1).sum(), w)


@truth("IPG110")
def doubled() -> Tensor:
    w = of(1.0, 2.0)
    return gradient(lambda: (w * 2.0).sum(), w)


@truth("IPG201")
def clamped_exp() -> Tensor:
    x = of(1.0, 2.0)
    return gradient(lambda: x.exp().clamp(max=5.0).sum(), x)


@truth("IPG202")
def sigmoid_sum() -> Tensor:
    x = of(1.0, -1.0)
    return gradient(lambda: x.sigmoid().sum(), x)


@truth("IPG204")
def ten_exp() -> Tensor:
    x = of(0.0, 1.0)
    return gradient(lambda: (10 * x.exp()).sum(), x)


@truth("IPG205")
def three_squares() -> Tensor:
    w = of(1.0, 2.0)
    return gradient(lambda: (3 * w * w).sum(), w)


@truth("IPG206")
def halved_on_one_side() -> Tensor:
    a, b = of(1.0, 2.0), of(3.0, 4.0)
    return torch.cat([gradient(lambda: (a + b).square().sum(), a), gradient(lambda: (a + b).square().sum(), b) / 2])


@truth("IPG207")
def movement() -> Tensor:
    w = of(1.0, 2.0)
    return -0.1 * gradient(lambda: w.square().sum(), w)


@truth("IPG208")
def added_messages() -> Tensor:
    out = [0.0, 0.0]
    for place, message in zip([0, 0, 1], [1.0, 2.0, 3.0], strict=True):
        out[place] += message
    return of(*out)


@truth("IPG209")
def gained_tanh() -> Tensor:
    x = of(1.0)
    return gradient(lambda: (x.tanh() * 2.0).sum(), x)


@truth("IPG210")
def dead_unit() -> Tensor:
    torch.manual_seed(0)
    proj = nn.Linear(2, 2)
    x = torch.randn(4, 2).double()
    proj.double()
    return gradient(lambda: proj(x)[:, 1].sum(), proj.bias)


@truth("IPG211")
def one_row() -> Tensor:
    return of(1.0, 0.0, 0.0)


@truth("IPG212")
def skip() -> Tensor:
    torch.manual_seed(0)
    proj, out = nn.Linear(2, 2), nn.Linear(2, 2)
    x = torch.randn(3, 2).double()
    nn.ModuleList([proj, out]).double()
    return gradient(lambda: (proj(x) + out(proj(x).relu())).sum(), proj.bias)


@truth("IPG213")
def centred_sigmoid() -> Tensor:
    x = of(0.0, 1.0)
    return gradient(lambda: (x.sigmoid() - 0.5).sum(), x)


@truth("IPG301")
def truncated_steps() -> Tensor:
    torch.manual_seed(0)
    rnn = nn.RNNCell(2, 3)
    inputs = [torch.randn(1, 2).double() for _ in range(2)]
    rnn.double()
    states = [torch.zeros(1, 3).double()]
    for x in inputs:
        states.append(rnn(x, states[-1]))
    steps = list(zip(inputs, states, strict=False))
    return gradient(lambda: torch.stack([rnn(x, h).sum() for x, h in steps]).sum(), rnn.bias_ih)


@truth("IPG302", "IPG303")
def mean_output() -> Tensor:
    torch.manual_seed(0)
    net = nn.Linear(2, 1)
    x = torch.randn(4, 2).double()
    net.double()
    return gradient(lambda: net(x).mean(), net.bias)


@truth("IPG901")
def relu_of_double() -> Tensor:
    x = of(1.0, -2.0)
    return gradient(lambda: (x * 2).relu().sum(), x)


@truth("IPG902")
def untouched_and_scaled() -> Tensor:
    return of(1.0, 3.0, 1 / 4, 3 / 4)
