"""SGLang's own reasoning and tool call parsers, driven as its chat endpoint drives them.

Follows `serving_chat.py` of the same version: the reasoning parser first, then the tool call parser on what is left;
at the end of a stream both are flushed, and arguments that were understood and not yet sent are sent.

usage: sglang_driver.py FOLDER_OF_THE_WHEEL FOLDER_OF_ITS_DEPENDENCIES
"""

import json
import logging
import re
import sys

sys.path.insert(0, sys.argv[2])
import stubs  # noqa: E402
from protocol import attempt, calls_of, serve  # noqa: E402

logging.disable(logging.CRITICAL)
stubs.install(["torch", "transformers", "xgrammar", "triton", "zmq", "sglang.utils"])
stubs.skip_init(
    sys.argv[1],
    ["sglang", "sglang.srt", "sglang.srt.entrypoints", "sglang.srt.entrypoints.openai"]
    + ["sglang.srt.function_call", "sglang.srt.parser"],
)

from sglang.srt.entrypoints.openai.protocol import Tool  # noqa: E402
from sglang.srt.function_call.function_call_parser import FunctionCallParser  # noqa: E402
from sglang.srt.parser.reasoning_parser import ReasoningParser  # noqa: E402


# Refuses to be made for a prompt that does not end inside reasoning.
ALWAYS_THINKING = {"k2_horizon"}


class Tokenizer:
    """Some parsers ask which spelling of a marker the vocabulary has; here it has those of the text."""

    def __init__(self, text):
        self.vocabulary = {tag: number for number, tag in enumerate(sorted(set(re.findall(r"<[^<>\s]+>", text))))}

    def get_vocab(self):
        return self.vocabulary


def reasoning_parser(case, tools, stream):
    if case["reasoning"] is None or (case["reasoning"] in ALWAYS_THINKING and not case["startInReasoning"]):
        return None
    return ReasoningParser(
        case["reasoning"],
        stream,
        case["startInReasoning"],
        tokenizer=Tokenizer(case["text"]),
        tool_call_parser_active=bool(tools),
    )


def tool_parser(case, tools):
    return FunctionCallParser(tools, case["parser"], tokenizer=Tokenizer(case["text"])) if tools else None


def whole(case, tools):
    text, reasoning, calls = case["text"], "", []
    thinking = reasoning_parser(case, tools, stream=False)
    if thinking is not None:
        reasoning, text = thinking.parse_non_stream(text)
        text = text or ""
    parser = tool_parser(case, tools)
    if parser is not None and parser.has_tool_call(text):
        text, calls = parser.parse_non_stream(text)
    return {
        "content": text or "",
        "reasoning": reasoning or "",
        "calls": calls_of(((call.name, call.parameters) for call in calls), case["cut"]),
    }


class Received:
    """What a client puts together from the deltas.

    A name comes with an id of its own, so it starts a call, even where a parser gives two calls one index. Deltas
    without a name go on with the latest call of their index.
    """

    def __init__(self):
        self.content, self.reasoning, self.calls = "", "", []

    def take(self, items):
        for item in items:
            if item.name:
                self.calls.append((item.tool_index, [item.name, ""]))
            self.add(item.tool_index, item.parameters or "")

    def add(self, index, text):
        for known, call in reversed(self.calls):
            if known == index:
                call[1] += text
                return

    def result(self, cut):
        calls = calls_of((call for _, call in self.calls), cut)
        return {"content": self.content, "reasoning": self.reasoning, "calls": calls}


def send_the_rest(parser, received):
    """`_check_for_unstreamed_tool_args`: the last call's arguments as far as they were understood."""
    known = getattr(parser.detector, "prev_tool_call_arr", None)
    sent = getattr(parser.detector, "streamed_args_for_tool", None)
    if not known or not sent or len(known) > len(sent):
        return
    index = len(known) - 1
    expected = known[index].get("arguments", {})
    expected = expected if isinstance(expected, str) else json.dumps(expected, ensure_ascii=False)
    if expected.startswith(sent[index]) and len(expected) > len(sent[index]):
        received.add(index, expected[len(sent[index]) :])


def streamed(case, tools):
    thinking = reasoning_parser(case, tools, stream=True)
    parser = tool_parser(case, tools)
    received = Received()
    for number, piece in enumerate(case["pieces"]):
        last = number == len(case["pieces"]) - 1
        if thinking is not None:
            thought, piece = thinking.parse_stream_chunk(piece)
            if last:
                more_thought, more = thinking.parse_stream_end()
                thought, piece = (thought or "") + (more_thought or ""), (piece or "") + (more or "")
            received.reasoning += thought or ""
            piece = piece or ""
        if parser is None:
            received.content += piece
            continue
        text, items = parser.parse_stream_chunk(piece)
        received.content += text or ""
        received.take(items)
        if last:
            text, items = parser.parse_stream_end()
            received.content += text or ""
            received.take(items)
            send_the_rest(parser, received)
    return received.result(case["cut"])


def handle(case):
    tools = [Tool(**tool) for tool in case["tools"]]
    return {
        "whole": attempt(lambda: whole(case, tools)),
        "stream": attempt(lambda: streamed(case, tools)),
    }


serve(handle)
