def accumulate(total, update):
    """Adds one more residual branch."""
    total.add_(update)
    return total
