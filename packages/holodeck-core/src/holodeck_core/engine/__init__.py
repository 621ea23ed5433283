"""Runs a bound suite: holds every case as one conversation, checks every turn, keeps what happened.

The path of the data: ``run`` hands cases to ``case``, which opens a session and lets ``turn`` send and check one turn
after the other (``evidence``, ``tools`` and ``verdicts`` decide, without I/O); ``record`` writes the outcome down once,
``journal`` keeps the line, and ``record`` and ``rollup`` make a TestResult of it when somebody reads.
"""
