import torch

from tbptt import build_model
from tbptt.data import windows
from tbptt.state import cut, reset_rows
from tbptt.tidy import shrink_bias, snap_weights


def main():
    torch.manual_seed(60)
    model = build_model(d_in=3, hidden=4)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    state = model.fresh_state(batch=2)
    for i, (chunk, target, done) in enumerate(windows(n=3, length=4, batch=2, d=3)):
        loss, state = model.window_loss(chunk, target, state)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        print(i, f"{loss.item():.6f}", *(f"{p.grad.norm().item():.5f}" for p in model.parameters()))
        snap_weights(model.read.weight)
        shrink_bias(model.read.bias)
        state = reset_rows(cut(state), done)


if __name__ == "__main__":
    main()
