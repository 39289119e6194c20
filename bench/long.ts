/**
 * `npm run bench:long [-- --messages 60,300 --windows told,hidden,wrong --seed 1 --notes sound --plain 4096 --peer NAME]`: long
 * conversations in a small window. A model reads a file of 6 KB with each message and edits every third one; facts that
 * the person or a file told early are looked for in the prompts of late messages. Every figure is the server's own.
 *
 * Then a conversation without files in which each message tells a fact in plain words, in a window of `--plain` tokens
 * (none: 0): how many of the facts are in the last prompt.
 *
 * `--peer NAME` runs another program of `long/peers.ts` once for each message, as it comes from npm; its folder is the
 * project. Its time holds a start for each message.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { PEERS, type Peer, preparePeer, usedBy } from './long/peers.ts';
import { makePlainScenario, makeScenario, type Scenario } from './long/scenario.ts';
import { type LongFigures, startLongServer, type WindowKind } from './long/server.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '60,300' },
    windows: { type: 'string', default: 'told,hidden,wrong' },
    seed: { type: 'string', default: '1' },
    notes: { type: 'string', default: 'sound' },
    plain: { type: 'string', default: '4096' },
    peer: { type: 'string' },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

const WINDOW_TOKENS: Readonly<Record<number, number>> = { 60: 16_384, 300: 32_768 };
const FACTS_LOOKED_FOR = 50;

type Played = {
  seconds: number;
  cpuSeconds: number;
  rssMb: number;
  compacted: number;
  endings: string[];
  warnings: string[];
};

type Place = { folder: string; home: string; url: string; windowTokens: number; scenario: Scenario };

const peer = values.peer === undefined ? undefined : PEERS[values.peer];
if (values.peer !== undefined && peer === undefined) {
  throw new Error(`There is no peer ${values.peer}: ${Object.keys(PEERS).join(', ')}.`);
}

const output = async (command: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> => {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => child.once('close', resolve));
  return Buffer.concat(chunks).toString('utf8');
};

const playHalter = async (
  at: Pick<Place, 'folder' | 'home' | 'url'>,
  messages: number,
  isPlain: boolean,
): Promise<Played> => {
  const { folder, home, url } = at;
  const script = join(import.meta.dirname, 'long/play.ts');
  const plain = isPlain ? ['plain'] : [];
  const command = [process.execPath, script, folder, home, url, values.seed, String(messages), ...plain];
  return JSON.parse(await output(command, folder, process.env)) as Played;
};

const SAMPLE_MS = 100;

/** Runs it to its end; resolves with what it used. */
const runPeer = async (command: readonly string[], cwd: string, env: NodeJS.ProcessEnv) => {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', values.verbose ? 'inherit' : 'ignore'] });
  let used = { cpuSeconds: 0, rssMb: 0 };
  const look = (): void => {
    used = (child.pid === undefined ? undefined : usedBy(child.pid)) ?? used;
  };
  const timer = setInterval(look, SAMPLE_MS);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(timer);
  return { ...used, code };
};

const playPeer = async (peer: Peer, at: Place): Promise<Played> => {
  const { program, env: wanted } = await preparePeer(peer, at.home, at.url, at.windowTokens);
  const env = { PATH: process.env['PATH'], HOME: at.home, ...wanted };
  const started = performance.now();
  const played: Played = { seconds: 0, cpuSeconds: 0, rssMb: 0, compacted: Number.NaN, endings: [], warnings: [] };
  for (const [index, { message }] of at.scenario.turns.entries()) {
    const { code, cpuSeconds, rssMb } = await runPeer(
      [program, ...peer.client.args(message, index === 0)],
      at.folder,
      env,
    );
    played.cpuSeconds += cpuSeconds;
    played.rssMb = Math.max(played.rssMb, rssMb);
    played.endings.push(code === 0 ? 'ok' : `message ${index + 1}: exit code ${code}`);
  }
  return { ...played, seconds: (performance.now() - started) / 1_000 };
};

const average = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);

