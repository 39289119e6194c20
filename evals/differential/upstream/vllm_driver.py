"""vLLM's own parsers of reasoning and tool calls, composed and driven as its chat endpoint does it.

`ParserManager` puts the two together; `parse` reads a finished text, `parse_delta` a stream. vLLM works with token ids.
The tokenizer here is a stand-in: whatever looks like a marker is one token, every other character is one.

usage: vllm_driver.py FOLDER_OF_THE_SOURCES FOLDER_OF_ITS_DEPENDENCIES
"""

import enum
import itertools
import logging
import os
import re
import sys

sys.path.insert(0, sys.argv[2])
import stubs  # noqa: E402
from protocol import attempt, calls_of, serve  # noqa: E402

os.environ["VLLM_CONFIGURE_LOGGING"] = "0"
numbers = itertools.count(1)
stubs.install(
    ["torch", "transformers", "xgrammar", "triton", "zmq", "numpy", "PIL", "fastapi", "starlette", "prometheus_client"]
    + ["mistral_common", "tokenizers", "huggingface_hub", "openai_harmony", "cbor2", "vllm.platforms", "vllm.config"]
    + ["vllm.sampling_params", "vllm.renderers", "vllm.model_executor", "vllm.multimodal", "vllm.transformers_utils", "vllm.outputs", "vllm.v1", "psutil", "vllm.distributed"]
)


class SpecialTokens(str, enum.Enum):
    """The tokens of Mistral's vocabulary that its parser names; their own package needs compiled libraries."""

    tool_calls = "[TOOL_CALLS]"
    args = "[ARGS]"
    call_id = "[CALL_ID]"
    begin_think = "[THINK]"
    end_think = "[/THINK]"


stubs.provide("vllm.renderers", make_tool_call_id=None)
stubs.provide(
    "vllm.renderers.chat_utils",
    make_tool_call_id=lambda *_args, **_options: f"call_{next(numbers)}",
    get_tool_call_id_type=lambda *_args, **_options: "random",
)
stubs.provide("mistral_common.tokens.tokenizers.base", SpecialTokens=SpecialTokens)
stubs.skip_init(sys.argv[1], ["vllm", "vllm.entrypoints", "vllm.entrypoints.openai"])

from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest  # noqa: E402
from vllm.parser import ParserManager  # noqa: E402

logging.disable(logging.CRITICAL)

# The same rule by which the pieces of a stream are cut.
MARKER = re.compile(r"<[|｜/]?[^<>\s=\"']{1,60}>|\[/?[A-Z_]{4,30}\]|\]<\]minimax\[>\[")
# Characters keep their code point; the numbers of markers start above all of them.
FIRST_MARKER = 0x110000


class Vocabulary(dict):
    """Knows the markers of the text, and takes any other marker it is asked for for a token too."""

    def __init__(self, text, lacks):
        super().__init__()
        self.names, self.lacks = [], lacks
        for marker in dict.fromkeys(MARKER.findall(text)):
            self.get(marker)

    def __missing__(self, token):
        if len(token) == 1:
            return ord(token)
        if token in self.lacks or not MARKER.fullmatch(token):
            raise KeyError(token)
        self[token] = FIRST_MARKER + len(self.names)
        self.names.append(token)
        return dict.__getitem__(self, token)

    def get(self, token, default=None):
        try:
            return self[token]
        except KeyError:
            return default

    def __contains__(self, token):
        return self.get(token) is not None


class Tokenizer:
    is_fast = True
    bos_token_id = eos_token_id = pad_token_id = unk_token_id = 0
    bos_token = eos_token = unk_token = "\0"
    all_special_tokens, all_special_ids, added_tokens_decoder = [], [], {}

    def __init__(self, text, lacks):
        self.vocab = Vocabulary(text, lacks)
        self.vocab_size = FIRST_MARKER
        # Hy3's released tokenizer says in its settings which suffix all markers have.
        suffix = re.search(r"<tool_calls(:\w+)>", text)
        self.init_kwargs = {"token_suffix": suffix[1]} if suffix else {}

    def get_vocab(self):
        return self.vocab

    get_added_vocab = get_vocab

    def encode(self, text, **_options):
        ids, at = [], 0
        for match in MARKER.finditer(text):
            if match[0] not in self.vocab:
                continue
            ids += [ord(one) for one in text[at : match.start()]] + [self.vocab[match[0]]]
            at = match.end()
        return ids + [ord(one) for one in text[at:]]

    def tokenize(self, text, **_options):
        return self.convert_ids_to_tokens(self.encode(text))

    def _token(self, number):
        return chr(number) if number < FIRST_MARKER else self.vocab.names[number - FIRST_MARKER]

    def decode(self, ids, **_options):
        return "".join(map(self._token, [ids] if isinstance(ids, int) else ids))

    def convert_ids_to_tokens(self, ids, **_options):
        return self._token(ids) if isinstance(ids, int) else [self._token(number) for number in ids]

    def convert_tokens_to_ids(self, tokens):
        return self.vocab.get(tokens) if isinstance(tokens, str) else [self.vocab.get(one) for one in tokens]

    def convert_tokens_to_string(self, tokens):
        return "".join(tokens)


def prepare(case):
    request = ChatCompletionRequest(
        model="any", messages=[{"role": "user", "content": "hello"}], tools=case["tools"] or None
    )
    tokenizer = Tokenizer(case["text"], case["lacks"])
    parser_class = ParserManager.get_parser(
        tool_parser_name=case["parser"], reasoning_parser_name=case["reasoning"], enable_auto_tools=True
    )
    return request, tokenizer, parser_class(tokenizer, request.tools)


def whole(case):
    request, tokenizer, parser = prepare(case)
    parser.set_prompt_token_ids([])
    reasoning, content, calls = parser.parse(
        case["text"], request, enable_auto_tools=True, model_output_token_ids=tokenizer.encode(case["text"])
    )
    pairs = [(call.name, call.arguments) for call in calls or []]
    return {"content": content or "", "reasoning": reasoning or "", "calls": calls_of(pairs, case["cut"])}


def streamed(case):
    request, tokenizer, parser = prepare(case)
    content, reasoning, calls = "", "", []
    for number, piece in enumerate(case["pieces"]):
        delta = parser.parse_delta(
            piece, tokenizer.encode(piece), request, prompt_token_ids=[], finished=number == len(case["pieces"]) - 1
        )
        if delta is None:
            continue
        content += delta.content or ""
        reasoning += delta.reasoning or ""
        for item in delta.tool_calls or []:
            name = item.function.name if item.function else None
            text = (item.function.arguments if item.function else None) or ""
            # As with the other engine: a name starts a call, other deltas go on with the latest of their index.
            if name:
                calls.append((item.index, [name, text]))
                continue
            for index, call in reversed(calls):
                if index == item.index:
                    call[1] += text
                    break
    return {"content": content, "reasoning": reasoning, "calls": calls_of((call for _, call in calls), case["cut"])}


def handle(case):
    if not case["tools"]:
        # Without tools the server does not look for calls.
        nothing = {"content": case["text"], "reasoning": "", "calls": []}
        return {"whole": nothing, "stream": nothing}
    return {"whole": attempt(lambda: whole(case)), "stream": attempt(lambda: streamed(case))}


serve(handle)
