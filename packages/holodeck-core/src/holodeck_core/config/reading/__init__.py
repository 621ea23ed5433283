"""From a file to a document: its value, and the place of everything in it."""
