CONFIG = {
    "channels": 8,
    "reduction": 2,
    "hook": {"target": "Sigmoid", "keep": 0.75},
}
