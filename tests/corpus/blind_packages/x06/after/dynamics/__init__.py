from .systems import Pendulum
from .simulate import simulate
