/** Plays the cases that are about one call of a tool: paths, faults of files, resources, output. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Agent } from '../../src/agent/create-agent.ts';
import type { PermissionQuestion } from '../../src/agent/loop/run-tool/execute-tool.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { ToolResult } from '../../src/core/tool-result.ts';
import { type AttackCase, asList, asObject, CannotRun, hold, onlyKnown, Unmet } from './attack-case.ts';
import { attackProgram } from './attack-program.ts';
import { checkCall, type Told } from './call-checks.ts';
import { scriptedServer } from './mcp-settings.ts';
import { type Decision, rulesOf, toolNamed } from './names.ts';
import type { OneCall, OneCallAnswer } from './one-call.ts';
import { badPlace, PLACE_WORDS, type Place } from './place.ts';
import { commandThatPrints, PRINTED_WORDS } from './printed-output.ts';
import { killed } from './processes.ts';
import { type Scene, UNNAMED_FILE, withScene } from './scene.ts';

const OWN_WORDS = [
  'scratch',
  'workspace',
  'registry',
  'rule',
  'steps',
  'concurrent',
  'parallel_writes',
  'policy',
  'user',
  ...PLACE_WORDS,
  ...PRINTED_WORDS,
];
const WHEN_WORDS = ['tool', 'args', 'repeat_for_s', 'timeout_s', 'tree_files'];
/** More calls than asked for, since the swapper has to be met in the act. */
const CALLS_PER_READ = 5;

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
  const child = spawnSync(first, [...rest, process.execPath, attackProgram('one-call')], {
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
    attackProgram('swap-links'),
    name,
    ...targets.map((target) => target.replace('symlink→', '')),
  ]);
  scene.onEnd(() => killed(swapper));
  await new Promise((resolve) => {
    swapper.stdout.once('data', resolve);
    swapper.once('exit', resolve);
  });
  const outside = [...scene.before]
    .filter(([file]) => !file.startsWith(`${scene.root}/`))
    .map(([, bytes]) => bytes.toString().trim());
  const { min_reads, min_writes } = scene.attack.then;
  const reads = Number(min_reads ?? min_writes ?? 1) * CALLS_PER_READ;
  const until = Date.now() + Number(scene.attack.when['repeat_for_s'] ?? 0) * 1_000;
  let leaks = 0;
  let calls = 1;
  let last = await call();
  for (; calls < reads || Date.now() < until; calls += 1) {
    last = await call();
    if (outside.some((secret) => last.result.data?.includes(secret))) leaks += 1;
  }
  swapper.stdin.end();
  return { ...last, args, milliseconds: 0, rssGrowth: 0, leaks, reads: calls };
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
    else if (!BETWEEN.test(step)) throw new Unmet(`the step ${JSON.stringify(step)} is not known`);
  }
};

/** What somebody else does while the person looks at the question. */
const BETWEEN = /^delete (\S+) between permission and run$/;

const callWithStepsBetween = async (scene: Scene, halter: Agent, tool: string, args: JsonObject): Promise<Call> => {
  const names = asList(scene.attack.given['steps']).flatMap((step) => BETWEEN.exec(String(step))?.[1] ?? []);
  if (names.length === 0) return callTool(halter, tool, args);
  const result = await halter.executeTool(tool, args, {
    ask: async () => {
      for (const name of names) fs.rmSync(path.join(scene.root, name), { recursive: true });
      return { decision: 'allow_once' };
    },
  });
  return { result, decision: { word: result.success ? 'allow' : 'deny' } };
};

/** Several programs write one file at the same moment, each a text of its own. */
const writtenInParallel = async (scene: Scene, tool: string, args: JsonObject): Promise<Told> => {
  const count = Number(scene.attack.given['parallel_writes']);
  const written = Array.from({ length: count }, (_, index) =>
    String.fromCharCode(97 + index).repeat(PARALLEL_CHARACTERS),
  );
  const halters = await Promise.all(written.map(() => scene.open({ allow: ['*'] })));
  const results = await Promise.all(
    halters.map((halter, index) => callTool(halter, tool, { ...args, content: written[index] ?? '' })),
  );
  const [first] = results;
  if (first === undefined) throw new Unmet('nobody writes');
  return { ...first, args, written, milliseconds: 0, rssGrowth: 0 };
};
const PARALLEL_CHARACTERS = 500_000;

/** Everybody who runs a command of this case, by a mark in the environment that children inherit. */
const markChildren = (scene: Scene): (() => number) => {
  const mark = `HALTER_CASE=${scene.scratch}`;
  scene.environment['HALTER_CASE'] = scene.scratch;
  return () =>
    fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
      .filter((name) => {
        try {
          return fs.readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(mark);
        } catch {
          return false;
        }
      }).length;
};

