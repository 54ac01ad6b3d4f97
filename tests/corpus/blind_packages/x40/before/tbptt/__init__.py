def build_model(**kw):
    from .model import SequenceModel

    return SequenceModel(**kw)
