"""Right programs that look like those of `programs_silent_more`."""

from __future__ import annotations

QUIET: dict[str, str] = {
    "gradcheck perturbs more elements than a few": """
        def f(x):
            return x.sin() * x

        x = torch.randn(300, dtype=torch.float64, requires_grad=True)
        result = torch.autograd.gradcheck(f, (x,))
    """,
    "returned again: fresh": """
        def f(x):
            t = torch.arange(3).float()
            t *= 0.5
            return (x * t).sum()

        for _ in range(3):
            f(torch.rand(3))
    """,
    "returned again: inplace cell": """
        def cell(h):
            h.add_(1)
            return h

        h = torch.zeros(3)
        for _ in range(4):
            h = cell(h)
            h.mul_(0.5)
    """,
    "returned again: pyg": """
        def norm(deg):
            inv = deg.pow_(-0.5).masked_fill_(deg == float("inf"), 0)
            return inv

        norm(torch.tensor([0.0, 1.0, 4.0]))
    """,
    "returned again: state get": """
        st = {"avg": torch.zeros(3)}

        def step(g):
            a = st.get("avg")
            a.mul_(0.9).add_(g, alpha=0.1)
            return a

        for _ in range(4):
            step(torch.rand(3))
    """,
    "kept names: alias pointer": """
        def f(buf):
            cur = buf
            cur[0] = 1
            cur[1] = 2
            return cur

        f(torch.rand(3))
    """,
    "kept names: attr": """
        class A:
            def __init__(s):
                s.h = torch.zeros(3)

            def step(s, x):
                h = s.h
                h.mul_(0.9).add_(x)
                return h

        a = A()
        for _ in range(3):
            a.step(torch.rand(3))
    """,
    "kept names: chain rebinding": """
        def f(x):
            x = x.mul_(2).add_(1)
            return x.sum()

        f(torch.rand(3))
    """,
    "kept names: detach_": """
        c = nn.GRUCell(2, 3)
        h = torch.zeros(1, 3)
        l = []
        for t in range(4):
            h = c(torch.rand(1, 2), h)
            h.sum().backward()
            h.detach_()
            l.append(h)
        torch.stack(l).mean()
    """,
    "kept names: dp rows": """
        def dp(n):
            t = torch.zeros(n, n)
            prev = t[0]
            for i in range(1, n):
                cur = t[i]
                cur[0] = i
                for j in range(1, n):
                    cur[j] = torch.minimum(prev[j], cur[j - 1]) + 1
                prev = cur
            return t[-1, -1]

        dp(4)
    """,
    "kept names: new name not read": """
        def f(x):
            y = x.mul_(2).add_(1)
            return y.sum()

        f(torch.rand(3))
    """,
    "kept names: residual": """
        def f(x, l):
            r = x
            x = l(x)
            x += r
            return x

        f(torch.rand(2, 3), nn.Linear(3, 3)).sum().backward()
    """,
    "kept names: row computed": """
        def f(x):
            row = x[0]
            x[0] = row * 2
            return x

        f(torch.rand(2, 3))
    """,
    "kept names: row view fill": """
        def f(x):
            row = x[0]
            row.zero_()
            row[1] = 1
            return x

        f(torch.rand(2, 3))
    """,
    "kept names: swap clone": """
        def swap(a, i, j):
            tmp = a[i].clone()
            a[i] = a[j]
            a[j] = tmp

        swap(torch.rand(3, 2), 0, 1)
    """,
    "a fused optimizer with a scheduler": """
        l = nn.Linear(2, 2)
        o = torch.optim.AdamW(l.parameters(), fused=True)
        s = torch.optim.lr_scheduler.StepLR(o, 1)
        for _ in range(3):
            o.zero_grad()
            l(torch.randn(3, 2)).pow(2).sum().backward()
            nn.utils.clip_grad_norm_(l.parameters(), 1.0)
            o.step()
            s.step()
    """,
    "backward reuses input legit": """
        class E(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x.pow(2)

            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                t = x.clone()
                t.mul_(2)
                return t.mul_(g)

        x = torch.randn(3, requires_grad=True)
        for _ in range(2):
            E.apply(x).sum().backward()
            with torch.no_grad():
                x.sub_(x.grad)
                x.grad = None
    """,
    "bank next iteration only": """
        enc = nn.Linear(2, 3)
        bank = torch.randn(5, 3)
        opt = torch.optim.SGD(enc.parameters(), 0.1)
        for i in range(4):
            f = enc(torch.randn(2, 2))
            loss = (f @ bank.T).logsumexp(-1).sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
            with torch.no_grad():
                bank[i % 5] = f[0]
    """,
    "ctx nontensor": """
        class E(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, k):
                ctx.k = k
                ctx.shape = x.shape
                ctx.save_for_backward(x)
                return x * k

            @staticmethod
            def backward(ctx, g):
                return g * ctx.k, None

        x = torch.randn(3, requires_grad=True) * 1
        y = E.apply(x, 2.0)
        y.add_(1)
        y.sum().backward()
    """,
    "data refilled buffer": """
        l = nn.Linear(3, 1)
        buf = torch.empty(2, 3)
        for ep in range(4):
            buf.copy_(torch.rand(2, 3) * 255)
            buf[:].div_(255)
            l(buf).sum().backward()
    """,
    "data refilled by numpy": """
        import numpy as np

        l = nn.Linear(3, 1)
        raw = np.zeros((2, 3), dtype=np.float32)
        for ep in range(4):
            raw[:] = ep + 1
            t = torch.from_numpy(raw)
            t.div_(255)
            l(t.clone()).sum().backward()
    """,
    "detached loss reused memory": """
        l = nn.Linear(2, 1)
        vals = []
        for _ in range(5):
            loss = l(torch.randn(2)).sum()
            vals.append(loss.detach().clone())
            loss.backward()
            del loss
            z = torch.randn((), requires_grad=True)
            z.backward()
    """,
    "ema param data in loop before backward": """
        s = nn.Linear(2, 2)
        t = nn.Linear(2, 2)
        x = torch.randn(3, 2)
        loss = (s(x) - t(x)).pow(2).sum()
        for a, b in zip(t.parameters(), s.parameters()):
            a.data.mul_(0.9).add_(b.data, alpha=0.1)
        loss.backward()
    """,
    "ema rows": """
        ema = torch.zeros(4, 3)
        l = nn.Linear(3, 3)
        for ep in range(4):
            h = l(torch.rand(2, 3))
            (h - ema[0]).pow(2).sum().backward()
            row = ema[0]
            row.mul_(0.9).add_(h.detach().mean(0), alpha=0.1)
    """,
    "from_numpy buffer with backward each step": """
        import numpy as np

        buf = np.zeros((2, 3), dtype=np.float32)
        l = nn.Linear(3, 1)
        for k in range(3):
            buf[:] = k + 1
            l(torch.from_numpy(buf)).sum().backward()
    """,
    "grad clip views": """
        w = nn.Parameter(torch.randn(6))
        w.grad = torch.zeros(6)
        for ep in range(4):
            w.grad.zero_()
            (w**2).sum().backward()
            w.grad[:3].mul_(0.5)
    """,
    "grad scale accumulate no zero": """
        w = nn.Parameter(torch.randn(6))
        for ep in range(4):
            (w**2).sum().backward()
            w.grad[:3].div_(2)
    """,
    "grad scaler benign": """
        l = nn.Linear(2, 2)
        o = torch.optim.SGD(l.parameters(), 0.1)
        s = torch.amp.GradScaler("cpu")
        for _ in range(3):
            o.zero_grad()
            s.scale(l(torch.randn(3, 2)).pow(2).sum()).backward()
            s.unscale_(o)
            nn.utils.clip_grad_norm_(l.parameters(), 1.0)
            s.step(o)
            s.update()
    """,
    "grad view kept": """
        w = nn.Parameter(torch.randn(4))
        (w**2).sum().backward()
        first = w.grad[:2]
        nn.utils.clip_grad_value_([w], 0.1)
        print(first)
    """,
    "h detach for rnn": """
        cell = nn.GRUCell(2, 3)
        h = torch.zeros(1, 3)
        for _ in range(3):
            h = cell(torch.randn(1, 2), h)
            h.sum().backward()
            h = h.detach()
    """,
    "helper accumulate into total": """
        def accumulate(total, value):
            total += value
            return total

        total = torch.zeros(3)
        for i in range(3):
            total = accumulate(total, torch.rand(3))
        print(total)
    """,
    "helper accumulate other name loop": """
        def accumulate(total, value):
            total += value
            return total

        total = torch.zeros(3)
        for i in range(3):
            running = accumulate(total, torch.rand(3))
        print(running)
    """,
    "helper cache": """
        class C:
            def __init__(s):
                s.k = torch.zeros(4, 3)
                s.n = 0

            def update(s, k):
                s.k[s.n : s.n + len(k)] = k
                s.n += len(k)
                return s.k[: s.n]

        c = C()
        k = torch.randn(2, 3)
        full = c.update(k)
        print(k.sum(), full.sum())
    """,
    "helper clamp grads": """
        def clip(ps, c):
            for q in ps:
                q.grad.clamp_(-c, c)
            return ps

        l = nn.Linear(2, 2)
        l(torch.rand(2, 2)).sum().backward()
        ps = list(l.parameters())
        q = clip(ps, 1.0)
        print(ps[0].grad)
    """,
    "helper init helper": """
        def init(w):
            w.mul_(0.5)
            return w

        t = torch.rand(3, 3)
        init(t)
        nn.Linear(3, 1)(t).sum().backward()
    """,
    "helper kv cache tensor arg": """
        def attend(q, cache, i):
            cache[i] = q
            return (cache[: i + 1] * q).sum()

        cache = torch.zeros(3, 2)
        tot = 0
        for i in range(3):
            s = attend(torch.randn(2), cache, i)
            tot = tot + s
        print(cache.sum(), tot)
    """,
    "helper masked copy": """
        def mask(x, m):
            x = x.clone()
            x[m] = 0
            return x

        x = torch.rand(4)
        y = mask(x, x > 0.5)
        print(x.sum(), y.sum())
    """,
    "helper metadata": """
        def scale(t):
            t.mul_(0.5)
            return t

        x = torch.rand(4, 3)
        z = scale(x)
        print(x.shape, len(x))
        nn.Linear(3, 1)(z).sum().backward()
    """,
    "helper out workspace": """
        def mm(a, b, out):
            torch.mm(a, b, out=out)
            return out

        buf = torch.empty(2, 2)
        y = mm(torch.rand(2, 2), torch.rand(2, 2), buf)
        print(y.sum())
    """,
    "helper rebinding": """
        def standardise(t):
            t -= t.mean()
            return t

        x = torch.rand(4, 3)
        l = nn.Linear(3, 1)
        x = standardise(x)
        (l(x) + x.sum()).sum().backward()
    """,
    "helper resnet": """
        class B(nn.Module):
            def __init__(s):
                super().__init__()
                s.c1 = nn.Conv2d(2, 2, 1)
                s.bn = nn.BatchNorm2d(2)
                s.relu = nn.ReLU(inplace=True)
                s.c2 = nn.Conv2d(2, 2, 1)

            def forward(s, x):
                identity = x
                out = s.relu(s.bn(s.c1(x)))
                out = s.c2(out)
                out += identity
                return s.relu(out)

        m = nn.Sequential(B(), B())
        m(torch.rand(2, 2, 4, 4)).sum().backward()
    """,
    "helper sequential relu first on own": """
        x = torch.rand(2, 3)
        a = nn.Linear(3, 3)
        h = a(x)
        f = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(3, 1))
        f(h).sum().backward()
    """,
    "helper swap branch": """
        def f(x, flag):
            if flag:
                y = F.relu(x, inplace=True)
            else:
                y = x * 2
            return y

        h = nn.Linear(3, 3)(torch.randn(2, 3))
        f(h, True).sum().backward()
    """,
    "index_put accumulate": """
        w = torch.randn(3, requires_grad=True)
        o = torch.zeros(4)
        o.index_put_((torch.tensor([1, 1, 2]),), w, accumulate=True)
        o.sum().backward()
    """,
    "loss.data print": """
        l = nn.Linear(2, 1)
        tot = 0
        for _ in range(3):
            loss = l(torch.randn(2)).sum()
            tot += loss.data
            loss.backward()
        print(tot / 3)
    """,
    "mark_dirty": """
        class D(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.mark_dirty(x)
                return x.mul_(2)

            @staticmethod
            def backward(ctx, g):
                return g * 2

        h = nn.Linear(3, 3)(torch.randn(2, 3))
        h = D.apply(h)
        h.sum().backward()
    """,
    "memory bank": """
        enc = nn.Linear(2, 3)
        bank = torch.randn(5, 3)
        opt = torch.optim.SGD(enc.parameters(), 0.1)
        for i in range(4):
            f = enc(torch.randn(2, 2))
            with torch.no_grad():
                bank[i % 5] = f[0]
            loss = (f @ bank.T).logsumexp(-1).sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
    """,
    "numpy copy": """
        import numpy as np

        x = torch.randn(3)
        w = torch.randn(3, requires_grad=True)
        y = (x * w).sum()
        a = x.numpy().copy()
        a[:] = 0
        y.backward()
    """,
    "numpy written before use": """
        import numpy as np

        x = torch.zeros(3)
        a = x.numpy()
        a[:] = np.arange(3)
        w = torch.randn(3, requires_grad=True)
        (x * w).sum().backward()
        a[:] = 7
    """,
    "running stats no_grad with history": """
        l = nn.Linear(3, 3)
        mean = torch.zeros(3)
        for _ in range(3):
            h = l(torch.randn(4, 3))
            with torch.no_grad():
                mean.lerp_(h.mean(0), 0.1)
            ((h - mean) ** 2).sum().backward()
    """,
    "sam perturb restored benign": """
        w = nn.Parameter(torch.randn(3))
        opt = torch.optim.SGD([w], 0.1)
        (w**2).sum().backward()
        e = w.grad * 0.1
        w.data.add_(e)
        opt.zero_grad()
        (w**2).sum().backward()
        w.data.sub_(e)
        opt.step()
    """,
    "scatter along didata same idx in rows": """
        w = torch.randn(2, 1, requires_grad=True)
        out = torch.zeros(2, 3).scatter_(1, torch.tensor([[1], [1]]), w)
        out.sum().backward()
    """,
    "scatter onehot": """
        t = torch.tensor([0, 0, 1])
        oh = torch.zeros(3, 2).scatter_(1, t[:, None], 1.0)
        w = torch.randn(3, 2, requires_grad=True)
        (w * oh).sum().backward()
    """,
    "scatter unique": """
        w = torch.randn(3, requires_grad=True)
        out = torch.zeros(3).scatter_(0, torch.tensor([0, 2, 1]), w)
        out.sum().backward()
    """,
    "schedule": """
        noise = torch.ones(3)
        l = nn.Linear(3, 1)
        for ep in range(4):
            l(torch.rand(2, 3) * noise).sum().backward()
            noise.mul_(0.9)
    """,
    "spectral norm benign": """
        l = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 3))
        x = torch.randn(2, 3)
        for _ in range(2):
            (l(x)).pow(2).sum().backward()
    """,
    "spectral norm twice forward old": """
        l = nn.utils.spectral_norm(nn.Linear(3, 3))
        x = torch.randn(2, 3)
        (l(x).pow(2).sum() + l(x * 2).pow(2).sum()).backward()
    """,
    "ste with hook before graph": """
        w = nn.Parameter(torch.randn(3))
        keep = w.data.clone()
        w.data = torch.sign(w.data)
        (w * torch.randn(3)).sum().backward()
        w.data = keep
    """,
    "swa averaged model benign": """
        l = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
        a = torch.optim.swa_utils.AveragedModel(l)
        o = torch.optim.SGD(l.parameters(), 0.1)
        for _ in range(3):
            o.zero_grad()
            l(torch.randn(3, 2)).pow(2).sum().backward()
            o.step()
            a.update_parameters(l)
        torch.optim.swa_utils.update_bn([torch.randn(3, 2)], a)
    """,
    "trace decay": """
        tr = torch.zeros(5, 3)
        w = nn.Parameter(torch.randn(3))
        for ep in range(4):
            (w * tr.sum(0)).sum().backward()
            tr[1:3].mul_(0.9)
            tr[1:3].add_(torch.rand(2, 3))
    """,
    "weight decay by view": """
        w = nn.Parameter(torch.randn(6))
        for ep in range(4):
            (w**2).sum().backward()
            with torch.no_grad():
                w[:3].mul_(0.99)
                w.sub_(w.grad, alpha=0.1)
            w.grad = None
    """,
    "weight norm data before use": """
        class L(nn.Module):
            def __init__(s):
                super().__init__()
                s.w = nn.Parameter(torch.randn(2, 2))

            def forward(s, x):
                s.w.data.div_(s.w.data.norm())
                return x @ s.w

        m = L()
        x = torch.randn(3, 2, requires_grad=True)
        m(x).sum().backward()
    """,
    "zero decay": """
        import numpy as np

        l = nn.Linear(3, 1)
        for ep in range(4):
            t = torch.from_numpy(np.zeros((2, 3), dtype=np.float32))
            t.div_(255.0)
            l(t).sum().backward()
            del t
    """,
    "gradients scaled and zeroed through the list and the dict that they were put into": """
        l = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        for _ in range(2):
            l(torch.randn(2, 3)).sum().backward()
            grads = [p.grad for p in l.parameters() if p.grad is not None]
            torch._foreach_mul_(grads, 0.5)
            named = dict(zip("abcd", grads))
            torch._foreach_zero_(list(named.values()))
            for g in grads:
                g.zero_()
    """,
    "allow_mutation_on_saved_tensors copies what is written": """
        from torch.autograd.graph import allow_mutation_on_saved_tensors

        w = torch.arange(1.0, 5.0, requires_grad=True)
        with allow_mutation_on_saved_tensors():
            for write in (lambda t: t.mul_(10), lambda t: t[:2].mul_(10), lambda t: t.data.mul_(10)):
                h = w * 1
                loss = (h**2).sum()
                write(h)
                loss.backward()
    """,
    "gradients that add up below a dispatch mode": """
        from torch.utils._python_dispatch import TorchDispatchMode

        class Passing(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))

        w = torch.ones(3, requires_grad=True)
        with Passing():
            for _ in range(3):
                h = w * 2
                h.exp_()
                h.sum().backward()
    """,
    "halves computed before they are written, state in a dict, a pre-hook in a chain": """
        def rotate(t, c, s):
            n = t.shape[-1] // 2
            lo, hi = t[..., :n], t[..., n:]
            new_lo, new_hi = lo * c - hi * s, lo * s + hi * c
            t[..., :n] = new_lo
            t[..., n:] = new_hi
            return t

        def update(avg, x):
            avg.mul_(0.9).add_(x, alpha=0.1)
            return avg

        def scaled(x):
            x = x.contiguous()
            x.mul_(2)
            return x

        rotate(torch.ones(4), 0.8, 0.6)
        state = {"avg": torch.zeros(4)}
        for _ in range(2):
            now = update(state["avg"], torch.ones(4))
            out = now + state["avg"]
        batch = {"x": torch.ones(4)}
        batch["x"] = scaled(batch["x"])
        total = batch["x"].sum()

        def noise(module, args):
            args[0].add_(1)

        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
        net[0].register_forward_pre_hook(noise)
        x = torch.zeros(1, 2)
        x = net(x)
        x = net(x.detach())
    """,
}
