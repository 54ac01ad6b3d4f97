class Carry:
    """Hidden state of the policy between steps."""

    def __init__(self, h):
        self.h = h

    def detach(self):
        return Carry(self.h.detach())

    def __imul__(self, keep):
        self.h *= keep
        return self
