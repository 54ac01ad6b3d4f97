"""The walk over the tape, the growth of memory and the mechanisms: what they say, held against PyTorch another way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from minigpt_fixture.case import build_case
from minigpt_fixture.config import GPTConfig
from minigpt_fixture.gotchas import GOTCHAS, Gotcha, rules_of, run
from minigpt_fixture.growth import AXES, measure_growth, size_of
from minigpt_fixture.measure import saved_bytes
from minigpt_fixture.model import MiniGPT, loss_fn
from minigpt_fixture.say import language, say
from minigpt_fixture.sections import ROWS
from minigpt_fixture.walk import PARTS, Walk, walk


@pytest.fixture(scope="module")
def walked() -> Walk:
    return walk()


def test_every_node_is_in_one_step(walked: Walk) -> None:
    nodes = [node for step in walked.steps for node in step.nodes]
    assert len(nodes) == len(set(nodes)) == 119
    numbers = [n for numbers, _, _ in ROWS for n in numbers]
    assert sorted(numbers) == sorted({step.number for step in walked.steps})
    assert sorted(n for part in PARTS.values() for n in part) == sorted(numbers)


def test_shapes_are_those_that_the_modules_make() -> None:
    case = build_case()
    seen: dict[str, tuple[int, ...]] = {}
    for name, module in case.model.named_modules():
        module.register_forward_hook(lambda _, args, output, name=name: seen.update({name: tuple(output.shape)}))
    found = {(step.block, step.number): step.output for step in walk(case).steps}
    for place, name in {
        (-1, 1): "tok_emb",
        (0, 3): "blocks.0.ln1",
        (0, 4): "blocks.0.attn.q",
        (0, 15): "blocks.0.attn.out",
        (1, 18): "blocks.1.ffn.fc1",
        (1, 21): "blocks.1",
        (-1, 22): "ln_f",
        (-1, 23): "head",
    }.items():
        assert found[place] == seen[name]
    assert found[-1, 26] == ()


def test_bytes_of_the_steps_add_up(walked: Walk) -> None:
    case = build_case()
    loss = case.loss_fn(case.model(case.batch.tokens), case.batch.targets)
    total = saved_bytes(loss, case.model.parameters()).distinct
    assert sum(walked.bytes_of(numbers) for numbers in PARTS.values()) == total


def test_backward_reaches_every_parameter_once_with_its_shape(walked: Walk) -> None:
    found = [pair for step in walked.steps for pair in step.parameters.items()]
    assert len(found) == 38
    assert dict(found) == {name: tuple(p.shape) for name, p in walked.case.model.named_parameters()}
    assert all(step.arrives == step.output for step in walked.steps)


def test_another_model_is_not_walked() -> None:
    with pytest.raises(ValueError, match="makes other calls"):
        walk(build_case("relu-after-linear"))


def hooked_bytes(config: GPTConfig) -> int:
    """Activations by saved-tensor hooks, which do not see the two divisors."""
    model, tokens = MiniGPT(config), torch.zeros(1, config.block_size, dtype=torch.long)
    own = {p.untyped_storage().data_ptr() for p in model.parameters()}
    kept: dict[int, torch.UntypedStorage] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss_fn(model(tokens), tokens)
    return sum(s.nbytes() for s in kept.values()) + 8 * config.n_layers


@pytest.mark.parametrize("changes", [{}, {"block_size": 64}, {"d_model": 128, "d_ff": 512}, {"n_layers": 4}], ids=str)
def test_size_agrees_with_hooks(changes: dict[str, int]) -> None:
    config = GPTConfig(**changes)
    assert size_of(config).activations == hooked_bytes(config)


def test_attention_weights_grow_with_the_square_of_T() -> None:
    scores = [size.scores for _, size in measure_growth("block_size", (8, 16, 32))]
    assert scores == [2048, 4 * 2048, 16 * 2048]


def test_growth_leaves_the_random_state_alone() -> None:
    torch.manual_seed(7)
    before = torch.get_rng_state()
    measure_growth("n_layers", (1,))
    assert torch.equal(before, torch.get_rng_state())
    assert set(AXES) <= set(GPTConfig.__dataclass_fields__)


@pytest.mark.parametrize("gotcha", GOTCHAS, ids=lambda g: g.name)
def test_linter_gives_the_rule_that_the_page_names(gotcha: Gotcha) -> None:
    assert [code for _, code, _ in rules_of(gotcha)] == ([gotcha.rule] if gotcha.rule else [])


OUTPUTS = {
    "in-place": "modified by an inplace operation",
    "in-place-right": "tensor(True)",
    "data": "None None",
    "detach": "None",
    "loss-detached": "None",
    "no-grad": "does not require grad and does not have a grad_fn",
    "second-backward": "backward through the graph a second time",
    "retain-then-step": "modified by an inplace operation",
}


@pytest.mark.parametrize("gotcha", GOTCHAS, ids=lambda g: g.name)
def test_programs_do_what_the_page_says(gotcha: Gotcha) -> None:
    printed = run(gotcha)
    assert OUTPUTS[gotcha.name] in printed
    assert printed.startswith("RuntimeError") == (OUTPUTS[gotcha.name] not in ("None", "None None", "tensor(True)"))


def test_the_right_one_gives_the_gradients_of_its_out_of_place_form() -> None:
    program = next(g for g in GOTCHAS if g.name == "in-place-right").program
    gradients = []
    for source in (program, program.replace(".relu_()", ".relu()").replace("h.add_(ffn(ln(h)))", "h = h + ffn(ln(h))")):
        names: dict[str, Any] = {}
        exec(source, names)
        gradients.append(names["ffn"].weight.grad)
    assert torch.equal(*gradients)


def test_a_program_runs_as_a_file(tmp_path: Path) -> None:
    file = tmp_path / "detach.py"
    file.write_text(next(g for g in GOTCHAS if g.name == "detach").program)
    result = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True)
    assert result.stdout == "None\n"


def test_a_language_without_that_sentence_is_an_error() -> None:
    with language("es"), pytest.raises(KeyError):
        say("never said")
