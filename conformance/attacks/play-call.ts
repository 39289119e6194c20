/** Plays the cases that are about one call of a tool: paths, faults of files, resources, output. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Agent } from '../../src/agent/create-agent.ts';
import type { PermissionQuestion } from '../../src/agent/loop/run-tool/execute-tool.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { ToolResult } from '../../src/core/tool-result.ts';
import { type AttackCase, asList, asObject, CannotRun, onlyKnown, Unmet } from './attack-case.ts';
import { checkCall, type Told } from './call-checks.ts';
import { type Decision, toolNamed } from './names.ts';
import type { OneCall, OneCallAnswer } from './one-call.ts';
import { commandThatPrints, PRINTED_WORDS } from './printed-output.ts';
import { type Scene, UNNAMED_FILE, withScene } from './scene.ts';

const PLACES = ['disk_free_bytes', 'mount', 'run_as'];
const OWN_WORDS = ['scratch', 'workspace', 'registry', 'rule', 'steps', 'concurrent', ...PLACES, ...PRINTED_WORDS];
const WHEN_WORDS = ['tool', 'args', 'repeat_for_s', 'timeout_s'];
/** More calls than asked for, since the swapper has to be met in the act. */
const CALLS_PER_READ = 5;

/** A program of this folder, as source or built. */
export const program = (name: string): string => fileURLToPath(new URL(`./${name}.ts`, import.meta.url));

const works = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

type Place = { command: string[]; inside: boolean };

/** The command that puts a child into the bad place that a case asks for. */
const badPlace = (scene: Scene): Place | undefined => {
  const { disk_free_bytes, mount, run_as } = scene.attack.given;
  const bind = ['--dev-bind', '/', '/'];
  if ((disk_free_bytes !== undefined || mount !== undefined) && !works('bwrap', ...bind, 'true'))
    throw new CannotRun('bubblewrap does not work here (apt-get install bubblewrap)');
  if (disk_free_bytes !== undefined)
    return {
      command: ['bwrap', ...bind, '--size', String(disk_free_bytes), '--tmpfs', scene.root],
      inside: true,
    };
  if (mount === 'read-only') return { command: ['bwrap', ...bind, '--ro-bind', scene.root, scene.root], inside: false };
  if (mount !== undefined) throw new Unmet(`a mount ${JSON.stringify(mount)} is not known`);
  // Somebody who is not root is refused as it is.
  if (run_as === undefined || process.getuid?.() !== 0) return undefined;
  if (!works('setpriv', '--version'))
    throw new CannotRun('root may read everything, and setpriv is not there (apt-get install util-linux)');
  const without = '-dac_override,-dac_read_search';
  return { command: ['setpriv', `--bounding-set=${without}`, `--inh-caps=${without}`], inside: false };
};

