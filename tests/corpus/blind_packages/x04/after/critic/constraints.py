import torch


@torch.no_grad()
def clip_weights_(module, bound):
    for p in module.parameters():
        p.clamp_(-bound, bound)


@torch.no_grad()
def unit_norm_(module, bound):
    for p in module.parameters():
        if p.dim() > 1:
            p.div_(p.norm(dim=1, keepdim=True).clamp_(min=bound))


_KINDS = {"clip": clip_weights_, "unit": unit_norm_}


def enforce(module, kind, bound):
    _KINDS[kind](module, bound)
