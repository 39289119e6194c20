"""JSON lines in, JSON lines out: one case a line, in the order they came."""

import json
import sys
import traceback


def _as_call(name, text):
    """Arguments are the text that a client would get; what is no JSON object is a call that nobody can execute."""
    try:
        arguments = json.loads(text) if text.strip() else {}
    except ValueError:
        return {"name": name, "argumentsText": text}
    return {"name": name, "arguments": arguments, "argumentsText": text}


def calls_of(pairs):
    return [_as_call(name or "", text) for name, text in pairs]


def attempt(work):
    """What an engine raises is its result for the case."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001
        place = traceback.extract_tb(error.__traceback__)[-1]
        return {"error": f"{type(error).__name__}: {error} ({place.name})"}


def serve(handle):
    # Engines print; only answers may stand on standard output.
    answers = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        answers.write(json.dumps(handle(json.loads(line))) + "\n")
        answers.flush()
