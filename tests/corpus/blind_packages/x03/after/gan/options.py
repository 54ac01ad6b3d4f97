import argparse


def get_options(argv=()):
    p = argparse.ArgumentParser()
    p.add_argument("--zdim", type=int, default=4)
    p.add_argument("--hidden", type=int, default=16)
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--lr", type=float, default=1e-3)
    return p.parse_args(list(argv))
