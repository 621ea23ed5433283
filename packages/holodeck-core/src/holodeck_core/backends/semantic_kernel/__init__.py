"""The backends ``openai`` and ``azure_openai``: agents that are written in YAML, run by Semantic Kernel.

Nothing here imports Semantic Kernel or the client of OpenAI but ``connector`` and ``conversation``, which are imported
in a thread when the first session is opened (``loading``).
"""
