import type { JsonObject } from '../../core/json.ts';

/** A request as the scripted server got it. */
export type ScriptedRequest = {
  protocol: 'openai' | 'ollama';
  /** Counts the model requests from 0. */
  number: number;
  path: string;
  headers: Record<string, string>;
  body: JsonObject;
  /** The body byte for byte, to compare prefixes. */
  text: string;
  /** Resolves when the response is over, for whatever reason: true when it was sent whole. */
  ended: Promise<boolean>;
};
