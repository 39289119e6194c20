/**
 * The server under load, and what it costs to go through it.
 *
 *   npm run bench:server                     one minute
 *   npm run bench:server -- --minutes 10     is the memory flat?
 *   npm run bench:server -- --only cpu       or load
 *
 * 1. CPU of a request to `/v1/chat/completions` as a ratio to a bare Hono proxy's, which hands bytes on.
 * 2. 50 conversations that go on, 200 readers of their streams, some of which are cut off and resume. Every reader checks
 *    that it gets each event once and in order, and that the deltas of a message are the message.
 */
import { parseArgs } from 'node:util';
import { sentEvents } from '../tests/support/sent-events.ts';
import { headers, type Part, post, start } from './server/start.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    requests: { type: 'string', default: '300' },
    only: { type: 'string' },
  },
});
const MINUTES = Number(values.minutes);
const REQUESTS = Number(values.requests);
const CONVERSATIONS = 50;
const READERS = 200;
const MESSAGES_A_SESSION = 8;
const AT_ONCE = 8;
const ROUNDS = 3;
// 1. What going through costs.

const completions = async (port: number, stream: boolean, count: number): Promise<void> => {
  let left = count;
  const one = async (): Promise<void> => {
    while (left-- > 0) {
      const messages = [{ role: 'user', content: 'Tell me something.' }];
      const response = await post(port, '/v1/chat/completions', { model: 'm', messages, stream });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
};

const cpuOf = async (part: Part, stream: boolean): Promise<number> => {
  await completions(part.port, stream, REQUESTS / 3);
  const before = await part.ask<number>('cpu');
  await completions(part.port, stream, REQUESTS);
  return ((await part.ask<number>('cpu')) - before) / REQUESTS;
};

const compare = async (): Promise<void> => {
  const upstream = await start('upstream');
  const proxy = await start('proxy', String(upstream.port));
  const halter = await start('gateway', String(upstream.port));
  for (const stream of [false, true]) {
    const ratios: number[] = [];
    let [bare, ours] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      bare = await cpuOf(proxy, stream);
      ours = await cpuOf(halter, stream);
      ratios.push(ours / bare);
    }
    ratios.sort((one, other) => one - other);
    const median = ratios[Math.floor(ratios.length / 2)] ?? 0;
    console.log(
      `${stream ? 'streaming' : 'whole    '}  CPU of a request ${median.toFixed(2)}× a bare proxy's (${(ours / 1000).toFixed(2)} ms to ${(bare / 1000).toFixed(2)} ms)`,
    );
  }
  for (const { child } of [upstream, proxy, halter]) child.kill();
};

// 2. Readers and conversations.

const tally = { events: 0, messages: 0, resumed: 0, wrong: [] as string[] };
const isOver = { at: Number.POSITIVE_INFINITY };
const over = (): boolean => performance.now() >= isOver.at;
const wrong = (text: string): void => {
  if (tally.wrong.length < 10) tally.wrong.push(text);
};

/** Follows one session to its end and checks what it gets. `fragile`: cut off now and then, and goes on. */
const read = async (port: number, id: string, fragile: boolean): Promise<void> => {
  let lastId: string | undefined;
  let lastSeq = 0;
  let text = '';
  const seen = new Set<string>();
  let ended = 0;
  while (ended < MESSAGES_A_SESSION && !over()) {
    const gone = new AbortController();
    const cutAfter = fragile ? 20 + Math.floor(Math.random() * 200) : Number.POSITIVE_INFINITY;
    let got = 0;
    const response = await fetch(`http://127.0.0.1:${port}/api/sessions/${id}/events`, {
      headers: { ...headers, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
      signal: gone.signal,
    });
    try {
      for await (const event of sentEvents(response)) {
        if (event.id !== undefined) {
          if (seen.has(event.id)) wrong(`${event.id} came twice`);
          seen.add(event.id);
          lastId = event.id;
        }
        tally.events += 1;
        const { type, data } = event;
        if (typeof data['seq'] === 'number') {
          const seq = data['seq'];
          if (seq !== lastSeq && seq !== lastSeq + 1 && type !== 'progress_reset')
            wrong(`${seq} came after ${lastSeq}`);
          lastSeq = seq;
        }
        if (type === 'text_delta') text += String(data['delta']);
        if (type === 'progress_reset' || type === 'model_start') text = '';
        if (type === 'assistant_message') {
          if (text !== data['content'])
            wrong(`a message of ${String(data['content']).length} characters came as ${text.length}`);
          text = '';
          tally.messages += 1;
        }
        if (type === 'turn_end') ended += 1;
        got += 1;
        if (ended >= MESSAGES_A_SESSION || got >= cutAfter || over()) {
          gone.abort();
          break;
        }
      }
    } catch (error) {
      if ((error as Error).name !== 'AbortError') throw error;
    }
    if (ended < MESSAGES_A_SESSION && !over()) tally.resumed += 1;
  }
};

/** One session after the other, each with its messages and its readers. */
const converse = async (port: number, number: number): Promise<void> => {
  while (!over()) {
    const { id } = (await (await post(port, '/api/sessions', {})).json()) as { id: string };
    const readers = Array.from({ length: READERS / CONVERSATIONS }, (_, index) => read(port, id, index === number % 4));
    for (let message = 0; message < MESSAGES_A_SESSION && !over(); message += 1) {
      const response = await post(port, '/api/chat', { message: `Message ${message}`, mode: 'chat', chat_id: id });
      await response.arrayBuffer();
    }
    await Promise.all(readers);
  }
};

type Memory = { rss: number; heap: number };
const MB = 1024 ** 2;

const load = async (): Promise<void> => {
  const server = await start('server');
  isOver.at = performance.now() + MINUTES * 60_000;
  const samples: Memory[] = [];
  const every = Math.max(5_000, (MINUTES * 60_000) / 20);
  const sampling = (async () => {
    while (!over()) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(every, Math.max(0, isOver.at - performance.now()))));
      samples.push(await server.ask<Memory>('memory'));
    }
  })();
  await Promise.all(Array.from({ length: CONVERSATIONS }, (_, number) => converse(server.port, number)));
  await sampling;
  const cpu = await server.ask<number>('cpu');
  server.child.kill();
  const third = Math.max(1, Math.floor(samples.length / 3));
  const mean = (part: readonly Memory[], key: keyof Memory): number =>
    part.reduce((sum, sample) => sum + sample[key], 0) / part.length / MB;
  // The beginning warms up: caches, code, the first sessions.
  const [early, late] = [samples.slice(third, third * 2), samples.slice(-third)];
  console.log(
    `${CONVERSATIONS} conversations, ${READERS} readers, ${MINUTES} min: ${tally.events} events, ${tally.messages} messages seen, ${tally.resumed} resumed`,
  );
  console.log(`CPU of the server ${((cpu / 1_000_000 / (MINUTES * 60)) * 100).toFixed(0)} % of one core`);
  for (const key of ['heap', 'rss'] as const) {
    console.log(
      `${key.padEnd(4)}  ${mean(early, key).toFixed(0)} MB in the second third, ${mean(late, key).toFixed(0)} MB in the last`,
    );
  }
  if (tally.wrong.length > 0) {
    console.log(`lost or doubled:\n  ${tally.wrong.join('\n  ')}`);
    process.exitCode = 1;
  } else console.log('nothing lost, nothing doubled');
};

if (values.only !== 'load') await compare();
if (values.only !== 'cpu') await load();
process.exit();
