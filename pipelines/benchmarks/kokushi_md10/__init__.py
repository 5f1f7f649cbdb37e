"""See README.md of this folder."""
