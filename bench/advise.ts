/**
 * `npm run bench:advise`: whether what `halter models advise` says is so. The starter is measured, and from it the speed of
 * other models is foretold: models of other sizes and number formats, made here, whose weights mean nothing. Each is then
 * run in a process of its own. Memory is foretold from the header of each file and compared with what the process grew by.
 * Times are processor time of one thread, the best of several short runs, so that other work on the machine counts little.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ModelPace, paceOfMachine, paceOfModel } from '../src/core/model-pace.ts';
import { type ModelShape, memoryNeed } from '../src/core/model-shape.ts';
import { EMBEDDED_LIMITS } from '../src/providers/embedded/limits.ts';
import { loadLlamaEngine } from '../src/providers/embedded/llama-engine.ts';
import { factsOf, openLocalFile, readGgufHeader } from '../src/providers/gguf.ts';
import { starterModel } from '../tests/support/embedded-model.ts';
import { type SyntheticModel, writeSyntheticModel } from './advise/synthetic-model.ts';

const READ_TOKENS = 192;
const WRITE_TOKENS = 6;
const ROUNDS = 6;
const never = new AbortController().signal;

type Measured = ModelPace & { memory: number; position: number };

const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const TEXT = 'The harbour was quiet and the boats lay in a row along the wall, as they do in autumn. ';

/** One process: loads, reads, writes token after token, and says what it took. */
const measureHere = async (file: string, window: number): Promise<Measured> => {
  const before = process.memoryUsage.rss();
  const loaded = await loadLlamaEngine({ modelFile: file, threads: 1, contextLength: window, signal: never });
  if (!loaded.ok) throw new Error(loaded.error.message);
  const { engine } = loaded;
  const tokens = engine.tokenize(TEXT.repeat(60), false);
  const generate = (prompt: readonly number[]) =>
    engine.generate({ lane: 'conversation', prompt, maxTokens: 1, signal: never });
  await generate(tokens.slice(3, 20));
  let [read, write] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round += 1) {
    // Another beginning each time, so that nothing of it is in the cache.
    const prompt = tokens.slice(round * 5, round * 5 + READ_TOKENS);
    const started = processorSeconds();
    await generate(prompt);
    const middle = processorSeconds();
    // One token more each time: that is what writing costs, whatever the model would have written.
    for (let more = 1; more <= WRITE_TOKENS; more += 1) await generate([...prompt, ...tokens.slice(0, more)]);
    read = Math.min(read, (middle - started) / READ_TOKENS);
    write = Math.min(write, (processorSeconds() - middle) / WRITE_TOKENS);
  }
  const memory = process.memoryUsage.rss() - before;
  await engine.close();
  return { readTokensPerSecond: 1 / read, writeTokensPerSecond: 1 / write, memory, position: READ_TOKENS };
};

const measure = (file: string, window: number): Measured => {
  const ran = spawnSync(process.execPath, [import.meta.filename, file, String(window)], { encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '') as Measured;
};

const shapeOf = async (file: string): Promise<ModelShape> => {
  const source = await openLocalFile(file);
  if (!source.ok) throw new Error(source.error.message);
  const header = await readGgufHeader(source.value);
  await source.value.close();
  const facts = header.ok ? factsOf(header.value) : undefined;
  if (facts === undefined) throw new Error(`${file} has no header of a model`);
  return facts.shape;
};

const Q4_0 = { id: 2, values: 32, bytes: 18 };
const Q4_K = { id: 12, values: 256, bytes: 144 };
const Q6_K = { id: 14, values: 256, bytes: 210 };
const Q8_0 = { id: 8, values: 32, bytes: 34 };
const SMALL = {
  layers: 12,
  embedding: 1024,
  heads: 16,
  keyValueHeads: 4,
  headSize: 64,
  feedForward: 3072,
  window: 8192,
};
const LARGE = {
  layers: 16,
  embedding: 2048,
  heads: 32,
  keyValueHeads: 8,
  headSize: 64,
  feedForward: 8192,
  window: 8192,
};
const MODELS: Readonly<Record<string, SyntheticModel>> = {
  'small Q4_0': { ...SMALL, type: Q4_0 },
  'small Q4_K': { ...SMALL, type: Q4_K },
  'small Q8_0': { ...SMALL, type: Q8_0 },
  'small Q6_K': { ...SMALL, type: Q6_K },
  'large Q4_0': { ...LARGE, type: Q4_0 },
  'large Q4_K': { ...LARGE, type: Q4_K },
};

const ratio = (foretold: number, measured: number): string => (foretold / measured).toFixed(2).padStart(7);

const main = async (): Promise<void> => {
  const { file: starter, problem } = await starterModel();
  if (starter === undefined) throw new Error(problem);
  const folder = mkdtempSync(join(tmpdir(), 'halter-advise-'));
  try {
    const shape = await shapeOf(starter);
    const own = measure(starter, 2_048);
    const machine = paceOfMachine(shape, own, 'engine', own.position);
    console.log('                    window   reads   said/is  writes   said/is  memory   said/is');
    const row = (name: string, of: ModelShape, is: Measured, window: number): void => {
      const said = paceOfModel(of, machine, is.position);
      const { bytes, reclaimable } = memoryNeed(of, window, EMBEDDED_LIMITS.embeddedPrefillTokens);
      const memory = bytes + reclaimable;
      console.log(
        `${name.padEnd(18)}${String(window).padStart(8)}${(is.readTokensPerSecond ?? 0).toFixed(1).padStart(8)} ${ratio(said.readTokensPerSecond ?? 0, is.readTokensPerSecond ?? 1)}${is.writeTokensPerSecond.toFixed(1).padStart(9)} ${ratio(said.writeTokensPerSecond, is.writeTokensPerSecond)}${`${Math.round(is.memory / 1e6)} MB`.padStart(9)} ${ratio(memory, is.memory)}`,
      );
    };
    row('the starter', shape, own, 2_048);
    row('the starter', shape, measure(starter, 8_192), 8_192);
    for (const [name, model] of Object.entries(MODELS)) {
      const file = join(folder, 'model.gguf');
      writeSyntheticModel(file, starter, model);
      row(name, await shapeOf(file), measure(file, 4_096), 4_096);
      rmSync(file);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const [file, window] = process.argv.slice(2);
if (file !== undefined) console.log(JSON.stringify(await measureHere(file, Number(window))));
else await main();
