"""What `model` may say for the providers `openai` and `azure_openai`, and where that leads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, Literal
from urllib.parse import urlsplit, urlunsplit

import attrs
from pydantic import ConfigDict, Field, SecretStr, field_validator
from pydantic_core import InitErrorDetails

from holodeck_core.models.base import GatheringModel, Text, Whole, problem, rule
from holodeck_core.models.llm import ProviderSettings

OPENAI: Final = "openai"
AZURE: Final = "azure_openai"
PUBLIC_OPENAI: Final = "https://api.openai.com/v1"

# A server of one's own may want no key, and the client does not go without: this is sent in its place.
_NO_KEY: Final = "none"
_REQUESTED: Final = "/chat/completions"


class ChatModelOptions(ProviderSettings, GatheringModel):
    """A chat model, and how its replies are asked for."""

    model_config = ConfigDict(extra="forbid")

    key_variable: ClassVar[str]

    name: Text
    """The model's name at its provider. Example: `gpt-4o-mini`"""
    stream: bool = False
    """Whether replies are asked for as a stream, piece by piece. The verdicts are the same. Example: `true`"""
    seed: Whole | None = None
    """Asks for the same reply to the same messages, where the provider can. Example: `7`"""
    max_completion_tokens: Whole | None = Field(default=None, gt=0)
    """The same as `max_tokens`, for models that only accept this name. Example: `1000`"""
    max_tool_rounds: Whole = Field(default=10, ge=1)
    """How often in one turn the model may call tools and be given their results; then it must answer.
    Example: `5`
    """

    @field_validator("endpoint")
    @classmethod
    def _is_an_address(cls, endpoint: str | None) -> str | None:
        if endpoint is not None and (why := _why_no_address(endpoint)):
            raise rule(f"must be the address of a server, such as {PUBLIC_OPENAI}: {why}")
        path = urlsplit(endpoint or "").path.rstrip("/")
        if path.endswith(_REQUESTED) and "/deployments" not in path:  # of which Azure has more to say
            raise rule(f"must end before `{_REQUESTED}`, which each request adds to it")
        return endpoint

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        if data.get("max_tokens") is not None and data.get("max_completion_tokens") is not None:
            yield problem(
                ("max_completion_tokens",),
                "`max_tokens` and `max_completion_tokens` are one setting: keep one",
            )


class OpenAIOptions(ChatModelOptions):
    """A model of OpenAI, or of any server that speaks as OpenAI does, at `endpoint`."""

    key_variable = "OPENAI_API_KEY"

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        yield from super().structure(data)
        if data.get("api_version") is not None:
            yield problem(("api_version",), f"`api_version` belongs to the provider `{AZURE}`")
        if data.get("api_key") is not None and _names_a_user(data.get("endpoint")):
            yield problem(
                ("api_key",), "`endpoint` names a user, who is sent in the place of the key: keep one of them"
            )


class AzureOpenAIOptions(ChatModelOptions):
    """A deployment of Azure OpenAI: `name` is the deployment's, `endpoint` the resource's."""

    key_variable = "AZURE_OPENAI_API_KEY"

    endpoint: Text
    """The address of the resource. Example: `https://lamps.openai.azure.com`"""
    api_version: Text = "2024-10-21"
    """The version of the interface. Example: `2024-10-21`"""

    @field_validator("endpoint")
    @classmethod
    def _is_a_resource(cls, endpoint: str) -> str:
        path = urlsplit(endpoint).path.rstrip("/")
        if path.endswith("/v1"):
            raise rule(
                f"this is an address for the provider `{OPENAI}`: write that, with the same `endpoint`"
            )
        if "/deployments" in path:
            raise rule("must end before `/openai/deployments`: the deployment is the `name`")
        return endpoint


PROVIDERS: Final[Mapping[str, type[ChatModelOptions]]] = {OPENAI: OpenAIOptions, AZURE: AzureOpenAIOptions}


@attrs.frozen
class Target:
    """Where requests go. ``key`` is never shown."""

    provider: Literal["openai", "azure_openai"]
    endpoint: str
    model: str
    key: str = attrs.field(repr=False)
    key_variable: str
    api_version: str | None = None

    @property
    def shown(self) -> str:
        """The address without what may be a secret in it."""
        return plain_address(self.endpoint)


def plain_address(url: str) -> str:
    """The address without a user, a password and a query."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit((parts.scheme, f"[{host}]{port}" if ":" in host else host + port, parts.path, "", ""))


def api_key(options: ChatModelOptions, environ: Mapping[str, str]) -> str | None:
    """The key to send: that of the file, else that of the environment; None where there is none and one is needed."""
    for key in (_secret(options.api_key), environ.get(options.key_variable, "")):
        if key.strip():
            return key.strip()
    public = options.endpoint is None or options.endpoint.rstrip("/") == PUBLIC_OPENAI
    return None if public or isinstance(options, AzureOpenAIOptions) else _NO_KEY


def key_fault(options: ChatModelOptions, environ: Mapping[str, str]) -> str | None:
    """Why the key cannot be sent, which is in a line of ASCII; None where it can, or there is none."""
    key = api_key(options, environ)
    if key is None or (key.isascii() and key.isprintable()):
        return None
    whose = "`api_key`" if _secret(options.api_key).strip() else options.key_variable
    return (
        f"{whose} is no key that can be sent: it holds a line break or another character that is not printable ASCII; "
        "was it copied with something else?"
    )


def target(options: ChatModelOptions, environ: Mapping[str, str]) -> Target:
    """Where requests with these options go."""
    return Target(
        AZURE if isinstance(options, AzureOpenAIOptions) else OPENAI,
        (options.endpoint or PUBLIC_OPENAI).rstrip("/"),
        options.name,
        api_key(options, environ) or _NO_KEY,
        options.key_variable,
        options.api_version,
    )


def _secret(value: SecretStr | None) -> str:
    return "" if value is None else value.get_secret_value()


def _names_a_user(endpoint: Any) -> bool:
    try:
        return isinstance(endpoint, str) and bool(urlsplit(endpoint).username)
    except ValueError:  # which is told as no address
        return False


def _why_no_address(text: str) -> str | None:
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return str(error)
    if parts.scheme not in ("http", "https"):
        return "it begins with neither http:// nor https://"
    if not host:
        return "it names no host"
    return "it holds a query" if parts.query or parts.fragment else None
