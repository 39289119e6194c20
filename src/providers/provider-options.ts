/** What every provider that talks to a model server is made of. */
import { setTimeout as wait } from 'node:timers/promises';
import type { LoraAdapter } from '../core/engine-options.ts';
import type { JsonObject } from '../core/json.ts';
import type { Repair } from '../core/message.ts';
import type { ModelPlaces } from '../core/model-places.ts';
import type { RequestFigures } from '../core/model-port.ts';
import type { Clock, Network } from '../core/ports.ts';

/** Repairs the text of a call's arguments, or says what is wrong with it. */
export type RepairArguments = (
  text: string,
) => { ok: true; value: JsonObject; repairs: Repair[] } | { ok: false; problem: string };

export type ProviderOptions = {
  network: Network;
  clock: Clock;
  /** The provider's usual local address where absent. */
  baseUrl?: string;
  apiKey?: string;
  /** The servers of a key that is kept back here, since this is none of them. A refusal says so. */
  keyIsFor?: readonly string[] | undefined;
  /** Default: JSON as it is, no repairs. */
  repairArguments?: RepairArguments;
  /** Waits between two tries; returns early, without an error, when the signal aborts. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
  /** 0 ≤ n < 1, for the spread of retries and for ids the server left out. */
  random?(): number;
  connectTimeoutMs?: number;
  /** Further tries after one that came to nothing. In a pool the next try is another server's. */
  attempts?: number;
  /** Who may send a request now. Default: one server has no limit, and in a pool the places are counted in this process. */
  places?: ModelPlaces;
  /** Told of each request when it is over. */
  onRequest?(figures: RequestFigures): void;
  /** Silence after the first token. */
  silenceTimeoutMs?: number;
  /** The window to ask for, where the server takes one (Ollama's `num_ctx`). */
  contextTokens?: number;
  /** Where it is noted what a server keeps of prompts that it read (llama.cpp's slots). Default: nothing is kept. */
  statesFolder?: string | undefined;
  /** LoRA adapters that a llama.cpp server has, and how much of each counts. Default: as the server was started. */
  adapters?: readonly LoraAdapter[];
  /** How long Ollama keeps the model in memory: a duration such as `30m`. */
  keepAlive?: string;
};

export const defaultSleep = (ms: number, signal: AbortSignal): Promise<void> =>
  wait(ms, undefined, { signal }).catch(() => undefined);
