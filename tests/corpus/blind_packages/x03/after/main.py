from gan.engine import Trainer
from gan.options import get_options


def main():
    opts = get_options()
    trainer = Trainer(opts)
    log = trainer.fit()
    for row in log:
        print(*(f"{k}={v:.6f}" for k, v in row.items()))


if __name__ == "__main__":
    main()
