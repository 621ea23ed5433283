"""One module for each metric, and what they share."""
