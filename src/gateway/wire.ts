/**
 * A wire is one API that clients speak: how its requests are read, and how answers, streams and errors are written. What
 * is done with a request is the same for all of them (`complete.ts`).
 */
import type { JsonObject, JsonSchema } from '../core/json.ts';
import type { CompletionPart } from './asking.ts';
import type { Completion } from './complete.ts';
import type { GatewayError } from './error.ts';
import type { EarlierAnswers, KeptResponse } from './kept-responses.ts';
import type { GatewayRequest } from './request.ts';

/** One event of a stream. `event` is the name of a server-sent event; `[DONE]` is text as it is. */
export type Frame = { event?: string; data: JsonObject | string };

export type ReplyHead = {
  /** Unique, without a prefix. */
  id: string;
  /** Milliseconds since 1970. */
  createdMs: number;
  /** The model by the caller's name for it. */
  model: string;
};

/** Writes one answer as it comes. The order is begin, part …, then end or fail. */
export type StreamWriter = {
  begin(): Frame[];
  part(part: CompletionPart): Frame[];
  end(completion: Completion): Frame[];
  fail(error: GatewayError): Frame[];
};

export type Wire = {
  name: 'chat-completions' | 'responses' | 'messages' | 'ollama-chat' | 'ollama-generate';
  /** `sse`: server-sent events. `ndjson`: one JSON object a line. */
  framing: 'sse' | 'ndjson';
  /** The outline of a body, for its check and for the OpenAPI document. */
  body: JsonSchema;
  /** Throws GatewayError. */
  read(body: JsonObject, earlier: EarlierAnswers): GatewayRequest;
  /** The answer to a body that asks nothing of a model; undefined where it does. */
  alone?(head: ReplyHead, body: JsonObject): JsonObject | undefined;
  whole(head: ReplyHead, completion: Completion, body: JsonObject): JsonObject;
  /** What of an answer can be asked for again, by its id; undefined where the client wants nothing kept. */
  kept?(
    head: ReplyHead,
    completion: Completion,
    body: JsonObject,
    request: GatewayRequest,
    earlier: EarlierAnswers,
  ): { id: string; answer: KeptResponse } | undefined;
  stream(head: ReplyHead, body: JsonObject, request: GatewayRequest): StreamWriter;
};
