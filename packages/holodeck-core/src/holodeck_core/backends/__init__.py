"""The backends that need no model provider: replies written in the file, recordings, and agents in Python.

``scripted``, ``replay`` and ``python`` hold the backends. The others are what they share or are made of, pure where
no file is read and nothing is awaited: ``tool_calls`` and ``replies`` bring what agents say into one shape,
``faults`` tells failures worth another attempt from the rest, ``recordings`` reads OpenAI chat messages.
"""
