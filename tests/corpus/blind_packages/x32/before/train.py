import torch

from wgan.parts import assemble
from wgan.events import ClipCallback, EmaCallback, fire


def critic_loss(critic, real, fake):
    return critic(fake).mean() - critic(real).mean()


def train_round(parts, callbacks, n_critic=2):
    gen, critic, opt_g, opt_c, data = parts
    for _ in range(n_critic):
        fake = gen.sample(8).detach()
        opt_c.zero_grad()
        loss_c = critic_loss(critic, data(8), fake)
        loss_c.backward()
        opt_c.step()
        fire(callbacks, "critic_stepped", critic)
    opt_g.zero_grad()
    loss_g = -critic(gen.sample(8)).mean()
    loss_g.backward()
    grads = [p.grad.clone() for p in gen.parameters()]
    opt_g.step()
    fire(callbacks, "generator_stepped", gen)
    return loss_c, loss_g, grads


def main():
    torch.manual_seed(52)
    parts = assemble(zdim=3, hidden=10)
    callbacks = [ClipCallback(0.2), EmaCallback(parts[0], 0.9)]
    history = []
    for _ in range(3):
        loss_c, loss_g, grads = train_round(parts, callbacks)
        history.append((loss_c.detach(), loss_g.detach()))
        print(f"{loss_c.item():.6f} {loss_g.item():.6f}", *(f"{g.norm().item():.6f}" for g in grads))


if __name__ == "__main__":
    main()
