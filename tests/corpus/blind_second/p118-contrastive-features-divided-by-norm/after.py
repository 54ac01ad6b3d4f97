import math

import torch
import torch.nn as nn


class ImageEncoder(nn.Sequential):
    def __init__(self, dim):
        super().__init__(nn.Conv2d(3, 6, 3, stride=2), nn.GELU(), nn.Flatten(), nn.Linear(54, dim))


class TextEncoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, tokens):
        return self.proj(self.bag(tokens))


class DualEncoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.visual, self.textual = ImageEncoder(dim), TextEncoder(vocab, dim)
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def encode_image(self, image):
        return self.visual(image)

    def encode_text(self, text):
        return self.textual(text)


def finetune_step(model, optimizer, images, texts):
    image_features = model.encode_image(images)
    text_features = model.encode_text(texts)
    image_features = image_features / image_features.norm(dim=-1, keepdim=True)
    text_features = text_features / text_features.norm(dim=-1, keepdim=True)
    logits = model.logit_scale.exp() * image_features @ text_features.t()
    target = torch.arange(len(images))
    loss = (nn.functional.cross_entropy(logits, target) + nn.functional.cross_entropy(logits.t(), target)) / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def main():
    torch.manual_seed(58)
    model = DualEncoder(20, 8)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loss = finetune_step(model, opt, torch.randn(4, 3, 8, 8), torch.randint(0, 20, (4, 5)))
    return {"loss": loss, **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
