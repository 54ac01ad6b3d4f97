import torch
from torch import nn


def scaled_dot_product_attention(query, key, value, attn_mask=None, is_causal=False):
    L, S = query.size(-2), key.size(-2)
    attn_bias = torch.zeros(L, S, dtype=query.dtype)
    if is_causal:
        temp_mask = torch.ones(L, S, dtype=torch.bool).tril(diagonal=0)
        attn_bias.masked_fill_(temp_mask.logical_not(), float("-inf"))
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            attn_bias.masked_fill_(attn_mask.logical_not(), float("-inf"))
        else:
            attn_bias = attn_mask + attn_bias
    attn_weight = query @ key.transpose(-2, -1) * query.size(-1) ** -0.5
    attn_weight += attn_bias
    attn_weight = torch.softmax(attn_weight, dim=-1)
    return attn_weight @ value


def main():
    torch.manual_seed(245)
    proj = nn.Linear(4, 12)
    q, k, v = proj(torch.randn(2, 5, 4)).split(4, dim=-1)
    keep = torch.rand(5, 5) > 0.2
    keep.fill_diagonal_(True)
    out = scaled_dot_product_attention(q, k, v, keep, True) + scaled_dot_product_attention(q, k, v, torch.randn(5, 5))
    out.pow(2).sum().backward()
    return {"weight": proj.weight.grad, "bias": proj.bias.grad}


if __name__ == "__main__":
    main()
