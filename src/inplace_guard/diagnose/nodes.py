"""The analysis names ops as the code does (`relu`, `Linear`), PyTorch's errors as the graph does (`Relu`, `Addmm`)."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["fits"]

# Where one op of the code is another node, or several, of the graph. Keys and values in lower case, without "_".
_ALSO: dict[str, tuple[str, ...]] = {
    "linear": ("addmm", "mm", "view", "unsafeview", "t", "squeeze", "add", "bmm"),
    "matmul": ("mm", "bmm", "mv", "dot", "unsafeview", "view", "squeeze", "addmm"),
    "bilinear": ("trilinear", "add"),
    "einsum": ("bmm", "view", "permute", "reshapealias", "sum", "mul", "unsafeview"),
    "baddbmm": ("baddbmm",),
    "layernorm": ("nativelayernorm",),
    "groupnorm": ("nativegroupnorm",),
    "batchnorm": ("nativebatchnorm", "cudnnbatchnorm", "miopenbatchnorm"),
    "instancenorm": ("nativebatchnorm", "view"),
    "rmsnorm": ("mul", "rsqrt", "fusedrmsnorm"),
    "norm": ("linalgvectornorm", "norm", "linalgmatrixnorm"),
    "normalize": ("div", "linalgvectornorm", "expand", "clampmin"),
    "conv": ("convolution", "mkldnnconvolution", "cudnnconvolution", "thnnconv2d", "slowconv2d", "squeeze"),
    "convtranspose": ("convolution",),
    "relu6": ("hardtanh",),
    "maxpool": ("maxpool2dwithindices", "maxpool3dwithindices", "squeeze"),
    "adaptiveavgpool": ("mean", "adaptiveavgpool2d"),
    "dropout": ("mul", "nativedropout", "div"),
    "mseloss": ("mseloss",),
    "crossentropy": ("nllloss", "nllloss2d", "logsoftmax"),
    "crossentropyloss": ("nllloss", "nllloss2d", "logsoftmax"),
    "bceloss": ("binarycrossentropy",),
    "bcewithlogitsloss": ("binarycrossentropywithlogits",),
    "l1loss": ("abs", "mean", "sub"),
    "scaleddotproductattention": ("bmm", "softmax", "safesoftmax", "scaleddotproductflashattentionforcpu"),
    "multiheadattention": ("addmm", "bmm", "softmax", "view", "unsafeview", "scaleddotproductattention"),
    "embedding": ("embedding",),
    "gru": ("addmm", "mm", "add", "mul", "sigmoid", "tanh", "stack", "cudnnrnn"),
    "grucell": ("addmm", "add", "mul", "sigmoid", "tanh", "thnnfusedgrucell"),
    "lstm": ("addmm", "mm", "add", "mul", "sigmoid", "tanh", "stack", "cudnnrnn"),
    "lstmcell": ("addmm", "mul", "sigmoid", "tanh", "add", "thnnfusedlstmcell"),
    "rnncell": ("tanh", "relu", "addmm"),
    "setitem": ("copyslices", "indexput", "indexfill", "asstrided"),
    "copyslices": ("copyslices", "indexput", "asstrided"),
    "getitem": ("select", "slice", "index", "unsqueeze", "view"),
    "truediv": ("div",),
    "square": ("pow",),
    "chunk": ("split",),
    "unbind": ("unbind", "select"),
    "reshape": ("view", "unsafeview", "reshapealias", "clone"),
    "flatten": ("view", "unsafeview", "reshapealias", "flatten"),
    "contiguous": ("clone",),
    "stack": ("stack", "cat"),
    "vstack": ("cat",),
    "hstack": ("cat",),
    "concat": ("cat",),
    "to": ("tocopy", "copy"),
    "std": ("std", "sqrt"),
    "cdist": ("cdist",),
    "cholesky": ("linalgcholeskyex",),
    "inv": ("linalginvex",),
    "solve": ("linalgsolveex",),
    "det": ("linalgdet",),
    "softmax": ("softmax", "safesoftmax"),
    "t": ("t", "transpose"),
    "permute": ("permute",),
    "transpose": ("transpose", "t"),
    "checkpoint": ("checkpointfunction",),
}
_SIZED = re.compile(r"(?<=norm|conv|pool|pose|pout)[123]d$")


@cache
def fits(op: str, node: str) -> bool:
    """Whether an op of the code can be this node of the graph."""
    ours, theirs = _plain(op), _plain(re.sub(r"Backwards?\d*$", "", node.rpartition("::")[2]))
    if not ours or not theirs:
        return False
    short = _SIZED.sub("", ours)
    names = {ours, short, *_ALSO.get(ours, ()), *_ALSO.get(short, ())}
    forms = (theirs, theirs.rstrip("0123456789"))  # the overload of an op is a number: Clamp1, Fill2
    return any(
        form and (form in names or any(form in (f"native{name}", f"linalg{name}", f"special{name}") for name in names))
        for form in forms
    )


def _plain(name: str) -> str:
    return name.rpartition(".")[2].replace("_", "").lower()
