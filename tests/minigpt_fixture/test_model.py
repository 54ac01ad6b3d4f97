"""The model is the reference case, to the number."""

from __future__ import annotations

import math

import torch
from torch import nn

from minigpt_fixture.case import MiniGPTCase
from minigpt_fixture.config import GPTConfig
from minigpt_fixture.model import MiniGPT, loss_fn


def test_shapes_of_the_reference_case(minigpt: MiniGPTCase) -> None:
    c = minigpt.model.config
    shape = (c.d_model, c.n_heads, c.n_layers, c.d_ff, c.vocab_size, c.block_size, c.batch_size)
    assert shape == (64, 4, 2, 256, 512, 8, 1)
    assert minigpt.batch.tokens.shape == minigpt.batch.targets.shape == (1, 8)
    assert minigpt.model(minigpt.batch.tokens).shape == (1, 8, 512)
    assert len(list(minigpt.model.parameters())) == 38


def test_loss_is_cross_entropy_on_flattened_logits() -> None:
    logits, targets = torch.randn(1, 8, 512), torch.randint(512, (1, 8))
    by_hand = -torch.stack([logits[0, t].log_softmax(-1)[targets[0, t]] for t in range(8)]).mean()
    torch.testing.assert_close(loss_fn(logits, targets), by_hand)


def test_a_position_does_not_see_the_future(minigpt: MiniGPTCase) -> None:
    tokens = minigpt.batch.tokens
    changed = tokens.clone()
    changed[0, 5] = (changed[0, 5] + 1) % 512
    before, after = minigpt.model(tokens), minigpt.model(changed)
    assert torch.equal(before[:, :5], after[:, :5])
    assert not torch.equal(before[:, 5:], after[:, 5:])


def test_attention_agrees_with_pytorchs_own(minigpt: MiniGPTCase) -> None:
    attn = minigpt.model.blocks[0].attn
    x = torch.randn(1, 8, 64)

    def heads(layer: nn.Module) -> torch.Tensor:
        return layer(x).view(1, 8, 4, 16).transpose(1, 2)

    y = torch.nn.functional.scaled_dot_product_attention(heads(attn.q), heads(attn.k), heads(attn.v), is_causal=True)
    torch.testing.assert_close(attn(x), attn.out(y.transpose(1, 2).reshape(1, 8, 64)))


def test_head_is_not_tied_and_an_untrained_model_guesses(minigpt: MiniGPTCase) -> None:
    assert minigpt.model.head.weight.data_ptr() != minigpt.model.tok_emb.weight.data_ptr()
    loss = minigpt.loss_fn(minigpt.model(minigpt.batch.tokens), minigpt.batch.targets).item()
    assert abs(loss - math.log(512)) < 1


def test_control_writes_nothing_in_place(minigpt: MiniGPTCase) -> None:
    outputs: list[torch.Tensor] = []
    for module in minigpt.model.modules():
        module.register_forward_hook(lambda _, args, output: outputs.append(output))
    minigpt.model(minigpt.batch.tokens)
    assert len(outputs) > 20
    assert {t._version for t in outputs} == {0}


def test_other_shapes_work() -> None:
    config = GPTConfig(d_model=32, n_heads=2, n_layers=3, d_ff=64, vocab_size=100, block_size=16)
    assert MiniGPT(config)(torch.zeros(2, 5, dtype=torch.long)).shape == (2, 5, 100)
