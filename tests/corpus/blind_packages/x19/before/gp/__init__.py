from gp.process import GaussianProcess
