from .coupling import *
from .objective import *
