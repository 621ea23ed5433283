"""Secrets by their value: found in whatever is about to be written or shown, and replaced by one fixed text. Pure.

An agent that was given a secret may repeat it, in an encoding as well. So secrets are looked for as they are, escaped
as in JSON, Python and HTML, quoted as in URLs, and in Base64, also in the middle of a longer text that was encoded so.
"""

from __future__ import annotations

from holodeck_core.redaction.redactor import MASK as MASK
from holodeck_core.redaction.redactor import NO_SECRETS as NO_SECRETS
from holodeck_core.redaction.redactor import SHORTEST as SHORTEST
from holodeck_core.redaction.redactor import Redactor as Redactor
from holodeck_core.redaction.redactor import StreamRedactor as StreamRedactor
