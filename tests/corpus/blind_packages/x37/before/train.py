import torch

from speech.encoder import build_encoder
from speech.meter import METER


def run(model, opt, batches):
    for anchor, other in batches:
        za, zb = model(anchor), model(other)
        sim = torch.cosine_similarity(za, zb).mean()
        var = za.var(0).clamp(max=1.0).mean()
        loss = -sim - 0.1 * var
        METER.add("sim", sim)
        METER.add("loss", loss)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return model


def main():
    torch.manual_seed(57)
    model = build_encoder(d_in=6, d_out=3)
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    batches = [(torch.randn(8, 6), torch.randn(8, 6).mul_(3)) for _ in range(3)]
    run(model, opt, batches)
    for n, p in model.named_parameters():
        print(n, f"{p.grad.norm().item():.6f}")
    print("running", [round(v, 5) for v in model.norm.mean.tolist()])
    model.eval()
    print("eval", f"{model(batches[0][0]).sum().item():.5f}")
    print(METER)


if __name__ == "__main__":
    main()
