"""The guard changes no number: all of PyTorch's own samples, transforms, compilers, a real model."""

from __future__ import annotations

import contextlib
import ctypes
import re
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from inplace_guard import guard
from inplace_guard.runtime.memory import base_of, region_of

pytest.importorskip("expecttest", reason="the samples of torch.testing need it")
from torch.testing._internal.common_methods_invocations import op_db

OPS = [op for op in op_db if torch.float64 in op.dtypes or torch.float32 in op.dtypes]
SOME = OPS[::4]  # an ordinary run looks at every fourth op and its first sample, the slow one at all


def tensors_of(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from tensors_of(entry)
    elif isinstance(value, dict):
        yield from tensors_of(list(value.values()))


def run_sample(op: Any, sample: Any) -> list[torch.Tensor | None]:
    """Results and gradients of one call."""
    torch.manual_seed(0)
    inputs = [tensor for tensor in tensors_of([sample.input, sample.args, sample.kwargs]) if tensor.requires_grad]
    for tensor in inputs:
        tensor.grad = None
    outputs = list(tensors_of(op(sample.input, *sample.args, **sample.kwargs)))
    differentiable = [out for out in outputs if out.requires_grad and (out.is_floating_point() or out.is_complex())]
    gradients: list[torch.Tensor | None] = []
    if differentiable and inputs:
        with contextlib.suppress(NotImplementedError):
            gradients += torch.autograd.grad(
                [
                    out.real.sum() if out.is_complex() else out.sum()
                    for out in differentiable
                    if out.layout is torch.strided
                ],
                inputs,
                allow_unused=True,
            )
    return [*outputs, *gradients]


def samples(op: Any, count: int | None) -> list[Any]:
    dtype = torch.float64 if torch.float64 in op.dtypes else torch.float32
    torch.manual_seed(0)
    found = []
    for sample in op.sample_inputs("cpu", dtype, requires_grad=op.supports_autograd):
        if count is not None and len(found) >= count:
            break
        found.append(sample)
    return found


def bits(values: list[torch.Tensor | None]) -> list[Any]:
    shown = []
    for value in values:
        if value is None:
            shown.append(None)
        elif value.layout is torch.strided and not value.is_quantized:
            plain = value.detach().resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format)
            raw = ctypes.string_at(plain.data_ptr(), plain.numel() * plain.element_size()) if plain.numel() else b""
            shown.append((plain.dtype, tuple(plain.shape), raw))
        else:
            shown.append(str(value))
    return shown


REFUSED = (RuntimeError, NotImplementedError, ImportError, AssertionError)  # not on this machine, or not for this type
RANDOM = (
    "empty",
    "new_empty",
    "empty_like",
    "empty_strided",
    "new_empty_strided",
    "empty_permuted",
    "resize_",
    "resize_as_",
)


def check_ops(ops: list[Any], count: int | None, **options: Any) -> tuple[int, list[str]]:
    """How many samples were compared, and what differed."""
    compared, wrong = 0, []
    for op in ops:
        if op.name in RANDOM:
            continue  # their results are whatever lay there
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                chosen = samples(op, count)
            except REFUSED:
                continue
            for number, sample in enumerate(chosen):
                try:
                    expected = bits(run_sample(op, sample))
                except REFUSED as error:
                    with guard(**options) as watch, pytest.raises(type(error)):
                        run_sample(op, sample)
                    continue
                with guard(**options) as watch:
                    got = bits(run_sample(op, sample))
                compared += 1
                if got != expected and any(bits(run_sample(op, sample)) != expected for _ in range(200)):
                    continue  # no two runs agree without the guard either (linalg.lstsq with the driver gelsy)
                if got != expected or watch.findings:
                    wrong.append(f"{op.name} {number}: {[finding.message for finding in watch.findings]}")
    return compared, wrong


def test_the_samples_of_all_ops_come_out_bit_equal() -> None:
    compared, wrong = check_ops(SOME, 2)
    assert wrong == []
    assert compared > 200


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"content": True}, {"mode": "fail-fast"}], ids=["on", "content", "fail-fast"])
def test_every_sample_of_every_op_comes_out_bit_equal(options: dict[str, Any]) -> None:
    compared, wrong = check_ops(OPS, None, **options)
    assert wrong == []
    assert compared > 10_000


