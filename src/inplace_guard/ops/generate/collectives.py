"""What the collectives of torch.distributed write, seen by running each between two processes over gloo."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from inplace_guard.ops.codec import encode_op
from inplace_guard.ops.generate.binding import python_param
from inplace_guard.ops.model import Op, Overload, Result

_RANKS = 2


def _t(number: int = 1) -> list[torch.Tensor]:
    """Tensors that differ between the ranks, so that whatever is received changes them."""
    return [torch.full((2, 2), float(dist.get_rank() + 10 * index)) for index in range(number)]


def _wide() -> torch.Tensor:
    return torch.full((2 * _RANKS, 2), float(dist.get_rank()))


# Arguments by name, so that rank 0 receives. What a rank sends to the other must be matched there.
_CALLS: dict[str, Callable[[], dict[str, Any]]] = {
    "all_reduce": lambda: {"tensor": _t()[0]},
    "broadcast": lambda: {"tensor": _t()[0], "src": 1},
    "reduce": lambda: {"tensor": _t()[0], "dst": 0},
    "all_gather": lambda: {"tensor_list": _t(_RANKS), "tensor": _t()[0] + 1},
    "all_gather_into_tensor": lambda: {"output_tensor": _wide(), "input_tensor": _t()[0] + 1},
    "gather": lambda: {"tensor": _t()[0] + 1, "gather_list": _t(_RANKS) if dist.get_rank() == 0 else None, "dst": 0},
    "scatter": lambda: {"tensor": _t()[0], "scatter_list": _t(_RANKS) if dist.get_rank() == 1 else None, "src": 1},
    "reduce_scatter": lambda: {"output": _t()[0] + 5, "input_list": _t(_RANKS)},
    "reduce_scatter_tensor": lambda: {"output": _t()[0] + 5, "input": _wide()},
    "all_to_all_single": lambda: {"output": _wide() + 5, "input": _wide()},
}


def table() -> dict[str, str]:
    """Text of each collective, by its dotted name."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-W", "ignore", "-m", __name__, folder]
        ranks = [subprocess.Popen([*command, str(rank)], stdout=subprocess.PIPE) for rank in range(_RANKS)]
        answers = [rank.communicate(timeout=300)[0] for rank in ranks]
    seen: dict[str, dict[str, bool]] = json.loads(answers[0])
    if idle := [name for name, written in seen.items() if not written]:
        raise RuntimeError(f"these collectives wrote nothing: {idle}")
    return {f"torch.distributed.{name}": encode_op(_op(name, written)) for name, written in seen.items()}


def _op(name: str, written: dict[str, bool]) -> Op:
    parameters = inspect.signature(getattr(dist, name)).parameters.values()
    return Op(
        name,
        (
            Overload(
                params=tuple(map(python_param, parameters)),
                results=(Result(differentiable=False, tensor=False),),
                writes=tuple(written),
                records=False,
                unversioned=tuple(argument for argument, versioned in written.items() if not versioned),
            ),
        ),
    )


def _measure() -> dict[str, dict[str, bool]]:
    """For each collective the arguments that changed here, and whether their version moved."""
    found: dict[str, dict[str, bool]] = {}
    for name, make in _CALLS.items():
        given = make()
        tensors = [(n, t) for n, v in given.items() for t in (v if isinstance(v, list) else [v]) if torch.is_tensor(t)]
        before = [(t.clone(), t._version) for _, t in tensors]
        getattr(dist, name)(**given)
        found[name] = {}
        for (argument, tensor), (old, version) in zip(tensors, before, strict=True):
            if not torch.equal(tensor, old):
                found[name][argument] = found[name].get(argument, True) and tensor._version != version
        dist.barrier()
    return found


def _main(folder: str, rank: int) -> None:
    rendezvous = (Path(folder) / "rendezvous").as_uri()
    dist.init_process_group("gloo", init_method=rendezvous, rank=rank, world_size=_RANKS)
    answer = _measure()
    dist.destroy_process_group()
    print(json.dumps(answer))


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]))
