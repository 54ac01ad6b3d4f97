from .zoo import create_model
