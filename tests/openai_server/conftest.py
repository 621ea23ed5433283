from openai_server.fixture import openai_process, openai_server  # noqa: F401 - fixtures
