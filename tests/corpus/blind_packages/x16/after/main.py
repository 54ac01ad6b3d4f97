import torch

from probes import DeepStack, gated_forward


def main():
    torch.manual_seed(12)
    net = DeepStack([4, 8, 8, 3])
    gates = torch.nn.Parameter(torch.ones(3).mul_(0.9))
    x = torch.randn(5, 4)
    y = gated_forward(net, x, gates)
    y.logsumexp(1).mean().backward()
    print("gates", [round(v, 6) for v in gates.grad.tolist()])
    for n, p in net.named_parameters():
        print(n, round(p.grad.norm().item(), 6))


if __name__ == "__main__":
    main()
