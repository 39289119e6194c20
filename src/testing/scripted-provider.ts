/** A model in this process that says what a script says: for tests that need no sockets. */
import type { JsonObject } from '../core/json.ts';
import type { FinishReason } from '../core/message.ts';
import type {
  ModelAnswer,
  ModelError,
  ModelInfo,
  ModelOutcome,
  ModelPart,
  ModelProvider,
  ModelRequest,
  ProviderCall,
} from '../core/model-port.ts';
import { thrownText } from '../core/thrown-text.ts';
import {
  argumentsText,
  DEFAULT_PIECE_CHARACTERS,
  finishOf,
  pieces,
  type ScriptedCall,
  type ScriptedTurn,
  usageOf,
} from './scripted-server/turn.ts';

export type ScriptedProviderTurn = Omit<ScriptedTurn, 'finish'> & {
  finish?: FinishReason;
  /** Handed on as they are, before the text. */
  parts?: readonly ModelPart[];
  /** The turn ends in this error, after its parts and text were handed on. */
  error?: ModelError;
  /** Waits here, after the parts and before the text; cancel works while it waits. */
  gate?: Promise<unknown>;
  /** Waits here, after the text and before the answer. */
  endGate?: Promise<unknown>;
};

export type ScriptedProviderSource =
  | ScriptedProviderTurn
  | ((request: ModelRequest, number: number) => ScriptedProviderTurn | Promise<ScriptedProviderTurn>);

export type ScriptedProvider = ModelProvider & { readonly requests: ModelRequest[] };

const CANCELLED: ModelError = { code: 'cancelled', message: 'The request was cancelled.' };

const toProviderCall = (call: ScriptedCall): ProviderCall => {
  const base = {
    name: call.name,
    source: 'native' as const,
    repairs: [],
    id: call.id,
  };
  if (typeof call.arguments !== 'string') return { ...base, arguments: call.arguments };
  try {
    return { ...base, arguments: JSON.parse(call.arguments) as JsonObject };
  } catch (error) {
    return { ...base, arguments: {}, malformed: { text: call.arguments, problem: thrownText(error) } };
  }
};

const callParts = (calls: readonly ScriptedCall[]): ModelPart[] =>
  calls.map((call, index) => ({
    type: 'tool_call_delta',
    index,
    name: call.name,
    id: call.id,
    arguments_delta: argumentsText(call),
  }));

const FINISH_WORDS: readonly string[] = ['stop', 'tool_calls', 'length', 'cancelled'] satisfies FinishReason[];
const finishWord = (turn: ScriptedProviderTurn): FinishReason => {
  const word = finishOf(turn, 'tool_calls');
  return word !== null && FINISH_WORDS.includes(word) ? (word as FinishReason) : 'stop';
};

const charactersOf = ({ messages, tools }: ModelRequest): number =>
  JSON.stringify(messages).length + (tools.length === 0 ? 0 : JSON.stringify(tools).length);

const answerOf = (turn: ScriptedProviderTurn, request: ModelRequest): ModelAnswer => ({
  calls: (turn.calls ?? []).map(toProviderCall),
  finish: finishWord(turn),
  usage: { ...usageOf(turn, charactersOf(request)), seconds: 0 },
});

/** Resolves true when the wait was over, false as soon as the signal aborted. */
const waitFor = (gate: Promise<unknown> | undefined, signal: AbortSignal): Promise<boolean> => {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(false);
    signal.addEventListener('abort', stop, { once: true });
    Promise.resolve(gate).then(
      () => {
        signal.removeEventListener('abort', stop);
        resolve(!signal.aborted);
      },
      (error: unknown) => reject(error),
    );
  });
};

/**
 * Plays one turn a request, in order; a function plays every request. A request past the end of the script fails with
 * `bad_request`, so that a loop that runs too far is seen.
 */
export const scriptedProvider = (
  turns: readonly ScriptedProviderSource[] | Exclude<ScriptedProviderSource, ScriptedProviderTurn>,
  options: { name?: string; models?: readonly ModelInfo[] } = {},
): ScriptedProvider => {
  const requests: ModelRequest[] = [];
  const models: ModelInfo[] = [...(options.models ?? [{ id: 'test-model', context_length: 8_192, tools: true }])];

  const stream: ModelProvider['stream'] = async (request, emit, signal) => {
    const number = requests.length;
    requests.push(structuredClone(request));
    const source = typeof turns === 'function' ? turns : turns[number];
    if (source === undefined) {
      const message = `The script has no turn ${number}.`;
      return { ok: false, error: { code: 'bad_request', message }, partial: false };
    }
    const turn = typeof source === 'function' ? await source(request, number) : source;
    let partial = false;
    const cancelled = (): ModelOutcome => ({ ok: false, error: CANCELLED, partial });
    const characters = turn.pieceCharacters ?? DEFAULT_PIECE_CHARACTERS;
    const early = turn.parts ?? [];
    const late: ModelPart[] = [
      ...pieces(turn.reasoning, characters).map((delta): ModelPart => ({ type: 'reasoning_delta', delta })),
      ...pieces(turn.text, characters).map((delta): ModelPart => ({ type: 'text_delta', delta })),
      ...callParts(turn.calls ?? []),
    ];
    for (const [list, gate] of [
      [early, turn.gate],
      [late, turn.endGate],
    ] as const) {
      for (const part of list) {
        if (signal.aborted) return cancelled();
        partial = true;
        emit(part);
      }
      if (!(await waitFor(gate, signal))) return cancelled();
    }
    if (turn.error) return { ok: false, error: turn.error, partial };
    return { ok: true, answer: answerOf(turn, request) };
  };

  return {
    name: options.name ?? 'scripted',
    endpoint: 'scripted:',
    requests,
    stream,
    models: async () => ({ ok: true, models }),
    describe: async (name) => {
      const model = models.find((candidate) => candidate.id === name);
      if (model) return { ok: true, model };
      return { ok: false, error: { code: 'model_not_found', message: `There is no model ${name} in the script.` } };
    },
    close: async () => undefined,
  };
};
