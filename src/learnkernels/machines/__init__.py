"""The second stage: predictors trained with the learned kernel."""

from learnkernels.machines.alignment import AlignmentPredictor
from learnkernels.machines.base import (
    MAX_MEMORY,
    Machine,
    Strategy,
    Trained,
    TrainingProblem,
    gram_bytes,
    not_definite,
    require_gram_memory,
)
from learnkernels.machines.landmark_ridge import LandmarkRidge
from learnkernels.machines.landmark_svm import LandmarkSVM, SquaredHingeSVM
from learnkernels.machines.leave_one_out import dense_subproblem, landmark_subproblem
from learnkernels.machines.posterior import (
    FactorPosterior,
    LandmarkPosterior,
    LeftOut,
    Posterior,
    Training,
    posterior_bytes,
)
from learnkernels.machines.ridge import (
    DenseRidge,
    Ridge,
    has_closed_form,
    prefers_products,
    ridge_system,
)
from learnkernels.machines.row_sums import ChunkRowSums, LocalRowSums, RowSums, StreamedRidge
from learnkernels.machines.streamed_svm import StreamedSVM
from learnkernels.machines.svm import SVM, SVR

__all__ = [
    "MAX_MEMORY",
    "SVM",
    "SVR",
    "AlignmentPredictor",
    "ChunkRowSums",
    "DenseRidge",
    "FactorPosterior",
    "LandmarkPosterior",
    "LandmarkRidge",
    "LandmarkSVM",
    "LeftOut",
    "LocalRowSums",
    "Machine",
    "Posterior",
    "Ridge",
    "RowSums",
    "SquaredHingeSVM",
    "Strategy",
    "StreamedRidge",
    "StreamedSVM",
    "Trained",
    "Training",
    "TrainingProblem",
    "dense_subproblem",
    "gram_bytes",
    "has_closed_form",
    "landmark_subproblem",
    "not_definite",
    "posterior_bytes",
    "prefers_products",
    "require_gram_memory",
    "ridge_system",
]
