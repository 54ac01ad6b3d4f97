def moments(x, dim=0):
    mu = x.mean(dim, keepdim=True)
    var = x.var(dim, keepdim=True, unbiased=False)
    return mu, var
