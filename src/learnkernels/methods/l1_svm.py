"""`l1-svm`: weights of bounded sum that minimise the SVM objective."""

from __future__ import annotations

from learnkernels.methods.lp_svm import LpSVM


class L1SVM(LpSVM):
    """Learn weights and an SVM together, with weights of bounded sum: sparse.

    Parameters
    ----------
    tol : float, default=1e-4
        Relative gap at which to stop.
    max_iter : int, default=200
        Largest number of iterations.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = lk.KernelClassifier(method="l1-svm", C=1).fit(scale(X), y)
    >>> float(model.weights_.sum().round(6)), model.certificate_.gap <= 1e-4
    (1.0, True)
    """

    name = "l1-svm"
    p = 1.0

    def __init__(self, tol: float = 1e-4, max_iter: int = 200):
        self.tol = tol
        self.max_iter = max_iter
