"""Calling things by their imported name: torch's functions and classes that the op table cannot describe."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_guard.analysis import (
    builtin_calls,
    calls,
    differentiation,
    making,
    nn_modules,
    optimizers,
    python_calls,
    tensor_methods,
    torch_ops,
)
from inplace_guard.analysis.values import (
    NO,
    NONE,
    NUMBER,
    UNKNOWN,
    YES,
    Builtin,
    Const,
    Name,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

OPERATORS = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow", "floordiv": "floor_divide"}
KINDS = {
    **dict.fromkeys(("torch.long", "torch.int64", "torch.int", "torch.int32", "torch.uint8", "torch.int16"), "int"),
    "torch.bool": "bool",
}

Handler = Callable[["Interpreter", list[Value], dict[str, Value], ast.AST], Value]


def call(it: Interpreter, dotted: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    handler = HANDLERS.get(dotted)
    if handler is not None:
        return handler(it, args, kwargs, node)
    head, _, _ = dotted.partition(".")
    if head == "torch":
        return torch_call(it, dotted, args, kwargs, node)
    if head in ("numpy", "cupy"):
        return builtin_calls.numpy_call(it, dotted.rpartition(".")[2], args, kwargs, node)
    if head in ("math", "os", "time", "random", "re", "json", "logging", "warnings", "sys", "pathlib"):
        return NUMBER
    return calls.opaque(it, UNKNOWN, args, kwargs, node, saves=False)


def torch_call(it: Interpreter, dotted: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    name = dotted.rpartition(".")[2]
    if dotted.startswith("torch.nn.") and dotted.count(".") == 2 and name[:1].isupper():
        return nn_modules.make(it, dotted, args, kwargs, node)
    if dotted.startswith("torch.optim.") and dotted.count(".") == 2 and name[:1].isupper():
        return optimizers.make_optimizer(it, name, args, kwargs)
    if dotted.startswith("torch.sparse.") and torch_ops.find(dotted) is None:
        dotted = f"torch.{name}"
    op = torch_ops.find(dotted)
    if op is None:
        made = torch_ops.unlisted(it, dotted, args, kwargs, node)
        distribution = isinstance(made, Tensor) and dotted.startswith("torch.distributions.")
        return made.but(origin="distribution") if distribution and isinstance(made, Tensor) else made
    if dotted.startswith("torch.Tensor.") and args and isinstance(args[0], Tensor):
        return tensor_methods.call_method(it, args[0], name, args[1:], kwargs, node)
    flag = kwargs.pop("requires_grad", None) if "requires_grad" in kwargs else None
    if dotted.startswith("torch.nn.init."):
        return initialised(it, dotted, args, kwargs, node)
    result = torch_ops.apply(it, dotted, args, kwargs, node)
    if name in ("split", "chunk", "tensor_split"):
        result = tensor_methods.sized(it, result, name, args[1:])
    if isinstance(result, Tensor) and isinstance(flag, Const) and flag.value:
        it.require(result, YES)
    element = kwargs.get("dtype")
    if isinstance(result, Tensor) and isinstance(element, Name) and element.dotted in KINDS:
        result = result.but(kind=KINDS[element.dotted], req=NO)
    again = kwargs.get("replacement", args[2] if len(args) > 2 else NONE)
    drawn = name == "multinomial" and isinstance(again, Const) and again.value is True
    if isinstance(result, Tensor) and (name == "randint" or drawn):
        return result.but(origin="repeats", kind="int")
    return result


def initialised(it: Interpreter, dotted: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """torch.nn.init works under no_grad."""
    grad, it.heap["grad"] = it.heap["grad"], False
    try:
        return torch_ops.apply(it, dotted, args, kwargs, node)
    finally:
        it.heap["grad"] = grad


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("torch.Tensor", "torch.FloatTensor", "torch.DoubleTensor"), making.uninitialised("")),
    **dict.fromkeys(("torch.LongTensor", "torch.IntTensor", "torch.ByteTensor"), making.uninitialised("int")),
    "torch.tensor": making.tensor,
    "torch.sparse_coo_tensor": making.sparse("torch.sparse_coo_tensor", 1),
    "torch.sparse_csr_tensor": making.sparse("torch.sparse_csr_tensor", 2),
    "torch.sparse_csc_tensor": making.sparse("torch.sparse_csc_tensor", 2),
    "torch.from_numpy": making.shared("numpy"),
    "torch.from_dlpack": making.shared("dlpack"),
    "torch.utils.dlpack.from_dlpack": making.shared("dlpack"),
    "torch.utils.dlpack.to_dlpack": making.to_dlpack,
    "torch.to_dlpack": making.to_dlpack,
    "torch.frombuffer": making.shared("buffer"),
    "torch.as_tensor": making.shared("as_tensor"),
    "torch.asarray": making.shared("as_tensor"),
    "torch.no_grad": differentiation.mode("no_grad"),
    "torch.inference_mode": differentiation.mode("inference"),
    "torch.enable_grad": differentiation.mode("enable_grad"),
    "torch.set_grad_enabled": differentiation.set_grad_enabled,
    "torch.is_grad_enabled": differentiation.is_grad_enabled,
    "torch.is_tensor": making.is_tensor,
    "torch.autocast": differentiation.other_context,
    "torch.autograd.graph.saved_tensors_hooks": differentiation.hooks,
    "torch.autograd.graph.save_on_cpu": differentiation.hooks,
    "torch.autograd.graph.allow_mutation_on_saved_tensors": differentiation.copied,
    "torch.autograd.set_detect_anomaly": differentiation.other_context,
    "torch.autograd.detect_anomaly": differentiation.other_context,
    "torch.autograd.backward": differentiation.backward,
    "torch.autograd.grad": differentiation.grad,
    "torch.nn.Embedding.from_pretrained": nn_modules.from_pretrained,
    "torch.nn.EmbeddingBag.from_pretrained": nn_modules.from_pretrained,
    "torch.utils.data.DataLoader": python_calls.data_loader,
    "torch.func.functional_call": python_calls.functional_call,
    "torch.nn.utils.stateless.functional_call": python_calls.functional_call,
    "torch.utils.checkpoint.checkpoint": differentiation.checkpoint,
    "torch.nn.utils.vector_to_parameters": optimizers.vector_to_parameters,
    "torch.nn.utils.convert_parameters.vector_to_parameters": optimizers.vector_to_parameters,
    "torch.nn.utils.clip_grad_norm_": optimizers.clip("clip_grad_norm_"),
    "torch.nn.utils.clip_grad_value_": optimizers.clip("clip_grad_value_"),
    "struct.pack_into": python_calls.pack_into,
    "torch.amp.GradScaler": optimizers.scaler,
    "torch.cuda.amp.GradScaler": optimizers.scaler,
    "torch.compile": python_calls.itself,
    "torch.jit.script": python_calls.itself,
    "torch.nn.utils.spectral_norm": python_calls.itself,
    "torch.nn.utils.weight_norm": python_calls.itself,
    "torch.nn.utils.parametrizations.spectral_norm": python_calls.itself,
    "torch.optim.swa_utils.AveragedModel": python_calls.deep_copy,
    "torch.finfo": lambda it, args, kwargs, node: Builtin("finfo"),
    **dict.fromkeys(("torch.manual_seed", "torch.Generator"), lambda it, args, kwargs, node: NUMBER),
    "functools.partial": python_calls.partial,
    "functools.reduce": python_calls.reduce_,
    "collections.namedtuple": python_calls.namedtuple_,
    "types.SimpleNamespace": lambda it, args, kwargs, node: it.dict_(dict(kwargs), "namespace"),
    "torch.utils.checkpoint.checkpoint_sequential": differentiation.checkpoint_sequential,
    **{f"operator.i{op}": python_calls.inplace_operator(f"{name}_") for op, name in OPERATORS.items()},
    "functools.wraps": lambda it, args, kwargs, node: Builtin("identity"),
    **dict.fromkeys(("random.sample", "random.choices"), python_calls.sampled),
    "copy.copy": python_calls.shallow_copy,
    "copy.deepcopy": python_calls.deep_copy,
    "itertools.chain": python_calls.chained,
    "collections.OrderedDict": python_calls.ordered,
    "collections.defaultdict": python_calls.default_dict,
    "collections.deque": lambda it, args, kwargs, node: builtin_calls.copied("list")(it, args[:1], {}, node),
    "tqdm.tqdm": python_calls.itself,
    "tqdm.auto.tqdm": python_calls.itself,
}
for _name in (
    "add",
    "mul",
    "div",
    "sub",
    "addcmul",
    "addcdiv",
    "lerp",
    "zero",
    "clamp_min",
    "clamp_max",
    "copy",
    "neg",
):
    HANDLERS[f"torch._foreach_{_name}_"] = optimizers.foreach(f"_foreach_{_name}_")
