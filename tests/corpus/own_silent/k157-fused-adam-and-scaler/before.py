import torch
from torch import nn


def train(net, batches, scheduler_steps):
    opt = torch.optim.Adam(net.parameters(), lr=0.05, fused=True)
    sched = torch.optim.lr_scheduler.StepLR(opt, scheduler_steps, 0.5)
    scaler = torch.amp.GradScaler("cpu", init_scale=64.0)
    norms = []
    for x, y in batches:
        opt.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(net(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(opt)
        norms.append(nn.utils.clip_grad_norm_(net.parameters(), 0.5))
        scaler.step(opt)
        scaler.update()
        sched.step()
    return torch.stack(norms)


def main():
    torch.manual_seed(565)
    net = nn.Sequential(nn.Linear(2, 4), nn.SELU(inplace=True), nn.Linear(4, 1))
    batches = [(torch.randn(5, 2), torch.randn(5, 1)) for _ in range(4)]
    norms = train(net, batches, 2)
    return {"norms": norms, **dict(net.named_parameters())}


if __name__ == "__main__":
    main()
