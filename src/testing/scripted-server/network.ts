/** A network without sockets that answers what a test says: for byte-exact streams and for thousands of runs. */
import type { Outcome } from '../../core/outcome.ts';
import type { HttpFailure, HttpRequest, HttpResponse, Network } from '../../core/ports.ts';

export type ScriptedResponse = {
  status?: number;
  headers?: Record<string, string>;
  /** Pieces of the decoded body, each handed on by itself. */
  chunks?: readonly string[];
  /** How the body ends. `hang`: not before the request is cancelled. */
  end?: 'end' | 'hang' | HttpFailure['kind'];
  /** There is no response at all. */
  failure?: HttpFailure;
};

const failed = (kind: HttpFailure['kind'], message: string): Outcome<never, HttpFailure> => ({
  ok: false,
  error: { kind, message },
});

const CANCELLED = failed('cancelled', 'the request was cancelled');

const cancelled = (signal: AbortSignal): Promise<Outcome<never, HttpFailure>> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(CANCELLED);
    else signal.addEventListener('abort', () => resolve(CANCELLED), { once: true });
  });

const respond = (answer: ScriptedResponse, request: HttpRequest): HttpResponse => {
  const read = async (onChunk: (text: string) => void): Promise<Outcome<void, HttpFailure>> => {
    for (const chunk of answer.chunks ?? []) {
      if (request.signal.aborted) return CANCELLED;
      onChunk(chunk);
    }
    if (request.signal.aborted) return CANCELLED;
    if (answer.end === 'hang') return cancelled(request.signal);
    if (answer.end !== undefined && answer.end !== 'end') return failed(answer.end, `scripted: ${answer.end}`);
    return { ok: true, value: undefined };
  };
  return {
    status: answer.status ?? 200,
    headers: answer.headers ?? {},
    read,
    text: async () => {
      const parts: string[] = [];
      const result = await read((text) => parts.push(text));
      return result.ok ? { ok: true, value: parts.join('') } : result;
    },
  };
};

export type ScriptedNetwork = Network & { readonly requests: HttpRequest[] };

/** `answer` is asked for every request; undefined means 404. */
export const scriptedNetwork = (
  answer: (request: HttpRequest, number: number) => ScriptedResponse | undefined,
): ScriptedNetwork => {
  const requests: HttpRequest[] = [];
  return {
    requests,
    request: async (request) => {
      if (request.signal.aborted) return CANCELLED;
      requests.push(request);
      const response = answer(request, requests.length - 1) ?? { status: 404, chunks: ['{"error":"not found"}'] };
      if (response.failure) return { ok: false, error: response.failure };
      return { ok: true, value: respond(response, request) };
    },
  };
};
