/** The grammar of each wire, stricter than its clients: what an answer with status 200 must not break. Each fault is named. */
import { isObject, type JsonObject } from '../../src/core/json.ts';
import { framesOf } from './wire-cases.ts';

type Frame = { event?: string; data: JsonObject };

const list = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const object = (value: unknown): JsonObject => (isObject(value) ? value : {});
const isText = (value: unknown): value is string => typeof value === 'string';
const isNamed = (value: unknown): boolean => isText(value) && value !== '';
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;

/** Collects what is wrong, each once. */
class Faults {
  readonly found = new Set<string>();
  unless(holds: boolean, words: string): void {
    if (!holds) this.found.add(words);
  }
  counts(of: JsonObject, names: readonly string[]): void {
    for (const name of names) this.unless(isCount(of[name]), `${name} is no count`);
  }
  /** Ids that a client answers calls by. */
  ids(ids: readonly unknown[]): void {
    this.unless(ids.every(isNamed), 'a call without an id');
    this.unless(new Set(ids).size === ids.length, 'two calls with one id');
  }
  jsonObject(text: unknown, words: string): void {
    try {
      this.unless(isText(text) && isObject(JSON.parse(text)), words);
    } catch {
      this.found.add(words);
    }
  }
}

const openAiCalls = (faults: Faults, calls: readonly JsonObject[]): void => {
  faults.ids(calls.map(({ id }) => id));
  for (const call of calls) {
    faults.unless(call['type'] === 'function', 'a call of no type');
    faults.unless(isNamed(object(call['function'])['name']), 'a call without a name');
    faults.jsonObject(object(call['function'])['arguments'], 'arguments are no object in JSON');
  }
};
const openAiUsage = (faults: Faults, usage: unknown): void =>
  faults.counts(object(usage), ['prompt_tokens', 'completion_tokens', 'total_tokens']);
const openAiFinish = (faults: Faults, finish: unknown, calls: number): void => {
  faults.unless(['stop', 'length', 'tool_calls', 'content_filter'].includes(String(finish)), `finish ${finish}`);
  faults.unless((finish === 'tool_calls') === calls > 0, 'finish and calls do not agree');
};

const chatWhole = (faults: Faults, reply: JsonObject): void => {
  const [choice, ...others] = list(reply['choices']);
  const message = object(choice?.['message']);
  const calls = list(message['tool_calls']);
  faults.unless(reply['object'] === 'chat.completion' && isNamed(reply['id']), 'no completion');
  faults.unless(choice !== undefined && others.length === 0, 'not one choice');
  faults.unless(message['role'] === 'assistant', 'role');
  faults.unless(isText(message['content']) || (message['content'] === null && calls.length > 0), 'content');
  openAiCalls(faults, calls);
  openAiFinish(faults, choice?.['finish_reason'], calls.length);
  openAiUsage(faults, reply['usage']);
};

const chatStream = (faults: Faults, frames: readonly Frame[], body: string): void => {
  faults.unless(body.endsWith('data: [DONE]\n\n'), 'no [DONE] at the end');
  const chunks = frames.filter(({ data }) => data['error'] === undefined).map(({ data }) => data);
  if (chunks.length < frames.length) {
    faults.unless(frames.at(-1)?.data['error'] !== undefined, 'words behind an error');
    return;
  }
  faults.unless(new Set(chunks.map(({ id }) => id)).size === 1, 'several ids');
  for (const { object: kind } of chunks) faults.unless(kind === 'chat.completion.chunk', 'no chunk');
  const choices = chunks.map((chunk) => object(list(chunk['choices'])[0]));
  faults.unless(object(choices[0]?.['delta'])['role'] === 'assistant', 'no role first');
  const calls = choices.flatMap(({ delta }) => list(object(delta)['tool_calls']));
  faults.unless(
    calls.every(({ index }, at) => index === at),
    'indexes of calls',
  );
  openAiCalls(faults, calls);
  const finishes = choices.flatMap(({ finish_reason: finish }) => finish ?? []);
  faults.unless(finishes.length === 1, 'not one finish');
  openAiFinish(faults, finishes[0], calls.length);
  openAiUsage(faults, chunks.at(-1)?.['usage']);
};

