import torch
import torch.nn as nn
import torch.nn.functional as F


def gram_matrix(x):
    a, b, c, d = x.size()
    features = x.view(a * b, c * d)
    return torch.mm(features, features.t()).div(a * b * c * d)


class Perceptual(nn.Module):
    def __init__(self, style, content):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1).requires_grad_(False)
        self.style = gram_matrix(self.conv(style))
        self.content = self.conv(content)

    def forward(self, x):
        f = self.conv(x)
        return F.mse_loss(gram_matrix(f), self.style) * 100 + F.mse_loss(f, self.content)


def run_style_transfer(model, image, steps):
    image.requires_grad_(True)
    optimizer = torch.optim.LBFGS([image], max_iter=2)
    run = [0]
    while run[0] < steps:
        def closure():
            with torch.no_grad():
                image.clamp_(0, 1)
            optimizer.zero_grad()
            score = model(image)
            score.backward()
            run[0] += 1
            return score
        optimizer.step(closure)
    with torch.no_grad():
        image.clamp_(0, 1)
    return image


def main():
    torch.manual_seed(86)
    model = Perceptual(torch.rand(1, 3, 6, 6), torch.rand(1, 3, 6, 6))
    out = run_style_transfer(model, torch.rand(1, 3, 6, 6), steps=4)
    return {"image": out.detach()}


if __name__ == "__main__":
    main()
