/**
 * The highest memory of `halter serve` while a model floods and nobody reads: so many readers of one session open its stream
 * and take nothing of it. One reads all of it, is cut off whenever it falls behind, and has to end with the whole answer.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Peak } from './peak.ts';

const MAIN = process.env['MAIN'] ?? fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SAMPLE_MS = 5;

export type ServeRun = {
  args: readonly string[];
  home: string;
  readers: number;
  nodeFlags?: readonly string[];
};

export const servePeakOf = async ({ args, home, readers, nodeFlags = [] }: ServeRun): Promise<Peak> => {
  const started = performance.now();
  const child = spawn(process.execPath, [...nodeFlags, MAIN, 'serve', '--port', '0', ...args], {
    env: { HOME: home, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-2_000);
  });
  const sockets: Socket[] = [];
  let peak = 0;
  const highest = (): number => {
    try {
      const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'));
      return Number(found?.[1] ?? 0) * 1024;
    } catch {
      return 0;
    }
  };
  const sample = setInterval(() => {
    peak = Math.max(peak, highest());
  }, SAMPLE_MS);
  try {
    const address = await new Promise<URL>((resolve, reject) => {
      child.stdout.once('data', (chunk: Buffer) => resolve(new URL(chunk.toString().trim())));
      child.once('close', () => reject(new Error(`halter serve ended:\n${errors}`)));
    });
    const headers = {
      authorization: `Bearer ${address.searchParams.get('token')}`,
      'content-type': 'application/json',
    };
    const ask = (path: string, body: object): Promise<Response> =>
      fetch(new URL(path, address), { method: 'POST', headers, body: JSON.stringify(body) });
    const { id } = (await (await ask('/api/sessions', {})).json()) as { id: string };
    for (let index = 0; index < readers; index += 1) {
      // As the page reads it, and as a program does.
      const form = index % 2 === 0 ? '' : '?form=updates';
      const socket = connect(Number(address.port), address.hostname);
      socket.on('error', () => {});
      socket.pause();
      socket.write(
        `GET /api/sessions/${id}/events${form} HTTP/1.1\r\nHost: ${address.host}\r\nAuthorization: ${headers.authorization}\r\n\r\n`,
      );
      sockets.push(socket);
    }
    await ask(`/api/sessions/${id}/commands`, { type: 'send_message', content: 'go' });
    await readToEnd(new URL(`/api/sessions/${id}/events`, address), headers.authorization);
    peak = Math.max(peak, highest());
    return { bytes: peak, seconds: (performance.now() - started) / 1_000, code: 0, errors };
  } finally {
    clearInterval(sample);
    for (const socket of sockets) socket.destroy();
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
  }
};

/** Goes on behind the last event it got, as browsers do, until the turn is over. */
const readToEnd = async (url: URL, authorization: string): Promise<void> => {
  let last = '';
  for (;;) {
    const headers = { authorization, ...(last === '' ? {} : { 'last-event-id': last }) };
    const { body } = await fetch(url, { headers });
    let rest = '';
    try {
      for await (const chunk of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          last = /^id: (.*)$/m.exec(block)?.[1] ?? last;
          if (/^event: turn_end$/m.test(block)) return;
        }
      }
    } catch {
      // It was too slow, or the server let it go.
    }
  }
};
