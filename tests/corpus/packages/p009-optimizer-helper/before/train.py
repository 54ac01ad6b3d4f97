import torch

from rl.nets import Actor, Critic
from rl.optim import make, update


def main():
    torch.manual_seed(0)
    actor, critic = Actor(), Critic()
    actor_optimizer, critic_optimizer = make(actor), make(critic)
    state, target = torch.randn(4, 3), torch.randn(4, 1)
    value = critic(state, actor(state))
    critic_loss = (value - target).pow(2).mean()
    actor_loss = -value.mean()
    update(critic_optimizer, critic_loss)
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    return {name: p.detach() for name, p in actor.named_parameters()}


if __name__ == "__main__":
    main()