const ITEM_STATUS: Readonly<Record<string, readonly unknown[]>> = {
  message: ['completed', 'incomplete'],
  function_call: ['completed'],
  reasoning: [undefined],
};
const responseWhole = (faults: Faults, reply: JsonObject): void => {
  const { status, error, incomplete_details: incomplete } = reply;
  const items = list(reply['output']);
  const calls = items.filter(({ type }) => type === 'function_call');
  faults.unless(reply['object'] === 'response' && isNamed(reply['id']), 'no response');
  faults.unless(['completed', 'incomplete', 'failed'].includes(String(status)), `status ${status}`);
  faults.unless((status === 'failed') === isObject(error), 'error and status do not agree');
  faults.unless((status === 'incomplete') === isObject(incomplete), 'incomplete_details and status do not agree');
  faults.unless(
    new Set(items.map(({ id }) => id)).size === items.length && items.every(({ id }) => isNamed(id)),
    'ids',
  );
  for (const item of items) {
    const allowed = ITEM_STATUS[String(item['type'])] ?? [];
    const may = status === 'completed' ? allowed.filter((one) => one !== 'incomplete') : allowed;
    faults.unless(may.includes(item['status'] as never), `item ${item['type']} ${item['status']}`);
  }
  faults.ids(calls.map(({ call_id: id }) => id));
  for (const call of calls) {
    faults.unless(isNamed(call['name']), 'a call without a name');
    faults.jsonObject(call['arguments'], 'arguments are no object in JSON');
  }
  if (status !== 'failed') faults.counts(object(reply['usage']), ['input_tokens', 'output_tokens', 'total_tokens']);
};

/** What opens is closed in its order, and what was told in pieces is what the item says. */
const responseStream = (faults: Faults, frames: readonly Frame[]): void => {
  const types = frames.map(({ data }) => data['type']);
  faults.unless(types[0] === 'response.created' && types[1] === 'response.in_progress', 'beginning');
  const ends = ['response.completed', 'response.incomplete', 'response.failed'];
  faults.unless(types.filter((type) => ends.includes(String(type))).length === 1, 'not one end');
  faults.unless(ends.includes(String(types.at(-1))), 'no end at the end');
  let open: unknown;
  const items: unknown[] = [];
  for (const { event, data } of frames) {
    faults.unless(event === data['type'], 'event and type');
    faults.unless(data['sequence_number'] === frames.findIndex((one) => one.data === data), 'numbers');
    const place = data['output_index'];
    if (data['type'] === 'response.output_item.added') {
      faults.unless(open === undefined && place === items.length, 'an item in an item');
      open = object(data['item'])['id'];
    } else if (data['type'] === 'response.output_item.done') {
      faults.unless(open === object(data['item'])['id'] && place === items.length, 'another item is done');
      items.push(data['item']);
      open = undefined;
    } else if (place !== undefined) faults.unless(open === data['item_id'] && place === items.length, 'no such item');
  }
  faults.unless(open === undefined, 'an item is left open');
  const response = object(frames.at(-1)?.data['response']);
  faults.unless(JSON.stringify(response['output']) === JSON.stringify(items), 'items and output do not agree');
  responseWhole(faults, response);
};

const blocks = (faults: Faults, content: readonly JsonObject[], stop: unknown): void => {
  const calls = content.filter(({ type }) => type === 'tool_use');
  faults.ids(calls.map(({ id }) => id));
  for (const call of calls) faults.unless(isNamed(call['name']) && isObject(call['input']), 'a call');
  for (const { type, text } of content) if (type === 'text') faults.unless(isNamed(text), 'an empty text');
  faults.unless(
    ['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal'].includes(String(stop)),
    `stop ${stop}`,
  );
  faults.unless((stop === 'tool_use') === calls.length > 0, 'stop and calls do not agree');
};
const USAGE = ['input_tokens', 'output_tokens', 'cache_read_input_tokens'];
const messageWhole = (faults: Faults, reply: JsonObject): void => {
  faults.unless(reply['type'] === 'message' && reply['role'] === 'assistant' && isNamed(reply['id']), 'no message');
  blocks(faults, list(reply['content']), reply['stop_reason']);
  faults.counts(object(reply['usage']), USAGE);
};

