def outliers(resid, bound=1.0):
    return int((resid.detach().abs() >= bound).sum())
