/** Plays the cases about load: a large folder that is indexed, a flood of calls, of words or of one message. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../src/core/json.ts';
import { type AttackCase, asList, asObject, hold, onlyKnown, Unmet } from './attack-case.ts';
import { answer, type Reply } from './model-server.ts';
import { processesWith } from './processes.ts';
import { openPty } from './pty.ts';
import { type Scene, withScene } from './scene.ts';
import { openStage } from './stage.ts';

const MEGABYTE = 1024 * 1024;
const GIVEN = ['files', 'index_file', 'user_message_mb', 'parallel_tool_calls', 'tool', 'cpu'];

const plantFiles = (root: string, count: number): void => {
  for (let index = 0; index < count; index += 1) {
    const folder = path.join(root, `d${Math.floor(index / 500)}`);
    if (index % 500 === 0) fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, `f${index}.ts`), `export const value_${index} = (n: number) => n + ${index};\n`);
  }
};

/** `{size_mb, shape}`: the shape is what the file begins with, over and over. */
const plantLarge = (scene: Scene, files: JsonObject): void => {
  for (const [name, description] of Object.entries(files)) {
    const { size_mb, size_kb, shape } = asObject(description);
    const unit = String(shape ?? 'x').replace(/…+$/, '');
    const bytes = size_mb === undefined ? Number(size_kb) * 1024 : Number(size_mb) * MEGABYTE;
    if (!(bytes > 0) || unit === '') throw new Unmet(`a file given as ${JSON.stringify(description)} is not known`);
    fs.writeFileSync(path.join(scene.root, name), unit.repeat(Math.ceil(bytes / Buffer.byteLength(unit))));
  }
};

/**
 * The longest time that this thread worked without a turn of its event loop. It is processor time: on a busy machine a
 * thread that does nothing comes late too.
 */
const watchBlocks = (): { end(): number } => {
  const worked = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let longest = 0;
  let before = worked();
  const look = (): void => {
    const now = worked();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    end() {
      clearInterval(timer);
      look();
      return longest;
    },
  };
};

const INDEX_MS = 60_000;
/** So long it runs before the person stops it. */
const STOP_AFTER_MS = 1_500;

const withIndex = async (scene: Scene): Promise<void> => {
  const { given, then } = scene.attack;
  onlyKnown('then', then, ['event_loop_block_ms_max', 'cancel_ms_max', 'harness_alive', 'max_ms', 'rss_growth_mb_max']);
  if (given['files'] !== undefined) plantFiles(scene.root, Number(given['files']));
  plantLarge(scene, asObject(given['index_file']));
  fs.writeFileSync(path.join(scene.root, 'found.ts'), 'export const something_to_find = () => 1;\n');
  const halter = await scene.open({ allow: ['*'], graphRag: 'on' });
  const isStopped = then['cancel_ms_max'] !== undefined;
  const stop = new AbortController();
  const blocks = watchBlocks();
  const rss = process.memoryUsage.rss();
  const started = performance.now();
  const indexing = halter.retrieval.index({ signal: AbortSignal.any([stop.signal, AbortSignal.timeout(INDEX_MS)]) });
  let cancelMs = 0;
  if (isStopped) {
    await Promise.race([wait(STOP_AFTER_MS), indexing]);
    const from = performance.now();
    stop.abort();
    await indexing;
    cancelMs = performance.now() - from;
  }
  const done = await indexing;
  const blockedMs = blocks.end();
  const milliseconds = performance.now() - started;
  const growth = (process.memoryUsage.rss() - rss) / MEGABYTE;
  const most = (word: string, value: number): void => {
    if (then[word] !== undefined) hold(value <= Number(then[word]), `${word}: ${Math.round(value)}`);
  };
  most('event_loop_block_ms_max', blockedMs);
  most('cancel_ms_max', cancelMs);
  most('max_ms', milliseconds);
  most('rss_growth_mb_max', growth);
  if (then['harness_alive'] === undefined) return;
  hold(done.ok, `the index was not made: ${done.ok ? '' : done.error.message}`);
  const found = await halter.executeTool('code_graph', { relation: 'defines', symbol: 'something_to_find' });
  hold((found.data ?? '').includes('found.ts') === then['harness_alive'], 'what lies beside it is not found');
};

const PASTE = ['\x1b[200~', '\x1b[201~'] as const;

const withPaste = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('then', then, ['harness_alive', 'message_contains', 'max_ms', 'requests']);
  hold(when['user'] === 'paste', `a user who does ${JSON.stringify(when['user'])} is not known`);
  const app = await openPty(scene, { script: () => answer(['I am here.']) });
  const line = `${'pasted words of a line '.repeat(40)}\n`;
  const text = line.repeat(Math.ceil((Number(given['user_message_mb']) * MEGABYTE) / line.length));
  const started = performance.now();
  app.type(`${PASTE[0]}${text}${PASTE[1]}`);
  await app.until(() => /paste/i.test(app.raw().slice(-4_000)), 'the paste does not arrive');
  app.type('\r');
  for (const part of asList(then['message_contains']).map(String))
    await app.until(() => app.shows(part), `${part} is not said`);
  const milliseconds = performance.now() - started;
  if (then['max_ms'] !== undefined)
    hold(milliseconds <= Number(then['max_ms']), `it took ${Math.round(milliseconds)} ms`);
  if (then['requests'] !== undefined)
    hold(app.server.requests.length === then['requests'], `${app.server.requests.length} requests were made`);
  if (then['harness_alive'] === undefined) return;
  // What was too much is the person's again: they take it away and say something else.
  app.type('\x03');
  await wait(KEY_MS);
  app.forget();
  app.type('hello\r');
  const answered = app.until(() => app.shows('I am here.'), 'it does not go on');
  await answered.then(
    () => hold(then['harness_alive'] === true, 'it goes on'),
    (error) => hold(then['harness_alive'] === false, String(error)),
  );
};
const KEY_MS = 500;

