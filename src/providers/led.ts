/**
 * Models that cannot call tools by themselves, led through a turn in steps: does it need a tool, and which; the call under
 * that tool's schema; after the results, the answer. Any engine that can hold a text to a grammar or a schema carries it.
 */
import { type LeadingProvider, LedError, type LedPort } from '../core/led-port.ts';
import type {
  ModelError,
  ModelInfo,
  ModelOutcome,
  ModelPart,
  ModelProvider,
  ModelRequest,
  ProviderCall,
} from '../core/model-port.ts';
import { LED_LIMITS } from './led/limits.ts';
import { Meter } from './led/meter.ts';
import { createSchemaPort } from './led/schema-port.ts';
import { decodeCall } from './led/steps/call.ts';
import { lastRequest, runSteps } from './led/steps.ts';
import { toPlainTurns } from './led/turns.ts';

const CANCELLED: ModelError = { code: 'cancelled', message: 'The request was cancelled.' };

export type LedWork = {
  request: ModelRequest;
  emit(part: ModelPart): void;
  signal: AbortSignal;
  meter: Meter;
  quotes: boolean;
  called: string;
};

/** One turn: parts come while it is wanted, and what the engine cannot do is in the outcome. */
export const streamLed = async (
  work: LedWork,
  open: (emit: (part: ModelPart) => void) => Promise<LedPort>,
): Promise<ModelOutcome> => {
  const { signal } = work;
  let partial = false;
  const emit = (part: ModelPart): void => {
    if (signal.aborted) return;
    if (part.type === 'text_delta' || part.type === 'tool_call_delta') partial = true;
    work.emit(part);
  };
  const failed = (error: ModelError): ModelOutcome => ({
    ok: false,
    error: signal.aborted ? CANCELLED : error,
    partial,
  });
  try {
    const port = await open(emit);
    const answer = await runSteps({ ...work, emit, port });
    return signal.aborted ? failed(CANCELLED) : { ok: true, answer };
  } catch (error) {
    if (error instanceof LedError) return failed(error.error);
    throw error;
  }
};

export type LedCallOutcome = { ok: true; call: ProviderCall } | { ok: false; error: ModelError };

/** A call of one tool, valid whatever the model would have written. */
export const decodeLedCall = async (
  port: LedPort,
  { messages, tool }: Parameters<NonNullable<ModelProvider['decodeToolCall']>>[0],
  { meter, signal }: Pick<LedWork, 'meter' | 'signal'>,
): Promise<LedCallOutcome> => {
  try {
    const call = await decodeCall({ port, meter, signal }, tool, lastRequest(messages));
    if (call === undefined) {
      const message = 'The call did not fit into its limit of tokens.';
      return { ok: false, error: signal.aborted ? CANCELLED : { code: 'context_overflow', message } };
    }
    return { ok: true, call: { name: call.name, arguments: call.arguments, source: 'constrained', repairs: [] } };
  } catch (error) {
    if (error instanceof LedError) return { ok: false, error: error.error };
    throw error;
  }
};

/** `SmolLM2-135M`, `qwen2.5:0.5b`: how many parameters a name says. */
const parametersIn = (name: string): number | undefined => {
  const found = /(?<![a-z0-9.])(\d+(?:\.\d+)?)([mb])(?![a-z0-9])/i.exec(name);
  return found === null ? undefined : Number(found[1]) * (found[2]?.toLowerCase() === 'b' ? 1e9 : 1e6);
};

/** Too small to judge by itself, as far as its server or its name says how large it is. */
export const isSmallModel = ({ id, size_bytes: bytes }: Pick<ModelInfo, 'id' | 'size_bytes'>): boolean => {
  if (bytes !== undefined) return bytes < LED_LIMITS.ledSmallModelBytes;
  const parameters = parametersIn(id);
  return parameters !== undefined && parameters < LED_LIMITS.ledSmallModelParameters;
};

/** llama.cpp's server names a model by its whole path where it is given no other name. */
export const shownName = (model: string): string =>
  /\.gguf$/i.test(model) ? model.replace(/^.*[/\\]/, '').replace(/\.gguf$/i, '') : model;

/** An engine that holds no text to a schema cannot lead. */
export const canLead = (provider: LeadingProvider): boolean =>
  provider.led !== undefined || provider.constrains === true;

/** The same provider, with the model led in steps. One that leads by itself stays as it is. */
export const ledProvider = (
  inner: LeadingProvider,
  { isSmall, monotonic }: { isSmall: boolean; monotonic(): number },
): ModelProvider => {
  const portFor = async (model: string, signal: AbortSignal): Promise<LedPort> =>
    (await inner.led?.(model, signal)) ?? createSchemaPort(inner, model);
  /** As the conversation stands before the model, without tools. */
  const plain = <Asked extends Pick<ModelRequest, 'tools' | 'messages'>>(request: Asked): Asked => ({
    ...request,
    tools: [],
    messages: toPlainTurns(request.messages) as ModelRequest['messages'],
  });
  return {
    name: inner.name,
    endpoint: inner.endpoint,
    models: (signal) => inner.models(signal),
    describe: (model, signal) => inner.describe(model, signal),
    close: () => inner.close(),
    ...(inner.constrains ? { constrains: true as const } : {}),
    ...(inner.passes ? { passes: inner.passes } : {}),
    ...(inner.countTokens ? { countTokens: (asked, signal) => inner.countTokens!(plain(asked), signal) } : {}),
    ...(inner.warmUp
      ? { warmUp: { ...inner.warmUp, read: (asked, signal) => inner.warmUp!.read(plain(asked), signal) } }
      : {}),
    ...(inner.embed ? { embed: (request, signal) => inner.embed!(request, signal) } : {}),
    stream: (request, emit, signal) =>
      streamLed(
        { request, emit, signal, meter: new Meter(monotonic), quotes: isSmall, called: shownName(request.model) },
        () => portFor(request.model, signal),
      ),
    async decodeToolCall(request, signal) {
      const port = await portFor(request.model, signal);
      return decodeLedCall(port, request, { meter: new Meter(monotonic), signal });
    },
  };
};
