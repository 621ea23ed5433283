"""What can never fail or never pass."""
