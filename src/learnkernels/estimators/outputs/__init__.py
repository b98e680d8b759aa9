"""Outputs of a fitted machine: scores, probabilities, uncertainty, missing views, attributes."""
