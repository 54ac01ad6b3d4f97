def clip_norm(weights, limit=0.5):
    weights.clamp_(max=limit)
    return weights
