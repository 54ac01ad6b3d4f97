from torch import nn


class Swish(nn.Module):
    def forward(self, x):
        return x * x.sigmoid()


ACT2FN = {"gelu": nn.GELU, "relu": nn.ReLU, "swish": Swish}
