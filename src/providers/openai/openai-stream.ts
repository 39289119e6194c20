/** Reads an answer of an OpenAI-compatible server: a stream of events, or one JSON object. */
import { isObject } from '../../core/json.ts';
import type { FinishReason } from '../../core/message.ts';
import type { ModelError, ModelPart } from '../../core/model-port.ts';
import { completeIds, finishCall, parseArgumentsOnly } from '../arguments.ts';
import { createEmitter } from '../emitter.ts';
import { type Fields, listOf, objectOf, parseJson, textOf } from '../json-values.ts';
import { PROVIDER_LIMITS } from '../limits.ts';
import { createMalformedCounter } from '../malformed-events.ts';
import { type ErrorWords, errorFromServer } from '../model-errors.ts';
import { createPlainDeltaReader } from '../plain-delta.ts';
import type { RepairArguments } from '../provider-options.ts';
import type { AnswerReader } from '../stream-answer.ts';
import {
  contentText,
  isNothing,
  REASONING_FIELDS,
  readProgress,
  readTimings,
  readUsage,
  reasoningText,
  type TokenUsage,
} from './event-fields.ts';
import { createCallCollector } from './openai-calls.ts';
import { plainDelta } from './plain-event.ts';
import { createSseReader } from './sse.ts';

export type OpenAIReaderSettings = {
  model: string;
  words: ErrorWords;
  offered: ReadonlySet<string>;
  repairArguments: RepairArguments | undefined;
  random: () => number;
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
  let usage: TokenUsage | undefined;
  let timings: TokenUsage | undefined;
  let events = 0;
  /** Lines that are no SSE: a server that answers with plain JSON, whatever it calls it. */
  const foreign: string[] = [];

  const fail = (said: unknown): void => {
    error ??= errorFromServer(undefined, JSON.stringify(said), settings.model, settings.words);
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
    const progress = readProgress(event['prompt_progress']);
    if (progress) emitter.emit(progress);
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
    PROVIDER_LIMITS.modelLineBytes,
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
