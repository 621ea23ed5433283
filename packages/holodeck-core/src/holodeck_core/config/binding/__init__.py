"""From models to what runs: backends, matchers, metrics, graders and cases, resolved and built."""
