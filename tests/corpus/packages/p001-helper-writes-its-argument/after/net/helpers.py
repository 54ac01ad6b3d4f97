def accumulate(total, update):
    """Adds one more residual branch."""
    return total + update
