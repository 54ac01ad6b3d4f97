"""Programs that write in place and are right: no finding, and the same numbers as without the guard."""

from __future__ import annotations

QUIET: dict[str, str] = {
    "residual out of place": """
        norm, ffn = nn.LayerNorm(4), nn.Linear(4, 4)
        h = nn.Linear(3, 4)(torch.randn(2, 3))
        h = h + ffn(norm(h))
        h.sum().backward()
        result = [p.grad for p in ffn.parameters()]
        """,
    "linear, then relu_": """
        layer = nn.Linear(3, 4)
        h = layer(torch.randn(2, 3)).relu_()
        h.sum().backward()
        result = layer.weight.grad
        """,
    "conv, batch norm, ReLU(inplace=True)": """
        net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(inplace=True))
        net(torch.randn(2, 1, 5, 5)).sum().backward()
        result = [p.grad for p in net.parameters()]
        """,
    "residual add_ after a convolution": """
        conv = nn.Conv1d(1, 1, 3, padding=1)
        x = torch.randn(1, 1, 5, requires_grad=True)
        out = conv(x)
        out += x
        out.square().sum().backward()
        result = [x.grad, conv.weight.grad]
        """,
    "exp_ alone": """
        x = torch.randn(3, requires_grad=True)
        (x * 2).exp_().sum().backward()
        result = x.grad
        """,
    "a product with its own sigmoid": """
        x = torch.randn(3, requires_grad=True)
        h = x * 1
        h.mul_(h.sigmoid())
        h.sum().backward()
        result = x.grad
        """,
    "scores filled with minus infinity": """
        q = torch.randn(2, 3, requires_grad=True)
        scores = q @ q.T
        scores.masked_fill_(torch.eye(2, dtype=torch.bool), float("-inf"))
        scores.softmax(-1).square().sum().backward()
        result = q.grad
        """,
    "scores masked through .data": """
        q = torch.randn(2, 3, requires_grad=True)
        scores = q @ q.T
        scores.data.masked_fill_(torch.eye(2, dtype=torch.bool), float("-inf"))
        scores.softmax(-1).square().sum().backward()
        result = q.grad
        """,
    "a buffer filled before it is used": """
        out = torch.zeros(2, 3)
        layer = nn.Linear(3, 3)
        for i in range(2):
            out[i] = layer(torch.randn(3))
        out.square().sum().backward()
        result = layer.weight.grad
        """,
    "weights written under no_grad before the forward": """
        layer = nn.Linear(3, 3)
        with torch.no_grad():
            layer.weight.clamp_(-0.1, 0.1)
            layer.bias.zero_()
        layer(torch.randn(2, 3)).sum().backward()
        result = layer.weight.grad
        """,
    "weights clipped through .data after each step": """
        layer = nn.Linear(3, 1)
        opt = torch.optim.SGD(layer.parameters(), lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            layer(torch.randn(2, 3)).sum().backward()
            opt.step()
            for p in layer.parameters():
                p.data.clamp_(-0.2, 0.2)
        result = layer.weight
        """,
    "a moving average through .data": """
        layer, slow = nn.Linear(3, 1), nn.Linear(3, 1)
        opt = torch.optim.Adam(layer.parameters())
        for _ in range(3):
            opt.zero_grad()
            (layer(torch.randn(2, 3)) - slow(torch.randn(2, 3)).detach()).square().sum().backward()
            opt.step()
            for s, p in zip(slow.parameters(), layer.parameters()):
                s.data.mul_(0.9).add_(p.data, alpha=0.1)
        result = slow.weight
        """,
    "fused optimizer in an ordinary loop": """
        layer = nn.Linear(3, 1)
        opt = torch.optim.AdamW(layer.parameters(), fused=True)
        for _ in range(3):
            opt.zero_grad()
            layer(torch.randn(2, 3)).sum().backward()
            opt.step()
        result = layer.weight
        """,
    "accumulated gradients": """
        layer = nn.Linear(3, 1)
        opt = torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9)
        for step in range(4):
            (layer(torch.randn(2, 3)).square().mean() / 2).backward()
            if step % 2:
                opt.step()
                opt.zero_grad(set_to_none=False)
        result = layer.weight
        """,
    "gradients clipped": """
        layer = nn.Linear(3, 1)
        layer(torch.randn(2, 3)).sum().backward()
        nn.utils.clip_grad_norm_(layer.parameters(), 0.1)
        nn.utils.clip_grad_value_(layer.parameters(), 0.05)
        result = layer.weight.grad
        """,
    "a manual update": """
        w = torch.randn(3, requires_grad=True)
        for _ in range(3):
            w.square().sum().backward()
            with torch.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()
        result = w
        """,
    "batch norm that trains on two batches before one backward": """
        norm = nn.BatchNorm1d(3)
        (norm(torch.randn(4, 3)).square().sum() + norm(torch.randn(4, 3)).sum()).backward()
        result = [norm.weight.grad, norm.running_mean]
        """,
    "batch norm in eval mode, used twice": """
        norm = nn.BatchNorm1d(3).eval()
        x = torch.randn(4, 3, requires_grad=True)
        (norm(x).square() + norm(x * 2)).sum().backward()
        result = x.grad
        """,
    "an array copied before it is written": """
        y = torch.randn(3, requires_grad=True).exp()
        a = y.detach().numpy().copy()
        a *= 2
        y.sum().backward()
        result = torch.tensor(a)
        """,
    "an array that is only read": """
        layer = nn.Linear(3, 1)
        losses = []
        for _ in range(3):
            loss = layer(torch.randn(2, 3)).square().mean()
            losses.append(float(loss.detach().numpy()))
            loss.backward()
        result = layer.weight.grad
        """,
    "an array filled before each forward, backward before the next": """
        import numpy as np

        frame = np.ones(3, dtype=np.float32)
        layer = nn.Linear(3, 1)
        for step in range(3):
            frame[:] = step
            layer(torch.from_numpy(frame)).sum().backward()
        result = layer.weight.grad
        """,
    "an array written after the backward": """
        layer = nn.Linear(3, 1)
        y = layer(torch.randn(2, 3)).sigmoid()
        y.sum().backward()
        y.detach().numpy()[:] = 0
        result = layer.weight.grad
        """,
    "DLPack, read only": """
        y = torch.randn(3, requires_grad=True).exp()
        other = torch.from_dlpack(y.detach())
        total = other.sum()
        y.sum().backward()
        result = total
        """,
    "rows copied with distinct indices": """
        out = torch.zeros(4)
        out[torch.tensor([0, 2])] += torch.ones(2)
        out[[1, 3]] = 5.0
        result = out
        """,
    "index_add_ with repeated indices": """
        rows = torch.randn(3, 2, requires_grad=True)
        out = torch.zeros(2, 2).index_add_(0, torch.tensor([0, 0, 1]), rows)
        out.square().sum().backward()
        result = rows.grad
        """,
    "a permutation by indices": """
        x = torch.arange(4.0)
        x[[0, 1]] = x[[1, 0]]
        x[[2, 2]] = x[[2, 2]]
        result = x
        """,
    "an expanded tensor that is only read": """
        bias = torch.randn(3, requires_grad=True)
        (bias.expand(4, 3) * torch.randn(4, 3)).sum().backward()
        result = bias.grad
        """,
    "an expanded tensor of which all copies are filled": """
        bias = torch.zeros(3).expand(4, 3)
        bias.fill_(2.0)
        result = bias.clone()
        """,
    "windows that do not overlap": """
        x = torch.arange(6.0)
        for window in x.unfold(0, 2, 2):
            window *= 2
        result = x
        """,
    "a custom Function that marks what it writes": """
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                x.mul_(2)
                ctx.mark_dirty(x)
                return x

            @staticmethod
            def backward(ctx, grad):
                return grad * 2

        x = torch.randn(3, requires_grad=True)
        Twice.apply(x * 1).sum().backward()
        result = x.grad
        """,
    "a tensor on ctx that nobody writes": """
        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, w):
                ctx.w = w
                return x * w

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.w, None

        x, w = torch.randn(3, requires_grad=True), torch.rand(3)
        Scale.apply(x, w).sum().backward()
        w.zero_()
        result = x.grad
        """,
    "a tensor on ctx that backward does not read": """
        class Clamp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.shown = x.clamp(min=0)
                return ctx.shown

            @staticmethod
            def backward(ctx, grad):
                return grad

        x = torch.randn(3, requires_grad=True)
        y = Clamp.apply(x)
        y.add_(1)
        y.sum().backward()
        result = x.grad
        """,
    "a backward that writes its own new tensor": """
        class Negate(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return -x

            @staticmethod
            def backward(ctx, grad):
                out = grad.clone()
                return out.neg_()

        a, b = torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
        (Negate.apply(a * 1) + b).square().sum().backward()
        result = [a.grad, b.grad]
        """,
    "a hook that returns a new gradient": """
        a, b = torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
        h = a * 1

        def hook(grad):
            grad = grad * 0.5
            grad.clamp_(-1, 1)
            return grad

        h.register_hook(hook)
        (b + h).square().sum().backward()
        result = [a.grad, b.grad]
        """,
    "a hook that writes a gradient that nobody shares": """
        a = torch.randn(3, requires_grad=True)
        h = a * 1
        h.register_hook(lambda grad: grad.mul_(0.5))
        (h * 3).sum().backward()
        result = a.grad
        """,
    "an optimizer in the backward": """
        layer = nn.Linear(3, 1)
        opts = {p: torch.optim.SGD([p], lr=0.1) for p in layer.parameters()}

        def hook(p):
            opts[p].step()
            opts[p].zero_grad()

        for p in layer.parameters():
            p.register_post_accumulate_grad_hook(hook)
        for _ in range(2):
            layer(torch.randn(2, 3)).sum().backward()
        result = layer.weight
        """,
    "checkpoint, not reentrant": """
        from torch.utils.checkpoint import checkpoint

        net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(inplace=True), nn.Dropout(0.5), nn.Linear(4, 1))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            checkpoint(net, torch.randn(2, 3, requires_grad=True), use_reentrant=False).sum().backward()
            opt.step()
        result = [p for p in net.parameters()]
        """,
    "checkpoint, reentrant": """
        from torch.utils.checkpoint import checkpoint

        net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(inplace=True), nn.Linear(4, 1))
        opt = torch.optim.Adam(net.parameters(), lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            checkpoint(net, torch.randn(2, 3, requires_grad=True), use_reentrant=True).sum().backward()
            opt.step()
        result = [p for p in net.parameters()]
        """,
    "the result of a checkpointed segment written": """
        from torch.utils.checkpoint import checkpoint

        x = torch.randn(3, requires_grad=True)
        y = checkpoint(lambda t: t.sigmoid(), x, use_reentrant=False)
        y += 1
        y.sum().backward()
        result = x.grad
        """,
    "saved-tensor hooks that copy": """
        from torch.autograd.graph import saved_tensors_hooks

        x = torch.randn(3, requires_grad=True)
        with saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
            h = x * 1
            y = h.sin().sum()
        h.mul_(0)
        y.backward()
        result = x.grad
        """,
    "saved-tensor hooks that pack in place": """
        from torch.autograd.graph import saved_tensors_hooks

        def pack(t):
            packed = t.detach().clone()
            packed.mul_(2)
            return packed

        x = torch.randn(3, requires_grad=True)
        with saved_tensors_hooks(pack, lambda p: p / 2):
            y = (x * 1).sin().sum()
        y.backward()
        result = x.grad
        """,
    "second order": """
        x = torch.randn(3, requires_grad=True)
        (g,) = torch.autograd.grad(x.exp().sum(), x, create_graph=True)
        g.square().sum().backward()
        result = x.grad
        """,
    "gradient penalty": """
        critic = nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1))
        mix = torch.rand(5, 2, requires_grad=True)
        (g,) = torch.autograd.grad(critic(mix).sum(), mix, create_graph=True)
        ((g.norm(dim=1) - 1) ** 2).mean().backward()
        result = [p.grad for p in critic.parameters()]
        """,
    "torch.func": """
        from torch.func import functional_call, grad, jacrev, vmap

        layer = nn.Linear(3, 1)
        params = {k: v.detach() for k, v in layer.named_parameters()}
        loss = lambda p, x: functional_call(layer, p, (x,)).square().sum()
        per_sample = vmap(grad(loss), (None, 0))(params, torch.randn(4, 3))
        result = [per_sample["weight"], jacrev(torch.sin)(torch.randn(3))]
        """,
    "forward mode": """
        from torch.autograd import forward_ad

        with forward_ad.dual_level():
            x = forward_ad.make_dual(torch.randn(3), torch.ones(3))
            result = forward_ad.unpack_dual(x.sin() * x).tangent
        """,
    "a hidden state detached between the steps": """
        cell, head = nn.GRUCell(3, 4), nn.Linear(4, 1)
        h = torch.zeros(2, 4)
        for _ in range(3):
            h = cell(torch.randn(2, 3), h.detach())
            head(h).sum().backward()
        result = cell.weight_hh.grad
        """,
    "LSTM": """
        lstm = nn.LSTM(3, 4, batch_first=True)
        out, _ = lstm(torch.randn(2, 5, 3))
        out.square().sum().backward()
        result = [p.grad for p in lstm.parameters()]
        """,
    "attention": """
        attention = nn.MultiheadAttention(4, 2, batch_first=True)
        x = torch.randn(2, 3, 4)
        attention(x, x, x)[0].sum().backward()
        result = [p.grad for p in attention.parameters()]
        """,
    "spectral norm": """
        layer = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 3))
        (layer(torch.randn(2, 3)).sum() + layer(torch.randn(2, 3)).square().sum()).backward()
        result = layer.parametrizations.weight.original.grad
        """,
    "weights moved to another type": """
        layer = nn.Linear(3, 3).double()
        layer.float()
        layer(torch.randn(2, 3)).sum().backward()
        result = layer.weight.grad
        """,
    "autocast and a gradient scaler": """
        layer = nn.Linear(3, 1)
        opt = torch.optim.SGD(layer.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu")
        for _ in range(3):
            opt.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = layer(torch.randn(2, 3)).square().mean()
            scaler.scale(loss).backward()
            scaler.unscale_(opt)
            scaler.step(opt)
            scaler.update()
        result = layer.weight
        """,
    "jit": """
        @torch.jit.script
        def scripted(x):
            y = x * 2
            y += 1
            return y.relu()

        traced = torch.jit.trace(lambda x: (x * 2).add_(1).tanh(), torch.randn(3), check_trace=False)
        x = torch.randn(3, requires_grad=True)
        (scripted(x) + traced(x)).sum().backward()
        result = x.grad
        """,
    "lazy modules": """
        net = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(1))
        net(torch.randn(2, 3)).sum().backward()
        result = [p.grad for p in net.parameters()]
        """,
    "sparse gradients": """
        table = nn.Embedding(5, 3, sparse=True)
        opt = torch.optim.SparseAdam(table.parameters())
        table(torch.tensor([1, 1, 2])).sum().backward()
        opt.step()
        result = table.weight
        """,
    "a tensor subclass": """
        class Named(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return super().__torch_function__(func, types, args, kwargs or {})

        x = torch.randn(3, requires_grad=True)
        y = (x * 1).as_subclass(Named)
        y.add_(1)
        y.sum().backward()
        result = x.grad
        """,
    "data loader": """
        from torch.utils.data import DataLoader, TensorDataset

        layer = nn.Linear(2, 1)
        data = TensorDataset(torch.randn(6, 2), torch.randn(6, 1))
        for x, y in DataLoader(data, batch_size=2, num_workers=2):
            x.sub_(0.5).div_(2)
            (layer(x) - y).square().sum().backward()
        result = layer.weight.grad
        """,
    "straight-through estimator": """
        x = torch.randn(3, requires_grad=True)
        hard = x + (x.sign() - x).detach()
        hard.sum().backward()
        result = x.grad
        """,
    "the score-function trick": """
        logp = torch.randn(3, requires_grad=True)
        (torch.exp(logp - logp.detach()) * torch.randn(3)).sum().backward()
        result = logp.grad
        """,
    "a log of values": """
        layer, log = nn.Linear(3, 1), []
        for _ in range(3):
            loss = layer(torch.randn(2, 3)).square().mean()
            loss.backward()
            log.append(loss.detach())
        result = torch.stack(log)
        """,
    "a snapshot with a copy": """
        import copy

        layer = nn.Linear(3, 1)
        best = copy.deepcopy(layer.state_dict())
        opt = torch.optim.SGD(layer.parameters(), lr=0.1)
        layer(torch.randn(2, 3)).sum().backward()
        opt.step()
        layer.load_state_dict(best)
        result = layer.weight
        """,
    "freezing": """
        layer = nn.Linear(3, 3)
        layer.requires_grad_(False)
        layer.weight.fill_(1)
        x = torch.randn(3, requires_grad=True)
        layer(x).sum().backward()
        result = x.grad
        """,
}
