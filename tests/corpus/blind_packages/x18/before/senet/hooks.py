import torch


def channel_mask(n, keep):
    m = torch.ones(n)
    m[int(n * keep):] = 0
    return m


def drop_channels_(keep):
    def hook(module, inputs, output):
        mask = channel_mask(output.shape[1], keep).view(1, -1, 1, 1)
        output.mul_(mask)

    return hook


def attach(model, spec):
    handles = []
    for m in model.modules():
        if type(m).__name__ == spec["target"]:
            handles.append(m.register_forward_hook(drop_channels_(spec["keep"])))
    return handles
