"""What layers and losses save."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== Linear saves its input
lin = nn.Linear(3, 3)
x = torch.randn(2, 3)
y = lin(x)
x += 1  # <- IPG101
y.sum().backward()
--
lin = nn.Linear(3, 3)
x = torch.randn(2, 3)
y = lin(x)
y += x
y.sum().backward()

== a frozen Linear saves its weight only
lin = nn.Linear(3, 3)
lin.requires_grad_(False)
w = torch.randn(2, 3, requires_grad=True)
x = w + 1
y = lin(x)
x += 1
(y.sum() + x.sum()).backward()

== LayerNorm saves its input
norm = nn.LayerNorm(3)
w = torch.randn(2, 3, requires_grad=True)
h = w + 1
y = norm(h)
h += y  # <- IPG101
h.sum().backward()
--
norm = nn.LayerNorm(3)
w = torch.randn(2, 3, requires_grad=True)
h = w + 1
y = norm(h)
h = h + y
h.sum().backward()

== Conv2d saves its input, and its result may be written
conv = nn.Conv2d(1, 2, 3)
x = torch.randn(1, 1, 5, 5)
y = conv(x)
x.clamp_(0, 1)  # <- IPG101
y.sum().backward()
--
conv = nn.Conv2d(1, 2, 3)
x = torch.randn(1, 1, 5, 5)
y = conv(x)
y.clamp_(0, 1)
y.sum().backward()

== max pooling saves its input
w = torch.randn(1, 1, 4, 4, requires_grad=True)
h = w * 2
y = F.max_pool2d(h, 2)
h.add_(1)  # <- IPG101
y.sum().backward()
--
w = torch.randn(1, 1, 4, 4, requires_grad=True)
h = w * 2
y = F.max_pool2d(h, 2)
y.add_(1)
y.sum().backward()

== mse_loss saves input and target
w = torch.randn(3, requires_grad=True)
target = torch.randn(3)
loss = F.mse_loss(w * 1, target)
target += 1  # <- IPG101
loss.backward()
--
w = torch.randn(3, requires_grad=True)
target = torch.randn(3)
loss = F.mse_loss(w * 1, target)
loss += 1
loss.backward()

== cross_entropy saves log-probabilities of its own and the target
w = torch.randn(2, 3, requires_grad=True)
logits = w * 2
target = torch.tensor([0, 2])
loss = F.cross_entropy(logits, target)
target[0] = 1  # <- IPG101
loss.backward()
--
w = torch.randn(2, 3, requires_grad=True)
logits = w * 2
target = torch.tensor([0, 2])
loss = F.cross_entropy(logits, target)
logits.add_(1)
(loss + logits.sum()).backward()

== attention saves query, key, value and result
q = torch.randn(1, 2, 4, requires_grad=True)
k, v = torch.randn(1, 2, 4), torch.randn(1, 2, 4)
out = F.scaled_dot_product_attention(q, k, v)
v.zero_()  # <- IPG101
out.sum().backward()
--
q = torch.randn(1, 2, 4, requires_grad=True)
k, v = torch.randn(1, 2, 4), torch.randn(1, 2, 4)
v.zero_()
out = F.scaled_dot_product_attention(q, k, v)
out.sum().backward()

== dropout without training hands on its input
w = torch.randn(3, requires_grad=True)
h = w.sigmoid()
y = F.dropout(h, 0.5, training=False)
y += 1  # <- IPG101
y.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = w.sigmoid()
y = F.dropout(h, 0.5, training=True)
y += 1
y.sum().backward()

== embedding saves its indices
emb = nn.Embedding(5, 2)
ids = torch.tensor([1, 2])
y = emb(ids)
ids.fill_(0)  # <- IPG101
y.sum().backward()
--
emb = nn.Embedding(5, 2)
ids = torch.tensor([1, 2])
y = emb(ids)
y.fill_(0)
y.sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
