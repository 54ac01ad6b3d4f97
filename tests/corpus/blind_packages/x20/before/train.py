import torch

import rl.envutils as envutils
from rl.actor import RecurrentActor
from rl.envs import BanditVec


def unroll(actor, env, length):
    obs = env.reset()
    state = actor.initial_state(env.n)
    rewards = torch.zeros(length, env.n)
    logps = []
    for t in range(length):
        logits, state = actor(obs, state)
        dist = torch.distributions.Categorical(logits=logits)
        act = dist.sample()
        logps.append(dist.log_prob(act))
        obs, rew, done = env.step(act)
        rewards[t] = rew
        state = envutils.reset_done(state, done)
    return torch.stack(logps), rewards


def main():
    torch.manual_seed(20)
    env = BanditVec(n=4)
    actor = RecurrentActor(env.obs_dim, 6, env.n_act)
    opt = torch.optim.Adam(actor.parameters(), lr=3e-3)
    for it in range(2):
        logps, rewards = unroll(actor, env, length=5)
        ret = envutils.discount(rewards, 0.9)
        ret -= ret.mean()
        loss = -(logps * ret).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, f"{loss.item():.6f}", f"{actor.cell.weight_hh.grad.norm().item():.6f}")


if __name__ == "__main__":
    main()