/** The block that one event leaves behind, from the one before it. */
const DELTAS: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'thinking',
  input_json_delta: 'tool_use',
};
const messageStream = (faults: Faults, frames: readonly Frame[]): void => {
  const content: JsonObject[] = [];
  let open: JsonObject | undefined;
  let written = '';
  let stop: unknown;
  for (const [at, { event, data }] of frames.entries()) {
    faults.unless(event === data['type'], 'event and type');
    if ((event === 'message_start') !== (at === 0)) faults.found.add('message_start');
    if (event === 'error') {
      faults.unless(at === frames.length - 1 && stop === undefined, 'words behind an error');
      return;
    }
    if (String(event).startsWith('content_block')) {
      faults.unless(stop === undefined && data['index'] === content.length, 'numbers of blocks');
      faults.unless((open === undefined) === (event === 'content_block_start'), 'a block in a block');
    }
    if (event === 'content_block_start') [open, written] = [{ ...object(data['content_block']) }, ''];
    const delta = object(data['delta']);
    if (event === 'content_block_delta') {
      faults.unless(DELTAS[String(delta['type'])] === open?.['type'], 'a delta of another block');
      written += String(delta['text'] ?? delta['partial_json'] ?? '');
    }
    if (event === 'content_block_stop' && open) {
      if (open['type'] === 'tool_use') faults.jsonObject(written, 'input is no object in JSON');
      content.push(open['type'] === 'text' ? { ...open, text: written } : open);
      open = undefined;
    }
    if (event === 'message_delta') {
      faults.unless(open === undefined && stop === undefined, 'an early end');
      stop = delta['stop_reason'];
      faults.counts(object(data['usage']), ['output_tokens']);
    }
  }
  faults.unless(frames.at(-1)?.event === 'message_stop', 'no message_stop at the end');
  blocks(faults, content, stop);
};

const ollamaLine = (faults: Faults, line: JsonObject, isChat: boolean): void => {
  faults.unless(isNamed(line['model']) && !Number.isNaN(Date.parse(String(line['created_at']))), 'model and time');
  const message = object(line['message']);
  faults.unless(isText(isChat ? message['content'] : line['response']), 'no text');
  if (isChat) faults.unless(message['role'] === 'assistant', 'role');
  for (const call of list(message['tool_calls'])) {
    const { name, arguments: args } = object(call['function']);
    faults.unless(isNamed(name) && isObject(args), 'a call');
  }
};
const ollamaLast = (faults: Faults, line: JsonObject, isChat: boolean): void => {
  ollamaLine(faults, line, isChat);
  faults.unless(
    line['done'] === true && ['stop', 'length', 'content_filter'].includes(String(line['done_reason'])),
    'no end',
  );
  faults.counts(line, ['total_duration', 'prompt_eval_count', 'eval_count']);
};
const ollamaStream = (faults: Faults, frames: readonly Frame[], isChat: boolean): void => {
  const lines = frames.map(({ data }) => data);
  if (lines.some(({ error }) => error !== undefined)) {
    faults.unless(isNamed(lines.at(-1)?.['error']), 'words behind an error');
    return;
  }
  for (const line of lines.slice(0, -1)) {
    ollamaLine(faults, line, isChat);
    faults.unless(line['done'] === false, 'an early end');
  }
  ollamaLast(faults, lines.at(-1) ?? {}, isChat);
  faults.ids(lines.flatMap(({ message }) => list(object(message)['tool_calls']).map(({ id }) => id)));
};

type Rule = {
  whole(faults: Faults, reply: JsonObject): void;
  stream(faults: Faults, frames: Frame[], body: string): void;
};
const RULES: Readonly<Record<string, Rule>> = {
  '/v1/chat/completions': { whole: chatWhole, stream: chatStream },
  '/v1/responses': { whole: responseWhole, stream: responseStream },
  '/v1/messages': { whole: messageWhole, stream: messageStream },
  '/api/chat': {
    whole: (faults, reply) => ollamaLast(faults, reply, true),
    stream: (faults, frames) => ollamaStream(faults, frames, true),
  },
  '/api/generate': {
    whole: (faults, reply) => ollamaLast(faults, reply, false),
    stream: (faults, frames) => ollamaStream(faults, frames, false),
  },
};

/** What is wrong with a body of status 200, in words. */
export const grammarFaults = (path: string, body: string, stream: boolean): string[] => {
  const faults = new Faults();
  const rule = RULES[path];
  if (rule === undefined) throw new Error(`No grammar of ${path}`);
  try {
    if (stream) rule.stream(faults, framesOf(body), body);
    else rule.whole(faults, JSON.parse(body) as JsonObject);
  } catch (error) {
    faults.found.add(`it cannot be read: ${(error as Error).message}`);
  }
  return [...faults.found];
};
