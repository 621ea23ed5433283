"""Regular expressions of a file, on text of an agent: each match ends within a second, and disturbs nothing
else."""