const report = (figures: LongFigures, played: Played, scenario: Scenario, messages: number) => {
  const byTurn = scenario.turns.map((_turn, index) => figures.readAnewByTurn[index + 1] ?? 0);
  const fifth = Math.floor(messages / 5);
  const lookedAt = Math.min(FACTS_LOOKED_FOR, messages);
  const factsAt = (message: number): number => figures.factsAt.get(message)?.length ?? 0;
  return {
    'messages answered': `${figures.answered.size} of ${messages}`,
    'tokens sent': figures.tokensSent,
    'tokens read anew': figures.tokensReadAnew,
    'read anew per message, last fifth / first': Number(
      (average(byTurn.slice(-fifth)) / average(byTurn.slice(0, fifth))).toFixed(2),
    ),
    'tokens written': figures.tokensWritten,
    compactions: Number.isNaN(played.compacted) ? 'not told' : played.compacted,
    'requests besides (notes)': figures.besides,
    [`facts in the prompt at message ${lookedAt}`]: `${factsAt(lookedAt)} of ${scenario.facts.length}`,
    'facts in the prompt at the end': `${factsAt(messages)} of ${scenario.facts.length}`,
    'answers without the file just read': figures.withoutFile,
    'largest request (tokens)': figures.largestPrompt,
    refusals: figures.refused,
    seconds: Number(played.seconds.toFixed(1)),
    'CPU seconds': Number(played.cpuSeconds.toFixed(2)),
    'memory (MB)': Math.round(played.rssMb),
  };
};

const measure = async (messages: number, kind: WindowKind, plainTokens?: number) => {
  const isPlain = plainTokens !== undefined;
  const scenario = (isPlain ? makePlainScenario : makeScenario)(Number(values.seed), messages);
  const folder = mkdtempSync(join(tmpdir(), 'halter-long-'));
  const home = mkdtempSync(join(tmpdir(), 'halter-long-home-'));
  for (const [path, text] of scenario.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const windowTokens = plainTokens ?? WINDOW_TOKENS[messages] ?? 16_384;
  const lookAt = [FACTS_LOOKED_FOR, messages];
  const notes = values.notes === 'broken' ? 'broken' : 'sound';
  const server = await startLongServer({
    scenario,
    windowTokens,
    kind,
    notes,
    lookAt,
    ...(peer ? { pathOf: (path: string) => join(folder, path) } : {}),
  });
  try {
    const played = peer
      ? await playPeer(peer, { folder, home, url: server.url.replace(/\/v1$/, ''), windowTokens, scenario })
      : await playHalter({ folder, home, url: server.url }, messages, isPlain);
    if (values.verbose) {
      process.stderr.write(
        `${played.warnings.join('\n')}\n${played.endings.filter((end) => end !== 'ok').join('\n')}\n`,
      );
      process.stderr.write(`read anew by message: ${server.figures.readAnewByTurn.join(' ')}\n`);
      process.stderr.write(
        `lost: ${JSON.stringify(scenario.facts.map(({ text }) => [text, server.figures.factsAt.get(FACTS_LOOKED_FOR)?.includes(text)]))}\n`,
      );
    }
    return report(server.figures, played, scenario, messages);
  } finally {
    server.close();
    for (const place of [folder, home]) rmSync(place, { recursive: true, force: true });
  }
};

const print = (title: string, kind: WindowKind, messages: number, figures: Record<string, string | number>): void => {
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ messages, window: kind, seed: Number(values.seed), ...figures })}\n`);
    return;
  }
  process.stdout.write(`\n${title}, seed ${values.seed}${peer ? `, ${peer.client.name}` : ''}\n`);
  for (const [name, value] of Object.entries(figures)) {
    process.stdout.write(`  ${name.padEnd(46)}${typeof value === 'number' ? value.toLocaleString('en-US') : value}\n`);
  }
};

const inWords = (tokens: number): string => `a window of ${tokens.toLocaleString('en-US')} tokens`;
const plainTokens = Number(values.plain);
for (const messages of values.messages.split(',').map(Number)) {
  for (const kind of values.windows.split(',') as WindowKind[]) {
    const title = `${messages} messages, ${inWords(WINDOW_TOKENS[messages] ?? 16_384)} (${kind})`;
    print(title, kind, messages, await measure(messages, kind));
  }
  if (peer || plainTokens === 0) continue;
  const figures = await measure(messages, 'told', plainTokens);
  const kept = Object.entries(figures).filter(([name]) => !name.startsWith('facts in the prompt at message'));
  print(
    `${messages} messages with a fact each in plain words, ${inWords(plainTokens)} (told)`,
    'told',
    messages,
    Object.fromEntries(kept),
  );
}
