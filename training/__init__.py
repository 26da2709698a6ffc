"""Offline work on models: the corpus, training, calibration, evaluation and export. Needs the extra `train`."""
