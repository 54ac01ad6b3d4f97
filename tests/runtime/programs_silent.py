"""Programs whose gradients are wrong or missing with no error. The code that the finding must have, and the program."""

from __future__ import annotations

SILENT: dict[str, tuple[str, str]] = {
    ".data write to a saved result": (
        "IPG201",
        """
        y = torch.randn(3, requires_grad=True).exp()  # saved
        y.data.clamp_(max=1)  # wrote
        y.sum().backward()  # needed
        """,
    ),
    ".data assignment by index": (
        "IPG201",
        """
        w = nn.Parameter(torch.randn(3))
        y = (torch.randn(2, 3, requires_grad=True) * w).sum()
        w.data[0] = 0  # wrote
        y.backward()
        """,
    ),
    ".data kept in a variable": (
        "IPG201",
        """
        y = torch.randn(3, requires_grad=True).sigmoid()
        raw = y.data
        z = y.sum()
        raw.mul_(2)  # wrote
        z.backward()
        """,
    ),
    ".data on a view": (
        "IPG201",
        """
        y = torch.randn(2, 3, requires_grad=True).tanh()
        y[0].data.zero_()  # wrote
        y.sum().backward()
        """,
    ),
    ".data rebound": (
        "IPG201",
        """
        gain = nn.Parameter(torch.ones(3))
        y = (torch.randn(3, requires_grad=True) * gain).sum()
        gain.data = gain.data * 3  # wrote
        y.backward()
        """,
    ),
    ".data rebound on an activation that goes on": (
        "IPG201",
        """
        h = torch.randn(3, requires_grad=True) * 2
        h.data = h.data.sign()  # wrote
        (h * torch.ones(3)).sum().backward()
        """,
    ),
    ".data of the loss": (
        "IPG201",
        """
        loss = torch.randn(3, requires_grad=True).sum()
        loss.data.div_(4)  # wrote
        loss.backward()
        """,
    ),
    ".data with a source that has a history": (
        "IPG201",
        """
        a, b = nn.Linear(3, 3), nn.Linear(3, 3)
        h = a(torch.randn(2, 3))
        h.data.add_(b(h))  # wrote
        h.sum().backward()
        """,
    ),
    "no_grad write to an activation that goes on": (
        "IPG210",
        """
        h = nn.Linear(3, 3)(torch.randn(2, 3))
        with torch.no_grad():
            h[:, 1] = 0  # wrote
        h.sum().backward()
        """,
    ),
    "no_grad write through a view": (
        "IPG210",
        """
        h = nn.Linear(3, 3)(torch.randn(2, 3))
        with torch.no_grad():
            h[0].mul_(2)  # wrote
        h.sum().backward()
        """,
    ),
    "detached write to an activation that goes on": (
        "IPG210",
        """
        h = nn.Linear(3, 3)(torch.randn(2, 3))
        h.detach().neg_()  # wrote
        h.sum().backward()
        """,
    ),
    "NumPy view written": (
        "IPG202",
        """
        y = torch.randn(3, requires_grad=True).exp()
        a = y.detach().numpy()
        a *= 2  # wrote
        y.sum().backward()
        """,
    ),
    "NumPy function with out": (
        "IPG202",
        """
        import numpy as np

        layer = nn.Linear(3, 2)
        loss = layer(torch.randn(4, 3, requires_grad=True)).sum()
        w = np.asarray(layer.weight.detach())
        np.clip(w, -0.1, 0.1, out=w)  # wrote
        loss.backward()
        """,
    ),
    "NumPy view written by a helper": (
        "IPG202",
        """
        def normalise(array):
            total = array.sum()
            array /= total  # wrote
            return total

        y = torch.rand(3, requires_grad=True).sqrt()
        loss = y.sum()
        normalise(y.detach().numpy())
        loss.backward()
        """,
    ),
    "sorted in place": (
        "IPG202",
        """
        y = torch.randn(5, requires_grad=True).sigmoid()
        loss = (y * torch.arange(5.0)).sum()
        y.detach().numpy().sort()  # wrote
        loss.backward()
        """,
    ),
    "array filled again after it was used": (
        "IPG202",
        """
        import numpy as np

        frame = np.ones(3, dtype=np.float32)
        w = nn.Parameter(torch.randn(3))
        total = 0
        for step in range(2):
            frame[:] = step + 1  # wrote
            total = total + (w * torch.from_numpy(frame)).sum()
        total.backward()
        """,
    ),
    "a bytearray filled again": (
        "IPG202",
        """
        raw = bytearray(12)
        w = nn.Parameter(torch.randn(3))
        y = (w * torch.frombuffer(raw, dtype=torch.float32)).sum()
        raw[:4] = b"abcd"  # wrote
        y.backward()
        """,
    ),
    "DLPack": (
        "IPG202",
        """
        y = torch.randn(3, requires_grad=True).exp()
        other = torch.from_dlpack(y.detach())
        other.zero_()  # wrote
        y.sum().backward()
        """,
    ),
    "raw storage": (
        "IPG202",
        """
        y = torch.randn(3, requires_grad=True).exp()
        y.untyped_storage().fill_(0)  # wrote
        y.sum().backward()
        """,
    ),
    "raw pointer": (
        "IPG202",
        """
        import ctypes

        y = torch.randn(3, requires_grad=True).exp()
        ctypes.memset(y.data_ptr(), 0, 4)  # wrote
        y.sum().backward()
        """,
    ),
    "values of a sparse tensor": (
        "IPG202",
        """
        values = torch.rand(3)
        a = torch.sparse_coo_tensor(torch.tensor([[0, 1, 2], [2, 1, 0]]), values, (3, 3), is_coalesced=True)
        y = torch.sparse.mm(a, torch.randn(3, 2, requires_grad=True))
        values.mul_(3)  # wrote
        y.sum().backward()
        """,
    ),
    "apply_": (
        "IPG203",
        """
        w = torch.rand(3)
        y = (torch.randn(3, requires_grad=True) * w).sum()
        w.apply_(lambda v: v + 1)  # wrote
        y.backward()
        """,
    ),
    "map_": (
        "IPG203",
        """
        w = torch.rand(3)
        y = (torch.randn(3, requires_grad=True) * w).sum()
        w.map_(torch.rand(3), lambda a, b: a + b)  # wrote
        y.backward()
        """,
    ),
    "version counter preserved": (
        "IPG203",
        """
        y = torch.randn(3, requires_grad=True).exp()
        loss = y.sum()
        with torch.autograd._unsafe_preserve_version_counter(y), torch.no_grad():
            y.mul_(2)  # wrote
        loss.backward()
        """,
    ),
    "fused Adam": (
        "IPG203",
        """
        layer = nn.Linear(3, 2)
        opt = torch.optim.Adam(layer.parameters(), fused=True)
        kept = layer(torch.randn(2, 3, requires_grad=True)).sum()
        layer(torch.randn(2, 3)).sum().backward()
        opt.step()  # wrote
        kept.backward()
        """,
    ),
    "fused SGD": (
        "IPG203",
        """
        layer = nn.Linear(3, 2)
        opt = torch.optim.SGD(layer.parameters(), lr=0.1, fused=True)
        kept = layer(torch.randn(2, 3, requires_grad=True)).sum()
        layer(torch.randn(2, 3)).sum().backward()
        opt.step()  # wrote
        kept.backward()
        """,
    ),
    "vector_to_parameters": (
        "IPG201",
        """
        layer = nn.Conv1d(1, 1, 2)
        y = layer(torch.randn(1, 1, 4, requires_grad=True)).sum()
        nn.utils.vector_to_parameters(torch.zeros(3), layer.parameters())  # wrote
        y.backward()
        """,
    ),
    "batch norm, eval and then train": (
        "IPG203",
        """
        norm = nn.BatchNorm1d(3, momentum=0.5).eval()
        x = torch.randn(4, 3, requires_grad=True)
        y = norm(x)
        norm.train()
        norm(torch.randn(4, 3) + 3)  # wrote
        y.square().sum().backward()
        """,
    ),
    "kron": (
        "IPG203",
        """
        a, b = torch.rand(2, 2), torch.rand(2, 2, requires_grad=True)
        y = torch.kron(a, b)
        a.zero_()  # wrote
        y.sum().backward()
        """,
    ),
    "a tensor on ctx": (
        "IPG204",
        """
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.y = x.exp()
                return ctx.y

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.y

        y = Exp.apply(torch.randn(3, requires_grad=True))
        y.add_(1)  # wrote
        y.sum().backward()
        """,
    ),
    "a list of tensors on ctx": (
        "IPG204",
        """
        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, w):
                ctx.kept = [w]
                return x * w

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.kept[0], None

        w = torch.rand(3)
        y = Scale.apply(torch.randn(3, requires_grad=True), w)
        w.mul_(5)  # wrote
        y.sum().backward()
        """,
    ),
    "an input written and not marked": (
        "IPG205",
        """
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                x.mul_(2)  # wrote
                return x.sum()

            @staticmethod
            def backward(ctx, grad):
                return grad.expand(3) * 2

        h = torch.randn(3, requires_grad=True) * 1
        y = Twice.apply(h)
        (y + h.sum()).backward()
        """,
    ),
    "saved-tensor hooks of the user": (
        "IPG213",
        """
        from torch.autograd.graph import saved_tensors_hooks

        with saved_tensors_hooks(lambda t: t, lambda t: t):
            h = torch.randn(3, requires_grad=True) * 1
            y = h.sin().sum()
        h.mul_(0)  # wrote
        y.backward()
        """,
    ),
    "save_on_cpu of CPU tensors": (
        "IPG213",
        """
        with torch.autograd.graph.save_on_cpu():
            y = torch.randn(3, requires_grad=True).exp()
        y -= 1  # wrote
        y.sum().backward()
        """,
    ),
    "an optimizer step before a checkpointed segment runs again": (
        "IPG209",
        """
        from torch.utils.checkpoint import checkpoint

        layer = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
        opt = torch.optim.SGD(layer.parameters(), lr=0.5)
        x = torch.randn(2, 3, requires_grad=True)
        kept = checkpoint(layer, x, use_reentrant=False).sum()
        layer(x.detach()).sum().backward()
        opt.step()  # wrote
        kept.backward()
        """,
    ),
    "a closure of a checkpointed segment": (
        "IPG209",
        """
        from torch.utils.checkpoint import checkpoint

        scale = torch.ones(3)
        x = torch.randn(3, requires_grad=True)
        y = checkpoint(lambda t: (t * scale).sin(), x, use_reentrant=False).sum()
        scale.mul_(2)  # wrote
        y.backward()
        """,
    ),
    "a reentrant checkpoint's closure": (
        "IPG209",
        """
        from torch.utils.checkpoint import checkpoint

        scale = torch.ones(3)
        x = torch.randn(3, requires_grad=True)
        y = checkpoint(lambda t: (t * scale).sin(), x, use_reentrant=True).sum()
        scale.mul_(2)  # wrote
        y.backward()
        """,
    ),
    "a write inside a checkpointed segment": (
        "IPG209",
        """
        from torch.utils.checkpoint import checkpoint

        def block(t):
            h = t.sigmoid()
            h += 1  # wrote
            return h.sin()

        x = torch.randn(3, requires_grad=True)
        checkpoint(block, x, use_reentrant=False).sum().backward()
        """,
    ),
    "a custom backward that writes its gradient": (
        "IPG206",
        """
        class Reverse(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.view_as(x)

            @staticmethod
            def backward(ctx, grad):
                return grad.neg_()  # wrote

        a, b = nn.Linear(3, 3), nn.Linear(3, 3)
        x = torch.randn(2, 3)
        (a(x) + Reverse.apply(b(x))).square().sum().backward()
        """,
    ),
    "a tensor hook that writes its gradient": (
        "IPG206",
        """
        a, b = nn.Linear(3, 3), nn.Linear(3, 3)
        x = torch.randn(2, 3)
        one, h = a(x), b(x)
        h.register_hook(lambda grad: grad.mul_(0.1))  # wrote
        (one + h).square().sum().backward()
        """,
    ),
    "a module hook that writes its gradient": (
        "IPG206",
        """
        a, b = nn.Linear(3, 3), nn.Linear(3, 3)
        x = torch.randn(2, 3, requires_grad=True)

        def hook(module, grad_in, grad_out):
            grad_out[0].zero_()  # wrote

        b.register_full_backward_hook(hook)
        (a(x) + b(x)).square().sum().backward()
        """,
    ),
    "torch.tensor of the loss": (
        "IPG303",
        """
        loss = nn.Linear(3, 1)(torch.randn(2, 3)).sum()
        loss = torch.tensor(loss, requires_grad=True)  # wrote
        loss.backward()
        """,
    ),
    "detached loss": (
        "IPG303",
        """
        loss = nn.Linear(3, 1)(torch.randn(2, 3)).sum().detach()  # wrote
        loss.requires_grad_()
        loss.backward()
        """,
    ),
}

