from __future__ import annotations

import json
import subprocess
import sys

import pytest

import holodeck_core.models as package


@pytest.mark.parametrize("name", package.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(package, name) is not None
    assert name in dir(package)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = package.Nothing


def imported_by(statement: str) -> set[str]:
    code = f"import sys, json; {statement}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(json.loads(done.stdout))


def test_the_package_imports_nothing_by_itself() -> None:
    modules = imported_by("import holodeck_core.models")
    assert "pydantic" not in modules
    assert not {name for name in modules if name.startswith("holodeck_core.models.")}


def test_importing_one_model_does_not_import_the_others() -> None:
    modules = imported_by("from holodeck_core.models import TokenUsage")
    assert "holodeck_core.models.token_usage" in modules
    assert not modules & {
        f"holodeck_core.models.{name}" for name in ("agent", "test_case", "evaluation", "chat")
    }


def test_matcher_shapes_need_no_pydantic() -> None:
    assert "pydantic" not in imported_by("import holodeck_core.models.matcher_shape")


def test_the_chat_models_do_not_import_semantic_kernel() -> None:
    assert "semantic_kernel" not in imported_by("import holodeck_core.models.chat")
