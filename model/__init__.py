"""The classifier: text in, label probabilities and marked spans out. Knows no HTTP, no SQL, no training."""
