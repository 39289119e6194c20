/**
 * Models that cannot call tools by themselves, led through a turn in steps: does it need a tool, and which; the call under
 * that tool's schema; after the results, the answer. Any engine that can hold a text to a grammar or a schema carries it.
 */
import { LedError, type LedPort } from '../core/led-port.ts';
import type { ModelError, ModelOutcome, ModelPart, ModelProvider, ProviderCall } from '../core/model-port.ts';
import { decodeCall } from './led/steps/call.ts';
import { lastRequest, runSteps } from './led/steps.ts';
import type { Turn } from './led/turn.ts';

const CANCELLED: ModelError = { code: 'cancelled', message: 'The request was cancelled.' };

export type LedWork = Omit<Turn, 'port'>;

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
    ...work.meter.counted(),
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
