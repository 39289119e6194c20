/**
 * `npm run conformance:mcp`: the official suite of the Model Context Protocol against both sides of halter. What is not
 * applicable is listed with its reason, and a scenario that is in neither list is a failure.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { programFile } from '../../../scripts/built-programs.ts';
import { serveSuite } from './served.ts';

const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const CLIENT = programFile(new URL('./client.ts', import.meta.url));

const TEXT_ONLY = 'a ToolResult holds text; there are no pictures, sounds or resources in it';
const TEXT_PROMPTS = 'a prompt of halter is a command of the person: text';
const NO_RESOURCES = 'halter serves tools; files are read with read_file, under the rules';
const ONE_QUESTION = 'tools of halter ask one thing, whether they may run; test_elicitation asks it';
const NO_COMPANY =
  'an extension for companies, whose identity provider logs its people in to all servers at once; halter has none to speak to';

/** By the beginning of the scenario's name. */
export const NOT_APPLICABLE: Readonly<Record<'server' | 'client', Readonly<Record<string, string>>>> = {
  server: {
    'tools-call-image': TEXT_ONLY,
    'tools-call-audio': TEXT_ONLY,
    'tools-call-embedded-resource': TEXT_ONLY,
    'tools-call-mixed-content': TEXT_ONLY,
    'tools-call-sampling': 'the tools of halter ask the model of the client for nothing',
    'elicitation-': ONE_QUESTION,
    'server-sse-polling':
      'it needs a tool that cuts its own stream; a call of halter is answered on the stream it came on',
    'resources-': NO_RESOURCES,
    'prompts-get-embedded-resource': TEXT_PROMPTS,
    'prompts-get-with-image': TEXT_PROMPTS,
  },
  client: { 'auth/cross-app-access': NO_COMPANY },
};

export type Check = { id: string; status: string; errorMessage?: string; details?: Record<string, unknown> };
export type ScenarioResult = {
  scenario: string;
  state: 'passed' | 'failed' | 'not applicable';
  reason?: string;
  checks: Check[];
};

const run = (args: readonly string[], cwd: string): Promise<string> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [SUITE, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    child.once('close', () => resolve(output));
  });

export const scenariosOf = async (side: 'server' | 'client'): Promise<string[]> => {
  const output = await run(['list', `--${side}`], tmpdir());
  return [...output.matchAll(/^\s+- (\S+) \[/gm)].map(([, name]) => name as string);
};

export const reasonFor = (side: 'server' | 'client', scenario: string): string | undefined =>
  Object.entries(NOT_APPLICABLE[side]).find(([start]) => scenario.startsWith(start))?.[1];

/** Plays one scenario and reads the checks that the suite wrote down. */
export const play = async (side: 'server' | 'client', scenario: string, url?: string): Promise<ScenarioResult> => {
  const folder = mkdtempSync(join(tmpdir(), 'halter-mcp-checks-'));
  try {
    const target = side === 'server' ? ['--url', url ?? ''] : ['--command', `${process.execPath} ${CLIENT}`];
    const output = await run([side, ...target, '--scenario', scenario, '--output-dir', folder], folder);
    const file = readdirSync(folder, { recursive: true }).find((name) => String(name).endsWith('checks.json'));
    const checks = file === undefined ? [] : (JSON.parse(readFileSync(join(folder, String(file)), 'utf8')) as Check[]);
    // What the suite only warns of is a failure here, but for how busy the machine is.
    const failed = checks.filter(
      ({ id, status }) => status === 'FAILURE' || (status === 'WARNING' && !id.endsWith('-timing')),
    );
    const isPassed = failed.length === 0 && checks.some(({ status }) => status === 'SUCCESS');
    if (isPassed) return { scenario, state: 'passed', checks };
    const reason = failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join('; ') || output.slice(-500);
    return { scenario, state: 'failed', reason, checks };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Two at a time, which share nothing but the server that is looked at. */
const TOGETHER = 2;

export const playThese = async (
  side: 'server' | 'client',
  scenarios: readonly string[],
  url?: string,
): Promise<ScenarioResult[]> => {
  const results: ScenarioResult[] = [];
  const left = [...scenarios.entries()];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, scenario] = next;
      results[index] = await play(side, scenario, url);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
  return results;
};

export const playAll = async (side: 'server' | 'client', url?: string): Promise<ScenarioResult[]> => {
  const all = await scenariosOf(side);
  const played = await playThese(
    side,
    all.filter((scenario) => reasonFor(side, scenario) === undefined),
    url,
  );
  return all.map((scenario) => {
    const reason = reasonFor(side, scenario);
    if (reason !== undefined) return { scenario, state: 'not applicable', reason, checks: [] };
    return played.find((result) => result.scenario === scenario) as ScenarioResult;
  });
};

const main = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'halter-mcp-served-'));
  const served = await serveSuite(folder);
  let failures = 0;
  for (const side of ['server', 'client'] as const) {
    const results = await playAll(side, served.url);
    const count = (state: ScenarioResult['state']): number => results.filter((result) => result.state === state).length;
    for (const { scenario, state, reason } of results)
      process.stdout.write(`${side}  ${state.padEnd(14)}  ${scenario}${reason === undefined ? '' : `: ${reason}`}\n`);
    process.stdout.write(
      `${side}: ${count('passed')} passed, ${count('failed')} failed, ${count('not applicable')} not applicable\n`,
    );
    failures += count('failed') + (count('passed') === 0 ? 1 : 0);
  }
  await served.close();
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = failures === 0 ? 0 : 1;
};

if (import.meta.filename === process.argv[1]) await main();
