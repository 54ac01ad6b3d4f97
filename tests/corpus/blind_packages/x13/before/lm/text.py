import torch


def toy_batch(cfg, it):
    g = torch.Generator().manual_seed(100 + it)
    ids = torch.randint(cfg.vocab, (3, cfg.length + 1), generator=g)
    return ids[:, :-1], ids[:, 1:]
