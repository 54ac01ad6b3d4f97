from .protonet import ProtoNet
from .episode import episode_loss

__all__ = ["ProtoNet", "episode_loss"]
