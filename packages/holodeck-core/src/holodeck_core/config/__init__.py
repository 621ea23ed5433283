"""Agent files: read, checked, and bound to what runs (``load`` goes the whole way)."""
