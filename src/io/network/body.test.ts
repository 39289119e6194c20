/** Chunks of an answer that come together. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createNetwork } from '../network.ts';

/** What is handed on of an answer whose chunks come in one packet behind the headers. */
const piecesOf = async (packet: string): Promise<{ pieces: string[]; error: string | undefined }> => {
  let connection: Socket | undefined;
  const server = createServer((socket) => {
    connection = socket;
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const network = createNetwork();
  onTestFinished(() => {
    network.close();
    connection?.destroy();
    server.close();
  });
  const response = await network.request({
    method: 'GET',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    signal: new AbortController().signal,
    connectTimeoutMs: 5_000,
    maxResponseBytes: 1_000_000,
  });
  if (!response.ok) throw new Error(response.error.message);
  const pieces: string[] = [];
  const ended = response.value.read((text) => pieces.push(text));
  connection?.write(packet);
  const outcome = await ended;
  return { pieces, error: outcome.ok ? undefined : outcome.error.kind };
};

const chunks = ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n'];
const chunked = chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('');

test('the chunks of one packet are handed on in one piece', async () => {
  expect(await piecesOf(`${chunked}0\r\n\r\n`)).toEqual({ pieces: [chunks.join('')], error: undefined });
});

test('what came in the packet of a fault is handed on before it', async () => {
  expect(await piecesOf(`${chunked}no chunk\r\n`)).toEqual({ pieces: [chunks.join('')], error: 'disconnected' });
});
