"""The order-sensitivity suite: what a model must tell apart, run on any model folder."""
