"""Programs that PyTorch stops in backward. Code that the finding must have, and the program."""

from __future__ import annotations

RAISING: dict[str, tuple[str, str]] = {
    "residual add_": (
        "IPG101",
        """
        norm, ffn = nn.LayerNorm(4), nn.Linear(4, 4)
        h = nn.Linear(3, 4)(torch.randn(2, 3))
        y = norm(h)  # saved
        h.add_(ffn(y))  # wrote
        h.sum().backward()  # needed
        """,
    ),
    "augmented assignment": (
        "IPG101",
        """
        h = torch.randn(3, requires_grad=True) * 1
        y = h.sigmoid()  # saved
        y += 1  # wrote
        y.sum().backward()  # needed
        """,
    ),
    "one element of a result": (
        "IPG101",
        """
        y = torch.tanh(torch.randn(3, requires_grad=True))  # saved
        y[0] = 0.0  # wrote
        y.sum().backward()
        """,
    ),
    "element plus equals": (
        "IPG101",
        """
        y = torch.exp(torch.randn(3, requires_grad=True))  # saved
        y[1] += 2  # wrote
        y.sum().backward()
        """,
    ),
    "masked rows": (
        "IPG101",
        """
        y = torch.randn(4, 2, requires_grad=True).softmax(-1)  # saved
        y[torch.tensor([True, False, True, False])] = 0  # wrote
        y.square().sum().backward()
        """,
    ),
    "functional in-place": (
        "IPG101",
        """
        h = torch.randn(3, requires_grad=True) * 1
        y = h.square()  # saved
        F.relu(h, inplace=True)  # wrote
        (y + h).sum().backward()
        """,
    ),
    "underscore function": (
        "IPG101",
        """
        h = torch.randn(3, requires_grad=True) * 1
        y = h.log1p()  # saved
        F.leaky_relu_(h)  # wrote
        (y + h).sum().backward()
        """,
    ),
    "out argument": (
        "IPG101",
        """
        scale = torch.ones(3)
        y = torch.randn(3, requires_grad=True) * scale  # saved
        torch.add(scale, 1, out=scale)  # wrote
        y.sum().backward()
        """,
    ),
    "under no_grad": (
        "IPG101",
        """
        h = torch.randn(3, requires_grad=True) * 1
        y = h.cos()  # saved
        with torch.no_grad():
            h.zero_()  # wrote
        y.sum().backward()
        """,
    ),
    "under inference_mode": (
        "IPG101",
        """
        w = nn.Parameter(torch.randn(3))
        y = (torch.randn(3, requires_grad=True) * w).sum()  # saved
        with torch.inference_mode():
            w.mul_(2)  # wrote
        y.backward()
        """,
    ),
    "through detach": (
        "IPG101",
        """
        h = torch.randn(3, requires_grad=True) * 1
        y = h.sin()  # saved
        h.detach().mul_(2)  # wrote
        y.sum().backward()
        """,
    ),
    "through a view": (
        "IPG101",
        """
        h = torch.randn(2, 3, requires_grad=True) * 1
        y = h.pow(2)  # saved
        h.view(6)[2:4].clamp_(min=0)  # wrote
        y.sum().backward()
        """,
    ),
    "other elements of the same memory": (
        "IPG101",
        """
        buffer = torch.zeros(4, 3)
        w = torch.randn(3, requires_grad=True)
        total = 0
        for i in range(2):
            buffer[i] = i + 1  # wrote
            total = total + (w * buffer[i]).sum()  # saved
        total.backward()
        """,
    ),
    "a helper that writes its argument": (
        "IPG101",
        """
        def clip(t, limit):
            t.clamp_(-limit, limit)  # wrote
            return t

        h = torch.randn(3, requires_grad=True) * 1
        y = h.sin() + clip(h, 0.5)  # saved
        y.sum().backward()
        """,
    ),
    "foreach": (
        "IPG101",
        """
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        loss = net(torch.randn(2, 3, requires_grad=True)).sum()  # saved
        with torch.no_grad():
            torch._foreach_mul_([p for p in net.parameters()], 0.5)  # wrote
        loss.backward()
        """,
    ),
    "init after forward": (
        "IPG101",
        """
        layer = nn.Linear(3, 2)
        loss = layer(torch.randn(2, 3, requires_grad=True)).sum()  # saved
        nn.init.zeros_(layer.weight)  # wrote
        loss.backward()
        """,
    ),
    "load_state_dict between": (
        "IPG101",
        """
        layer = nn.Linear(3, 2)
        state = {name: value * 2 for name, value in layer.state_dict().items()}
        loss = layer(torch.randn(2, 3, requires_grad=True)).sum()  # saved
        layer.load_state_dict(state)  # wrote
        loss.backward()
        """,
    ),
    "embedding that renormalises": (
        "IPG101",
        """
        table = nn.Embedding(5, 3, max_norm=0.1)
        scores = table.weight.square().sum(1)  # saved
        found = table(torch.tensor([1, 2]))  # wrote
        (scores.sum() + found.sum()).backward()
        """,
    ),
    "a buffer used twice": (
        "IPG101",
        """
        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("level", torch.ones(3))

            def forward(self, x):
                self.level.mul_(0.9)  # wrote
                return x * self.level  # saved

        scale, x = Scale(), torch.randn(3, requires_grad=True)
        (scale(x) + scale(x)).sum().backward()
        """,
    ),
    "a mask filled after use": (
        "IPG101",
        """
        mask = torch.ones(4)
        y = torch.randn(4, requires_grad=True) * mask  # saved
        mask.bernoulli_(0.5)  # wrote
        y.sum().backward()
        """,
    ),
    "an index written after use": (
        "IPG101",
        """
        index = torch.tensor([0, 2])
        y = torch.randn(4, requires_grad=True)[index]  # saved
        index.add_(1)  # wrote
        y.sum().backward()
        """,
    ),
    "unsqueeze_ changes no value": (
        "IPG101",
        """
        y = torch.randn(3, requires_grad=True).sigmoid()  # saved
        y.unsqueeze_(0)  # wrote
        y.sum().backward()
        """,
    ),
    "detach_ of something saved": (
        "IPG101",
        """
        h = torch.randn(3, requires_grad=True).tanh()
        y = h.square().sum()  # saved
        h.detach_()  # wrote
        y.backward()
        """,
    ),
    "self product through views": (
        "IPG101",
        """
        b = torch.randn(3, 4, requires_grad=True) * 1
        b[:, :2] *= b[:, 2:]  # saved wrote
        b.sum().backward()
        """,
    ),
    "second order": (
        "IPG101",
        """
        x = torch.randn(3, requires_grad=True)
        (g,) = torch.autograd.grad(x.sin().sum(), x, create_graph=True)
        loss = g.square().sum()  # saved
        g.mul_(2)  # wrote
        loss.backward()
        """,
    ),
    "retained graph": (
        "IPG101",
        """
        w = nn.Parameter(torch.randn(3))
        h = w * 1
        y = h.sin().sum()  # saved
        y.backward(retain_graph=True)
        h.neg_()  # wrote
        y.backward()  # needed
        """,
    ),
    "autograd.grad": (
        "IPG101",
        """
        x = torch.randn(3, requires_grad=True)
        h = x * 1
        y = h.square()  # saved
        h.add_(1)  # wrote
        torch.autograd.grad(y.sum(), x)  # needed
        """,
    ),
    "autograd.backward with several roots": (
        "IPG101",
        """
        x = torch.randn(3, requires_grad=True)
        h = x * 1
        one, two = h.square().sum(), h.sum()  # saved
        h.add_(1)  # wrote
        torch.autograd.backward([two, one])  # needed
        """,
    ),
    "a custom Function's saved input": (
        "IPG101",
        """
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x**3

            @staticmethod
            def backward(ctx, grad):
                (x,) = ctx.saved_tensors
                return 3 * x**2 * grad

        h = torch.randn(3, requires_grad=True) * 1
        y = Cube.apply(h)  # saved
        h.mul_(2)  # wrote
        (y + h).sum().backward()
        """,
    ),
    "a custom Function's saved output": (
        "IPG101",
        """
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = x.exp()
                ctx.save_for_backward(y)
                return y

            @staticmethod
            def backward(ctx, grad):
                (y,) = ctx.saved_tensors
                return y * grad

        y = Exp.apply(torch.randn(3, requires_grad=True) * 1)  # saved
        y -= 1  # wrote
        y.sum().backward()
        """,
    ),
    "a custom backward that writes what others saved": (
        "IPG101",
        """
        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                (x,) = ctx.saved_tensors
                x.zero_()  # wrote
                return grad * 2

        h = torch.randn(3, requires_grad=True).exp()  # saved
        Scale.apply(h).sum().backward()
        """,
    ),
    "a tensor hook that writes what others saved": (
        "IPG101",
        """
        h = torch.randn(3, requires_grad=True).exp()  # saved
        y = h * 2

        def hook(grad):
            with torch.no_grad():
                h.zero_()  # wrote

        y.register_hook(hook)
        y.sum().backward()
        """,
    ),
    "the input of a checkpointed segment": (
        "IPG101",
        """
        from torch.utils.checkpoint import checkpoint

        h = torch.randn(3, requires_grad=True).sigmoid()
        y = checkpoint(lambda t: t.sin() * 2, h, use_reentrant=True)  # saved
        h.add_(1)  # wrote
        (y + h).sum().backward()
        """,
    ),
    "under autocast": (
        "IPG101",
        """
        layer = nn.Linear(4, 4)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = layer(torch.randn(2, 4))
            y = h.float().exp()  # saved
            y.add_(1)  # wrote
        y.sum().backward()
        """,
    ),
    "complex numbers": (
        "IPG101",
        """
        z = torch.randn(3, dtype=torch.cfloat, requires_grad=True) * 1
        y = z.exp()  # saved
        y.mul_(1j)  # wrote
        y.abs().sum().backward()
        """,
    ),
    "a generator": (
        "IPG101",
        """
        def stages(h):
            yield h.sin()  # saved
            h += 1  # wrote
            yield h

        h = torch.randn(3, requires_grad=True) * 1
        sum(part.sum() for part in stages(h)).backward()
        """,
    ),
}

