class MaxNorm:
    """Rows of every weight matrix get at most `bound` as norm."""

    def __init__(self, bound):
        self.bound = bound

    def __call__(self, w):
        norms = w.data.norm(dim=1, keepdim=True)
        factor = norms.clamp(min=self.bound).reciprocal_().mul_(self.bound)
        w.data.mul_(factor)
