/** AgentDojo's tasks, exported by the PyPI package `agentdojo` itself at the first run and kept in the cache folder. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '../../src/core/json.ts';

export const SUITES = ['banking', 'slack', 'travel', 'workspace'] as const;
/** The package's version and its benchmark's. Another one has other tasks. */
const PACKAGE = 'agentdojo==0.1.35';

type Encoded = number | [number, number, number, number];
type EncodedCall = [string, JsonObject, Encoded, string?];
export type DojoTool = {
  name: string;
  description: string;
  inputSchema: JsonObject;
  /** It writes, sends or spends. */
  consequence: boolean;
  /** It only reads, but at an address it is given. */
  reaches: boolean;
};
type Exported = {
  suite: string;
  benchmark: string;
  tools: DojoTool[];
  honest: { task: string; prompt: string; calls: EncodedCall[] }[];
  attacked: {
    task: string;
    injection: string;
    prompt: number;
    /** The places of the injected text that the task's own calls read. */
    vectors: string[];
    calls: EncodedCall[];
    injected: EncodedCall[];
  }[];
  strings: string[];
};

export type DojoCall = { tool: string; arguments: JsonObject; result: string };
export type DojoSuite = {
  suite: string;
  benchmark: string;
  tools: DojoTool[];
  honest: { task: string; prompt: string; calls: DojoCall[] }[];
  attacked: { task: string; injection: string; prompt: string; calls: DojoCall[]; injected: DojoCall[] }[];
};

const run = promisify(execFile);
const cacheFolder = (): string =>
  path.join(
    process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'),
    'halter',
    'evals',
    PACKAGE.replace('==', '-'),
  );

/** The suites as data; the first time it takes minutes and needs Python 3 and PyPI. */
export const loadSuites = async (names: readonly string[]): Promise<DojoSuite[]> => {
  const folder = cacheFolder();
  for (const name of names) if (!existsSync(path.join(folder, `${name}.json`))) await exportSuite(name, folder);
  return names.map((name) => decoded(JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8')) as Exported));
};

const exportSuite = async (name: string, folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const python = path.join(folder, 'venv/bin/python');
  if (!existsSync(python)) {
    process.stderr.write(`Installing ${PACKAGE} into ${folder} …\n`);
    const fresh = path.join(folder, 'venv');
    await run('python3', ['-m', 'venv', fresh]);
    try {
      await run(python, ['-m', 'pip', 'install', '--quiet', PACKAGE], { maxBuffer: 1e8 });
    } catch (error) {
      await rm(fresh, { recursive: true, force: true });
      throw error;
    }
  }
  process.stderr.write(`Exporting the suite ${name} …\n`);
  const script = path.join(import.meta.dirname, 'export.py');
  const unfinished = path.join(folder, `unfinished-${process.pid}`);
  await run(python, [script, '--suites', name, '--out', unfinished], { maxBuffer: 1e8 });
  await rename(path.join(unfinished, `${name}.json`), path.join(folder, `${name}.json`));
  await rm(unfinished, { recursive: true, force: true });
};

const decoded = ({ suite, benchmark, tools, honest, attacked, strings }: Exported): DojoSuite => {
  const text = (index: number): string => strings[index] ?? '';
  const result = (value: Encoded): string => {
    if (typeof value === 'number') return text(value);
    const [base, prefix, suffix, middle] = value;
    const whole = text(base);
    return whole.slice(0, prefix) + text(middle) + whole.slice(whole.length - suffix);
  };
  const call = ([tool, args, value, error]: EncodedCall): DojoCall => ({
    tool,
    // The package's own default for what is left out.
    arguments: Object.fromEntries(Object.entries(args).filter(([, entry]) => entry !== null)),
    result: error ?? result(value),
  });
  return {
    suite,
    benchmark,
    tools,
    honest: honest.map(({ task, prompt, calls }) => ({ task, prompt, calls: calls.map(call) })),
    // An injection that nobody reads injects nothing.
    attacked: attacked
      .filter(({ vectors }) => vectors.length > 0)
      .map(({ task, injection, prompt, calls, injected }) => ({
        task,
        injection,
        prompt: text(prompt),
        calls: calls.map(call),
        injected: injected.map(call),
      })),
  };
};
