"""The hazards of `programs_silent` in other clothes: other ops, helpers, loops, hooks, libraries."""

from __future__ import annotations

SILENT: dict[str, tuple[str, str]] = {
    "allow_mutation_on_saved_tensors does not copy for a view that starts elsewhere": (
        "IPG213",
        """
        from torch.autograd.graph import allow_mutation_on_saved_tensors

        w = torch.arange(1.0, 5.0, requires_grad=True)
        with allow_mutation_on_saved_tensors():
            h = w * 1
            loss = (h**2).sum()
            h[2:].mul_(10)  # wrote
            loss.backward()
        """,
    ),
    "allow_mutation_on_saved_tensors does not see NumPy": (
        "IPG213",
        """
        from torch.autograd.graph import allow_mutation_on_saved_tensors

        w = torch.arange(1.0, 5.0, requires_grad=True)
        with allow_mutation_on_saved_tensors():
            h = w * 1
            loss = (h**2).sum()
            h.detach().numpy()[:] = 0  # wrote
            loss.backward()
        """,
    ),
    "a penalty cut with detach_": (
        "IPG303",
        """
        l = nn.Linear(2, 1)
        q = l(torch.rand(3, 2)).pow(2).sum()
        q.detach_().requires_grad_()  # wrote
        q.backward()
        """,
    ),
    ".data of a view of parameters": (
        "IPG201",
        """
        lin = nn.Linear(3, 3)
        x = torch.randn(2, 3, requires_grad=True)
        y = lin(x)
        with torch.no_grad():
            for q in lin.parameters():
                q.data.view(-1)[0:2].mul_(2)  # wrote
        y.sum().backward()
        """,
    ),
    ".data replaced after the forward": (
        "IPG201",
        """
        p_ = nn.Parameter(torch.randn(3))
        full = p_.data
        x = torch.randn(3, requires_grad=True)
        y = (x * p_).sum()
        p_.data = full * 0  # wrote
        y.backward()
        """,
    ),
    "Variable(loss.data)": (
        "IPG303",
        """
        l = nn.Linear(2, 1)
        loss = torch.autograd.Variable(l(torch.randn(2)).sum().data, requires_grad=True)  # wrote
        loss.backward()
        """,
    ),
    "amp unscale": (
        "IPG203",
        """
        g = torch.rand(3)
        w = torch.randn(3, requires_grad=True)
        y = (g * w).sum()
        torch._amp_foreach_non_finite_check_and_unscale_([g], torch.zeros(1), torch.tensor(0.5))  # wrote
        y.backward()
        """,
    ),
    "apply_ map_": (
        "IPG203",
        """
        h = torch.rand(3)
        w = torch.randn(3, requires_grad=True)
        y = (h * w).sum()
        h.apply_(lambda v: v * 2)  # wrote
        y.backward()
        """,
    ),
    "array module": (
        "IPG202",
        """
        import array

        a = array.array("f", [1, 2, 3])
        t = torch.frombuffer(a, dtype=torch.float32)
        w = torch.randn(3, requires_grad=True)
        y = (t * w).sum()
        a[0] = 9.0  # wrote
        y.backward()
        """,
    ),
    "as_strided alias set_": (
        "IPG202",
        """
        x = torch.randn(4)
        w = torch.randn(4, requires_grad=True)
        y = (x * w).sum()
        z = torch.tensor([]).set_(x.untyped_storage(), 0, (2,), (1,))
        z.add_(1)  # wrote
        y.backward()
        """,
    ),
    "as_tensor reused in class method": (
        "IPG202",
        """
        import numpy as np

        class Env:
            def __init__(self):
                self.s = np.zeros(3, dtype=np.float32)

            def step(self):
                self.s += 1  # wrote
                return torch.as_tensor(self.s)

        e = Env()
        l = nn.Linear(3, 1)
        logps = [l(e.step()).squeeze() for _ in range(3)]
        torch.stack(logps).sum().backward()
        """,
    ),
    "batchnorm stat written between": (
        "IPG201",
        """
        bn = nn.BatchNorm1d(3).eval()
        x = torch.randn(4, 3, requires_grad=True)
        y = bn(x)
        bn.running_var.data.fill_(9.0)  # wrote
        y.pow(2).sum().backward()
        """,
    ),
    "binary weights restore before backward": (
        "IPG201",
        """
        w = nn.Parameter(torch.randn(3))
        keep = w.data.clone()
        x = torch.randn(3, requires_grad=True)
        w.data.copy_(torch.sign(w.data))
        y = (w * x).sum()
        w.data.copy_(keep)  # wrote
        y.backward()
        """,
    ),
    "bn eval then train": (
        "IPG203",
        """
        bn = nn.BatchNorm1d(3)
        x = torch.randn(4, 3, requires_grad=True)
        bn.eval()
        y = bn(x)
        bn.train()
        bn(torch.randn(4, 3))  # wrote
        y.pow(2).sum().backward()
        """,
    ),
    "bn reset_running_stats": (
        "IPG203",
        """
        bn = nn.BatchNorm1d(3).eval()
        x = torch.randn(4, 3, requires_grad=True)
        y = bn(x).pow(2).sum()
        bn.train()
        with torch.no_grad():
            bn(torch.randn(5, 3) * 3)  # wrote
        y.backward()
        """,
    ),
    "bn2d teacher": (
        "IPG203",
        """
        m = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2))
        x = torch.randn(2, 1, 3, 3)
        m.eval()
        t = m(x)
        m.train()
        s = m(x)  # wrote
        (t - s.detach()).pow(2).mean().backward()
        """,
    ),
    "checkpoint buffer counter": (
        "IPG209",
        """
        from torch.utils.checkpoint import checkpoint

        class M(nn.Module):
            def __init__(s):
                super().__init__()
                s.l = nn.Linear(3, 3)
                s.register_buffer("n", torch.ones(()))

            def forward(s, x):
                s.n += 1  # wrote
                return s.l(x) * s.n

        m = M()
        checkpoint(m, torch.randn(2, 3), use_reentrant=False).sum().backward()
        """,
    ),
    "checkpoint closure mutated": (
        "IPG209",
        """
        from torch.utils.checkpoint import checkpoint

        l = nn.Linear(3, 3)
        scale = torch.ones(3)
        y = checkpoint(lambda t: l(t) * scale, torch.randn(2, 3), use_reentrant=False)
        scale.mul_(2)  # wrote
        y.sum().backward()
        """,
    ),
    "checkpoint ema of weight": (
        "IPG209",
        """
        from torch.utils.checkpoint import checkpoint

        l = nn.Linear(3, 3)
        y = checkpoint(l, torch.randn(2, 3, requires_grad=True), use_reentrant=False)
        with torch.no_grad():
            l.weight.mul_(0.9)  # wrote
        y.pow(2).sum().backward()
        """,
    ),
    "checkpoint reentrant optimizer step": (
        "IPG209",
        """
        from torch.utils.checkpoint import checkpoint

        l = nn.Linear(3, 3)
        x = torch.randn(2, 3, requires_grad=True)
        y = checkpoint(l, x, use_reentrant=True).pow(2).sum()
        y2 = l(x.detach()).sum()
        y2.backward()
        torch.optim.SGD(l.parameters(), lr=1.0).step()  # wrote
        y.backward()
        """,
    ),
    "clamp weights WGAN between two losses": (
        "IPG201",
        """
        D = nn.Linear(3, 1)
        real, fake = torch.randn(4, 3, requires_grad=True), torch.randn(4, 3, requires_grad=True)
        ld = D(real).mean() - D(fake).mean()
        for q in D.parameters():
            q.data.clamp_(-0.01, 0.01)  # wrote
        ld.backward()
        """,
    ),
    "ctx dict attr": (
        "IPG204",
        """
        class Fn(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, mask):
                ctx.cache = {"mask": mask}
                return x * mask

            @staticmethod
            def backward(ctx, g):
                return g * ctx.cache["mask"], None

        x = torch.randn(3, requires_grad=True)
        m = torch.ones(3)
        y = Fn.apply(x, m)
        m[0] = 0  # wrote
        y.sum().backward()
        """,
    ),
    "ctx global stash": (
        "IPG204",
        """
        STASH = {}

        class Fn(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, mask):
                STASH["m"] = mask
                return x * mask

            @staticmethod
            def backward(ctx, g):
                return g * STASH["m"], None

        x = torch.randn(3, requires_grad=True)
        m = torch.ones(3)
        y = Fn.apply(x, m)
        m.fill_(3)  # wrote
        y.sum().backward()
        """,
    ),
    "ctx list": (
        "IPG204",
        """
        class Fn(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, k):
                ctx.saved = [x, k]
                return x * k

            @staticmethod
            def backward(ctx, g):
                x, k = ctx.saved
                return g * k, g * x

        x = torch.randn(3, requires_grad=True)
        k = torch.ones(3, requires_grad=True) * 2
        y = Fn.apply(x, k)
        k.mul_(5)  # wrote
        y.sum().backward()
        """,
    ),
    "ctx object attr": (
        "IPG204",
        """
        class State:
            pass

        class Fn(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, mask):
                ctx.st = State()
                ctx.st.mask = mask
                return x * mask

            @staticmethod
            def backward(ctx, g):
                return g * ctx.st.mask, None

        x = torch.randn(3, requires_grad=True)
        m = torch.ones(3)
        y = Fn.apply(x, m)
        m.mul_(3)  # wrote
        y.sum().backward()
        """,
    ),
    "ctx setup_context": (
        "IPG204",
        """
        class Fn(torch.autograd.Function):
            @staticmethod
            def forward(x, mask):
                return x * mask

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.mask = inputs[1]

            @staticmethod
            def backward(ctx, g):
                return g * ctx.mask, None

        x = torch.randn(3, requires_grad=True)
        m = torch.ones(3)
        y = Fn.apply(x, m)
        m.fill_(3)  # wrote
        y.sum().backward()
        """,
    ),
    "ctypes memset": (
        "IPG202",
        """
        import ctypes

        x = torch.randn(3)
        w = torch.randn(3, requires_grad=True)
        y = (x * w).sum()
        ctypes.memset(x.data_ptr(), 0, 12)  # wrote
        y.backward()
        """,
    ),
    "custom forward out into workspace": (
        "IPG204",
        """
        WS = torch.empty(3)

        class E(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                torch.exp(x, out=WS)  # wrote
                ctx.y = WS
                return WS.clone()

            @staticmethod
            def backward(ctx, g):
                return g * ctx.y

        x = torch.randn(3, requires_grad=True)
        (E.apply(x) + E.apply(x * 2)).sum().backward()
        """,
    ),
    "data copy_ in helper for polyak": (
        "IPG201",
        """
        def update(dst, src, tau):
            for a, b in zip(dst.parameters(), src.parameters()):
                a.data.copy_(tau * b.data + (1 - tau) * a.data)  # wrote

        a, b = nn.Linear(2, 2), nn.Linear(2, 2)
        x = torch.randn(3, 2, requires_grad=True)
        q = nn.Sequential(a, nn.Tanh(), nn.Linear(2, 1))(x)
        update(a, b, 0.5)
        q.sum().backward()
        """,
    ),
    "data foreach": (
        "IPG201",
        """
        ps = [torch.randn(3, requires_grad=True) for _ in range(3)]
        loss = sum((q**2).sum() for q in ps)
        torch._foreach_mul_([q.data for q in ps], 0.5)  # wrote
        loss.backward()
        """,
    ),
    "data of attention weights dropped": (
        "IPG201",
        """
        q = torch.randn(4, 4, requires_grad=True)
        att = q.softmax(-1)
        att.data[torch.rand(4, 4) < 0.5] = 0  # wrote
        (att @ torch.randn(4, 4, requires_grad=True)).sum().backward()
        """,
    ),
    "data out=": (
        "IPG201",
        """
        w = torch.randn(3, 3, requires_grad=True)
        x = torch.randn(3, 3, requires_grad=True)
        y = (x @ w).tanh()
        torch.clamp(y.data, -0.1, 0.1, out=y.data)  # wrote
        y.sum().backward()
        """,
    ),
    "data relu inplace functional": (
        "IPG201",
        """
        h = nn.Linear(3, 3)(torch.randn(2, 3))
        g = h * 2
        F.relu(g.data, inplace=True)  # wrote
        (g * g).sum().backward()
        """,
    ),
    "dataloader collate shared buffer": (
        "IPG202",
        """
        import numpy as np

        store = np.arange(12, dtype=np.float32).reshape(6, 2)

        def batches():
            out = np.empty((2, 2), dtype=np.float32)
            for i in range(0, 6, 2):
                out[...] = store[i : i + 2]  # wrote
                yield torch.as_tensor(out)

        l = nn.Linear(2, 1)
        losses = []
        for b in batches():
            losses.append(l(b).pow(2).sum())
        torch.stack(losses).sum().backward()
        """,
    ),
    "detach alias clamp": (
        "IPG210",
        """
        h = nn.Linear(3, 3)(torch.randn(2, 3))
        h.detach().clamp_(min=0)  # wrote
        h.sum().backward()
        """,
    ),
    "ema before stale": (
        "IPG201",
        """
        s = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))
        loss = s(torch.randn(3, 2)).pow(2).sum()
        for a in s.parameters():
            a.data.mul_(0.9)  # wrote
        loss.backward()
        """,
    ),
    "forward pre hook writes input data": (
        "IPG201",
        """
        l = nn.Linear(3, 3)
        a = nn.Linear(3, 3)

        def pre(m, i):
            i[0].data.mul_(0.5)  # wrote

        l.register_forward_pre_hook(pre)
        l(a(torch.randn(2, 3))).sum().backward()
        """,
    ),
    "from_numpy buffer reused loop": (
        "IPG202",
        """
        import numpy as np

        buf = np.zeros((2, 3), dtype=np.float32)
        l = nn.Linear(3, 1)
        losses = []
        for k in range(3):
            buf[:] = k + 1  # wrote
            losses.append(l(torch.from_numpy(buf)).sum())
        sum(losses).backward()
        """,
    ),
    "frombuffer bytearray": (
        "IPG202",
        """
        import struct

        raw = bytearray(16)
        t = torch.frombuffer(raw, dtype=torch.float32)
        w = torch.randn(4, requires_grad=True)
        y = (t * w).sum()
        struct.pack_into("4f", raw, 0, 1, 2, 3, 4)  # wrote
        y.backward()
        """,
    ),
    "function writes output kept on ctx": (
        "IPG204",
        """
        class Fn(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                out = x.exp()
                ctx.out = out
                return out

            @staticmethod
            def backward(ctx, g):
                return g * ctx.out

        x = torch.randn(3, requires_grad=True)
        y = Fn.apply(x)
        y.mul_(2)  # wrote
        y.sum().backward()
        """,
    ),
    "functional sgd stale": (
        "IPG201",
        """
        from torch.func import functional_call

        l = nn.Linear(2, 2)
        ps = {k: v.detach().clone().requires_grad_() for k, v in l.named_parameters()}
        x = torch.randn(3, 2, requires_grad=True)
        loss = functional_call(l, ps, (x,)).tanh().pow(2).sum()
        loss2 = functional_call(l, ps, (x,)).tanh().sum()
        g = torch.autograd.grad(loss2, list(ps.values()))
        for q, gg in zip(ps.values(), g):
            q.data.sub_(0.1 * gg)  # wrote
        loss.backward()
        """,
    ),
    "fused adam stale": (
        "IPG203",
        """
        l = nn.Linear(3, 3)
        o = torch.optim.Adam(l.parameters(), fused=True)
        x = torch.randn(2, 3, requires_grad=True)
        y1 = l(x).pow(2).sum()
        y2 = l(x).pow(2).sum()
        y1.backward()
        o.step()  # wrote
        y2.backward()
        """,
    ),
    "fused sgd momentum loop carried": (
        "IPG203",
        """
        l = nn.Linear(2, 2)
        o = torch.optim.SGD(l.parameters(), lr=0.1, momentum=0.9, fused=True)
        x = torch.randn(2, 2)
        prev = None
        for i in range(3):
            y = l(l(x)).pow(2).sum()
            if prev is not None:
                o.zero_grad()
                prev.backward()
                o.step()  # wrote
            prev = y
        """,
    ),
    "hooks via disable": (
        "IPG213",
        """
        store = {}

        def pack(t):
            k = len(store)
            store[k] = t
            return k

        def unpack(k):
            return store[k]

        x = torch.randn(3, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            h = x * 1
            y = h.cos()
        h.zero_()  # wrote
        y.sum().backward()
        """,
    ),
    "identity saved hooks": (
        "IPG213",
        """
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            x = torch.randn(3, requires_grad=True) * 1
            y = x.pow(2)
        x.mul_(3)  # wrote
        y.sum().backward()
        """,
    ),
    "inference_mode on activation": (
        "IPG210",
        """
        h = nn.Linear(3, 3)(torch.randn(2, 3))
        with torch.inference_mode():
            h.mul_(2)  # wrote
        (h + 1).sum().backward()
        """,
    ),
    "kron then scaled": (
        "IPG203",
        """
        a = torch.randn(2, 2, requires_grad=True) * 1
        b = torch.randn(2, 2, requires_grad=True)
        k = torch.kron(a, b)
        a.mul_(2)  # wrote
        k.sum().backward()
        """,
    ),
    "loss.detach().requires_grad_": (
        "IPG303",
        """
        l = nn.Linear(2, 1)
        loss = l(torch.randn(2)).sum().detach().requires_grad_()  # wrote
        loss.backward()
        """,
    ),
    "maml inner data": (
        "IPG201",
        """
        w = torch.randn(3, requires_grad=True)
        x = torch.randn(3, requires_grad=True)
        inner = (w * x).pow(2).sum()
        (g,) = torch.autograd.grad(inner, w, create_graph=True)
        fast = w - 0.1 * g
        w.data.zero_()  # wrote
        (fast * x).sum().backward()
        """,
    ),
    "map_": (
        "IPG203",
        """
        h = torch.rand(3)
        w = torch.randn(3, requires_grad=True)
        y = (h * w).sum()
        h.map_(torch.ones(3), lambda a, b: a + b)  # wrote
        y.backward()
        """,
    ),
    "memoryview on numpy": (
        "IPG202",
        """
        t = torch.ones(4)
        w = torch.randn(4, requires_grad=True)
        y = (t * w).sum()
        m = memoryview(t.numpy())
        m[0] = 5.0  # wrote
        y.backward()
        """,
    ),
    "nn.init on data": (
        "IPG201",
        """
        l = nn.Linear(3, 3)
        x = torch.randn(2, 3, requires_grad=True)
        loss = l(x).pow(2).sum()
        nn.init.zeros_(l.weight.data)  # wrote
        loss.backward()
        """,
    ),
    "no_grad foreach on activations": (
        "IPG210",
        """
        hs = [nn.Linear(3, 3)(torch.randn(2, 3)) for _ in range(2)]
        with torch.no_grad():
            torch._foreach_clamp_max_(hs, 0.1)  # wrote
        sum(h.sum() for h in hs).backward()
        """,
    ),
    "no_grad in decorator on activation": (
        "IPG210",
        """
        @torch.no_grad()
        def renorm(h):
            h.div_(h.norm(dim=-1, keepdim=True))  # wrote
            return h

        h = nn.Linear(3, 3)(torch.randn(2, 3))
        h = renorm(h)
        (h * torch.randn(2, 3)).sum().backward()
        """,
    ),
    "no_grad setitem mask via index_fill": (
        "IPG210",
        """
        h = nn.Linear(3, 3)(torch.randn(2, 3))
        with torch.no_grad():
            h.index_fill_(1, torch.tensor([0]), 0.0)  # wrote
        h.sum().backward()
        """,
    ),
    "np add at": (
        "IPG202",
        """
        import numpy as np

        a = np.zeros(4, dtype=np.float32)
        t = torch.from_numpy(a)
        w = torch.randn(4, requires_grad=True)
        y = (t * w).sum()
        np.add.at(a, [0, 1], 5.0)  # wrote
        y.backward()
        """,
    ),
    "np copyto": (
        "IPG202",
        """
        import numpy as np

        x = torch.randn(3)
        w = torch.randn(3, requires_grad=True)
        y = (x * w).sum()
        np.copyto(x.numpy(), np.ones(3, dtype=np.float32))  # wrote
        y.backward()
        """,
    ),
    "np.asarray of data batch": (
        "IPG202",
        """
        import numpy as np

        x = torch.randn(3, 2)
        l = nn.Linear(2, 1)
        y = l(x).sum()
        a = np.asarray(x)
        a *= 2  # wrote
        y.backward()
        """,
    ),
    "numpy out ufunc": (
        "IPG202",
        """
        import numpy as np

        x = torch.randn(3, 2)
        l = nn.Linear(2, 1)
        y = l(x).sum()
        a = x.numpy()
        np.maximum(a, 0, out=a)  # wrote
        y.backward()
        """,
    ),
    "numpy view sort in place": (
        "IPG202",
        """
        import numpy as np

        x = torch.randn(5)
        w = torch.randn(5, requires_grad=True)
        y = (x * w).sum()
        x.numpy().sort()  # wrote
        y.backward()
        """,
    ),
    "param hook writes shared grad": (
        "IPG206",
        """
        a = nn.Parameter(torch.randn(3))
        b = nn.Parameter(torch.randn(3))
        a.register_hook(lambda g: g.zero_())  # wrote
        (a + b).pow(2).sum().backward()
        """,
    ),
    "preserve version counter": (
        "IPG203",
        """
        h = torch.rand(3)
        w = torch.randn(3, requires_grad=True)
        y = (h * w).sum()
        with torch.autograd._unsafe_preserve_version_counter(h):
            h.mul_(2)  # wrote
        y.backward()
        """,
    ),
    "quantize ste by data": (
        "IPG201",
        """
        h = nn.Linear(3, 3)(torch.randn(2, 3))
        h.data = torch.round(h.data)  # wrote
        h.pow(2).sum().backward()
        """,
    ),
    "rnn state carried then zeroed in place": (
        "IPG210",
        """
        cell = nn.GRUCell(2, 3)
        h = torch.zeros(1, 3)
        losses = []
        for t in range(3):
            h = cell(torch.randn(1, 2), h)
            losses.append(h.sum())
            with torch.no_grad():
                h[:, 0] = 0  # wrote
        sum(losses).backward()
        """,
    ),
    "rnn state data reset": (
        "IPG201",
        """
        cell = nn.LSTMCell(2, 3)
        h = c = torch.zeros(1, 3)
        out = []
        for t in range(3):
            h, c = cell(torch.randn(1, 2), (h, c))
            out.append(h)
            h.data.mul_(0.0)  # wrote
        torch.stack(out).pow(2).sum().backward()
        """,
    ),
    "save_on_cpu alias": (
        "IPG213",
        """
        x = torch.randn(3, requires_grad=True)
        with torch.autograd.graph.save_on_cpu():
            h = x * 1
            y = h.sin()
        h.add_(1)  # wrote
        y.sum().backward()
        """,
    ),
    "saved hooks numpy pack": (
        "IPG213",
        """
        def pack(t):
            return t.detach().numpy()

        def unpack(a):
            return torch.from_numpy(a)

        x = torch.randn(3, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            h = x * 1
            y = h.exp() * h
        h.mul_(2)  # wrote
        y.sum().backward()
        """,
    ),
    "set_ storage alias write": (
        "IPG202",
        """
        x = torch.randn(3)
        w = torch.randn(3, requires_grad=True)
        v = torch.empty(0).set_(x.untyped_storage())
        y = (x * w).sum()
        v.mul_(2)  # wrote
        y.backward()
        """,
    ),
    "set_grad_enabled False": (
        "IPG210",
        """
        h = nn.Linear(3, 3)(torch.randn(2, 3))
        torch.set_grad_enabled(False)
        h[0] = 0  # wrote
        torch.set_grad_enabled(True)
        h.sum().backward()
        """,
    ),
    "storage setitem": (
        "IPG202",
        """
        x = torch.randn(3)
        w = torch.randn(3, requires_grad=True)
        y = (x * w).sum()
        s = x.untyped_storage()
        s[3] = 1  # wrote
        y.backward()
        """,
    ),
    "tensor hook in residual": (
        "IPG206",
        """
        class R(nn.Module):
            def __init__(s):
                super().__init__()
                s.f = nn.Linear(3, 3)

            def forward(s, x):
                y = s.f(x)
                if y.requires_grad:
                    y.register_hook(scale)
                return y + x

        def scale(g):
            g *= 0.1  # wrote
            return g

        net = nn.Sequential(R(), R())
        net(torch.randn(2, 3)).pow(2).sum().backward()
        """,
    ),
    "torch.from_dlpack alias": (
        "IPG202",
        """
        x = torch.randn(3)
        w = torch.randn(3, requires_grad=True)
        b = torch.from_dlpack(x)
        y = (x * w).sum()
        b.zero_()  # wrote
        y.backward()
        """,
    ),
    "torch.tensor of the loss": (
        "IPG303",
        """
        l = nn.Linear(2, 1)
        loss = torch.tensor(l(torch.randn(3, 2)).sum(), requires_grad=True)  # wrote
        loss.backward()
        """,
    ),
    "typed storage": (
        "IPG202",
        """
        x = torch.randn(3)
        w = torch.randn(3, requires_grad=True)
        y = (x * w).sum()
        x.storage()[0] = 4.0  # wrote
        y.backward()
        """,
    ),
    "unmarked dropout in a Function": (
        "IPG205",
        """
        class D(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                m = (torch.rand_like(x) > 0.5).float()
                ctx.save_for_backward(m)
                return x.mul_(m)  # wrote

            @staticmethod
            def backward(ctx, g):
                (m,) = ctx.saved_tensors
                return g * m

        h = nn.Linear(3, 3)(torch.randn(2, 3))
        D.apply(h)
        h.sum().backward()
        """,
    ),
    "unmarked relu": (
        "IPG205",
        """
        class R(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                x.clamp_(min=0)  # wrote
                ctx.save_for_backward(x)
                return x.clone()

            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return g * (x > 0)

        a = torch.randn(4, requires_grad=True) * 1
        y = R.apply(a)
        (y + a).sum().backward()
        """,
    ),
    "untyped storage copy_": (
        "IPG202",
        """
        x = torch.randn(3)
        w = torch.randn(3, requires_grad=True)
        y = (x * w).sum()
        x.untyped_storage().copy_(torch.randn(3).untyped_storage())  # wrote
        y.backward()
        """,
    ),
    "weight norm data each forward": (
        "IPG201",
        """
        class L(nn.Module):
            def __init__(s):
                super().__init__()
                s.w = nn.Parameter(torch.randn(2, 2))

            def forward(s, x):
                y = x @ s.w
                s.w.data.div_(s.w.data.norm())  # wrote
                return y

        m = L()
        x = torch.randn(3, 2, requires_grad=True)
        m(m(x)).sum().backward()
        """,
    ),
}

