"""Function tools: a user's own Python functions as what a model may call.

``load.load_function`` makes a ``UserFunction`` of a tool of the agent file: its name, a description, a JSON Schema of
its parameters, and a call that takes what a model sent and never raises. It knows no provider.
"""