# Reported when they happen, with no backward to stop: likely mistakes, and values that are wrong rather than gradients.
LISTED: dict[str, tuple[str, str]] = {
    "a repeated index": (
        "IPG208",
        """
        out = torch.zeros(3)
        out[torch.tensor([0, 0, 1])] += torch.ones(3)  # wrote
        """,
    ),
    "index_copy_ with a repeated index": (
        "IPG208",
        """
        rows = torch.randn(2, 3, requires_grad=True) * 1
        out = torch.zeros(4, 3).index_copy_(0, torch.tensor([1, 1]), rows)  # wrote
        out.sum().backward()
        """,
    ),
    "a mask on expanded memory": (
        "IPG211",
        """
        import warnings

        warnings.simplefilter("ignore")
        bias = torch.zeros(1, 3).expand(2, 3)
        bias.masked_fill_(torch.tensor([[True, False, False], [False, False, True]]), 5)  # wrote
        """,
    ),
    "a row of expanded memory": (
        "IPG211",
        """
        bias = torch.zeros(3).expand(2, 3)
        bias[0].add_(1)  # wrote
        """,
    ),
    "overlapping windows": (
        "IPG211",
        """
        for window in torch.arange(6.0).unfold(0, 4, 2):
            window *= 2  # wrote
        """,
    ),
    "results of autograd.grad that share memory": (
        "IPG206",
        """
        a, b = torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
        ga, gb = torch.autograd.grad((a + b).square().sum(), [a, b])
        ga.mul_(2)  # wrote
        """,
    ),
    "batch norm in a checkpoint": (
        "IPG209",
        """
        from torch.utils.checkpoint import checkpoint

        norm = nn.BatchNorm1d(3)

        def block(x):
            return norm(x).relu()  # wrote

        checkpoint(block, torch.randn(4, 3, requires_grad=True), use_reentrant=False).sum().backward()
        """,
    ),
    "gradients kept and zeroed": (
        "IPG207",
        """
        layer = nn.Linear(3, 1)
        opt = torch.optim.SGD(layer.parameters(), lr=0.1)
        layer(torch.randn(2, 3)).sum().backward()
        kept = [p.grad for p in layer.parameters()]
        opt.zero_grad(set_to_none=False)  # wrote
        """,
    ),
    "the same tensor collected": (
        "IPG207",
        """
        state, seen = torch.zeros(3), []
        for step in range(3):
            state.add_(step)  # wrote
            seen.append(state)
        torch.stack(seen)
        """,
    ),
    "a difference from itself": (
        "IPG207",
        """
        state = torch.zeros(3)
        before = state
        state.add_(1)  # wrote
        (state - before).norm()
        """,
    ),
    "an anchor that moves along": (
        "IPG207",
        """
        layer = nn.Linear(3, 1)
        anchor = layer.weight.detach()
        opt = torch.optim.SGD(layer.parameters(), lr=0.1)
        layer(torch.randn(2, 3)).sum().backward()
        opt.step()  # wrote
        (layer.weight - anchor).square().sum()
        """,
    ),
    "a state dict that is no snapshot": (
        "IPG207",
        """
        layer = nn.Linear(3, 1)
        best = layer.state_dict()
        opt = torch.optim.SGD(layer.parameters(), lr=0.1)
        layer(torch.randn(2, 3)).sum().backward()
        opt.step()  # wrote
        layer.load_state_dict(best)
        """,
    ),
    "two parameters on one memory": (
        "IPG207",
        """
        start = torch.randn(3)
        a, b = nn.Parameter(start), nn.Parameter(start)
        opt = torch.optim.SGD([a, b], lr=0.1)
        (a * b).sum().backward()
        opt.step()  # wrote
        """,
    ),
    "losses copied into a tensor": (
        "IPG303",
        """
        layer = nn.Linear(3, 1)
        losses = [layer(torch.randn(2, 3)).sum() for _ in range(2)]
        total = torch.tensor(losses).sum() + layer.weight.norm()  # wrote
        total.backward()
        """,
    ),
}
