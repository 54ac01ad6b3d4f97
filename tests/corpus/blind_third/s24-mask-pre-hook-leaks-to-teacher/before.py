import copy
import torch
import torch.nn as nn


class PatchEncoder(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.proj, self.mix, self.norm = nn.Linear(4, d), nn.Linear(d, d), nn.LayerNorm(d)

    def forward(self, patches):
        h = self.proj(patches)
        return self.norm(h + torch.tanh(self.mix(h.mean(1, keepdim=True))))


class MaskPatches:
    def __init__(self, ratio, seed):
        self.ratio, self.gen = ratio, torch.Generator().manual_seed(seed)
        self.mask = None

    def __call__(self, module, args):
        (patches,) = args
        self.mask = torch.rand(patches.shape[:2], generator=self.gen) < self.ratio
        patches[self.mask] = 0.0
        return (patches,)


def distill_step(student, teacher, masker, patches):
    s = student(patches)
    with torch.no_grad():
        t = teacher(patches)
    per = nn.functional.smooth_l1_loss(s, t, reduction="none").mean(-1)
    return per[masker.mask].mean()


def main():
    torch.manual_seed(124)
    student = PatchEncoder()
    teacher = copy.deepcopy(student).requires_grad_(False)
    masker = MaskPatches(0.5, seed=3)
    student.register_forward_pre_hook(masker)
    loss = distill_step(student, teacher, masker, torch.randn(4, 6, 4))
    loss.backward()
    return {"loss": loss, **{n: p.grad for n, p in student.named_parameters()}}


if __name__ == "__main__":
    main()
