from __future__ import annotations

from typing import Any

import pytest

from journalspec_conformance.compare import Claims, closest
from journalspec_conformance.result import Result
from journalspec_conformance.wording import describe, github_annotations, grouped, judged_and_not, sentence
from tables import table


def result(probe: str, result_class: str = "fail", fingerprint: str = "verdict", reason: str = "r") -> Result:
    return Result(probe, "c", "f", "1", "t", result_class, fingerprint, reason)


@pytest.mark.parametrize(("expected", "observed", "said"), table("judging")["wording"]["sentence"])
def test_difference_is_one_sentence_in_json(expected: Any, observed: Any, said: str) -> None:
    assert describe("x", expected, observed) == said
    assert describe("x", True, None) == "x: expected true, got nothing"


@pytest.mark.parametrize(("expected", "observed", "said"), table("judging")["wording"]["records"])
def test_difference_of_records_is_reported(expected: list[Any], observed: list[Any], said: str) -> None:
    want, seen = (
        {"verdict": "clean", "records": [{"type": "A", "id": name} for name in names]}
        for names in (expected, observed)
    )
    _, difference = closest([want], seen, Claims())
    assert difference is not None
    assert sentence(difference) == said


def test_equal_failures_form_one_group() -> None:
    many = [result(f"a.b{number}/read", reason=f"r{number}") for number in range(668)]
    crashes = [result(f"c.d{number}/read", "crash", "", f"at {number}") for number in range(3)]
    groups = grouped([*crashes, *many, result("z/read", fingerprint="notes")])
    assert [(group.label, group.count) for group in groups] == [
        ("fail verdict", 668),
        ("crash", 3),
        ("fail notes", 1),
    ]
    assert groups[0].line == "fail verdict: a.b0/read: r0 (668 probes fail in this way; this is the first)"
    assert groups[2].line == "fail notes: z/read: r"


def test_unjudged_probes_are_counted() -> None:
    seen = [result("a", "pass"), result("b", "unsupported"), result("c", "unasked"), result("d", "unasked")]
    assert judged_and_not(seen) == "1 judged, 3 not (unsupported 1, unasked 2)"
    assert judged_and_not(seen[:1]) == "1 judged, 0 not"


def test_annotations_are_escaped() -> None:
    (line,) = github_annotations([result("a/read", reason="100%\nof it"), result("b/read")], "my reader, 1:0")
    assert line.startswith(
        "::error title=my reader%2C 1%3A0%3A fail verdict::fail verdict: a/read: 100%25\\nof it"
    )
    assert line.isprintable()
