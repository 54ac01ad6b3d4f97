from .convstage import ConvStage


class ScaledSkipStage(ConvStage):
    alpha = 0.5

    def post(self, y, x):
        return y.add_(x.mul(self.alpha))
