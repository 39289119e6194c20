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
import { checkCall, type Told } from './call-checks.ts';
import { rulesOf, toolNamed } from './names.ts';
import type { OneCall, OneCallAnswer } from './one-call.ts';
import { callTool, program } from './play-call.ts';
import { withStranger } from './play-import.ts';
import { type Scene, withScene } from './scene.ts';
import { CANARY } from './shell-folder.ts';

const GIVEN = ['policy', 'workspace', 'sandbox', 'absent', 'trusted', 'path_prefix', 'env', '/proc'];

export const playProtection = async (attack: AttackCase): Promise<void> => {
  const { when } = attack;
  const play = when['start'] === true ? atStart : when['start_in'] === undefined ? byCall : byTrust;
  if (when['resume'] !== undefined) return withScene(attack, { also: ['session_file'] }, withStranger);
  if (play === byCall) toolNamed(when['tool']);
  await withScene(attack, { also: GIVEN }, play);
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
  if (given['/proc'] === true) return checkCall(inProcessWithSecret(scene, name, args), scene);
  const rules = given['policy'] === undefined ? { allow: ['*'] } : rulesOf(given['policy']);
  const halter = await scene.open({ ...rules, sandbox: given['sandbox'] === true });
  if (given['sandbox'] === true && !halter.confinement.confined)
    throw new CannotRun('bubblewrap does not work here (apt-get install bubblewrap)');
  const started = performance.now();
  const made = await callTool(halter, name, args);
  checkCall({ ...made, args, milliseconds: performance.now() - started, rssGrowth: 0 }, scene, ['fake_executed']);
  if (then['fake_executed'] === undefined) return;
  const isExecuted = fs.existsSync(path.join(scene.scratch, CANARY));
  hold(isExecuted === then['fake_executed'], 'a program of the folder was executed');
};

/** The secret stands in halter's own environment, which a command could try to read from the system. */
const inProcessWithSecret = (scene: Scene, tool: string, args: JsonObject): Told => {
  const secrets = asList(scene.attack.then['output_must_not_contain']).map(String);
  const keys = Object.fromEntries(secrets.map((secret, index) => [`SECRET_${index}_API_KEY`, secret]));
  const environment = { ...scene.environment, ...keys };
  const call: OneCall = { root: scene.root, environment, files: {}, tool, args };
  const child = spawnSync(process.execPath, [program('one-call')], {
    input: JSON.stringify(call),
    encoding: 'utf8',
    env: environment,
  });
  if (child.status !== 0) throw new Unmet(`the call ended the program: ${child.stderr.slice(0, 300)}`);
  const answer = JSON.parse(child.stdout) as OneCallAnswer;
  return { ...answer, args, decision: { word: 'allow' }, milliseconds: 0, rssGrowth: 0 };
};

const byTrust = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('then', then, ['trusted']);
  const place = (name: JsonValue | undefined): string => {
    const folder = path.join(scene.scratch, String(name));
    fs.mkdirSync(folder, { recursive: true });
    return folder;
  };
  const trust = createTrustFile({ folder: scene.config });
  const kept = await trust.trust(place(given['trusted']));
  hold(kept.ok, 'the folder cannot be trusted');
  const { trusted } = await trust.isTrusted(place(when['start_in']));
  hold(trusted === then['trusted'], `trusted is ${trusted}`);
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
  onlyKnown('then', then, ['project_config_ignored', 'requests_to', 'env_loaded']);
  hold(given['trusted'] === false, 'a trusted folder cannot be played here yet');
  const settings = await readProjectSettings(scene.root, silentIo(scene));
  const connections: ConnectionRecord[] = [];
  const { base_url } = settings;
  const halter = await scene.open({
    allow: ['*'],
    ...(base_url === undefined ? {} : { baseUrl: base_url }),
    onConnection: (record) => connections.push(record),
  });
  await halter.model();
  if (then['project_config_ignored'] !== undefined) {
    const isIgnored = Object.keys(settings).length === 0;
    hold(isIgnored === then['project_config_ignored'], `the folder's settings count: ${JSON.stringify(settings)}`);
  }
  for (const [host, count] of Object.entries(asObject(then['requests_to']))) {
    const made = connections.filter((record) => JSON.stringify(record).includes(host)).length;
    hold(made === count, `${made} connections were made to ${host}`);
  }
  if (then['env_loaded'] === undefined) return;
  const { result } = await callTool(halter, 'bash', { command: 'env' });
  const texts = Object.values(asObject(given['project_file'])).flatMap((text) => String(text).split('\n'));
  const isLoaded = texts.some((line) => result.data?.split('\n').includes(line));
  hold(isLoaded === then['env_loaded'], 'the file of the folder was loaded into the environment');
};
