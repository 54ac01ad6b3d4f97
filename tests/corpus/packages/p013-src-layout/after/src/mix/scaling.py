def clip_norm(weights, limit=0.5):
    return weights.clamp(max=limit)
