"""Optimizers: what step() writes, several networks, GAN, actor-critic, AMP, EMA and clipping."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== step before backward
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
opt = torch.optim.Adam(net.parameters())
first, second = net(torch.randn(2, 3)).sum(), net(torch.randn(2, 3)).sum()
first.backward()
opt.step()  # <- IPG107
second.backward()
--
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
opt = torch.optim.Adam(net.parameters())
first, second = net(torch.randn(2, 3)).sum(), net(torch.randn(2, 3)).sum()
first.backward()
second.backward()
opt.step()

== the usual loop
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for epoch in range(2):
    for x in [torch.randn(2, 3)] * 2:
        opt.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()

== the generator's loss through a stepped discriminator
gen, disc = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
opt_g = torch.optim.Adam(gen.parameters())
opt_d = torch.optim.Adam(disc.parameters())
fake = gen(torch.randn(4, 2))
score = disc(fake)
loss_g = -score.mean()
loss_d = disc(fake.detach()).mean() - disc(torch.randn(4, 3)).mean()
opt_d.zero_grad()
loss_d.backward()
opt_d.step()  # <- IPG107
opt_g.zero_grad()
loss_g.backward()
opt_g.step()
--
gen, disc = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
opt_g = torch.optim.Adam(gen.parameters())
opt_d = torch.optim.Adam(disc.parameters())
fake = gen(torch.randn(4, 2))
loss_d = disc(fake.detach()).mean() - disc(torch.randn(4, 3)).mean()
opt_d.zero_grad()
loss_d.backward()
opt_d.step()
loss_g = -disc(fake).mean()
opt_g.zero_grad()
loss_g.backward()
opt_g.step()

== actor and critic
class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 2))
        self.critic = nn.Sequential(nn.Linear(5, 3), nn.Tanh(), nn.Linear(3, 1))
agent = Agent()
actor_opt = torch.optim.Adam(agent.actor.parameters())
critic_opt = torch.optim.Adam(agent.critic.parameters())
obs = torch.randn(2, 3)
action = agent.actor(obs)
q = agent.critic(torch.cat([obs, action], -1))
actor_loss = -q.mean()
critic_loss = F.mse_loss(agent.critic(torch.cat([obs, action.detach()], -1)), torch.zeros(2, 1))
critic_opt.zero_grad()
critic_loss.backward()
critic_opt.step()  # <- IPG107
actor_opt.zero_grad()
actor_loss.backward()
actor_opt.step()
--
class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 2))
        self.critic = nn.Sequential(nn.Linear(5, 3), nn.Tanh(), nn.Linear(3, 1))
agent = Agent()
actor_opt = torch.optim.Adam(agent.actor.parameters())
critic_opt = torch.optim.Adam(agent.critic.parameters())
obs = torch.randn(2, 3)
action = agent.actor(obs)
q = agent.critic(torch.cat([obs, action], -1))
actor_loss = -q.mean()
actor_opt.zero_grad()
actor_loss.backward()
actor_opt.step()
critic_loss = F.mse_loss(agent.critic(torch.cat([obs, action.detach()], -1)), torch.zeros(2, 1))
critic_opt.zero_grad()
critic_loss.backward()
critic_opt.step()

== stepping another network is fine
a, b = nn.Linear(3, 3), nn.Linear(3, 1)
opt_a = torch.optim.SGD(a.parameters(), lr=0.1)
opt_b = torch.optim.SGD(b.parameters(), lr=0.1)
x = torch.randn(2, 3)
loss_a, loss_b = a(x).sum(), b(x).sum()
loss_a.backward()
opt_a.step()
loss_b.backward()
opt_b.step()

== one optimizer over several networks
import itertools
a, b = nn.Linear(3, 3), nn.Linear(3, 1)
opt = torch.optim.SGD(itertools.chain(a.parameters(), b.parameters()), lr=0.1)
x = torch.randn(2, 3)
h = a(x)
loss = b(h.relu()).sum()
other = b(x).sum()
other.backward()
opt.step()  # <- IPG107
loss.backward()
--
import itertools
a, b = nn.Linear(3, 3), nn.Linear(3, 1)
opt = torch.optim.SGD(itertools.chain(a.parameters(), b.parameters()), lr=0.1)
x = torch.randn(2, 3)
h = a(x)
loss = b(h.relu()).sum()
other = b(x).sum()
(other + loss).backward()
opt.step()

== parameter groups
a, b = nn.Linear(3, 3), nn.Linear(3, 1)
opt = torch.optim.AdamW([{"params": a.parameters(), "lr": 0.1}, {"params": list(b.parameters())}], lr=0.2)
x = torch.randn(2, 3)
loss = b(a(x).relu()).sum()
b(x).sum().backward()
opt.step()  # <- IPG107
loss.backward()
--
a, b = nn.Linear(3, 3), nn.Linear(3, 1)
opt = torch.optim.AdamW([{"params": a.parameters(), "lr": 0.1}], lr=0.2)
x = torch.randn(2, 3)
loss = b(a(x).relu()).sum()
a(x).sum().backward()
b(x).sum().backward()
(p,) = [p for p in b.parameters() if p.dim() == 1]
opt.zero_grad()
loss.backward()

== the AMP scaler steps
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", enabled=False)
loss, aux = net(torch.randn(2, 3)).sum(), net(torch.randn(2, 3)).mean()
scaler.scale(loss).backward()
scaler.step(opt)  # <- IPG107
scaler.update()
scaler.scale(aux).backward()
--
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", enabled=False)
for x in [torch.randn(2, 3)] * 2:
    opt.zero_grad()
    loss = net(x).sum()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()

== a hidden state carried over a step
rnn, head = nn.RNNCell(3, 3), nn.Linear(3, 1)
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.1)
h = torch.zeros(1, 3)
for t in range(3):
    h = rnn(torch.randn(1, 3), h)
    loss = head(h).sum()
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()  # <- IPG107
--
rnn, head = nn.RNNCell(3, 3), nn.Linear(3, 1)
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.1)
h = torch.zeros(1, 3)
for t in range(3):
    h = rnn(torch.randn(1, 3), h.detach())
    loss = head(h).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

== an embedding looked up once, outside the loop
emb, head = nn.Embedding(5, 3), nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
opt = torch.optim.SGD([*emb.parameters(), *head.parameters()], lr=0.1)
h = head(emb(torch.tensor([0, 1])))
for t in range(2):
    opt.zero_grad()
    h.sum().backward(retain_graph=True)
    opt.step()  # <- IPG107
--
emb, head = nn.Embedding(5, 3), nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
opt = torch.optim.SGD([*emb.parameters(), *head.parameters()], lr=0.1)
for t in range(2):
    h = head(emb(torch.tensor([0, 1])))
    opt.zero_grad()
    h.sum().backward()
    opt.step()

== a moving average between forward and backward
net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
ema = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
loss = net(torch.randn(2, 3)).sum()
with torch.no_grad():
    for p, q in zip(net.parameters(), ema.parameters()):
        p.lerp_(q, 0.1)  # <- IPG101
loss.backward()
--
net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
ema = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
loss = net(torch.randn(2, 3)).sum()
with torch.no_grad():
    for p, q in zip(net.parameters(), ema.parameters()):
        q.lerp_(p, 0.1)
loss.backward()

== in methods of a trainer
class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
    def losses(self, x):
        return self.net(x).sum(), self.net(x).square().mean()
    def update(self, loss):
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()  # <- IPG107
    def train(self, x):
        a, b = self.losses(x)
        self.update(a)
        self.update(b)
Trainer(nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))).train(torch.randn(2, 3))
--
class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
    def losses(self, x):
        return self.net(x).sum(), self.net(x).square().mean()
    def update(self, loss):
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
    def train(self, x):
        a, b = self.losses(x)
        self.update(a + b)
Trainer(nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))).train(torch.randn(2, 3))

== plain gradient descent by hand
w = torch.randn(3, requires_grad=True)
for t in range(2):
    loss = (w * torch.ones(3)).square().sum()
    loss.backward()
    w -= 0.1 * w.grad  # <- IPG103
--
w = torch.randn(3, requires_grad=True)
for t in range(2):
    loss = (w * torch.ones(3)).square().sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()

== an inner step before the outer backward
w = torch.randn(3, requires_grad=True)
loss = w.square().sum()
(g,) = torch.autograd.grad(loss, w, create_graph=True)
with torch.no_grad():
    w.sub_(0.1 * g)  # <- IPG101
(g.square().sum()).backward()
--
w = torch.randn(3, requires_grad=True)
loss = w.square().sum()
(g,) = torch.autograd.grad(loss, w, create_graph=True)
fast = w - 0.1 * g
(fast.square().sum() + g.sum()).backward()

== accumulating gradients over micro-batches
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
opt.zero_grad()
for i, x in enumerate([torch.randn(2, 3)] * 4):
    loss = net(x).mean() / 2
    loss.backward()
    if i % 2:
        opt.step()
        opt.zero_grad()

== losses kept over steps
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
total = torch.zeros(())
for x in [torch.randn(2, 3)] * 2:
    loss = net(x).mean()
    total = total + loss
    opt.zero_grad()
    total.backward(retain_graph=True)
    opt.step()  # <- IPG107
--
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
total = torch.zeros(())
for x in [torch.randn(2, 3)] * 2:
    loss = net(x).mean()
    total = total + loss.detach()
    opt.zero_grad()
    loss.backward()
    opt.step()

== a closure for LBFGS
net = nn.Linear(3, 1)
opt = torch.optim.LBFGS(net.parameters(), max_iter=2)
x = torch.randn(2, 3)
def closure():
    opt.zero_grad()
    loss = net(x).square().mean()
    loss.backward()
    return loss
opt.step(closure)

== a fused step is no version bump
net = nn.Sequential(nn.Linear(3, 3, bias=False), nn.Linear(3, 1, bias=False))
opt = torch.optim.SGD(net.parameters(), lr=0.5, fused=True)
x = torch.ones(2, 3)
first, second = net(x).sum(), net(x).sum()
first.backward()
opt.step()  # <- IPG203
second.backward()
result = net[0].weight.grad
--
net = nn.Sequential(nn.Linear(3, 3, bias=False), nn.Linear(3, 1, bias=False))
opt = torch.optim.SGD(net.parameters(), lr=0.5, fused=True)
x = torch.ones(2, 3)
first, second = net(x).sum(), net(x).sum()
first.backward(retain_graph=True)
second.backward()
opt.step()
result = net[0].weight.grad
"""

test_linter, test_pytorch = checked(PROGRAMS)
