"""Expected and actual values, and whether they match: what the page on matching shows, and its test proves."""

from typing import Final, NamedTuple


class Argument(NamedTuple):
    """An expected value as a file has it, in YAML; an argument of a call, in JSON, or None where it is not given."""

    expected: str
    actual: str | None
    matches: bool


class Calls(NamedTuple):
    """What a turn asserts, in YAML; the calls that are made, as Python writes them; whether the turn passes."""

    asserted: str
    calls: str
    passes: bool


class Response(NamedTuple):
    """A ground truth and a response, in JSON; the options of the metric, in YAML; whether the turn passes."""

    ground_truth: str
    response: str
    options: str
    passes: bool


class Refused(NamedTuple):
    """An expected value, in YAML, that is a mistake in the file, and why."""

    expected: str
    why: str


_TWO_53 = 2**53

ARGUMENTS: Final[dict[str, list[Argument]]] = {
    "numbers": [
        Argument("1", "1", True),
        Argument("1", "1.0", True),
        Argument("1.0", "1", True),
        Argument("1", '"1"', False),
        Argument('"1"', "1", False),
        Argument("1", "true", False),
        Argument("1e3", "1000", True),
        Argument("0.3", "0.30000000000000004", False),
        Argument("0", "-0.0", True),
        Argument(f"{_TWO_53}", f"{_TWO_53}.0", True),
        Argument(f"{_TWO_53 + 1}", f"{_TWO_53}", False),
        Argument(f"{_TWO_53 + 1}", f"{_TWO_53}.0", False),
    ],
    "truth": [
        Argument("true", "true", True),
        Argument("true", "1", False),
        Argument("true", '"true"', False),
        Argument("false", "0", False),
        Argument("false", "null", False),
        Argument("[1]", "[true]", False),
        Argument("{x: false}", '{"x": 0}', False),
        Argument("null", "null", True),
        Argument("null", None, False),
        Argument("null", '""', False),
        Argument("null", '"null"', False),
    ],
    "text": [
        Argument("Rome", '"Rome"', True),
        Argument("Rome", '"rome"', False),
        Argument("Rome", '"Rome "', False),
        Argument("caf\u00e9", '"cafe\\u0301"', False),
        Argument("yes", '"yes"', True),
        Argument("yes", "true", False),
        Argument("007", '"007"', True),
        Argument("007", "7", False),
        Argument("12:30:00", '"12:30:00"', True),
        Argument("2030-01-02", '"2030-01-02"', True),
    ],
    "nested": [
        Argument("[1.0, 2]", "[1, 2.0]", True),
        Argument("[a, b]", '["b", "a"]', False),
        Argument("[a]", '["a", "b"]', False),
        Argument("[a]", '"a"', False),
        Argument("{name: Bob, id: 7}", '{"id": 7, "name": "Bob"}', True),
        Argument("{name: Bob}", '{"name": "Bob", "id": 7}', False),
        Argument("{name: Bob, id: 7}", '{"name": "Bob"}', False),
        Argument("{name: Bob, id: null}", '{"name": "Bob"}', False),
        Argument("{name: {fuzzy: bob}, id: 7}", '{"name": "BOB", "id": 7}', True),
        Argument("[{sku: WICK, count: {type: integer}}]", '[{"sku": "WICK", "count": 3}]', True),
        Argument("{literal: {fuzzy: Bob}}", '{"fuzzy": "Bob"}', True),
        Argument("{literal: {fuzzy: Bob}}", '"bob"', False),
        Argument("{type: window}", '{"type": "window"}', True),
        Argument("{absent: false}", '{"absent": false}', True),
        Argument('{approx: "5"}', '{"approx": "5"}', True),
    ],
    "fuzzy numbers": [
        Argument("{fuzzy: 206588}", '"206588"', True),
        Argument("{fuzzy: 206588}", '"206,588"', True),
        Argument("{fuzzy: 206588}", '"206 588.0"', True),
        Argument("{fuzzy: 206588}", '"206\\u00a0588"', True),
        Argument("{fuzzy: 206588}", '" +2.06588e5 "', True),
        Argument("{fuzzy: 206588}", "206588.0", True),
        Argument("{fuzzy: 206588}", "206588.4", False),
        Argument("{fuzzy: 206588}", '"206,58,8"', False),
        Argument("{fuzzy: 206588}", '"206588 USD"', False),
        Argument("{fuzzy: 206588}", '"$206,588"', False),
        Argument('{fuzzy: "12,34,567"}', "1234567", True),
        Argument('{fuzzy: "33.2%"}', "0.332", True),
        Argument('{fuzzy: "33.2%"}', "33.2", False),
        Argument("{fuzzy: -5}", '"\\u22125"', True),
        Argument("{fuzzy: -5}", '"(5)"', False),
        Argument("{fuzzy: 25}", '"\\u0662\\u0665"', True),
        Argument("{fuzzy: 25}", '"5\\u00b2"', False),
        Argument("{fuzzy: 0.5}", '".5"', True),
        Argument("{fuzzy: 5}", '"5."', False),
        Argument("{fuzzy: 7}", '"007"', False),
        Argument("{fuzzy: 0.1}", "0.10000000001", True),
        Argument("{fuzzy: 0.1}", "0.100000001", False),
        Argument("{fuzzy: 1000000000}", "1000000001", False),
        Argument("{fuzzy: 0}", "-0.0", True),
        Argument("{fuzzy: 0}", "1e-12", False),
        Argument("{fuzzy: 1}", "true", False),
        Argument("{fuzzy: nan}", '"NaN"', True),
    ],
    "fuzzy text": [
        Argument("{fuzzy: New York}", '"  new\\n york "', True),
        Argument("{fuzzy: New York}", '"new\\u00a0york"', True),
        Argument("{fuzzy: New York}", '"New-York"', False),
        Argument("{fuzzy: New York}", '"NewYork"', False),
        Argument("{fuzzy: New York}", '"New York."', False),
        Argument("{fuzzy: Stra\u00dfe}", '"STRASSE"', True),
        Argument("{fuzzy: caf\u00e9}", '"cafe\\u0301"', True),
        Argument("{fuzzy: caf\u00e9}", '"cafe"', False),
        Argument("{fuzzy: true}", "true", True),
        Argument("{fuzzy: true}", '"True"', True),
        Argument("{fuzzy: none}", "null", True),
        Argument('{fuzzy: "null"}', "null", True),
        Argument('{fuzzy: "[1, 2]"}', "[1, 2]", True),
        Argument('{fuzzy: ""}', '" "', True),
        Argument('{fuzzy: ""}', None, False),
    ],
    "regex": [
        Argument(r"{regex: 'ORD-\d+'}", '"ORD-123"', True),
        Argument(r"{regex: 'ORD-\d+'}", '"ORD-123-b"', False),
        Argument(r"{regex: 'ORD-\d+'}", '"my ORD-123"', False),
        Argument(r"{regex: 'ORD-\d+'}", '"ord-123"', False),
        Argument(r"{regex: '(?i)ORD-\d+'}", '"ord-123"', True),
        Argument("{regex: 'Rome|Roma'}", '"Roma"', True),
        Argument(r"{regex: '\d+'}", "123", True),
        Argument(r"{regex: '\d+'}", "123.0", False),
        Argument(r"{regex: '\d+'}", '"\\u0661\\u0662"', True),
        Argument("{regex: '[0-9]+'}", '"\\u0661\\u0662"', False),
        Argument("{regex: 'true'}", "true", True),
        Argument("{regex: 'True'}", "true", True),
        Argument("{regex: 'null|None'}", "null", True),
        Argument("{regex: '.*'}", None, False),
        Argument("{regex: '.*wick.*'}", '["lamp", "wick"]', True),
        Argument("{regex: '.*'}", '"one\\ntwo"', False),
        Argument("{regex: '(?s).*'}", '"one\\ntwo"', True),
        Argument("{regex: '(?m)^two$'}", '"one\\ntwo"', False),
        Argument("{regex: 'one'}", '"one\\n"', False),
        Argument("{regex: '(a+)+'}", '"' + "a" * 40 + 'b"', False),
    ],
    "any_of": [
        Argument("{any_of: [Rome, Roma]}", '"Roma"', True),
        Argument("{any_of: [Rome, Roma]}", '"roma"', False),
        Argument("{any_of: [{fuzzy: Rome}, {regex: 'R.ma'}, null]}", "null", True),
        Argument("{any_of: [1, 2]}", "2.0", True),
        Argument("{any_of: [[1, 2], [2, 1]]}", "[2, 1]", True),
        Argument("{any_of: [Rome, {absent: true}]}", None, True),
        Argument("{any_of: [Rome, null]}", None, False),
    ],
    "unordered": [
        Argument("{unordered: [a, b]}", '["b", "a"]', True),
        Argument("{unordered: [a, b]}", '["b", "a", "a"]', False),
        Argument("{unordered: [a, a, b]}", '["a", "b", "b"]', False),
        Argument("{unordered: [{regex: '.'}, a]}", '["a", "b"]', True),
        Argument("{unordered: [1, {id: 7}]}", '[{"id": 7}, 1.0]', True),
        Argument("{unordered: []}", "[]", True),
        Argument("{unordered: [a]}", '"a"', False),
    ],
    "absent": [
        Argument("{absent: true}", None, True),
        Argument("{absent: true}", "null", False),
        Argument("{absent: true}", '""', False),
        Argument("{name: Bob, id: {absent: true}}", '{"name": "Bob"}', True),
        Argument("{name: Bob, id: {absent: true}}", '{"name": "Bob", "id": null}', False),
    ],
    "contains": [
        Argument("{contains: refund}", '"a refund, please"', True),
        Argument("{contains: Refund}", '"a refund, please"', False),
        Argument("{contains: wick}", '["lamp", "wick"]', True),
        Argument("{contains: wick}", '["lamp", "wicks"]', False),
        Argument("{contains: {fuzzy: wick}}", '["lamp", "WICK"]', True),
        Argument("{contains: {regex: '.*fund.*'}}", '"a refund, please"', False),
        Argument("{contains: {name: Bob}}", '{"name": "Bob", "id": 7}', True),
        Argument("{contains: {name: {fuzzy: bob}}}", '{"name": "BOB", "id": 7}', True),
        Argument("{contains: {name: Bob}}", '[{"name": "Bob", "id": 7}]', False),
        Argument("{contains: {contains: {name: Bob}}}", '[{"name": "Bob", "id": 7}]', True),
        Argument("{contains: 5}", '"45"', False),
        Argument("{contains: [a]}", '["a", "b"]', False),
    ],
    "type": [
        Argument("{type: integer}", "5", True),
        Argument("{type: integer}", "5.0", True),
        Argument("{type: integer}", "5.5", False),
        Argument("{type: integer}", '"5"', False),
        Argument("{type: number}", "5.5", True),
        Argument("{type: number}", "true", False),
        Argument("{type: string}", '""', True),
        Argument("{type: string}", "null", False),
        Argument("{type: boolean}", "0", False),
        Argument("{type: array}", "[]", True),
        Argument("{type: object}", "{}", True),
        Argument("{type: object}", "[]", False),
    ],
    "approx": [
        Argument("{approx: 0.3, tolerance: 0.1}", "0.4", True),
        Argument("{approx: 0.3, tolerance: 0.1}", "0.4000001", False),
        Argument("{approx: 1000000}", "1000001", True),
        Argument("{approx: 1000000}", "1000002", False),
        Argument("{approx: 5, tolerance: 0}", "5.0", True),
        Argument("{approx: 5}", '"5"', False),
        Argument("{approx: 1}", "true", False),
        Argument("{approx: 0}", "1e-12", False),
    ],
}

