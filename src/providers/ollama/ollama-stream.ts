/** Reads Ollama's NDJSON, or the one object of an answer that is not streamed. */
import { isObject } from '../../core/json.ts';
import type { FinishReason, Usage } from '../../core/message.ts';
import type { ModelError, ModelPart } from '../../core/model-port.ts';
import { completeIds, finishCall, parseArgumentsOnly, type RawCall } from '../arguments.ts';
import { createEmitter } from '../emitter.ts';
import { countOf, type Fields, listOf, objectOf, parseJson, textOf } from '../json-values.ts';
import { PROVIDER_LIMITS } from '../limits.ts';
import { createLineSplitter } from '../lines.ts';
import { createMalformedCounter } from '../malformed-events.ts';
import { type ErrorWords, errorFromServer } from '../model-errors.ts';
import { createPlainDeltaReader, type PlainDelta } from '../plain-delta.ts';
import type { RepairArguments } from '../provider-options.ts';
import type { AnswerReader } from '../stream-answer.ts';

const PLAIN_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'created_at',
  'message',
  'done',
  'remote_model',
  'remote_host',
]);
const PLAIN_MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'thinking']);

/** The text of a line that says nothing else. */
const plainDelta = (event: unknown): PlainDelta | undefined => {
  if (!isObject(event) || event['done'] === true || !isObject(event['message'])) return undefined;
  const message = event['message'];
  if (!Object.keys(event).every((field) => PLAIN_FIELDS.has(field))) return undefined;
  if (!Object.keys(message).every((field) => PLAIN_MESSAGE_FIELDS.has(field))) return undefined;
  const content = textOf(message['content']) ?? '';
  const thinking = textOf(message['thinking']) ?? '';
  if (content !== '' && thinking === '') return { kind: 'text', index: 0, text: content };
  if (thinking !== '' && content === '') return { kind: 'reasoning', index: 0, text: thinking };
  return undefined;
};

export const createOllamaReader = (
  settings: {
    model: string;
    words: ErrorWords;
    repairArguments: RepairArguments | undefined;
    random: () => number;
  },
  emit: (part: ModelPart) => void,
): AnswerReader => {
  const emitter = createEmitter(emit);
  const plain = createPlainDeltaReader(plainDelta, { text: ['content'], reasoning: ['thinking'] }, 'created_at');
  const malformed = createMalformedCounter(emitter.emit, settings.words.endpoint);
  const calls: RawCall[] = [];
  let error: ModelError | undefined;
  let finished = false;
  let reason: string | undefined;
  let usage: Omit<Usage, 'seconds'> | undefined;
  let events = 0;

  const addCall = (value: unknown): void => {
    const given = objectOf(value);
    const fields = isObject(given['function']) ? given['function'] : given;
    const name = textOf(fields['name']) ?? '';
    const id = textOf(given['id']);
    const args = fields['arguments'] ?? fields['parameters'];
    if (calls.length >= PROVIDER_LIMITS.modelCallsPerAnswer) return;
    const call: RawCall = { name, arguments: args, repairs: [], ...(id === undefined || id === '' ? {} : { id }) };
    emitter.emit({
      type: 'tool_call_delta',
      index: calls.length,
      name,
      ...(call.id === undefined ? {} : { id: call.id }),
      arguments_delta: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
    });
    calls.push(call);
  };

  const readEnd = (event: Fields): void => {
    finished = true;
    reason = textOf(event['done_reason']);
    const prompt = countOf(event['prompt_eval_count']);
    const completion = countOf(event['eval_count']);
    if (prompt !== undefined || completion !== undefined) {
      const readNanoseconds = countOf(event['prompt_eval_duration']);
      usage = {
        prompt_tokens: prompt ?? 0,
        completion_tokens: completion ?? 0,
        ...(readNanoseconds === undefined ? {} : { prompt_seconds: readNanoseconds / 1e9 }),
      };
    }
  };

  const readEvent = (event: unknown, line: string): void => {
    if (!isObject(event)) {
      error = malformed.add(line);
      return;
    }
    events += 1;
    if (event['error'] !== undefined && event['error'] !== null) {
      error = errorFromServer(undefined, JSON.stringify(event), settings.model, settings.words);
      return;
    }
    const message = objectOf(event['message']);
    emitter.reasoning(textOf(message['thinking']) ?? '');
    // `response` is the field of `/api/generate`, which some programs that speak this protocol mix in.
    emitter.text(textOf(message['content']) ?? textOf(event['response']) ?? '');
    for (const call of listOf(message['tool_calls'])) addCall(call);
    if (event['done'] === true) readEnd(event);
    const delta = plainDelta(event);
    if (delta) plain.learn(line, delta);
  };

  const readLine = (line: string): void => {
    if (error || finished || line.trim() === '') return;
    const delta = plain.read(line);
    if (delta) {
      if (delta.kind === 'text') emitter.text(delta.text);
      else emitter.reasoning(delta.text);
      return;
    }
    const parsed = parseJson(line);
    if (parsed.ok) readEvent(parsed.value, line);
    else error = malformed.add(line);
  };
  const lines = createLineSplitter(readLine, PROVIDER_LIMITS.modelLineBytes);

  const finishReason = (): FinishReason => {
    if (reason === 'length') return 'length';
    return calls.length > 0 ? 'tool_calls' : 'stop';
  };

  return {
    push: (chunk) => {
      if (!lines.push(chunk)) error ??= malformed.tooLong();
      emitter.flush();
    },
    get error() {
      return error;
    },
    get finished() {
      return finished;
    },
    get complete() {
      return finished;
    },
    get started() {
      return emitter.started;
    },
    end: () => {
      lines.end();
      emitter.flush();
      if (error) return { ok: false, error };
      if (events === 0) return { ok: false, error: malformed.nothingUnderstood() };
      if (!finished) return { ok: false, error: malformed.endedEarly() };
      const repairArguments = settings.repairArguments ?? parseArgumentsOnly;
      const complete = calls.flatMap((call) =>
        finishCall(call, { repairArguments, cutByLimit: reason === 'length' && typeof call.arguments === 'string' }),
      );
      return {
        ok: true,
        answer: {
          calls: completeIds(complete, settings.random),
          finish: finishReason(),
          ...(usage ? { usage: { ...usage, seconds: 0 } } : {}),
        },
      };
    },
  };
};
