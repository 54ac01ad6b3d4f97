import torch
import torch.nn as nn


def place(canvas, sprite, top, left):
    h, w = sprite.shape[-2:]
    size = canvas.size(-1)
    return canvas + nn.functional.pad(sprite, (left, size - left - w, top, size - top - h))


class SpriteDecoder(nn.Module):
    def __init__(self, latent, size):
        super().__init__()
        self.lin, self.size = nn.Linear(latent, size * size), size

    def forward(self, z):
        return torch.sigmoid(self.lin(z)).view(-1, 1, self.size, self.size)


class SceneModel(nn.Module):
    def __init__(self, canvas=10, sprite=4, latent=3):
        super().__init__()
        self.infer = nn.Linear(canvas * canvas, 2 * latent)
        self.decode = SpriteDecoder(latent, sprite)
        self.border = nn.Parameter(torch.tensor(0.1))
        self.canvas, self.latent = canvas, latent

    def forward(self, image, spots):
        z = self.infer(image.flatten(1)).view(-1, 2, self.latent)
        canvas = image.new_zeros(len(image), 1, self.canvas, self.canvas)
        for k, (top, left) in enumerate(spots):
            canvas = place(canvas, self.decode(z[:, k]), top, left)
        row = self.border.expand_as(canvas[..., :1, :])
        return torch.cat([row, canvas[..., 1:-1, :], row], dim=-2)


def main():
    torch.manual_seed(105)
    model, image = SceneModel(), torch.rand(3, 1, 10, 10)
    recon = model(image, spots=[(1, 1), (3, 4)])
    nn.functional.mse_loss(recon, image).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
