/** Sends what a turn of the script says, in the protocol that was asked, and fails in the way it says. */
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ollamaPlain, ollamaStream } from './ollama.ts';
import { openaiPlain, openaiStream } from './openai.ts';
import type { ScriptedRequest } from './request.ts';
import type { ScriptedServerTurn } from './turn.ts';

const writePieces = async (response: ServerResponse, data: Uint8Array, size: number | undefined): Promise<void> => {
  if (size === undefined) {
    if (!response.write(data) && !response.destroyed) {
      await new Promise<void>((resolve) => {
        const go = (): void => {
          response.off('drain', go).off('close', go);
          resolve();
        };
        response.once('drain', go).once('close', go);
      });
    }
    return;
  }
  for (let start = 0; start < data.length && !response.destroyed; start += size) {
    response.write(data.subarray(start, start + size));
    await nextTurn();
  }
};

const sendWrites = async (
  response: ServerResponse,
  turn: ScriptedServerTurn,
  writes: readonly (string | Uint8Array)[],
): Promise<void> => {
  for (const [position, write] of writes.entries()) {
    if (turn.cutAfterWrites === position) {
      // What was written goes out first: the cut is in the middle of the body, not before it.
      await nextTurn();
      response.destroy();
      return;
    }
    if (turn.hangAfterWrites === position) return;
    await turn.gates?.[position];
    if (response.destroyed) return;
    await writePieces(response, typeof write === 'string' ? Buffer.from(write) : write, turn.writeBytes);
  }
  if (turn.cutAfterWrites !== undefined && turn.cutAfterWrites >= writes.length) {
    await nextTurn();
    response.destroy();
    return;
  }
  if (turn.hangAfterWrites === undefined || turn.hangAfterWrites < writes.length) response.end();
};

const contentTypeOf = (protocol: 'openai' | 'ollama', streaming: boolean): string => {
  if (!streaming) return 'application/json';
  return protocol === 'openai' ? 'text/event-stream' : 'application/x-ndjson';
};

const bodyWrites = (
  turn: ScriptedServerTurn,
  request: ScriptedRequest,
  streaming: boolean,
): readonly (string | Uint8Array)[] => {
  if (turn.raw) return turn.raw;
  if (turn.body !== undefined) return [turn.body];
  const options = request.body['stream_options'];
  const facts = {
    model: String(request.body['model'] ?? ''),
    number: request.number,
    characters: request.text.length,
    includeUsage:
      typeof options === 'object' && options !== null && !Array.isArray(options) && options['include_usage'] === true,
  };
  if (request.protocol === 'openai') return streaming ? openaiStream(turn, facts) : [openaiPlain(turn, facts)];
  return streaming ? ollamaStream(turn, facts) : [ollamaPlain(turn, facts)];
};

export const playTurn = async (
  response: ServerResponse,
  turn: ScriptedServerTurn,
  request: ScriptedRequest,
): Promise<void> => {
  if (turn.cutAtOnce) {
    response.destroy();
    return;
  }
  await turn.headersGate;
  if (response.destroyed) return;
  // Ollama streams unless told otherwise; OpenAI's servers stream only when asked.
  const asked = request.body['stream'];
  const streaming = !turn.plain && (request.protocol === 'ollama' ? asked !== false : asked === true);
  response.writeHead(turn.status ?? 200, {
    'content-type': contentTypeOf(request.protocol, streaming && turn.body === undefined),
    ...turn.headers,
  });
  response.flushHeaders();
  await turn.bodyGate;
  if (response.destroyed) return;
  await sendWrites(response, turn, bodyWrites(turn, request, streaming));
};