LISTED: dict[str, tuple[str, str]] = {
    "a cached table scaled by each caller": (
        "IPG207",
        """
        from functools import lru_cache

        @lru_cache(maxsize=None)
        def table(n):
            return torch.arange(n).float()

        def f(x):
            t = table(3)
            t *= 0.5  # wrote
            return (x * t).sum()

        x = torch.rand(3, requires_grad=True)
        for _ in range(3):
            f(x).backward()
        """,
    ),
    "a memoised mask scaled by each caller": (
        "IPG207",
        """
        C = {}

        def table(n):
            if n not in C:
                C[n] = torch.rand(n)
            return C[n]

        def f(x, k):
            m = table(4)
            m.div_(k)  # wrote
            return x * m

        y = f(torch.rand(4), 2.0) + f(torch.rand(4), 2.0)
        """,
    ),
    "a standard deviation made of the log variance in place": (
        "IPG212",
        """
        def rep(mu, logvar):
            std = logvar.mul_(0.5).exp_()  # wrote
            return mu + std * torch.randn_like(std)

        def fw(x, a, b):
            mu, lv = a(x), b(x)
            z = rep(mu, lv)
            return z, mu, lv

        z, mu, lv = fw(torch.rand(2, 3), nn.Linear(3, 2), nn.Linear(3, 2))
        (z.sum() + (mu**2).sum() + lv.sum()).backward()
        """,
    ),
    "a swap across two tensors": (
        "IPG207",
        """
        a, b = torch.rand(4), torch.rand(4)
        a[2:], b[2:] = b[2:], a[2:]  # wrote
        """,
    ),
    "a swap through a view": (
        "IPG207",
        """
        def swap(a, i, j):
            tmp = a[i]
            a[i] = a[j]  # wrote
            a[j] = tmp

        swap(torch.rand(3, 2), 0, 1)
        """,
    ),
    "a target that is a view of what is hidden": (
        "IPG207",
        """
        def hide(s):
            t = s[:, 1:3]
            s[:, 1:3] = 0.0  # wrote
            return s, t

        l = nn.Linear(4, 2)
        a, b = hide(torch.rand(2, 4))
        (l(a) - b).abs().sum().backward()
        """,
    ),
    "detach_ of a state that a list keeps": (
        "IPG303",
        """
        c = nn.GRUCell(2, 3)
        h = torch.zeros(1, 3)
        st = []
        for t in range(4):
            if t == 2:
                h.detach_()  # wrote
            h = c(torch.rand(1, 2), h)
            st.append(h)
        torch.stack(st).sum().backward()
        """,
    ),
    "labels that are the masked ids": (
        "IPG207",
        """
        def mask(ids):
            labels = ids
            ids[ids > 3] = 0  # wrote
            return ids, labels.masked_fill(ids > 0, -100)

        mask(torch.arange(6))
        """,
    ),
    "a buffer filled through .data": (
        "IPG303",
        """
        l = nn.Linear(2, 3)
        buf = torch.empty(4, 3)
        for i in range(4):
            buf.data[i].copy_(l(torch.randn(2)))  # wrote
        nn.Linear(3, 1)(buf).sum().backward()
        """,
    ),
    "a data set that scales its rows each epoch": (
        "IPG207",
        """
        class D(torch.utils.data.Dataset):
            def __init__(s):
                s.x = torch.rand(6, 3) * 255

            def __len__(s):
                return 6

            def __getitem__(s, i):
                r = s.x[i]
                r /= 255  # wrote
                return r

        d = D()
        l = nn.Linear(3, 1)
        for ep in range(2):
            for b in torch.utils.data.DataLoader(d, batch_size=3):
                l(b).sum().backward()
        """,
    ),
    "a helper standardises its argument": (
        "IPG212",
        """
        def standardise(t):
            t -= t.mean()  # wrote
            t /= t.std()  # wrote
            return t

        x = torch.rand(4, 3)
        l = nn.Linear(3, 1)
        k = nn.Linear(3, 1)
        z = standardise(x)
        (l(z) + k(x)).sum().backward()
        """,
    ),
    "a value compared with itself": (
        "IPG207",
        """
        x = torch.rand(3)
        prev = x
        for k in range(3):
            x *= 0.5  # wrote
            if torch.allclose(x, prev):
                break
        """,
    ),
    "an in-place activation before a shortcut": (
        "IPG212",
        """
        class B(nn.Module):
            def __init__(s):
                super().__init__()
                s.f = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(3, 3))  # wrote

            def forward(s, x):
                return s.f(x) + x

        m = nn.Sequential(nn.Linear(3, 3), B())
        m(torch.randn(2, 3)).sum().backward()
        """,
    ),
    "autograd.grad shared results written": (
        "IPG206",
        """
        a = torch.randn(3, requires_grad=True)
        b = torch.randn(3, requires_grad=True)
        ga, gb = torch.autograd.grad((a + b).pow(2).sum(), (a, b))
        ga.mul_(0.1)  # wrote
        a2 = a.detach() - ga
        b2 = b.detach() - gb
        """,
    ),
    "best state dict": (
        "IPG207",
        """
        net = nn.Linear(2, 2)
        o = torch.optim.SGD(net.parameters(), lr=0.1)
        best = net.state_dict()
        for _ in range(2):
            o.zero_grad()
            net(torch.randn(3, 2)).sum().backward()
            o.step()  # wrote
        net.load_state_dict(best)
        """,
    ),
    "difference from the start": (
        "IPG207",
        """
        net = nn.Linear(2, 2)
        o = torch.optim.SGD(net.parameters(), lr=0.1)
        start = [q.data for q in net.parameters()]
        net(torch.randn(3, 2)).sum().backward()
        o.step()  # wrote
        d = sum((q - s).abs().sum() for q, s in zip(net.parameters(), start))
        """,
    ),
    "ema deepcopy missing": (
        "IPG207",
        """
        net = nn.Linear(2, 2)
        ema = dict(net.named_parameters())
        o = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            o.zero_grad()
            net(torch.randn(3, 2)).sum().backward()
            o.step()
            with torch.no_grad():
                for k, v in ema.items():
                    v.mul_(0.9).add_(dict(net.named_parameters())[k], alpha=0.1)  # wrote
        """,
    ),
    "grad history list": (
        "IPG207",
        """
        w = nn.Parameter(torch.ones(3))
        hist = []
        for k in range(3):
            (w * k).sum().backward()
            hist.append(w.grad)
            w.grad.zero_()  # wrote
        """,
    ),
    "index_copy repeated": (
        "IPG208",
        """
        w = torch.randn(3, 2, requires_grad=True)
        out = torch.zeros(2, 2)
        out.index_copy_(0, torch.tensor([0, 0, 1]), w)  # wrote
        out.sum().backward()
        """,
    ),
    "index_put repeated": (
        "IPG208",
        """
        w = torch.randn(3, requires_grad=True)
        out = torch.zeros(2)
        out[torch.tensor([0, 0, 1])] = w  # wrote
        out.sum().backward()
        """,
    ),
    "index_put_ repeated": (
        "IPG208",
        """
        w = torch.randn(3, requires_grad=True)
        o = torch.zeros(4)
        o.index_put_((torch.tensor([1, 1, 2]),), w)  # wrote
        o.sum().backward()
        """,
    ),
    "labels cleaned in place through as_tensor": (
        "IPG212",
        """
        def clean(lab):
            out = torch.as_tensor(lab)
            out[out == 2] = 0  # wrote
            return out

        y = torch.tensor([0, 1, 2, 2])
        lg = torch.randn(4, 3, requires_grad=True)
        a = F.cross_entropy(lg, clean(y))
        b = F.cross_entropy(lg, y)
        (a + b).backward()
        """,
    ),
    "lost fill no_grad": (
        "IPG303",
        """
        enc = nn.Linear(2, 3)
        head = nn.Linear(3, 1)
        out = torch.zeros(4, 3)
        feats = [enc(torch.randn(2)) for _ in range(4)]
        with torch.no_grad():
            for i, f in enumerate(feats):
                out[i] = f  # wrote
        head(out).sum().backward()
        """,
    ),
    "raw gradients kept and clipped": (
        "IPG207",
        """
        w = nn.Linear(2, 2)
        w(torch.randn(3, 2)).pow(2).sum().backward()
        raw = [q.grad for q in w.parameters()]
        nn.utils.clip_grad_norm_(w.parameters(), 0.01)  # wrote
        print(raw[0])
        """,
    ),
    "scatter_ repeated": (
        "IPG208",
        """
        w = torch.randn(3, requires_grad=True)
        out = torch.zeros(2).scatter_(0, torch.tensor([0, 0, 1]), w)  # wrote
        out.sum().backward()
        """,
    ),
    "states list stacked": (
        "IPG207",
        """
        h = torch.zeros(3)
        states = []
        for k in range(3):
            h += torch.randn(3)  # wrote
            states.append(h)
        torch.stack(states)
        """,
    ),
    "swa alias lerp": (
        "IPG207",
        """
        net = nn.Linear(2, 2)
        avg = [q.detach() for q in net.parameters()]
        o = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            o.zero_grad()
            net(torch.randn(3, 2)).sum().backward()
            o.step()
            for a, q in zip(avg, net.parameters()):
                a.lerp_(q.detach(), 0.1)  # wrote
        """,
    ),
    "torch.tensor list mean": (
        "IPG303",
        """
        l = nn.Linear(2, 1)
        losses = [l(torch.randn(2)).sum() for _ in range(3)]
        loss = torch.tensor(losses, requires_grad=True).mean()  # wrote
        loss.backward()
        """,
    ),
    "unfold overlapping": (
        "IPG211",
        """
        x = torch.randn(6)
        x.unfold(0, 3, 1).mul_(torch.hann_window(3))  # wrote
        """,
    ),
    "x[idx] += with repeated indices": (
        "IPG208",
        """
        x = torch.zeros(3)
        idx = torch.tensor([0, 0, 2])
        x[idx] += 1  # wrote
        """,
    ),
    "gradients kept in a list, then zeroed through a list of their own": (
        "IPG207",
        """
        l = nn.Linear(3, 1)
        l(torch.randn(2, 3)).sum().backward()
        old = [p.grad for p in l.parameters()]
        torch._foreach_zero_([p.grad for p in l.parameters()])  # wrote
        """,
    ),
    "halves put aside in one assignment, read after the first was written": (
        "IPG207",
        """
        def rotate(t, c, s):
            n = t.shape[-1] // 2
            lo, hi = t[..., :n], t[..., n:]
            t[..., :n] = lo * c - hi * s  # wrote
            t[..., n:] = lo * s + hi * c
            return t

        rotate(torch.ones(4), 0.8, 0.6)
        """,
    ),
    "contiguous() gave the item of a batch itself": (
        "IPG212",
        """
        def smooth(signal):
            out = signal.contiguous()
            for i in range(1, 2):
                out[i].mul_(0.5)  # wrote
            return out

        batch = {"x": torch.arange(4.0)}
        y = smooth(batch["x"])
        loss = y.sum() + batch["x"].mean()
        """,
    ),
    "an alias of an alias of the parameters": (
        "IPG207",
        """
        l = nn.Linear(2, 1)
        fast = [p.detach().requires_grad_() for p in l.parameters()]
        with torch.no_grad():
            for w in fast:
                w -= 0.1  # wrote
        found = [w.detach() for w in fast]
        drift = sum((p - w).pow(2).sum() for p, w in zip(l.parameters(), found))
        """,
    ),
    "a pre-hook writes the input, which another module reads": (
        "IPG212",
        """
        def noise(module, args):
            args[0].add_(1)  # wrote

        def step(net, other, x):
            return net(x) - other(x)

        net, other = nn.Linear(2, 2), nn.Linear(2, 2)
        net.register_forward_pre_hook(noise)
        step(net, other, torch.zeros(1, 2))
        """,
    ),
}