REFUSED: Final = [
    Refused("{regexp: 'R.ma'}", "`regex` is meant"),
    Refused("{pattern: 'R.ma'}", "`regex` is meant"),
    Refused("{Fuzzy: Rome}", "`fuzzy` is meant"),
    Refused("{fuzzy: Rome, case: any}", "a matcher has no other keys"),
    Refused("{fuzzy: [Rome, Roma]}", "`fuzzy` takes one text or number"),
    Refused("{fuzzy: null}", "`fuzzy` takes one text or number"),
    Refused("{regex: 'R(ma'}", "the pattern does not compile"),
    Refused("{regex: 5}", "a pattern is text"),
    Refused("{any_of: []}", "it could never match"),
    Refused("{unordered: [{re: 'a'}]}", "`regex` is meant, at any depth"),
    Refused("{approx: 5, tolerance: -1}", "a tolerance is not negative"),
    Refused('{"text/plain": hello}', "a name with `/` is a plugin's matcher, and there is no such plugin"),
    Refused("[.nan]", "not a value of JSON"),
]

CALLS: Final[dict[str, list[Calls]]] = {
    "names": [
        Calls("expected_tools: [search]", 'search(city="Rome")', True),
        Calls("expected_tools: [search]", "hotel_search()", True),
        Calls("expected_tools: [search]", "Search()", False),
        Calls("expected_tools: [{name: search, match: exact}]", "hotel_search()", False),
        Calls('expected_tools: [{name: "hotel_*", match: glob}]', "hotel_search()", True),
        Calls("expected_tools: [{name: 'hotel_\\w+', match: regex}]", "old_hotel_search()", False),
        Calls("forbidden_tools: [search]", "hotel_search()", True),
        Calls("forbidden_tools: [{name: search, match: contains}]", "hotel_search()", False),
    ],
    "arguments": [
        Calls("expected_tools: [{name: pay, args: {to: Bob}}]", 'pay(to="Bob", amount=5)', True),
        Calls(
            "expected_tools: [{name: pay, args: {to: Bob}, extra_args: forbid}]",
            'pay(to="Bob", amount=5)',
            False,
        ),
        Calls("expected_tools: [{name: pay, args: {to: Bob}}]", "pay(amount=5)", False),
        Calls(
            "expected_tools: [{name: pay, args: {to: {name: Bob}}}]",
            'pay(to={"name": "Bob", "id": 7})',
            False,
        ),
        Calls(
            "expected_tools: [{name: pay, args: {to: {contains: {name: Bob}}}}]",
            'pay(to={"name": "Bob", "id": 7})',
            True,
        ),
    ],
    "consumed": [
        Calls("expected_tools: [search, search]", "search()", False),
        Calls("expected_tools: [search, search]", "search(), search()", True),
        Calls("expected_tools: [search]", "search(), search()", True),
        Calls("expected_tools: [{name: search, count: 2}]", "search()", False),
        Calls("expected_tools: [{name: search, count: 2}]", "search(), search(), search()", True),
        Calls("expected_tools: [{name: search, max_count: 1}]", "search(), search()", False),
        Calls(
            "expected_tools: [{name: find, args: {city: Rome}}, {name: find, args: {city: Rome, beds: 2}}]",
            'find(city="Rome", beds=2), find(city="Rome", beds=1)',
            True,
        ),
        Calls(
            "expected_tools: [{name: find, args: {city: Rome}}, {name: find, args: {city: Rome, beds: 2}}]",
            'find(city="Rome", beds=2)',
            False,
        ),
        Calls(
            "expected_tools: [{name: find, args: {city: Rome}, max_count: 1}]",
            'find(city="Rome"), find(city="Oslo")',
            True,
        ),
    ],
    "others": [
        Calls("expected_tools: []", "", True),
        Calls("expected_tools: []", "search()", False),
        Calls("expected_tools: [search], extra_calls: forbid", "search(), book()", False),
        Calls("expected_tools: [search, book]", "book(), search()", True),
        Calls("expected_tools: [search, book], tool_order: in_order", "book(), search()", False),
        Calls("expected_tools: [search, book], tool_order: in_order", "search(), look(), book()", True),
        Calls("expected_tools: [search, book], tool_order: exact", "search(), look(), book()", False),
        Calls("expected_tools: [search, book], tool_order: exact", "search(), book()", True),
    ],
}

