from graphnet.data import ring_graph
from graphnet.nn.net import GraphNet

__all__ = ["GraphNet", "ring_graph"]
