import torch
import torch.nn as nn


class KMeans:
    def __init__(self, k, max_iter=50, tol=1e-5):
        self.k, self.max_iter, self.tol = k, max_iter, tol
        self.n_iter = 0

    def fit(self, x):
        self.centres = x[: self.k].clone()
        for self.n_iter in range(1, self.max_iter + 1):
            old = self.centres
            labels = torch.cdist(x, self.centres).argmin(dim=1)
            for j in range(self.k):
                members = x[labels == j]
                if len(members):
                    self.centres[j] = members.mean(dim=0)
            if (self.centres - old).pow(2).sum() < self.tol:
                break
        return self

    def predict(self, x):
        return torch.cdist(x, self.centres).argmin(dim=1)


class DeepCluster:
    def __init__(self, encoder, k):
        self.encoder, self.k = encoder, k

    def pseudo_labels(self, x):
        with torch.no_grad():
            feats = self.encoder(x)
        kmeans = KMeans(self.k).fit(feats)
        return kmeans.predict(feats), kmeans


def main():
    torch.manual_seed(39)
    encoder = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    x = torch.cat([torch.randn(12, 4) + 3 * torch.randn(4) for _ in range(3)])
    labels, kmeans = DeepCluster(encoder, 3).pseudo_labels(x[torch.randperm(36)])
    return {"labels": labels, "centres": kmeans.centres, "iterations": torch.tensor(kmeans.n_iter)}


if __name__ == "__main__":
    main()