const callThere = (scene: Scene, args: JsonObject, place: Place): Told => {
  const started = performance.now();
  const [first = '', ...rest] = place.command;
  const call: OneCall = {
    root: scene.root,
    environment: scene.environment,
    files: place.inside ? (asObject(scene.attack.given['file']) as Record<string, string>) : {},
    tool: String(scene.attack.when['tool']),
    args,
  };
  const child = spawnSync(first, [...rest, process.execPath, program('one-call')], {
    input: JSON.stringify(call),
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Unmet(`the call ended the program: ${child.stderr.slice(0, 300)}`);
  const answer = JSON.parse(child.stdout) as OneCallAnswer;
  const decision: Decision = { word: answer.result.success ? 'allow' : 'deny' };
  return { ...answer, args, decision, milliseconds: performance.now() - started, rssGrowth: 0 };
};

type Call = { result: ToolResult; decision: Decision };

/** One call, with whatever question it raises. Who is asked says no: what must be asked about did not happen. */
export const callTool = async (halter: Agent, tool: string, args: JsonObject): Promise<Call> => {
  const asked: PermissionQuestion[] = [];
  const result = await halter.executeTool(tool, args, {
    ask: async (question) => {
      asked.push(question);
      return { decision: 'deny' };
    },
  });
  const [question] = asked;
  if (question) return { result, decision: { word: 'prompt', risk: question.risk } };
  return { result, decision: { word: result.success ? 'allow' : 'deny' } };
};

/** Calls again and again while another process swaps a link, and counts the answers that hold what lies outside. */
const whileSwapping = async (scene: Scene, args: JsonObject, call: () => Promise<Call>): Promise<Told> => {
  const concurrent = asObject(scene.attack.given['concurrent']);
  onlyKnown('concurrent', concurrent, ['swap_loop', 'seconds']);
  const [name = '', ...targets] = asList(concurrent['swap_loop']).map(String);
  const swapper = spawn(process.execPath, [
    program('swap-links'),
    name,
    ...targets.map((target) => target.replace('symlink→', '')),
  ]);
  scene.onEnd(() => void swapper.kill());
  await new Promise((resolve) => {
    swapper.stdout.once('data', resolve);
    swapper.once('exit', resolve);
  });
  const outside = [...scene.before]
    .filter(([file]) => !file.startsWith(`${scene.root}/`))
    .map(([, bytes]) => bytes.toString().trim());
  const reads = Number(scene.attack.then['min_reads'] ?? 1) * CALLS_PER_READ;
  let leaks = 0;
  let last = await call();
  for (let round = 0; round < reads; round += 1) {
    last = await call();
    if (outside.some((secret) => last.result.data?.includes(secret))) leaks += 1;
  }
  swapper.stdin.end();
  return { ...last, args, milliseconds: 0, rssGrowth: 0, leaks, reads };
};

/** What happens between the laying out and the call: "read_file NAME", "external edit of NAME". */
const takeSteps = async (scene: Scene, halter: Agent): Promise<void> => {
  for (const step of asList(scene.attack.given['steps']).map(String)) {
    const edited = /^external edit of (\S+)$/.exec(step)?.[1];
    const read = /^read_file (\S+)$/.exec(step)?.[1];
    if (edited !== undefined) {
      const target = path.join(scene.root, edited);
      fs.appendFileSync(target, 'by somebody else\n');
      scene.before.set(target, fs.readFileSync(target));
    } else if (read !== undefined) await callTool(halter, 'read_file', { path: read });
    else throw new Unmet(`the step ${JSON.stringify(step)} is not known`);
  }
};

const argumentsOf = (scene: Scene): JsonObject => {
  const { args, timeout_s } = scene.attack.when;
  const timeout: JsonObject = timeout_s === undefined ? {} : { timeout_ms: Number(timeout_s) * 1_000 };
  if (args !== undefined) return { ...asObject(args), ...timeout };
  const command = commandThatPrints(scene);
  return command === undefined ? { path: UNNAMED_FILE } : { command, ...timeout };
};

export const playCall = async (attack: AttackCase): Promise<void> => {
  const { name } = toolNamed(attack.when['tool']);
  onlyKnown('when', attack.when, WHEN_WORDS);
  await withScene(attack, { also: OWN_WORDS }, async (scene) => {
    const args = argumentsOf(scene);
    const place = badPlace(scene);
    if (place) return checkCall(callThere(scene, args, place), scene);
    // Permission is taken as given: these cases are about what a permitted call may do.
    const halter = await scene.open({ allow: ['*'] });
    await takeSteps(scene, halter);
    const call = (): Promise<Call> => callTool(halter, name, args);
    if (scene.attack.given['concurrent'] !== undefined) return checkCall(await whileSwapping(scene, args, call), scene);
    const rss = process.memoryUsage.rss();
    const started = performance.now();
    const made = await call();
    const milliseconds = performance.now() - started;
    checkCall({ ...made, args, milliseconds, rssGrowth: process.memoryUsage.rss() - rss }, scene);
  });
};