EQUALITY: Final[dict[str, list[Response]]] = {
    "equality": [
        Response('"Paris"', '"Paris"', "", True),
        Response('"Paris"', '"paris"', "", False),
        Response('"Paris"', '"Paris\\n"', "", False),
        Response('"Paris"', '"PARIS"', "case_insensitive: true", True),
        Response('"Stra\u00dfe"', '"STRASSE"', "case_insensitive: true", False),
        Response('"a b"', '" a\\u00a0\\n b "', "strip_whitespace: true", True),
        Response('"ab"', '"a b"', "strip_whitespace: true", False),
        Response('"caf\u00e9"', '"cafe\\u0301"', "case_insensitive: true", False),
        Response('"Paris"', '"**Paris**."', "strip_punctuation: true", True),
        Response('"-5"', '"5"', "strip_punctuation: true", False),
        Response('"3.14"', '"314"', "strip_punctuation: true", False),
        Response('"3.14"', '"3.14."', "strip_punctuation: true", True),
        Response('"1,000"', '"1000"', "strip_punctuation: true", True),
        Response('"C++"', '"C"', "strip_punctuation: true", True),
        Response('"50%"', '"50"', "strip_punctuation: true", True),
        Response('"1/2"', '"12"', "strip_punctuation: true", True),
        Response('"2030-01-02"', '"20300102"', "strip_punctuation: true", True),
        Response('"yes"', '""', "strip_punctuation: true", False),
        Response('"false"', '"{\\"blocked\\": false}"', "response_path: blocked", True),
        Response('"False"', '"{\\"blocked\\": false}"', "response_path: blocked", False),
    ],
}

