import torch

from segkit import EncoderConfig, build_encoder


def main():
    torch.manual_seed(0)
    cfg = EncoderConfig(dim=16, heads=4, depth=2)
    model = build_encoder(cfg)
    tokens = torch.randn(2, 7, cfg.dim)
    lengths = torch.tensor([7, 4])
    out = model(tokens, lengths)
    loss = out.pow(2).mean()
    loss.backward()
    for name, p in model.named_parameters():
        print(name, round(p.grad.abs().sum().item(), 6))


if __name__ == "__main__":
    main()
