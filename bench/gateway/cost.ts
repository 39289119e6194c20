/** What going through halter costs, on every wire: CPU beside a bare proxy that hands bytes on, and how much later words come. */
import { type Part, post, start } from '../server/start.ts';

const REQUESTS = 240;
const WARM_REQUESTS = 120;
const AT_ONCE = 8;
const ROUNDS = 5;
const FIRST_BYTES = 60;
const MICROSECONDS = 1_000;

const messages = [{ role: 'user', content: 'Tell me something.' }];
const BARE = '/v1/chat/completions';
const WIRES: Readonly<Record<string, (stream: boolean) => object>> = {
  [BARE]: (stream) => ({ model: 'm', messages, stream }),
  '/v1/responses': (stream) => ({ model: 'm', input: messages, stream }),
  '/v1/messages': (stream) => ({ model: 'm', max_tokens: 1_000, messages, stream }),
  '/api/chat': (stream) => ({ model: 'm', messages, stream }),
};
const GOALS = { streaming: 1.3, whole: 1.2, firstByteMs: 5 } as const;

type Asked = { part: Part; path: string; stream: boolean };

const ask = async ({ part, path, stream }: Asked): Promise<Response> => {
  const response = await post(part.port, path, WIRES[path]?.(stream) ?? {});
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
};

const askMany = async (asked: Asked, count: number): Promise<void> => {
  let left = count;
  const one = async (): Promise<void> => {
    while (left-- > 0) await (await ask(asked)).arrayBuffer();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
};

/** Microseconds of the process for one request. */
const cpuOf = async (asked: Asked): Promise<number> => {
  const before = await asked.part.ask<number>('cpu');
  await askMany(asked, REQUESTS);
  return ((await asked.part.ask<number>('cpu')) - before) / REQUESTS;
};

const firstByteMs = async (asked: Asked): Promise<number> => {
  const began = performance.now();
  const response = await ask(asked);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const ms = performance.now() - began;
  for (let { done } = await reader.read(); !done; ) ({ done } = await reader.read());
  return ms;
};

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const verdict = (value: number, goal: number): string => (value <= goal ? 'reached' : 'MISSED');

/** The two take turns, so that what else the machine does meets both. */
const compareCpu = async (bare: Asked, ours: Asked): Promise<string> => {
  await askMany(bare, WARM_REQUESTS);
  await askMany(ours, WARM_REQUESTS);
  const rounds: { bare: number; ours: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push({ bare: await cpuOf(bare), ours: await cpuOf(ours) });
  const ratio = median(rounds.map((round) => round.ours / round.bare));
  const goal = ours.stream ? GOALS.streaming : GOALS.whole;
  const [own, its] = [median(rounds.map((round) => round.ours)), median(rounds.map((round) => round.bare))];
  return `${ratio.toFixed(2)}× a bare proxy's CPU (${(own / MICROSECONDS).toFixed(2)} ms to ${(its / MICROSECONDS).toFixed(2)} ms a request; goal ${goal}× ${verdict(ratio, goal)})`;
};

const compareFirstByte = async (bare: Asked, ours: Asked): Promise<string> => {
  const times: { bare: number; ours: number }[] = [];
  for (let index = 0; index < FIRST_BYTES; index += 1)
    times.push({ bare: await firstByteMs(bare), ours: await firstByteMs(ours) });
  const later = median(times.map((time) => time.ours)) - median(times.map((time) => time.bare));
  return `first byte ${later.toFixed(1)} ms later (goal ${GOALS.firstByteMs} ms ${verdict(later, GOALS.firstByteMs)})`;
};

export const reportCost = async (): Promise<void> => {
  const upstream = await start('upstream');
  const proxy = await start('proxy', String(upstream.port));
  const halter = await start('gateway', String(upstream.port));
  try {
    for (const path of Object.keys(WIRES)) {
      for (const stream of [true, false]) {
        const [bare, ours]: [Asked, Asked] = [
          { part: proxy, path: BARE, stream },
          { part: halter, path, stream },
        ];
        const cpu = await compareCpu(bare, ours);
        const first = stream ? `, ${await compareFirstByte(bare, ours)}` : '';
        console.log(`${path.padEnd(21)} ${stream ? 'streaming' : 'whole    '}  ${cpu}${first}`);
      }
    }
  } finally {
    for (const { child } of [upstream, proxy, halter]) child.kill();
  }
};
