"""The classifier: text in, label probabilities and marked spans out. Knows no HTTP, no SQL, no training."""

import os

# ONNX Runtime 1.32 and later sends usage data where it is not told otherwise, and reads this as it is imported. A
# customer's mail is no place for that; who wants it sets the variable to 0.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
