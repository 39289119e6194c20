/** What a scripted model says, as data. The server and the in-process provider play the same turns. */
import type { JsonObject } from '../../core/json.ts';

export type ScriptedCall = {
  name: string;
  /** An object is written the way the protocol writes it; a string goes out as it is, broken or not. */
  arguments: JsonObject | string;
  id?: string;
};

export type ScriptedUsage = { prompt_tokens: number; completion_tokens: number; cached_tokens?: number };

export type ScriptedTurn = {
  /** A list is sent piece by piece; a string is cut into pieces of `pieceCharacters`. */
  text?: string | readonly string[];
  reasoning?: string | readonly string[];
  calls?: readonly ScriptedCall[];
  /** The protocol's own word: `stop`, `tool_calls`, `length` … Derived where absent; null: none is sent. */
  finish?: string | null;
  usage?: ScriptedUsage;
  pieceCharacters?: number;
};

/** How the scripted server sends a turn, and what goes wrong with it. */
export type ScriptedServerTurn = ScriptedTurn & {
  /** OpenAI's protocol only: arguments as a JSON object where the protocol wants a string. */
  argumentsAsObject?: boolean;
  /** OpenAI's protocol only: every call under index 0. */
  sameIndex?: boolean;
  /** Ollama's protocol only: arguments as JSON text where the protocol wants an object. */
  argumentsAsText?: boolean;
  /** Ids only where a call names one. */
  omitIds?: boolean;
  /** The stream ends without `data: [DONE]`. */
  omitDone?: boolean;
  /** One JSON answer although a stream was asked for. */
  plain?: boolean;
  /** Exactly these bytes as the body, each a write of its own. */
  raw?: readonly (string | Uint8Array)[];
  status?: number;
  headers?: Record<string, string>;
  /** The whole body, for errors and garbage. */
  body?: string;
  /** Nothing is sent, headers neither, before this resolves. */
  headersGate?: Promise<unknown>;
  /** Headers are out; the body waits. */
  bodyGate?: Promise<unknown>;
  /** Waits before the write with this number (from 0). */
  gates?: Readonly<Record<number, Promise<unknown>>>;
  /** Cuts the connection after so many writes of the body (0: right after the headers). */
  cutAfterWrites?: number;
  /** Cuts the connection before anything was answered. */
  cutAtOnce?: boolean;
  /** Goes silent after so many writes, with the connection open. */
  hangAfterWrites?: number;
  /** Every write is cut into pieces of so many bytes, each sent in a turn of its own. */
  writeBytes?: number;
};

export const DEFAULT_PIECE_CHARACTERS = 4;

export const pieces = (text: string | readonly string[] | undefined, characters: number): readonly string[] => {
  if (text === undefined) return [];
  if (typeof text !== 'string') return text;
  const letters = [...text];
  const result: string[] = [];
  for (let start = 0; start < letters.length; start += characters) {
    result.push(letters.slice(start, start + characters).join(''));
  }
  return result;
};

export const wholeText = (text: string | readonly string[] | undefined): string =>
  text === undefined ? '' : typeof text === 'string' ? text : text.join('');

export const argumentsText = (call: ScriptedCall): string =>
  typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);

export const finishOf = (turn: ScriptedTurn, calls: string): string | null =>
  turn.finish === undefined ? ((turn.calls?.length ?? 0) > 0 ? calls : 'stop') : turn.finish;

/** Figures a test can rely on where a turn names none: four characters a token. */
export const usageOf = (turn: ScriptedTurn, requestCharacters: number): ScriptedUsage =>
  turn.usage ?? {
    prompt_tokens: Math.ceil(requestCharacters / 4),
    completion_tokens: Math.ceil(
      (wholeText(turn.text).length +
        wholeText(turn.reasoning).length +
        (turn.calls ?? []).reduce((sum, call) => sum + argumentsText(call).length, 0)) /
        4,
    ),
  };
