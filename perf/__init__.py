"""What `make bench` runs: rates as ratios against a plain alternative, measured side by side in one run."""
