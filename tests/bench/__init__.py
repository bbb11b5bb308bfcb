"""The benchmark: `python -m tests.bench` prints ratios measured side by side in one run."""
