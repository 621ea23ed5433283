"""One module for each matcher; ``literal`` is the core's."""
