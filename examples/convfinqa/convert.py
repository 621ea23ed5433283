"""Turn ConvFinQA dialogues into a suite: ``agent.yaml``, ``cases.jsonl`` and the analyst that answers them.

python convert.py --source dialogues.json --out DIR [--limit N] [--faults RATE --seed N]
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, TypeAlias

from analyst import Answer, Fault, FaultKind, parse, run

Json: TypeAlias = dict[str, Any]

AGENT = """\
name: convfinqa-analyst
description: Answers questions about financial reports with six arithmetic tools.
model:
  provider: python
  agent: "analyst:open_session"
  programs: programs.json
  faults: faults.json
evaluations:
  metrics:
    # The executed answers are rounded to five decimals.
    - {type: standard, metric: numeric, absolute_tolerance: 1e-5}
test_cases_file: cases.jsonl
"""

OPERANDS: list[Literal["a", "b"]] = ["a", "b"]

YES_OR_NO = [{"type": "standard", "metric": "equality"}]


def case(dialogue: Json) -> Json:
    """The test case of a dialogue: one turn a question, the document before the first one."""
    talk = dialogue["dialogue"]
    questions = list(talk["conv_questions"])
    questions[0] = f"{document(dialogue['doc'])}\n\n{questions[0]}"
    rows = zip(questions, talk["turn_program"], talk["executed_answers"], strict=True)
    return {"name": dialogue["id"], "turns": [turn(*row) for row in rows]}


def turn(question: str, program: str, answer: Answer) -> Json:
    """One turn: the executed answer is the ground truth, the program's steps are the expected tools."""
    asserted: Json = {
        "input": question,
        "ground_truth": str(answer),
        "expected_tools": expected_tools(program),
    }
    if answer in ("yes", "no"):
        asserted["evaluations"] = YES_OR_NO
    return asserted


def expected_tools(program: str) -> list[Json]:
    """One entry a step, in order. A bare number needs no tool: the empty list asserts that none is called.

    Operands stay as the program spells them (``33.2%``) and are matched fuzzily; those that mean something
    in a program only (``#0``, ``const_100``) become the number that they stand for.
    """
    _, calls = run(program)
    return [
        {
            "name": step.tool,
            "args": {
                name: {"fuzzy": str(call.args[name]) if token.startswith(("#", "const_")) else token}
                for name, token in zip(OPERANDS, (step.a, step.b), strict=True)
            },
        }
        for step, call in zip(parse(program), calls, strict=True)
    ]


def document(doc: Json) -> str:
    """The report that a dialogue is about: text, table, text. A part that is a lone full stop is absent."""
    parts = [doc["pre_text"], table(doc["table"]), doc["post_text"]]
    return "\n\n".join(part for part in parts if part.strip(" ."))


def table(columns: dict[str, dict[str, float | str]]) -> str:
    """The table as lines of cells; it is stored as columns, each a mapping of row labels to cells."""
    labels = dict.fromkeys(label for cells in columns.values() for label in cells)
    rows = [(label, *(cells.get(label, "") for cells in columns.values())) for label in labels]
    return "\n".join(" | ".join(map(str, row)) for row in [("", *columns), *rows])


def plan_faults(dialogues: Iterable[Json], rate: float, seed: int) -> dict[str, list[Fault]]:
    """Faults for that share of all turns, by the dialogue's id. The same seed plans the same faults.

    A turn that calls no tool can only give a wrong answer.
    """
    choice = random.Random(seed)
    turns = [
        (dialogue["id"], turn_index, len(parse(program)))
        for dialogue in dialogues
        for turn_index, program in enumerate(dialogue["dialogue"]["turn_program"])
    ]
    plan: dict[str, list[Fault]] = {}
    for place in sorted(choice.sample(range(len(turns)), round(rate * len(turns)))):
        name, turn_index, calls = turns[place]
        plan.setdefault(name, []).append(plan_fault(turn_index, calls, choice))
    return plan


def plan_fault(turn_index: int, calls: int, choice: random.Random) -> Fault:
    """One fault for a turn of so many calls."""
    kinds: list[FaultKind] = (
        ["wrong_answer", "dropped_call", "altered_argument"] if calls else ["wrong_answer"]
    )
    return Fault(
        turn=turn_index,
        kind=choice.choice(kinds),
        call=choice.randrange(max(calls, 1)),
        argument=choice.choice(OPERANDS),
    )


def write_suite(dialogues: Sequence[Json], out: Path, plan: dict[str, list[Fault]]) -> None:
    """Write the suite into a folder. Raises ValueError where two dialogues have one id: it names the case."""
    repeated = [name for name, times in Counter(d["id"] for d in dialogues).items() if times > 1]
    if repeated:
        raise ValueError(f"more than one dialogue has the id {', '.join(repeated)}")
    out.mkdir(parents=True, exist_ok=True)
    (out / "agent.yaml").write_text(AGENT, encoding="utf-8")
    with (out / "cases.jsonl").open("w", encoding="utf-8", newline="\n") as lines:
        lines.writelines(json.dumps(case(d), ensure_ascii=False) + "\n" for d in dialogues)
    write_json(out / "programs.json", {d["id"]: d["dialogue"]["turn_program"] for d in dialogues})
    write_json(out / "faults.json", {name: list(map(asdict, faults)) for name, faults in plan.items()})
    write_json(
        out / "spoiled.json", [(name, fault.turn) for name, faults in plan.items() for fault in faults]
    )
    shutil.copyfile(Path(__file__).with_name("analyst.py"), out / "analyst.py")


def write_json(path: Path, value: object) -> None:
    """Write a JSON file."""
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def share(text: str) -> float:
    """A share from 0 to 1, from the command line."""
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError(text)
    return value


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Turn ConvFinQA dialogues into a HoloDeck suite.")
    parser.add_argument("--source", type=Path, required=True, help="dialogues.json")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the suite")
    parser.add_argument("--limit", type=int, metavar="N", help="convert the first N dialogues only")
    parser.add_argument("--faults", type=share, default=0.0, metavar="RATE", help="share of turns to spoil")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which turns are spoiled, and how")
    options = parser.parse_args()
    dialogues = json.loads(options.source.read_text(encoding="utf-8"))[: options.limit]
    plan = plan_faults(dialogues, options.faults, options.seed)
    write_suite(dialogues, options.out, plan)
    turns = sum(len(d["dialogue"]["turn_program"]) for d in dialogues)
    spoiled = sum(map(len, plan.values()))
    print(f"{options.out}: {len(dialogues)} cases, {turns} turns, {spoiled} of them spoiled")


if __name__ == "__main__":
    main()
