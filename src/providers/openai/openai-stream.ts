/** Reads an answer of an OpenAI-compatible server: a stream of events, or one JSON object. */
import { LIMITS } from '../../core/limits.ts';
import type { FinishReason, Usage } from '../../core/message.ts';
import type { ModelError, ModelPart } from '../../core/model-port.ts';
import { completeIds, finishCall, parseArgumentsOnly } from '../arguments.ts';
import { createEmitter } from '../emitter.ts';
import { countOf, type Fields, isObject, listOf, objectOf, parseJson, textOf } from '../json-values.ts';
import { createMalformedCounter } from '../malformed-events.ts';
import { type ErrorWords, errorFromServer, errorText } from '../model-errors.ts';
import { createPlainDeltaReader, type PlainDelta } from '../plain-delta.ts';
import type { RepairArguments } from '../provider-options.ts';
import type { AnswerReader } from '../stream-answer.ts';
import { createCallCollector } from './openai-calls.ts';
import { createSseReader } from './sse.ts';

const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'thinking'] as const;
/** Fields of an event and of its choice that may stand beside a plain delta without meaning anything. */
const IDLE_EVENT_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'system_fingerprint',
  'service_tier',
  'choices',
]);
const IDLE_CHOICE_FIELDS: ReadonlySet<string> = new Set(['index', 'delta']);

const isNothing = (value: unknown): boolean => value === null || value === undefined || value === '';

/** Content is text, or a list of parts. */
const contentText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return listOf(value)
    .map((part) => textOf(objectOf(part)['text']) ?? '')
    .join('');
};

/** Some servers put the thought into a list of parts of the content. */
const thoughtText = (value: unknown): string =>
  listOf(value)
    .map((part) => contentText(objectOf(part)['thinking']))
    .join('');

const reasoningText = (message: Fields): string => {
  for (const field of REASONING_FIELDS) {
    const text = textOf(message[field]);
    if (text !== undefined && text !== '') return text;
  }
  return thoughtText(message['content']);
};

const isReasoningField = (field: string): boolean => (REASONING_FIELDS as readonly string[]).includes(field);

/** More text for the arguments of one call, and nothing else of it. */
const plainArguments = (calls: unknown): PlainDelta | undefined => {
  const call = Array.isArray(calls) && calls.length === 1 ? objectOf(calls[0]) : {};
  const { index } = call;
  const fields = objectOf(call['function']);
  const text = fields['arguments'];
  if (typeof index !== 'number' || typeof text !== 'string' || text === '') return undefined;
  if (!isNothing(call['id']) || !isNothing(fields['name'])) return undefined;
  return { kind: 'arguments', index, text };
};

/** The text of an event that says nothing else. */
const plainDelta = (event: unknown): PlainDelta | undefined => {
  if (!isObject(event)) return undefined;
  const choices = listOf(event['choices']);
  const choice = choices[0];
  if (choices.length !== 1 || !isObject(choice) || (choice['index'] ?? 0) !== 0) return undefined;
  const delta = choice['delta'];
  if (!isObject(delta)) return undefined;
  for (const field in event) if (!IDLE_EVENT_FIELDS.has(field) && !isNothing(event[field])) return undefined;
  for (const field in choice) if (!IDLE_CHOICE_FIELDS.has(field) && !isNothing(choice[field])) return undefined;
  let found: PlainDelta | undefined;
  for (const field in delta) {
    const value = delta[field];
    if (field === 'role' || isNothing(value)) continue;
    if (found) return undefined;
    if (field === 'tool_calls') found = plainArguments(value);
    else if (typeof value !== 'string') return undefined;
    else if (field === 'content') found = { kind: 'text', index: 0, text: value };
    else if (isReasoningField(field)) found = { kind: 'reasoning', index: 0, text: value };
    if (!found) return undefined;
  }
  return found;
};

export type OpenAIReaderSettings = {
  model: string;
  words: ErrorWords;
  offered: ReadonlySet<string>;
  repairArguments: RepairArguments | undefined;
  random: () => number;
};

const readUsage = (value: unknown): Omit<Usage, 'seconds'> | undefined => {
  const usage = objectOf(value);
  const prompt = countOf(usage['prompt_tokens']);
  const completion = countOf(usage['completion_tokens']);
  if (prompt === undefined && completion === undefined) return undefined;
  const cached =
    countOf(objectOf(usage['prompt_tokens_details'])['cached_tokens']) ?? countOf(usage['prompt_cache_hit_tokens']);
  return {
    prompt_tokens: prompt ?? 0,
    completion_tokens: completion ?? 0,
    ...(cached === undefined ? {} : { cached_tokens: cached }),
  };
};

/** llama.cpp's own figures: `cache_n` tokens came from the cache, `prompt_n` were evaluated. */
const readTimings = (value: unknown): Omit<Usage, 'seconds'> | undefined => {
  const timings = objectOf(value);
  const cached = countOf(timings['cache_n']);
  const evaluated = countOf(timings['prompt_n']);
  const completion = countOf(timings['predicted_n']);
  if (cached === undefined || evaluated === undefined || completion === undefined) return undefined;
  const milliseconds = timings['prompt_ms'];
  return {
    prompt_tokens: cached + evaluated,
    completion_tokens: completion,
    cached_tokens: cached,
    ...(typeof milliseconds === 'number' && milliseconds > 0 ? { prompt_seconds: milliseconds / 1_000 } : {}),
  };
};

const zeroUsage = { prompt_tokens: 0, completion_tokens: 0 };

const LENGTH_WORDS: ReadonlySet<string> = new Set(['length', 'max_tokens', 'max_output_tokens', 'model_length']);

