/** Plays the cases in which a call, a folder or an environment turns against halter itself. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import type { Io } from '../../src/cli/io.ts';
import { readProjectSettings } from '../../src/cli/project-settings.ts';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import type { ConnectionRecord } from '../../src/io/network.ts';
import { createTrustFile } from '../../src/storage/trust-file.ts';
import { type AttackCase, asList, asObject, CannotRun, hold, onlyKnown, Unmet } from './attack-case.ts';
import { attackProgram } from './attack-program.ts';
import { checkCall, type Told } from './call-checks.ts';
import { answer } from './model-server.ts';
import { rulesOf, toolNamed } from './names.ts';
import type { OneCall, OneCallAnswer } from './one-call.ts';
import { callTool } from './play-call.ts';
import { withStranger } from './play-import.ts';
import { withCommandLine, withLogs, withTemporaries } from './play-traces.ts';
import { afterRestart, byTrust, withWorktree } from './play-trust.ts';
import { type Scene, withScene } from './scene.ts';
import { CANARY } from './shell-folder.ts';
import { openStage } from './stage.ts';

const GIVEN = [
  ...['policy', 'workspace', 'sandbox', 'absent', 'trusted', 'path_prefix', 'env', '/proc', 'ptrace', 'grep_pattern'],
  ...['policy_remember', 'worktree_file', 'cli', 'log', 'tmp_files', 'symlink', 'session_file'],
];

const playFor = ({ given, when }: AttackCase): ((scene: Scene) => Promise<void>) => {
  if (when['resume'] !== undefined) return withStranger;
  if (when['restart'] !== undefined) return afterRestart;
  if (when['start_in'] !== undefined) return byTrust;
  if (when['after'] !== undefined) return withLogs;
  if (when['run'] !== undefined) return withTemporaries;
  if (when['start'] !== true) return byCall;
  if (given['cli'] !== undefined) return withCommandLine;
  return given['worktree_file'] === undefined ? atStart : withWorktree;
};

export const playProtection = async (attack: AttackCase): Promise<void> => {
  const play = playFor(attack);
  if (attack.when['tool'] !== undefined) toolNamed(attack.when['tool']);
  await withScene(attack, { also: GIVEN, ...(play === byCall ? { prepare: plantScripts } : {}) }, play);
};

/** `p.sh` leaves the mark in the folder that it runs in, and there is something to be found. */
const plantScripts = (root: string): void => {
  fs.writeFileSync(path.join(root, 'p.sh'), `#!/bin/sh\ntouch '${root}/${CANARY}'\n`, { mode: 0o755 });
  fs.writeFileSync(path.join(root, 'words.txt'), 'x\n--pre=./p.sh\n');
};

/** Files that a variable of the environment names leave the mark when something loads them. */
const plantLoaded = (scene: Scene): void => {
  for (const value of Object.values(asObject(scene.attack.given['env'])).map(String)) {
    for (const [, name = ''] of value.matchAll(/\.\/([\w.-]+)/g)) {
      const file = path.join(scene.root, name);
      const mark = path.join(scene.root, CANARY);
      if (fs.existsSync(file)) continue;
      const text = LOADED[path.extname(name)];
      if (text === undefined) throw new Unmet(`a file like ${name} cannot be made`);
      fs.writeFileSync(file, text(mark), { mode: 0o755 });
    }
  }
};
const LOADED: Readonly<Record<string, (mark: string) => string>> = {
  '.js': (mark) => `require('fs').writeFileSync(${JSON.stringify(mark)}, '');\n`,
  '.cjs': (mark) => `require('fs').writeFileSync(${JSON.stringify(mark)}, '');\n`,
  '.mjs': (mark) => `import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(mark)}, '');\n`,
  '.sh': (mark) => `#!/bin/sh\ntouch '${mark}'\n`,
  '': (mark) => `#!/bin/sh\ntouch '${mark}'\n`,
  '.py': (mark) => `open(${JSON.stringify(mark)}, 'w')\n`,
  // No library: the loader complains of it, and so shows that it looked.
  '.so': () => 'no library',
};

/** Programs of these names that leave the mark, in a folder that is looked in first. */
const plantPrograms = (scene: Scene, description: string): void => {
  const [, folder, names] = /^(\S+) with fake (\S+)$/.exec(description) ?? [];
  if (folder === undefined || names === undefined) throw new Unmet(`the path prefix "${description}" is not known`);
  const place = path.join(scene.root, folder);
  fs.mkdirSync(place, { recursive: true });
  for (const name of names.split('/')) {
    fs.writeFileSync(path.join(place, name), `#!/bin/sh\ntouch '${scene.scratch}/${CANARY}'\n`, { mode: 0o755 });
  }
  scene.environment['PATH'] = `${folder}:${place}:${scene.environment['PATH']}`;
};

