"""The backends ``openai`` and ``azure_openai``: agents that are written in YAML, run by Semantic Kernel.

Only modules whose docstring ends in "Imports it" import Semantic Kernel or OpenAI's client. ``runtime`` leads to all of
them, and is imported in a thread when the first session is opened (``extra``).
"""
