// Wall time and peak memory of a headless run with one tool call, against a scripted server, beside a bare Node.
//
//   node bench/headless.mjs [--runs 15] [--sources] [--peer 'command with {url} and {model}']
//
// It runs dist/ (npm run build first); --sources runs src/ with type stripping. A peer is any program that answers
// one question with a tool call against an OpenAI-compatible server; rounds are interleaved, so that noise cancels.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startScriptedServer } from '../src/testing/index.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '15' },
    sources: { type: 'boolean', default: false },
    peer: { type: 'string' },
  },
});
const runs = Number(values.runs);
const root = join(import.meta.dirname, '..');
const main = join(root, values.sources ? 'src/cli/main.ts' : 'dist/cli/main.js');
if (!existsSync(main)) {
  console.error(`${main} is not there: npm run build`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'halter-bench-'));
const home = join(folder, 'home');
const work = mkdtempSync(join(folder, 'work-'));
for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(join(work, name), `${name}\n`);
// The peak is what the kernel counted; the process says it itself, so that nothing is missed between two looks.
const peakFile = join(folder, 'peak');
const hook = join(folder, 'hook.cjs');
writeFileSync(
  hook,
  `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(peakFile)}, String(process.resourceUsage().maxRSS)));`,
);

const server = await startScriptedServer({
  turns: ({ body }) =>
    body.messages.at(-1).role === 'tool'
      ? { text: 'There are three files.' }
      : { calls: [{ name: 'ls', arguments: {} }] },
});

const run = (command, args) =>
  new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(command, args, {
      cwd: work,
      env: { ...process.env, HOME: home, XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', NODE_OPTIONS: `--require ${hook}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      const wallMs = performance.now() - started;
      if (code !== 0) reject(new Error(`${command} ${args.join(' ')} ended with ${code}:\n${text}`));
      else resolve({ wallMs, peakMb: Number(readFileSync(peakFile, 'utf8')) / 1024 });
    });
  });

const question = 'What files are here?';
const subjects = {
  'bare node': () => run(process.execPath, ['-e', '0']),
  'halter --version': () => run(process.execPath, [main, '--version']),
  'halter run, one call': () =>
    run(process.execPath, [main, 'run', question, '--provider', 'openai', '--base-url', server.openaiUrl]),
  ...(values.peer === undefined
    ? {}
    : {
        peer: () =>
          run('sh', ['-c', values.peer.replaceAll('{url}', server.openaiUrl).replaceAll('{model}', 'test-model')]),
      }),
};

const median = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];
const measured = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
try {
  for (const start of Object.values(subjects)) await start();
  for (let round = 0; round < runs; round += 1) {
    for (const [name, start] of Object.entries(subjects)) measured[name].push(await start());
  }
  const floor = median(measured['bare node'].map(({ wallMs }) => wallMs));
  console.log(`median of ${runs} runs, Node ${process.version}, ${values.sources ? 'src/' : 'dist/'}`);
  for (const [name, results] of Object.entries(measured)) {
    const wall = median(results.map(({ wallMs }) => wallMs));
    const peak = median(results.map(({ peakMb }) => peakMb));
    console.log(
      `${name.padEnd(22)} ${wall.toFixed(0).padStart(5)} ms  ${(wall / floor).toFixed(1).padStart(4)}× bare  ${peak.toFixed(0).padStart(4)} MB peak`,
    );
  }
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
