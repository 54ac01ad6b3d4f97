"""False alarms of kinds that reading findings in other people's libraries has shown, beside what must be reported."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== a helper that also works without a mask
lin = nn.Linear(4, 1)
def weigh(hidden, mask=None, target=None):
    alphas = torch.relu(torch.sigmoid(lin(hidden)))
    if mask is not None:
        mask = mask.float()
        alphas = alphas * mask
    if target is not None:
        alphas *= 2  # <- IPG101
    return alphas
weigh(torch.randn(2, 4), target=1).sum().backward()
--
lin = nn.Linear(4, 1)
def weigh(hidden, mask=None, target=None):
    alphas = torch.relu(torch.sigmoid(lin(hidden)))
    if mask is not None:
        mask = mask.float()
        alphas = alphas * mask
    total = mask.sum()
    if target is not None:
        alphas *= target / total
    return alphas
weigh(torch.randn(2, 4), torch.ones(2, 1), 1).sum().backward()
--
lin = nn.Linear(4, 1)
def weigh(hidden, mask=None):
    alphas = torch.relu(torch.sigmoid(lin(hidden)))
    if not (mask is None):
        alphas = alphas * mask
    if alphas.dim() > 1:
        alphas = alphas.squeeze(-1)
    with torch.enable_grad():
        rows = mask[0]
    alphas *= 2
    return alphas
weigh(torch.randn(2, 4), torch.ones(2, 1)).sum().backward()

== a module that looks into its mask
class Predictor(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 1)
    def forward(self, hidden, mask=None, target=None):
        alphas = torch.relu(self.lin(hidden))
        if mask is not None:
            alphas = alphas * mask
        if target is not None:
            alphas *= target  # <- IPG101
        return alphas
Predictor()(torch.randn(2, 4), target=torch.tensor(2.0)).sum().backward()
--
class Predictor(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 1)
    def forward(self, hidden, mask=None, target=None):
        alphas = torch.relu(self.lin(hidden))
        if mask is not None:
            alphas = alphas * mask
        mask = mask.squeeze(-1)
        if target is not None:
            alphas *= target
        return alphas, mask
Predictor()(torch.randn(2, 4), torch.ones(2, 1), torch.tensor(2.0))[0].sum().backward()

== a batch that is a tensor or a dict
class Step(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
    def forward(self, batch):
        data = batch["image"].to("cpu") if isinstance(batch, dict) else batch.to("cpu")
        out = self.model(data)
        batch[0] = 1  # <- IPG102
        return out
>> run
Step(nn.Linear(3, 3))(torch.randn(2, 3)).sum().backward()
--
class Step(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
    def forward(self, batch):
        data = batch["image"].to("cpu") if isinstance(batch, dict) else batch.to("cpu")
        out = self.model(data)
        for key, value in batch.items():
            batch[key] = value.to("cpu")
        return out
>> run
Step(nn.Linear(3, 3))({"image": torch.randn(2, 3)}).sum().backward()

== items of a list by the number of the round
class Sources(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.names = names
        self.enc = nn.ModuleDict({s: nn.Linear(4, 4) for s in names})
    def forward(self, x):
        inputs = [x.clone() for _ in self.names]
        for i, name in enumerate(self.names):
            inputs[i] = torch.tanh(self.enc[name](inputs[i]))
            inputs[i] += 1  # <- IPG101
        return sum(inputs)
Sources(["a", "b", "c"])(torch.randn(2, 4)).sum().backward()
--
class Sources(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.names = names
        self.enc = nn.ModuleDict({s: nn.Linear(4, 4) for s in names})
    def forward(self, x):
        inputs = [x.clone() for _ in self.names]
        for i, name in enumerate(self.names):
            inputs[i] += 1
            inputs[i] = torch.tanh(self.enc[name](inputs[i]))
        return sum(inputs)
Sources(["a", "b", "c"])(torch.randn(2, 4)).sum().backward()
--
class Sources(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.count = count
        self.enc = nn.Linear(4, 4)
    def forward(self, x):
        inputs = [x.clone() for _ in range(self.count)]
        for i in range(self.count):
            inputs[i] += 1
            inputs[i] = torch.tanh(self.enc(inputs[i]))
        return sum(inputs)
Sources(3)(torch.randn(2, 4)).sum().backward()

== what a loop stored by number is read by all
class Sources(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.count = count
        self.enc = nn.Linear(4, 4)
    def forward(self, x):
        inputs = [x.clone() for _ in range(self.count)]
        for i in range(self.count):
            inputs[i] = torch.tanh(self.enc(inputs[i]))
        inputs[0] += 1  # <- IPG101
        return sum(inputs)
Sources(3)(torch.randn(2, 4)).sum().backward()

== a graph for each key
class Agents:
    def __init__(self, keys):
        self.keys = keys
        self.log_alpha = {k: torch.zeros(1, requires_grad=True) for k in keys}
        self.alpha = {k: self.log_alpha[k].exp() for k in keys}
    def update(self, obs):
        for k in self.keys:
            loss = (self.alpha[k] * obs[k]).mean()
            loss.backward()
            self.alpha[k] = self.log_alpha[k].exp()
agents = Agents(["a", "b"])
for _ in range(2):
    agents.update({"a": torch.ones(2), "b": torch.ones(2)})

== chains of modules, one or the other
class Encoder(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.blocks = nn.ModuleList()
        for size in sizes:
            if size > 4:
                block = nn.Sequential(nn.Conv2d(3, 3, 3, 1, 1), nn.LeakyReLU(0.2, inplace=True))
            else:
                block = nn.Sequential(nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(48, 8))  # <- IPG101
            self.blocks.append(block)
    def forward(self, x):
        x = x.tanh()
        for block in self.blocks:
            x = block(x)
        return x
Encoder([4])(torch.randn(1, 3, 4, 4, requires_grad=True)).sum().backward()
--
class Encoder(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.blocks = nn.ModuleList()
        for size in sizes:
            if size > 4:
                block = nn.Sequential(nn.Conv2d(3, 3, 3, 1, 1), nn.LeakyReLU(0.2, inplace=True),
                                      nn.Conv2d(3, 3, 3, 1, 1), nn.LeakyReLU(0.2, inplace=True))
            else:
                block = nn.Sequential(nn.Conv2d(3, 3, 3, 1, 1), nn.LeakyReLU(0.2, inplace=True),
                                      nn.Flatten(), nn.Linear(48, 8))
            self.blocks.append(block)
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
Encoder([8, 4])(torch.randn(1, 3, 4, 4)).sum().backward()

== the embedding of tokens, or the tokens themselves
class Model(nn.Module):
    def __init__(self, emb=None):
        super().__init__()
        self.emb = emb
    def forward(self, tokens, images=None, videos=None):
        embeds = self.emb(tokens) if self.emb is not None else tokens
        if images is not None:
            embeds[0, :2] = images
        if videos is not None:
            embeds[0, 2:] = videos
        return embeds
>> run
image = torch.randn(2, 3, requires_grad=True)
Model(nn.Embedding(9, 3))(torch.tensor([[1, 2, 3, 4]]), image, image).sum().backward()

== positions by content or by number
class ByNumber(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(9, 4)
    def forward(self, x):
        return self.emb(torch.arange(x.shape[1]))
class Model(nn.Module):
    def __init__(self, pos=None):
        super().__init__()
        self.tokens = nn.Embedding(9, 4)
        if pos is not None:
            self.pos = pos
        else:
            self.pos = ByNumber()
    def forward(self, x):
        x = self.tokens(x)
        x += self.pos(x)
        return x
>> run
Model()(torch.tensor([[1, 2]])).sum().backward()
--
class ByContent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
    def forward(self, x):
        return self.lin(x)
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(9, 4)
        self.pos = ByContent()
    def forward(self, x):
        x = self.tokens(x)
        return x + self.pos(x)
Model()(torch.tensor([[1, 2]])).sum().backward()

== torch out of a function
def try_import():
    import torch as found
    return found, found.nn
framework, _ = try_import()
def initialize(parameters):
    for p in parameters:
        with framework.no_grad():
            p.normal_(0, 1)
lin = nn.Linear(3, 3)
initialize(list(lin.parameters()))
lin(torch.randn(2, 3)).sum().backward()

== a parameter that is moved, then initialised
class Policy(nn.Module):
    def __init__(self, device="cpu"):
        super().__init__()
        self.sigma = nn.Parameter(torch.empty(3)).to(device)
        self.sigma.data.fill_(0.5)
    def forward(self, x):
        return x * self.sigma.exp()
Policy()(torch.randn(2, 3)).sum().backward()

== layers by the letters of a text
def activation(config, channels):
    out = nn.Sequential()
    for name in config.split("-"):
        if name == "relu":
            out.append(nn.ReLU(inplace=True))  # <- IPG101
        else:
            out.append(nn.BatchNorm1d(channels))
    return out
class Layer(nn.Module):
    def __init__(self, config="relu-batchnorm"):
        super().__init__()
        self.act = activation(config, 4)
    def forward(self, x):
        return self.act(x.tanh())
Layer()(torch.randn(3, 4, requires_grad=True)).sum().backward()
--
def activation(config, channels):
    out = nn.Sequential()
    for name in config.split("-"):
        if name == "relu":
            out.append(nn.ReLU(inplace=True))
        else:
            out.append(nn.BatchNorm1d(channels))
    return out
class Layer(nn.Module):
    def __init__(self, config="batchnorm-relu"):
        super().__init__()
        self.act = activation(config, 4)
    def forward(self, x):
        return self.act(x.tanh())
Layer()(torch.randn(3, 4, requires_grad=True)).sum().backward()

== layers by what a text begins with
def upsample(mode):
    layers = []
    for letter in mode.replace(mode[0], "T"):
        layers.append(nn.ReLU(inplace=True) if letter == "R" else nn.ConvTranspose2d(3, 3, 1))
    return nn.Sequential(*layers)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = upsample("2R")
        self.tail = upsample("2")
    def forward(self, x):
        return self.tail(self.up(x))
Net()(torch.randn(1, 3, 2, 2)).sum().backward()

== actions of a policy, kept for several updates
from torch.distributions import Normal
class AC(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 2)
        self.critic = nn.Linear(3, 1)
        self.log_std = nn.Parameter(torch.zeros(1, 2))
    def forward(self, x):
        mu = self.lin(x)
        return Normal(mu, self.log_std.exp().expand_as(mu)), self.critic(x)
model = AC()
opt = torch.optim.Adam(model.parameters())
def update(states, actions, old):
    for _ in range(4):
        dist, value = model(states)
        ratio = (dist.log_prob(actions) - old).exp()
        loss = -ratio.mean() + value.pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
for step in range(3):
    states, actions, old = [], [], []
    for _ in range(4):
        s = torch.randn(1, 3)
        dist, value = model(s)
        a = dist.sample()
        states.append(s)
        actions.append(a)
        old.append(dist.log_prob(a))
    update(torch.cat(states), torch.cat(actions), torch.cat(old).detach())

== features of a graph, replaced by a method of it
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def forward(self, g, x):
        g.ndata["h"] = x
        g.ndata["a"] = self.lin(x)
        g.update_all(self.lin)
        h = g.ndata["h"]
        h *= 2
        return x + h
>> run
class Graph:
    def __init__(self):
        self.ndata = {}
    def update_all(self, function):
        self.ndata["h"] = function(self.ndata["h"])
Layer()(Graph(), torch.randn(2, 3)).sum().backward()

== an assertion that this is no training
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
    def forward(self, x, chunks: int | None = None):
        x = torch.sigmoid(self.lin(x))
        if chunks is None:
            return x + self.lin(x)
        for chunk in (x, x):
            chunk.add_(self.lin(chunk))  # <- IPG101
        return x
Net()(torch.randn(2, 4), 2).sum().backward()
--
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
    def forward(self, x, chunks: int | None = None):
        x = torch.sigmoid(self.lin(x))
        if chunks is None:
            return x + self.lin(x)
        assert not x.requires_grad, "only without gradients"
        for chunk in (x, x):
            chunk.add_(self.lin(chunk))
        return x
Net()(torch.randn(2, 4)).sum().backward()

== a gradient zeroed under a name
w = torch.randn(3, requires_grad=True)
for _ in range(2):
    (w * 2).sum().backward()
    grad = w.grad
    if grad is not None:
        grad.zero_()

== an embedding that may rescale its table
class Table(nn.Module):
    def __init__(self, embedding: nn.Embedding):
        super().__init__()
        self.max_norm = embedding.max_norm
        self.weight = embedding.weight
    def forward(self, ids, mask):
        out = F.embedding(ids, self.weight, None, self.max_norm)
        out[mask] = 0.0
        return out
>> run
Table(nn.Embedding(9, 4))(torch.tensor([1, 2]), torch.tensor([True, False])).sum().backward()

== items by name of a dict that was filtered
class Fold(nn.Module):
    def __init__(self, trunk):
        super().__init__()
        self.trunk = trunk
        self.head = nn.Linear(4, 4)
    def forward(self, x, mask):
        found = self.trunk(x)
        found = {k: self.head(v).exp() for k, v in found.items() if k != "extra"}
        logits = self.head(found["single"])
        found["pair"] *= mask  # <- IPG101
        return logits.sum() + found["pair"].sum()
>> run
class Trunk(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
    def forward(self, x):
        return {"single": self.lin(x), "pair": self.lin(x)}
Fold(Trunk())(torch.randn(2, 4), torch.ones(4)).backward()
--
class Fold(nn.Module):
    def __init__(self, trunk):
        super().__init__()
        self.trunk = trunk
        self.head = nn.Linear(4, 4)
    def forward(self, x, mask):
        found = self.trunk(x)
        found = {k: v for k, v in found.items() if k != "extra"}
        logits = self.head(found["single"])
        found["pair"] *= mask
        return logits.sum() + found["pair"].sum()
>> run
class Trunk(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
    def forward(self, x):
        return {"single": self.lin(x), "pair": self.lin(x)}
Fold(Trunk())(torch.randn(2, 4), torch.ones(4)).backward()

== contiguous copies
class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(2)
    def forward(self, x):
        cache = self.proj(x)
        cache[..., :2] = self.norm(cache[..., :2])  # <- IPG101
        return cache
Cache()(torch.randn(3, 4)).sum().backward()
--
class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(2)
    def forward(self, x):
        cache = self.proj(x)
        cache[..., :2] = self.norm(cache[..., :2].contiguous())
        return cache
Cache()(torch.randn(3, 4)).sum().backward()

== expanded and made contiguous
w = torch.randn(3, 1, requires_grad=True)
x = (w * 2).expand(3, 4)
x.scatter_(1, torch.zeros(3, 1, dtype=torch.long), 1.0)  # <- IPG106
x.sum().backward()
--
w = torch.randn(3, 1, requires_grad=True)
x = (w * 2).expand(3, 4).contiguous()
x.scatter_(1, torch.zeros(3, 1, dtype=torch.long), 1.0)
x.sum().backward()

== the layers of another module
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 3, 1), nn.LeakyReLU(0.2, inplace=True))
        self.last = nn.Conv2d(3, 1, 1)
class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        layers = []
        for block in Encoder().children():
            if isinstance(block, nn.Sequential):
                layers.extend(block.children())
            else:
                layers.append(block)
        self.features = nn.Sequential(*layers[:-1])
        self.classifier = nn.Sequential(layers[-1], nn.Sigmoid())
    def forward(self, x):
        features = self.features(x)
        return self.classifier(features), features
scores, features = Discriminator()(torch.randn(1, 3, 2, 2))
(scores.sum() + features.sum()).backward()

== a cast behind a test of the dtype
class Crops(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
    def forward(self, batch):
        return self.fc(unit(batch)) + self.fc(batch.float() / 255)
def unit(image):
    if image.dtype != torch.float32 and image.dim() == 2:
        image = image.to(torch.float32)
        image /= 255
    return image
Crops()(torch.ones(2, 4, dtype=torch.uint8)).sum().backward()

== an activation by its name, scaled
def by_name(name):
    return {"relu": F.relu, "silu": F.silu}[name]
class Scaled(nn.Module):
    def __init__(self, name, gamma=1.7):
        super().__init__()
        self.lin, self.act, self.gamma = nn.Linear(3, 3), by_name(name), gamma
    def forward(self, x):
        return self.act(self.lin(x)).mul_(self.gamma)  # <- IPG101
Scaled("relu")(torch.randn(2, 3)).sum().backward()
--
def by_name(name):
    return {"relu": F.relu, "silu": F.silu}[name]
class Scaled(nn.Module):
    def __init__(self, name, gamma=1.7):
        super().__init__()
        self.lin, self.act, self.gamma = nn.Linear(3, 3), by_name(name), gamma
    def forward(self, x):
        return self.act(self.lin(x)).mul_(self.gamma)
Scaled("silu")(torch.randn(2, 3)).sum().backward()

== neighbours exchanged
def exchange(words):
    for i in range(words.size(1) - 1):
        left, right = words[:, i], words[:, i + 1]
        words[:, i] = right  # <- IPG207
        words[:, i + 1] = left
    return words
w = torch.ones(3, 3, requires_grad=True)
(w * exchange(torch.eye(3))).sum().backward()
result = w.grad
--
def exchange(words):
    for i in range(words.size(1) - 1):
        left, right = words[:, i].clone(), words[:, i + 1].clone()
        words[:, i] = right
        words[:, i + 1] = left
    return words
w = torch.ones(3, 3, requires_grad=True)
(w * exchange(torch.eye(3))).sum().backward()
result = w.grad

== a gather into a list that holds what is gathered
import torch.distributed as dist
class Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        parts = [torch.empty_like(x)]
        parts[0] = x.contiguous()
        dist.all_gather(parts, x)  # <- IPG101
        return torch.cat(parts)
    @staticmethod
    def backward(ctx, grad):
        return grad
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        return Gather.apply(torch.relu(self.lin(x)))
>> run
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
try:
    Net()(torch.randn(2, 3)).sum().backward()
finally:
    dist.destroy_process_group()

== a place in a text, compared with a tensor
def transcribe(tokens, tokenizer, count):
    seek = 0
    while seek < count:
        before = seek
        stamps = tokens.ge(tokenizer.begin)
        if stamps.any():
            seek += tokens[-1].item() - tokenizer.begin
        else:
            seek += 1
        yield min(count, seek) - before
>> run
import types
assert list(transcribe(torch.tensor([3, 5]), types.SimpleNamespace(begin=2), 3)) == [3]

== an activation that is called for its write
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.act = nn.ReLU(inplace=True)
    def forward(self, x):
        h = self.fc(x)
        self.act(h)
        return h * 2
Block()(torch.randn(2, 4)).sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
