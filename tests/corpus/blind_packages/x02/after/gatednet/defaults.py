CFG = {
    "seed": 3,
    "lr": 0.05,
    "width": 8,
    "n_blocks": 2,
    "n_classes": 3,
    "act": "relu",
    "gate": "hsig",
}
