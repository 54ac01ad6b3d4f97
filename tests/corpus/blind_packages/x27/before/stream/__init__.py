from .reader import ChunkReader
from .model import Odometry