/** Who was just killed may need a moment to be gone. */
const settled = async (count: () => number): Promise<number> => {
  const end = Date.now() + SETTLE_MS;
  while (count() > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  return count();
};
const SETTLE_MS = 1_000;

/** "ESC after 1 s": the person stops the call. */
const stopOf = (scene: Scene): AbortSignal | undefined => {
  const user = scene.attack.given['user'];
  if (user === undefined) return undefined;
  const seconds = /^ESC after (\d+(?:\.\d+)?) s$/.exec(String(user))?.[1];
  if (seconds === undefined) throw new Unmet(`a user who does ${JSON.stringify(user)} is not known`);
  return AbortSignal.timeout(Number(seconds) * 1_000);
};

const stoppedCall = async (halter: Agent, tool: string, args: JsonObject, signal: AbortSignal): Promise<Call> => {
  const result = await halter.executeTool(tool, args, { signal });
  return { result, decision: { word: result.success ? 'allow' : 'deny' } };
};

/** A function that calls itself twice. It may only run where its processes are counted. */
const isForkBomb = (command: unknown): boolean => /(\S+)\s*\(\)\s*\{[^}]*\1\s*\|\s*\1/.test(String(command));

/** A tool of an MCP server answers with JSON. `$lone_surrogate`: one half of a character stands in it. */
const fromServer = async (scene: Scene): Promise<void> => {
  const { $lone_surrogate: isTorn, ...json } = asObject(scene.attack.given['json']);
  const text = JSON.stringify(isTorn === true ? { ...json, torn: 'TORN' } : json).replace('TORN', '\\ud83d');
  const result = { content: [{ type: 'text', text: isTorn === true ? `${text} \ud83d` : text }] };
  const servers = scriptedServer(scene, 'server', { tools: [{ name: 'look' }], result });
  const halter = await scene.open({ allow: ['*'], mcp: { servers } });
  await halter.mcp.open();
  const made = await callTool(halter, 'mcp__server__look', {});
  hold(made.result.success, `the call failed: ${made.result.error_message}`);
  checkCall({ ...made, args: {}, milliseconds: 0, rssGrowth: 0 }, scene);
};

/** Variables that the process itself has while the case is played. */
const setEnvironment = (scene: Scene): void => {
  for (const [name, value] of Object.entries(asObject(scene.attack.then['env']))) {
    const before = process.env[name];
    process.env[name] = String(value);
    scene.onEnd(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
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
  onlyKnown('when', attack.when, WHEN_WORDS);
  if (attack.when['tool'] === 'mcp') return withScene(attack, { also: ['json'] }, fromServer);
  const { name } = toolNamed(attack.when['tool']);
  await withScene(attack, { also: OWN_WORDS }, async (scene) => {
    const args = argumentsOf(scene);
    for (let index = 0; index < Number(scene.attack.when['tree_files'] ?? 0); index += 1)
      fs.writeFileSync(path.join(scene.root, `f${index}.txt`), 'x\n');
    setEnvironment(scene);
    const place = badPlace(scene, scene.root);
    if (place) return checkCall(callThere(scene, args, place), scene);
    if (scene.attack.given['parallel_writes'] !== undefined)
      return checkCall(await writtenInParallel(scene, name, args), scene);
    const { given, then } = scene.attack;
    const children = then['children_left'] ?? then['children_left_in_sandbox'];
    const childrenLeft = children === undefined ? undefined : markChildren(scene);
    // Permission is taken as given: these cases are about what a permitted call may do.
    const isAsked = asList(given['steps']).some((step) => BETWEEN.test(String(step)));
    const rules = given['policy'] === undefined ? { allow: isAsked ? [] : ['*'] } : rulesOf(given['policy']);
    const isSandboxed = then['children_left_in_sandbox'] !== undefined || isForkBomb(given['command']);
    const halter = await scene.open({ ...rules, sandbox: isSandboxed });
    if (isSandboxed && !halter.confinement.confined)
      throw new CannotRun('bubblewrap does not work here (apt-get install bubblewrap)');
    await takeSteps(scene, halter);
    const stop = stopOf(scene);
    const call = (): Promise<Call> =>
      stop === undefined ? callWithStepsBetween(scene, halter, name, args) : stoppedCall(halter, name, args, stop);
    if (scene.attack.given['concurrent'] !== undefined) return checkCall(await whileSwapping(scene, args, call), scene);
    const rss = process.memoryUsage.rss();
    const started = performance.now();
    const made = await call();
    const milliseconds = performance.now() - started;
    const rssGrowth = process.memoryUsage.rss() - rss;
    const left = childrenLeft === undefined ? undefined : await settled(childrenLeft);
    checkCall({ ...made, args, milliseconds, rssGrowth, childrenLeft: left }, scene);
  });
};
