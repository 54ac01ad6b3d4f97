import torch
from torch import nn


def label_smoothed_nll_loss(lprobs, target, epsilon, ignore_index=None, reduce=True):
    if target.dim() == lprobs.dim() - 1:
        target = target.unsqueeze(-1)
    nll_loss = -lprobs.gather(dim=-1, index=target)
    smooth_loss = -lprobs.sum(dim=-1, keepdim=True)
    if ignore_index is not None:
        pad_mask = target.eq(ignore_index)
        nll_loss.masked_fill_(pad_mask, 0.0)
        smooth_loss.masked_fill_(pad_mask, 0.0)
    else:
        nll_loss, smooth_loss = nll_loss.squeeze(-1), smooth_loss.squeeze(-1)
    if reduce:
        nll_loss, smooth_loss = nll_loss.sum(), smooth_loss.sum()
    eps_i = epsilon / (lprobs.size(-1) - 1)
    return (1.0 - epsilon - eps_i) * nll_loss + eps_i * smooth_loss, nll_loss


class LabelSmoothedCriterion:
    def __init__(self, padding_idx, smoothing=0.1):
        self.padding_idx = padding_idx
        self.eps = smoothing

    def __call__(self, model, sample):
        logits = model(sample["src"])
        lprobs = logits.log_softmax(dim=-1)
        lprobs, target = lprobs.view(-1, lprobs.size(-1)), sample["target"].view(-1)
        loss, nll = label_smoothed_nll_loss(lprobs, target, self.eps, ignore_index=self.padding_idx)
        tokens = target.ne(self.padding_idx).sum()
        return loss / tokens, {"nll": nll.detach() / tokens, "ntokens": tokens}


class Translator(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=1)
        self.encoder = nn.TransformerEncoderLayer(dim, 2, 8, dropout=0.0, batch_first=True)

    def forward(self, ids):
        h = self.encoder(self.embed(ids), src_key_padding_mask=ids.eq(1))
        return h @ self.embed.weight.t()


def main():
    torch.manual_seed(0)
    model, criterion = Translator(10, 4), LabelSmoothedCriterion(padding_idx=1)
    src = torch.tensor([[4, 5, 6, 2], [7, 8, 2, 1]])
    loss, log = criterion(model, {"src": src, "target": src.roll(-1, 1).masked_fill(src.eq(1), 1)})
    loss.backward()
    return {"nll": log["nll"], **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
