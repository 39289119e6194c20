/** An answer that comes in chunks. */
import { isObject } from '../../core/json.ts';
import type { AnswerReader, Part } from '../answer-reader.ts';
import { readJsonText } from '../unclosed-json.ts';
import { alike, endWordOf, readEnd, readText, reasonOf, written } from './reading.ts';
import type { Call, Chunk } from './shapes.ts';

/** Some servers give several calls the same index, and tell them apart by the id, or by nothing but a name. */
const continues = (call: Call, piece: Call): boolean => {
  if (call.index !== piece.index || (piece.id && call.id && piece.id !== call.id)) return false;
  if (!piece.name || !call.name) return true;
  const read = readJsonText(String(call.args ?? ''), 'refuse');
  return !(read.ok && isObject(read.value));
};

/** Calls that the server read are put together: they are repaired when they are whole. */
const add = (calls: Call[], piece: Call): void => {
  const at = calls.findLastIndex((call) => continues(call, piece));
  const begun = calls[at];
  if (begun === undefined) calls.push({ ...piece });
  else {
    begun.name ||= piece.name;
    begun.id ||= piece.id;
    begun.args = `${begun.args ?? ''}${piece.args ?? ''}`;
  }
};

export async function* readStream(chunks: AsyncIterable<Chunk>, reader: AnswerReader): AsyncGenerator<Chunk> {
  const native: Call[] = [];
  let count = 0;
  let isOver = false;
  let last: Chunk | undefined;
  let word: string | undefined;
  const numbered = (calls: Call[]) =>
    calls.map(({ error: _told, ...call }) => ({ ...call, index: count++, type: 'tool_call_chunk' }));
  const made = (chunk: Chunk, parts: readonly Part[]): Chunk =>
    written(chunk, parts, (calls) => ({ tool_calls: [], tool_call_chunks: numbered(calls) }), count);
  for await (const chunk of chunks) {
    const { message } = chunk;
    if (message._getType() !== 'ai' || isOver) {
      yield chunk;
      continue;
    }
    last = chunk;
    word = endWordOf(chunk) ?? word;
    for (const piece of message.tool_call_chunks ?? []) add(native, piece);
    isOver = reasonOf(chunk) != null;
    const parts = readText(message, reader);
    yield made(chunk, isOver ? [...parts, ...readEnd(native, reader, word)] : parts);
  }
  if (last === undefined || isOver) return;
  // The server gave no reason to end. What the last chunk says besides the answer was told with it.
  const bare = alike(last, { text: '', message: alike(last.message, { content: '' }) });
  yield made(bare, readEnd(native, reader, word));
}
