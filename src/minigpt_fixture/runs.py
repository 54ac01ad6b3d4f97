"""A run on disk: one folder with config.json, losses.jsonl, gradients.safetensors, weights.safetensors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigpt_fixture.errors import UsageError, require

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Run", "RunWriter", "read"]

FORMAT = 1
CONFIG, LOSSES, GRADIENTS, WEIGHTS = "config.json", "losses.jsonl", "gradients.safetensors", "weights.safetensors"


class RunWriter:
    """Writes a run as it happens. A folder that holds something other than a run is refused, an older run is replaced.

    Raises UsageError.
    """

    def __init__(self, folder: Path, config: Mapping[str, Any]) -> None:
        require("safetensors")
        self.folder = folder
        self.config: dict[str, Any] = {"format": FORMAT, **config, "status": "running"}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()) and not (folder / CONFIG).exists():
                raise UsageError(f"{folder} is not empty and is not a run: choose another --out")
            for name in (LOSSES, GRADIENTS, WEIGHTS):
                (folder / name).unlink(missing_ok=True)
            self._write_config()
            self._losses = (folder / LOSSES).open("w", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write to {folder}: {error.strerror}") from error

    def loss(self, step: int, loss: float) -> None:
        print(json.dumps({"step": step, "loss": loss}), file=self._losses)

    def tensors(self, name: str, tensors: Mapping[str, Tensor]) -> None:
        from safetensors import SafetensorError
        from safetensors.torch import save_file

        try:
            save_file({key: value.detach().contiguous() for key, value in tensors.items()}, self.folder / name)
        except SafetensorError as error:
            raise UsageError(f"cannot write {self.folder / name}: {error}") from error

    def close(self, status: str, **facts: Any) -> None:
        """`status`: finished, raised or interrupted."""
        self._losses.close()
        self.config.update(facts, status=status)
        self._write_config()

    def _write_config(self) -> None:
        (self.folder / CONFIG).write_text(json.dumps(self.config, indent=2) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Run:
    """What grad-compare reads of a run."""

    folder: Path
    config: Mapping[str, Any]
    gradients: Mapping[str, Tensor]

    @property
    def parameters(self) -> list[str]:
        return list(self.config["parameters"])


def read(folder: Path) -> Run:
    """Raises UsageError if the folder is no run, or a run without gradients."""
    if not folder.is_dir():
        raise UsageError(f"no such folder: {folder}")
    if not (folder / CONFIG).is_file():
        raise UsageError(f"{folder} is not a run of `python -m minigpt_fixture train`: it has no {CONFIG}")
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {folder / CONFIG}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{folder / CONFIG} is not JSON: {error}") from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise UsageError(f"{folder / CONFIG} was not written by this version: its format is not {FORMAT}")
    if absent := {"break", "seed", "model", "corpus", "parameters", "status"} - config.keys():
        raise UsageError(f"{folder / CONFIG} lacks {', '.join(sorted(absent))}")
    if not isinstance(config["parameters"], dict):
        raise UsageError(f"{folder / CONFIG} was not written by `train`: its parameters are not names with shapes")
    if not (folder / GRADIENTS).is_file():
        why = f": its backward raised (break {config['break']!r})" if config["status"] == "raised" else ""
        raise UsageError(f"{folder} has no gradients to compare{why}")
    require("torch", "safetensors")
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        gradients = load_file(folder / GRADIENTS)
    except (OSError, SafetensorError) as error:
        raise UsageError(f"cannot read {folder / GRADIENTS}: {error}") from error
    for name, gradient in gradients.items():
        if config["parameters"].get(name) != list(gradient.shape):
            what = f"{name} {list(gradient.shape)}"
            raise UsageError(f"{folder / GRADIENTS} is not of the run in {CONFIG}, which has no parameter {what}")
    return Run(folder, config, gradients)