export const createOpenAIReader = (
  settings: OpenAIReaderSettings,
  contentType: string,
  emit: (part: ModelPart) => void,
): AnswerReader => {
  const emitter = createEmitter(emit);
  const malformed = createMalformedCounter(emitter.emit, settings.words.endpoint, contentType);
  const collector = createCallCollector(settings.offered, emitter);
  const plain = createPlainDeltaReader(plainDelta, {
    text: ['content'],
    reasoning: REASONING_FIELDS,
    arguments: ['arguments'],
  });
  let error: ModelError | undefined;
  let finished = false;
  let reason: string | undefined;
  let usage: Omit<Usage, 'seconds'> | undefined;
  let timings: Omit<Usage, 'seconds'> | undefined;
  let events = 0;
  /** Lines that are no SSE: a server that answers with plain JSON, whatever it calls it. */
  const foreign: string[] = [];

  const fail = (said: unknown): void => {
    error ??= errorFromServer(undefined, errorText(said), settings.model, settings.words);
  };

  const readProgress = (event: Fields): void => {
    const progress = objectOf(event['prompt_progress']);
    const processed = countOf(progress['processed']);
    const total = countOf(progress['total']);
    if (processed === undefined || total === undefined) return;
    const cached = countOf(progress['cache']);
    emitter.emit({ type: 'prefill', processed, total, ...(cached === undefined ? {} : { cached }) });
  };

  const readFinish = (word: string): void => {
    reason = word;
    if (word === 'error') fail({ error: 'the model ended with an error' });
    if (word === 'content_filter') {
      emitter.emit({ type: 'warning', code: 'content_filter', message: 'The server cut the answer by its filter.' });
    }
  };

  const readChoice = (choice: Fields): void => {
    const message = isObject(choice['delta']) ? choice['delta'] : objectOf(choice['message']);
    emitter.reasoning(reasoningText(message));
    emitter.text(contentText(message['content']) || contentText(message['refusal']) || contentText(choice['text']));
    const calls = listOf(message['tool_calls']);
    if (calls.length > 0) collector.add(calls);
    // The form from before `tool_calls`.
    if (isObject(message['function_call'])) collector.add([{ index: 0, function: message['function_call'] }]);
    const word = textOf(choice['finish_reason']);
    if (word !== undefined && word !== '') readFinish(word);
  };

  const readEvent = (event: Fields): void => {
    events += 1;
    if (!isNothing(event['error'])) {
      fail(event);
      return;
    }
    if (event['prompt_progress'] !== undefined) readProgress(event);
    usage = readUsage(event['usage']) ?? usage;
    timings = readTimings(event['timings']) ?? timings;
    const first = listOf(event['choices']).find((choice) => isObject(choice) && (choice['index'] ?? 0) === 0);
    if (isObject(first)) readChoice(first);
  };

  const onData = (data: string, name: string): void => {
    if (error || finished) return;
    const delta = name === '' ? plain.read(data) : undefined;
    if (delta) {
      if (delta.kind === 'text') emitter.text(delta.text);
      else if (delta.kind === 'reasoning') emitter.reasoning(delta.text);
      else collector.addText(delta.index, delta.text);
      return;
    }
    const text = data.trim();
    if (text === '') return;
    if (text === '[DONE]') {
      finished = true;
      return;
    }
    const parsed = parseJson(text);
    if (name === 'error') {
      fail(parsed.ok ? parsed.value : text);
    } else if (parsed.ok && isObject(parsed.value)) {
      readEvent(parsed.value);
      const learnt = plainDelta(parsed.value);
      if (learnt) plain.learn(data, learnt);
    } else if (!parsed.ok && text.includes('\n')) {
      // Several events without a blank line between them.
      for (const line of text.split('\n')) onData(line, name);
    } else {
      error = malformed.add(text);
    }
  };

  const sse = createSseReader(
    {
      onData,
      complete: (data) => data.trim() === '[DONE]' || parseJson(data).ok,
      onForeign: (line) => foreign.push(line),
    },
    LIMITS.modelLineBytes,
  );

  /** What was no SSE: one JSON object over one or many lines, or nothing that can be read. */
  const readForeign = (): void => {
    const text = foreign.join('\n').trim();
    if (text === '') return;
    const parsed = parseJson(text);
    if (parsed.ok && isObject(parsed.value)) {
      readEvent(parsed.value);
      finished = true;
    } else {
      error ??= malformed.add(text);
    }
  };

  const answerCalls = () =>
    completeIds(
      collector.calls().flatMap((call) =>
        finishCall(call, {
          repairArguments: settings.repairArguments ?? parseArgumentsOnly,
          cutByLimit: reason !== undefined && LENGTH_WORDS.has(reason.toLowerCase()),
        }),
      ),
      settings.random,
    );

  const finishReason = (): FinishReason => {
    if (reason !== undefined && LENGTH_WORDS.has(reason.toLowerCase())) return 'length';
    return collector.count > 0 ? 'tool_calls' : 'stop';
  };

  return {
    push: (chunk) => {
      if (!sse.push(chunk)) error ??= malformed.tooLong();
      emitter.flush();
    },
    get error() {
      return error;
    },
    get finished() {
      return finished;
    },
    get complete() {
      return finished || reason !== undefined;
    },
    get started() {
      return emitter.started;
    },
    end: () => {
      sse.end();
      if (!error && foreign.length > 0) readForeign();
      emitter.flush();
      if (error) return { ok: false, error };
      if (events === 0 && !finished) return { ok: false, error: malformed.nothingUnderstood() };
      if (!finished && reason === undefined) return { ok: false, error: malformed.endedEarly() };
      return {
        ok: true,
        answer: {
          calls: answerCalls(),
          finish: finishReason(),
          ...(usage || timings ? { usage: { ...zeroUsage, ...timings, ...usage, seconds: 0 } } : {}),
        },
      };
    },
  };
};
