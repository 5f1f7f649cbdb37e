"""What Dagster sees: one module per stage, declarations only. What an asset computes is in pipelines/."""
