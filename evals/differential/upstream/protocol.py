"""JSON lines in, JSON lines out: one case a line, in the order they came."""

import json
import math
import sys
import traceback


def _as_call(name, text, cut):
    """Arguments are the text that a client would get. Where it is no JSON, the call is incomplete.

    No text at all means no arguments; only where the token limit ended the answer it means that they did not come.
    """
    try:
        arguments = json.loads(text if text.strip() or cut else "{}")
    except ValueError:
        return {"name": name, "argumentsText": text}
    return {"name": name, "arguments": arguments, "argumentsText": text}


def calls_of(pairs, cut):
    return [_as_call(name or "", text, cut) for name, text in pairs]


def attempt(work):
    """What an engine raises is its result for the case."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001
        place = traceback.extract_tb(error.__traceback__)[-1]
        return {"error": f"{type(error).__name__}: {error} ({place.name})"}


def as_json(value):
    """Python knows numbers that JSON lacks: they are handed on as text."""
    if isinstance(value, dict):
        return {key: as_json(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_json(inner) for inner in value]
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)


def serve(handle):
    # Engines print; only answers may stand on standard output.
    answers = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        answers.write(json.dumps(as_json(handle(json.loads(line)))) + "\n")
        answers.flush()
