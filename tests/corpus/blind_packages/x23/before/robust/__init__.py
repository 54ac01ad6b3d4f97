from .head import RobustHead
from .functional import log_cosh
