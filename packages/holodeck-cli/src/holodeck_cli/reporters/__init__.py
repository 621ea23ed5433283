"""One module for each report format, and what they share."""