const MARK = (): string => `${process.pid}${Date.now() % 100_000}`;

/** "bash sleep": commands that sleep; else the name of a tool that is called without arguments. */
const withManyCalls = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('when', when, ['run']);
  onlyKnown('then', then, ['concurrency_max', 'results', 'harness_alive']);
  const count = Number(given['parallel_tool_calls']);
  const isSleep = given['tool'] === 'bash sleep';
  const mark = MARK();
  const calls = Array.from({ length: count }, (_, index) => ({
    id: `c${index}`,
    name: isSleep ? 'bash' : String(given['tool']),
    // Each is another one, so that none is taken for a repetition.
    arguments: JSON.stringify(isSleep ? { command: `sleep 0.2${mark} && echo ${index}` } : {}),
  }));
  const script = (number: number): Reply => (number === 0 ? answer([], calls) : answer(['done']));
  const stage = await openStage(scene, { script, allow: ['*'], more: { sandbox: true } });
  let most = 0;
  const look = setInterval(() => {
    most = Math.max(
      most,
      processesWith('cmdline', (text) => text === `sleep\0${`0.2${mark}`}\0`),
    );
  }, LOOK_MS);
  await stage.send('go');
  await stage.idle();
  clearInterval(look);
  let running = 0;
  for (const { type } of stage.log()) {
    if (type === 'tool_started') running += 1;
    if (type === 'tool_finished') running -= 1;
    most = Math.max(most, running);
  }
  const results = stage.log().filter(({ type }) => type === 'tool_finished').length;
  hold(results === count, `of ${count} calls ${results} have a result`);
  if (then['results'] !== undefined) hold(results === then['results'], `there are ${results} results`);
  hold(most > 0, 'no call was seen while it ran');
  if (then['concurrency_max'] !== undefined) hold(most <= Number(then['concurrency_max']), `${most} calls ran at once`);
};
const LOOK_MS = 10;

const STREAM_SECONDS = 8;
const WATCH_MS = 2_500;
const CLOCK_TICKS = 100;

/** Seconds of processor time that a process has used. */
const cpuSeconds = (pid: number): number => {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS;
};

/** A model that says word after word at that speed, while the person types. */
const withFlood = async (scene: Scene): Promise<void> => {
  const { then, when } = scene.attack;
  onlyKnown('when', when, ['stream_tokens_per_s']);
  onlyKnown('then', then, [
    'render_fps_max',
    'cpu_percent_max',
    'input_latency_ms_max',
    'harness_alive',
    'rss_growth_mb_max',
  ]);
  const speed = Number(when['stream_tokens_per_s']);
  const pieces = Array.from(
    { length: speed * STREAM_SECONDS },
    (_, index) => `word${index} ${index % 12 === 0 ? '\n' : ''}`,
  );
  const app = await openPty(scene, { script: () => ({ ...answer(pieces), perSecond: speed }) });
  app.type('go\r');
  await app.until(() => app.shows('word20'), 'the answer does not stream');
  const pid = app.pid();
  const [from, cpu, started] = [app.raw().length, cpuSeconds(pid), performance.now()];
  await wait(WATCH_MS);
  const frames =
    app
      .raw()
      .slice(from)
      .match(/\x1b\[\?2026h/g)?.length ?? 0;
  const perSecond = frames / ((performance.now() - started) / 1_000);
  // A key is answered by a frame of its own, so these come later.
  const latencies: number[] = [];
  for (let key = 0; key < 12; key += 1) {
    const letter = `Q${String.fromCharCode(65 + key)}Z`;
    const typed = performance.now();
    app.type(letter);
    await app.until(() => app.shows(letter), 'what is typed is not shown');
    latencies.push(performance.now() - typed);
    await wait(200);
  }
  const seconds = (performance.now() - started) / 1_000;
  const percent = ((cpuSeconds(pid) - cpu) / seconds) * 100;
  const rss = Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  hold(frames > 0, 'no frame was seen');
  const most = (word: string, value: number): void => {
    if (then[word] !== undefined) hold(value <= Number(then[word]), `${word}: ${value.toFixed(1)}`);
  };
  most('render_fps_max', perSecond);
  most('cpu_percent_max', percent);
  // The machine has other work: half of the keys say what the program needs.
  const sorted = latencies.toSorted((left, right) => left - right);
  most('input_latency_ms_max', sorted[Math.floor(sorted.length / 2)] ?? 0);
  most('rss_growth_mb_max', rss);
  if (then['harness_alive'] !== undefined) hold(!app.ended() === then['harness_alive'], 'it ended');
};

const playFor = ({ given, when }: AttackCase): ((scene: Scene) => Promise<void>) | undefined => {
  if (when['index'] === true) return withIndex;
  if (given['user_message_mb'] !== undefined) return withPaste;
  if (given['parallel_tool_calls'] !== undefined) return withManyCalls;
  return when['stream_tokens_per_s'] === undefined ? undefined : withFlood;
};

export const isAboutLoad = (attack: AttackCase): boolean => playFor(attack) !== undefined;

export const playLoad = async (attack: AttackCase): Promise<void> => {
  const play = playFor(attack);
  if (play === undefined) throw new Unmet(`${Object.keys(attack.given).join(' and ')}: this cannot be played`);
  onlyKnown('given', attack.given, GIVEN);
  await withScene(attack, { also: GIVEN }, play);
};