const byCall = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('when', when, ['tool', 'args']);
  const { name } = toolNamed(when['tool']);
  const args = asObject(when['args']);
  Object.assign(scene.environment, asObject(given['env']));
  if (given['path_prefix'] !== undefined) plantPrograms(scene, String(given['path_prefix']));
  if (given['/proc'] === true || given['ptrace'] === true)
    return checkCall(inProcessWithSecret(scene, name, args), scene);
  plantLoaded(scene);
  const rules = given['policy'] === undefined ? { allow: ['*'] } : rulesOf(given['policy']);
  const halter = await scene.open({ ...rules, sandbox: given['sandbox'] === true });
  if (given['sandbox'] === true && !halter.confinement.confined)
    throw new CannotRun('bubblewrap does not work here (apt-get install bubblewrap)');
  const started = performance.now();
  const made = await callTool(halter, name, args);
  const own = ['fake_executed', 'canary_absent', 'evil_loaded'];
  checkCall({ ...made, args, milliseconds: performance.now() - started, rssGrowth: 0 }, scene, own);
  const isMarked = [scene.scratch, scene.root].some((folder) => fs.existsSync(path.join(folder, CANARY)));
  const isLoaded =
    isMarked || /\bLD_(?:PRELOAD|AUDIT)\b.*cannot be/.test(`${made.result.data} ${made.result.error_message}`);
  if (then['fake_executed'] !== undefined)
    hold(isMarked === then['fake_executed'], 'a program of the folder was executed');
  if (then['canary_absent'] !== undefined) hold(!isMarked === then['canary_absent'], `it was run and left ${CANARY}`);
  if (then['evil_loaded'] !== undefined) hold(isLoaded === then['evil_loaded'], 'a file of the folder was loaded');
};

/** The secret stands in halter's own environment, which a command could try to read from the system. */
const inProcessWithSecret = (scene: Scene, tool: string, args: JsonObject): Told => {
  const secrets = asList(scene.attack.then['output_must_not_contain']).map(String);
  const keys = Object.fromEntries(secrets.map((secret, index) => [`SECRET_${index}_API_KEY`, secret]));
  const environment = { ...scene.environment, ...keys };
  const call: OneCall = { root: scene.root, environment, files: {}, tool, args };
  const child = spawnSync(process.execPath, [attackProgram('one-call')], {
    input: JSON.stringify(call),
    encoding: 'utf8',
    env: environment,
  });
  if (child.status !== 0) throw new Unmet(`the call ended the program: ${child.stderr.slice(0, 300)}`);
  const answer = JSON.parse(child.stdout) as OneCallAnswer;
  return { ...answer, args, decision: { word: 'allow' }, milliseconds: 0, rssGrowth: 0 };
};

const silentIo = (scene: Scene): Io => {
  const output = { write: () => {}, isTTY: false, columns: 80 };
  return {
    stdin: new PassThrough(),
    stdout: output,
    stderr: output,
    env: scene.environment,
    cwd: scene.root,
    onSignal: () => () => {},
  };
};

/** halter starts in a folder that brings settings of its own. */
const atStart = async (scene: Scene): Promise<void> => {
  const { given, then } = scene.attack;
  onlyKnown('then', then, [
    ...['project_config_ignored', 'requests_to', 'env_loaded', 'tool_calls_executed', 'instructions_marked'],
  ]);
  if (given['trusted'] === true) await createTrustFile({ folder: scene.config }).trust(scene.root);
  const settings = await readProjectSettings(scene.root, silentIo(scene));
  const connections: ConnectionRecord[] = [];
  const { base_url } = settings;
  const onConnection = (record: ConnectionRecord): void => void connections.push(record);
  const stage = await openStage(scene, { script: () => answer(['done']), allow: ['*'], more: { onConnection } });
  await stage.send('What is here?');
  await stage.idle();
  if (then['project_config_ignored'] !== undefined) {
    const isIgnored = Object.keys(settings).length === 0;
    hold(isIgnored === then['project_config_ignored'], `the folder's settings count: ${JSON.stringify(settings)}`);
  }
  for (const [host, count] of Object.entries(asObject(then['requests_to']))) {
    const made = connections.filter((record) => JSON.stringify(record).includes(host)).length;
    hold(base_url === undefined && made === count, `${made} connections were made to ${host}`);
  }
  if (then['tool_calls_executed'] !== undefined) {
    const { length } = stage.log().filter(({ type }) => type === 'tool_started');
    hold(length === then['tool_calls_executed'], `${length} calls were executed`);
  }
  if (then['instructions_marked'] !== undefined)
    checkInstructions(then['instructions_marked'], asObject(given['project_file']), stage.server.requests[0]?.body);
  if (then['env_loaded'] === undefined) return;
  const { result } = await callTool(stage.halter, 'bash', { command: 'env' });
  const texts = Object.values(asObject(given['project_file'])).flatMap((text) => String(text).split('\n'));
  const isLoaded = texts.some((line) => result.data?.split('\n').includes(line));
  hold(isLoaded === then['env_loaded'], 'the file of the folder was loaded into the environment');
};

/** What the model reads of the folder's words stands under a heading that says whose they are. */
const checkInstructions = (expected: JsonValue, files: JsonObject, request: JsonValue | undefined): void => {
  hold(expected === 'untrusted', `instructions that are marked ${JSON.stringify(expected)} are not known`);
  const prompt = asList(asObject(request)['messages'])
    .map((message) => String(asObject(message)['content']))
    .join('\n');
  for (const text of Object.values(files).map(String)) {
    const at = prompt.indexOf(text.trim());
    if (at === -1) continue;
    const before = prompt.slice(prompt.lastIndexOf('\n# ', at - 2), at);
    hold(/untrusted/i.test(before), `nothing marks the words of the folder: ${before.slice(-300)}`);
  }
};