def write_after_save(op: Any, sample: Any, which: int) -> tuple[bool, bool, bool]:
    """Write one input after the call: does PyTorch raise? does the guard raise? does it name this line?"""
    torch.manual_seed(0)
    inputs = [tensor for tensor in tensors_of([sample.input, sample.args, sample.kwargs]) if tensor.requires_grad]
    leaves = [tensor.detach().clone().requires_grad_() for tensor in inputs]
    middle = {id(tensor): leaf * 1 for tensor, leaf in zip(inputs, leaves, strict=True)}

    def swap(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return middle.get(id(value), value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return value
        if isinstance(value, (list, tuple)):
            return type(value)(swap(entry) for entry in value)
        return value

    with guard() as watch:
        outputs = list(tensors_of(op(swap(sample.input), *swap(sample.args), **sample.kwargs)))
        chosen = [out for out in outputs if out.requires_grad and out.is_floating_point()]
        if not chosen:
            return False, False, True
        total = sum(out.sum() for out in chosen)
        target = middle[id(inputs[which])]
        target.mul_(2)  # the write of the sweep
        try:
            torch.autograd.grad(total, leaves, allow_unused=True)
        except RuntimeError as error:
            native = "modified by an inplace operation" in str(error).split("\n")[0]
            named = any((finding.write.source or "").endswith("# the write of the sweep") for finding in watch.findings)
            return native, not native, named
    return False, False, not watch.findings


def sweep(ops: list[Any], count: int | None) -> tuple[int, int, set[str], list[str]]:
    raised = quiet = 0
    silent: set[str] = set()
    unnamed = []
    for op in ops:
        if not op.supports_autograd or op.name in RANDOM:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                chosen = samples(op, count)
            except REFUSED:
                continue
            for sample in chosen:
                inputs = [t for t in tensors_of([sample.input, sample.args, sample.kwargs]) if t.requires_grad]
                for which in range(min(len(inputs), 2)):
                    try:
                        native, own, named = write_after_save(op, sample, which)
                    except (*REFUSED, TypeError, ValueError):
                        continue  # a sample that cannot be called with a tensor that is no leaf
                    raised += native
                    quiet += not native and not own
                    if own:
                        silent.add(op.name)
                    if not named:
                        unnamed.append(f"{op.name}: input {which}")
    return raised, quiet, silent, unnamed


def test_a_write_after_each_op_is_told_exactly_where_pytorch_raises() -> None:
    raised, quiet, silent, unnamed = sweep(SOME, 1)
    assert silent <= {"kron"}
    assert unnamed == []
    assert raised > 50
    assert quiet > 25


@pytest.mark.slow
def test_a_write_after_each_sample_is_told_exactly_where_pytorch_raises() -> None:
    raised, quiet, silent, unnamed = sweep(OPS, None)
    assert silent == {"kron"}
    assert unnamed == []
    assert raised > 2000
    assert quiet > 1000


def test_in_place_variants_alone_are_no_hazard() -> None:
    checked = 0
    for op in OPS:
        variant = op.inplace_variant
        if variant is None or not op.supports_autograd or not op.supports_inplace_autograd:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for sample in samples(op, 2):
                if not isinstance(sample.input, torch.Tensor) or sample.broadcasts_input:
                    continue
                with guard() as watch:
                    try:
                        out = variant(sample.input.clone(), *sample.args, **sample.kwargs)
                        if out.requires_grad:
                            (out.real if out.is_complex() else out).sum().backward()
                    except REFUSED:
                        continue
                assert watch.findings == [], op.name
                checked += 1
    assert checked > 100


def test_compiled_functions_are_compiled_as_without() -> None:
    import torch._dynamo
    from torch._dynamo.testing import CompileCounter

    def work(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        h = torch.relu(x @ w)
        return (h * h).sum()

    x, w = torch.randn(4, 4), torch.randn(4, 4, requires_grad=True)
    work(x, w).backward()
    expected, w.grad = w.grad, None
    counter = CompileCounter()
    compiled = torch.compile(work, backend=counter, fullgraph=True)
    with guard() as watch:
        for _ in range(12):
            w.grad = None
            compiled(x, w).backward()
    assert counter.frame_count == 1
    assert torch.equal(w.grad, expected)
    assert watch.findings == []


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_write_to_what_a_compiled_function_saved_is_named(backend: str) -> None:
    def work(x: torch.Tensor) -> torch.Tensor:
        return x.sin() * x

    compiled = torch.compile(work, backend=backend)
    x = torch.randn(4, requires_grad=True)
    with guard() as watch:
        h = x * 1
        loss = compiled(h).sum()
        h.mul_(2)  # the write
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
    (found,) = watch.findings
    assert (found.write.source or "").endswith("# the write")
    assert found.saved is not None
    assert found.saved.source == "loss = compiled(h).sum()"


def traced_graph(net: nn.Module, x: torch.Tensor) -> str:
    graph = str(torch.jit.trace(net, x, check_trace=False).graph)
    return re.sub(r"___torch_mangle_\d+\.", "", graph)


def test_export_and_tracing_give_the_same_graphs() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(3, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            h = self.fc(x)
            h.add_(1)
            h[0] = 0
            return h.relu_()

    net, x = Net(), torch.randn(2, 3)
    plain = str(torch.export.export(net, (x,)).graph)
    traced = traced_graph(net, x)
    symbolic = str(torch.fx.symbolic_trace(nn.Sequential(nn.Linear(3, 3), nn.ReLU())).graph)
    with guard() as watch:
        assert str(torch.export.export(net, (x,)).graph) == plain
        assert traced_graph(net, x) == traced
        assert str(torch.fx.symbolic_trace(nn.Sequential(nn.Linear(3, 3), nn.ReLU())).graph) == symbolic
    assert watch.findings == []


def test_gradcheck_passes() -> None:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            return 3 * x**2 * grad

    x = torch.randn(3, dtype=torch.double, requires_grad=True)
    with guard() as watch:
        assert torch.autograd.gradcheck(Cube.apply, (x,))
        assert torch.autograd.gradgradcheck(Cube.apply, (x,))
    assert watch.findings == []


def test_fake_and_meta_tensors_are_left_alone() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with guard() as watch:
        m = torch.empty(3, device="meta", requires_grad=True) * 1
        m.add_(1)
        assert region_of(m) is None
        with FakeTensorMode():
            f = torch.empty(3, requires_grad=True) * 1
            f.add_(1)
            f[0] = 2
            f.sum().backward()
    assert watch.findings == []


def test_what_a_fake_tensor_shows_inside_its_kernels_is_not_asked_for_its_address() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode, in_kernel_invocation_manager

    with FakeTensorMode() as mode:
        fake = torch.empty(3)
    with in_kernel_invocation_manager(mode):
        inner = torch.ops.aten.detach.default(fake)
    assert type(inner) is torch.Tensor
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert region_of(inner) is None
        assert base_of(inner) == 0


def test_a_compiled_step_is_compiled_as_without_and_told() -> None:
    from torch._dynamo.testing import CompileCounter

    def train(hazard: bool) -> tuple[int, int, list[torch.Tensor]]:
        torch._dynamo.reset()
        torch.manual_seed(0)
        net, x = nn.Linear(3, 3), torch.ones(2, 3, requires_grad=True)
        optimizer = torch.optim.Adam(net.parameters(), foreach=True)
        counter = CompileCounter()
        step = torch.compile(optimizer.step, backend=counter)
        for _ in range(3):
            optimizer.zero_grad()
            loss = net(x).square().sum()
            loss.backward(retain_graph=hazard)
            step()
            if hazard:
                loss.backward()
        return counter.frame_count, counter.op_count, [p.detach() for p in net.parameters()]

    frames, ops, parameters = train(hazard=False)
    with guard() as watch:
        assert train(hazard=False)[:2] == (frames, ops)
        assert all(torch.equal(one, other) for one, other in zip(train(hazard=False)[2], parameters, strict=True))
    assert watch.findings == []
    with guard() as watch, pytest.raises(RuntimeError, match="modified by an inplace operation"):
        train(hazard=True)
    assert "Adam" in watch.findings[0].message


class TestFastPaths:
    """In evaluation, torch.nn's transformer layers go a way of their own, where padding comes out as zeros."""

    @staticmethod
    def encode() -> torch.Tensor:
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        encoder = nn.TransformerEncoder(layer, 2).eval()
        padding = torch.tensor([[False, False, True], [False, False, False]])
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            return encoder(torch.randn(2, 3, 8), src_key_padding_mask=padding)

    def test_they_are_taken_as_without(self) -> None:
        plain = self.encode()
        with guard():
            assert torch.equal(self.encode(), plain)
        assert (plain[0, 2] == 0).all()

    def test_another_mode_still_closes_them(self) -> None:
        with torch.overrides.BaseTorchFunctionMode():
            plain = self.encode()
            with guard():
                assert torch.equal(self.encode(), plain)

    def test_the_layers_can_be_scripted_and_compiled(self) -> None:
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
        x = torch.randn(2, 3, 8)
        with torch.no_grad():
            plain = layer(x)
            with guard():
                assert torch.allclose(torch.jit.script(layer)(x), plain, atol=1e-5)
                assert torch.allclose(torch.compile(layer, backend="eager", fullgraph=True)(x), plain, atol=1e-5)
            assert torch.allclose(torch.compile(layer, backend="eager", fullgraph=True)(x), plain, atol=1e-5)

    def test_compiled_after_dynamo_first_looked_under_a_guard(self) -> None:
        from torch._dynamo.variables.torch import TorchInGraphFunctionVariable

        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
        x = torch.randn(2, 3, 8)
        TorchInGraphFunctionVariable._get_handlers.cache_clear()
        try:
            with torch.no_grad():
                plain = layer(x)
                with guard():
                    TorchInGraphFunctionVariable._get_handlers()
                    assert torch.allclose(torch.compile(layer, backend="eager", fullgraph=True)(x), plain, atol=1e-5)
                TorchInGraphFunctionVariable._get_handlers.cache_clear()
                with guard():
                    TorchInGraphFunctionVariable._get_handlers()
                torch.compiler.reset()
                assert torch.allclose(torch.compile(layer, backend="eager", fullgraph=True)(x), plain, atol=1e-5)
        finally:
            TorchInGraphFunctionVariable._get_handlers.cache_clear()
            torch.compiler.reset()


class TestGPT2:
    """transformers' GPT-2: two layers, random weights, nothing downloaded."""

    @pytest.fixture
    def model(self) -> Any:
        transformers = pytest.importorskip("transformers", reason="transformers is not installed")
        torch.manual_seed(0)
        config = transformers.GPT2Config(n_layer=2, n_embd=32, n_head=2, vocab_size=50, n_positions=16)
        return transformers.GPT2LMHeadModel(config).train()

    @staticmethod
    def step(model: Any) -> list[torch.Tensor]:
        torch.manual_seed(1)
        ids = torch.randint(0, 50, (1, 8))
        model.zero_grad()
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        return [loss.detach(), *(p.grad.clone() for p in model.parameters())]

    def test_a_training_step_is_bit_equal(self, model: Any) -> None:
        plain = self.step(model)
        with guard() as watch:
            guarded = self.step(model)
        assert all(torch.equal(one, other) for one, other in zip(plain, guarded, strict=True))
        assert watch.findings == []

    def test_a_first_residual_made_in_place_is_named(self, model: Any) -> None:
        block = model.transformer.h[0]
        block_attention = block.attn

        class Inplace(nn.Module):
            def __init__(self, old: Any) -> None:
                super().__init__()
                self.old = old

            def forward(self, hidden_states: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
                residual = hidden_states
                out = block_attention(self.old.ln_1(hidden_states))[0]
                residual += out  # the first residual
                return self.old.mlp(self.old.ln_2(residual)) + residual

        model.transformer.h[0] = Inplace(block)
        with guard() as watch, pytest.raises(RuntimeError, match="modified by an inplace operation"):
            self.step(model)
        (found,) = watch.findings
        assert (found.write.source or "").endswith("# the first residual")
        assert found.saved is not None
        assert found.saved.module == "transformer.h.0.old.ln_1"