NUMERIC: Final[dict[str, list[Response]]] = {
    "numeric": [
        Response('"25587"', '"25587"', "", True),
        Response('"25587"', '" 25587.00\\n"', "", True),
        Response('"25587"', '"25588"', "", False),
        Response('"5"', '"25"', "", False),
        Response('"-5"', '"5"', "", False),
        Response('"1e3"', '"1000"', "", True),
        Response(f'"{_TWO_53 + 1}"', f'"{_TWO_53}"', "absolute_tolerance: 0", False),
        Response('"25587"', '"25,587"', "", False),
        Response('"25587"', '"25,587"', "accept_thousands_separators: true", True),
        Response('"25587"', '"25\\u202f587"', "accept_thousands_separators: true", True),
        Response('"1234"', '"12,34"', "accept_thousands_separators: true", False),
        Response('"1200000.5"', '"1.200.000,50"', "accept_thousands_separators: true", False),
        Response('"0.28"', '"28%"', "", False),
        Response('"0.28"', '"28 %"', "accept_percent: true", True),
        Response('"28"', '"28%"', "accept_percent: true", False),
        Response('"0.007"', '"0.70%"', "accept_percent: true, absolute_tolerance: 0", True),
        Response('"-1287"', '"-$1287"', "", False),
        Response('"-1287"', '"-$1287"', "accept_currency: true", True),
        Response('"-1287"', '"(1287)"', "", False),
        Response('"-1287"', '"(1287)"', "accept_parentheses: true", True),
        Response('"72"', '"72 crates"', "", False),
        Response('"100"', '"10\\u00b2"', "", False),
        Response('"nan"', '"nan"', "", False),
    ],
    "tolerances": [
        Response('"0.3"', '"0.300001"', "", True),
        Response('"0.3"', '"0.3000011"', "", False),
        Response('"100"', '"101"', "relative_tolerance: 0.01", True),
        Response('"101"', '"100"', "relative_tolerance: 0.01", True),
        Response('"100"', '"101.01"', "relative_tolerance: 0.01", False),
        Response('"-100"', '"-99"', "relative_tolerance: 0.01", True),
        Response('"100"', '"100.5"', "absolute_tolerance: 0.5, relative_tolerance: 0.001", True),
        Response('"0.000000001"', '"0.000000002"', "relative_tolerance: 0.01", True),
        Response('"0.000000001"', '"0.000000002"', "absolute_tolerance: 0, relative_tolerance: 0.01", False),
        Response('"0"', '"0.0001"', "absolute_tolerance: 0, relative_tolerance: 0.01", False),
        Response('"0"', '"-0.0"', "absolute_tolerance: 0", True),
        Response('"0.10745"', '"11%"', "accept_percent: true, absolute_tolerance: 0.005", True),
    ],
    "extract": [
        Response('"25587"', '"The answer is 25587."', "", False),
        Response('"25587"', '"The answer is 25587."', "extract: only", True),
        Response('"25587"', '"25587, not 25600."', "extract: only", False),
        Response('"25587"', '"25587, not 25600."', "extract: first", True),
        Response('"25600"', '"25587, not 25600."', "extract: last", True),
        Response('"-5"', '"It fell to -5."', "extract: only", True),
        Response('"5"', '"It is 3-5."', "extract: first", False),
        Response('"4"', '"I am GPT-4."', "extract: only", False),
        Response('"6"', '"6B"', "extract: only", False),
        Response('"2030"', '"On 2030-01-02."', "extract: first", False),
        Response('"100"', '"20% of the 100 units"', "extract: only", False),
        Response('"0.2"', '"About 20% of them"', "extract: only, accept_percent: true", True),
        Response('"17.5"', '"{\\"total\\": 17.50}"', "response_path: total", True),
        Response(
            '"17.5"',
            '"{\\"orders\\": [{\\"total\\": \\"17.50\\"}]}"',
            "response_path: 'orders[0].total'",
            True,
        ),
    ],
}