OPTIMIZERS: dict[str, str] = {
    "Adam between forward and backward": """
        disc = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
        opt = torch.optim.Adam(disc.parameters())
        fake = nn.Linear(2, 2)(torch.randn(5, 2))
        loss_g = -disc(fake).mean()  # saved
        (disc(torch.randn(5, 2)).mean() - disc(fake.detach()).mean()).backward()
        opt.step()  # wrote
        loss_g.backward()  # needed
        """,
    "SGD, for loop": """
        layer = nn.Linear(3, 3)
        opt = torch.optim.SGD(layer.parameters(), lr=0.1, foreach=False)
        one, two = (layer(torch.randn(2, 3, requires_grad=True)).sum() for _ in range(2))  # saved
        one.backward()
        opt.step()  # wrote
        two.backward()
        """,
    "RMSprop, foreach": """
        layer = nn.Linear(3, 3)
        opt = torch.optim.RMSprop(layer.parameters(), foreach=True)
        two = layer(torch.randn(2, 3, requires_grad=True)).square().sum()  # saved
        layer(torch.randn(2, 3)).sum().backward()
        opt.step()  # wrote
        two.backward()
        """,
    "LBFGS with a closure": """
        layer = nn.Linear(3, 1)
        x = torch.randn(4, 3, requires_grad=True)
        opt = torch.optim.LBFGS(layer.parameters(), max_iter=2)
        kept = layer(x).square().sum()  # saved

        def closure():
            opt.zero_grad()
            loss = (layer(x.detach()) - 1).square().sum()
            loss.backward()
            return loss

        opt.step(closure)  # wrote
        kept.backward()
        """,
}
