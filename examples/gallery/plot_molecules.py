"""
Molecules: which fingerprint?
=============================

How active is a molecule? A *fingerprint* describes it by bits, one for each substructure that
occurs in it, and there are many kinds of fingerprints. Instead of choosing one, use all of them and
learn their weights.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from rdkit import Chem, RDConfig
from rdkit.Chem import rdFingerprintGenerator as generators
from rdkit.Chem.MACCSkeys import GenMACCSKeys
from rdkit.Chem.Scaffolds.MurckoScaffold import MurckoScaffoldSmiles
from sklearn.model_selection import GroupKFold, KFold, cross_val_score

import learnkernels as lk
from learnkernels.inspection import WeightsDisplay

# %%
# RDKit contains 1,017 molecules of the ChEMBL database with their measured activities (larger is
# more active), the example of its Free-Wilson analysis. This page takes every second one.

folder = Path(RDConfig.RDContribDir) / "FreeWilson" / "data"
structures = pd.read_csv(
    folder / "CHEMBL2321810.smi", sep=r"\s+", names=["smiles", "Name"]
)
activities = pd.read_csv(folder / "CHEMBL2321810_act.csv")
table = structures.merge(activities, on="Name")[::2]
molecules = [Chem.MolFromSmiles(text) for text in table["smiles"]]
y = table["Act"].to_numpy()
print(len(y), "molecules, activities from", y.min(), "to", y.max())

# %%
# Six fingerprints: atoms with their surroundings ("circular", once of atoms and once of their roles
# such as donor or aromatic), pairs of atoms, chains of four atoms, paths, and 166 given
# substructures ("keys"). Each is a block of columns with its own Tanimoto kernel: the number of
# bits that two molecules share, divided by the number of bits that at least one of them has.

roles = generators.GetMorganFeatureAtomInvGen()
fingerprints = {
    "circular": generators.GetMorganGenerator(radius=2, fpSize=1024),
    "circular, roles": generators.GetMorganGenerator(
        radius=2, fpSize=1024, atomInvariantsGenerator=roles
    ),
    "atom pairs": generators.GetAtomPairGenerator(fpSize=1024),
    "torsions": generators.GetTopologicalTorsionGenerator(fpSize=1024),
    "paths": generators.GetRDKitFPGenerator(fpSize=1024),
}
blocks = {
    name: np.array([one.GetFingerprintAsNumPy(molecule) for molecule in molecules])
    for name, one in fingerprints.items()
}
blocks["keys"] = np.array([list(GenMACCSKeys(molecule)) for molecule in molecules])

X = np.hstack(list(blocks.values()))
ends = np.cumsum([block.shape[1] for block in blocks.values()])
kernels = {
    name: lk.on(slice(end - block.shape[1], end), lk.tanimoto(), name=name)
    for (name, block), end in zip(blocks.items(), ends, strict=True)
}
print("table of", X.shape, "bits")

# %%
# Known and new scaffolds
# -----------------------
#
# The *scaffold* of a molecule is what remains without its side chains. In random folds, most test
# molecules have a scaffold that is also in the training data. In practice new scaffolds matter, and
# they are harder: the folds of "new scaffolds" hold out whole scaffolds.

scaffolds = [MurckoScaffoldSmiles(mol=molecule) for molecule in molecules]
folds = {
    "known scaffolds": list(KFold(3, shuffle=True, random_state=0).split(X)),
    "new scaffolds": list(GroupKFold(3).split(X, groups=scaffolds)),
}
models = {
    name: lk.KernelRegressor(kernel, method="unif")
    for name, kernel in kernels.items()
}
models["all, uniform weights"] = lk.KernelRegressor(list(kernels.values()), "unif")
models["all, learned weights"] = lk.KernelRegressor(list(kernels.values()))
scores = pd.DataFrame(
    {
        setting: {
            name: cross_val_score(model, X, y, cv=splits).mean()
            for name, model in models.items()
        }
        for setting, splits in folds.items()
    }
)
scores.round(3)  # R²

# %%
# The weights
# -----------

model = models["all, learned weights"].fit(X, y)
figure, ax = plt.subplots(figsize=(5.6, 2.6), layout="constrained")
WeightsDisplay(list(model.view_weights_), list(model.view_weights_.values())).plot(
    ax
)

# %%
# How much did learning the kernel help?
# --------------------------------------

uniform, learned = (
    scores.loc["all, uniform weights"],
    scores.loc["all, learned weights"],
)
best = scores[: len(kernels)].max()
for setting in scores:
    print(
        f"{setting}: R² {learned[setting]:.3f} learned, {uniform[setting]:.3f} uniform, "
        f"{best[setting]:.3f} best single fingerprint"
    )

# %%
# Combining the fingerprints helps a little: all of them predict better than the best one alone.
# Learning their weights does not help here: uniform weights are as good for known scaffolds, and
# slightly better for new ones. The weights are chosen by leave-one-out errors, where most scaffolds
# are known; to choose them for new scaffolds, pass folds of scaffolds as ``cv``.
