/** Plays the cases in which halter finds its own settings damaged, open to others or out of reach when it starts. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { asList, hold, onlyKnown, Unmet } from './attack-case.ts';
import { attackProgram } from './attack-program.ts';
import { backupsOf, policiesOf } from './names.ts';
import { badPlace, PLACE_WORDS } from './place.ts';
import { MAIN } from './run-program.ts';
import type { Scene } from './scene.ts';
import type { StartAnswer, StartThere } from './start-there.ts';

const POLICIES = 'policies.json';
const FILES = [POLICIES, 'config.json', 'trust.json', 'mcp.json', 'keybindings.json'];
export const SETTINGS_WORDS: readonly string[] = [
  ...FILES,
  ...FILES.map((name) => `${name}_mode`),
  'config_dir_mode',
  'run_as',
];
const THEN = [
  'starts',
  'backup',
  'message_contains',
  'effective_policy',
  'unchanged',
  'bad_rule_ignored',
  'others_kept',
  'remember_disabled_notice',
  'notice_lines',
];
/** Allowed by a rule beside the bad one, to see whether it still counts. */
const OTHER = { tool: 'write_file', args: { path: 'other.txt', content: 'x' } };

/** Files that would allow everything here, if they were believed. */
const generous = (name: string, root: string): string => {
  const rules = ['*', 'bash'].map((tool) => ({ tool, decision: 'allow', workspace: root, created_at: 0 }));
  return JSON.stringify(name === POLICIES ? { version: 1, rules } : name === 'config.json' ? { mode: 'yolo' } : {});
};

/** By the file's name, what was put there. */
const putSettings = (scene: Scene): Map<string, string> => {
  const { given, then } = scene.attack;
  fs.mkdirSync(scene.config, { recursive: true, mode: 0o700 });
  const written = new Map<string, string>();
  const isOut = given['config_dir_mode'] !== undefined;
  for (const name of FILES) {
    const [value, mode] = [given[name], given[`${name}_mode`]];
    if (value === undefined && mode === undefined && !(isOut && name === POLICIES)) continue;
    const file = path.join(scene.config, name);
    const words = value === undefined ? generous(name, scene.root) : String(value);
    const target = /^symlink → ws\/(\S+)$/.exec(words)?.[1];
    if (target !== undefined) {
      fs.writeFileSync(path.join(scene.root, target), generous(name, scene.root));
      fs.symlinkSync(path.join(scene.root, target), file);
      continue;
    }
    const others = then['others_kept'] === undefined ? [] : [OTHER.tool];
    const text = name === POLICIES ? policiesOf(words, scene.root, others) : words;
    fs.writeFileSync(file, text, { mode: 0o600 });
    written.set(name, text);
    if (mode !== undefined) fs.chmodSync(file, octal(mode));
  }
  if (isOut) {
    fs.chmodSync(scene.config, octal(given['config_dir_mode']));
    scene.onEnd(() => fs.chmodSync(scene.config, 0o700));
  }
  return written;
};

const octal = (mode: JsonValue | undefined): number => {
  if (typeof mode !== 'string' || !/^[0-7]{3,4}$/.test(mode)) throw new Unmet(`the mode ${String(mode)} is not known`);
  return Number.parseInt(mode, 8);
};

type Started = StartAnswer & { told: string };

/** Starts halter as the case's user, in this process's child and as the program itself. */
const start = (scene: Scene, calls?: StartThere['calls']): Started => {
  const place = badPlace(scene, scene.root)?.command ?? [];
  const run = (words: string[], input: string) => {
    const [first = '', ...rest] = [...place, process.execPath, ...words];
    return spawnSync(first, rest, { input, encoding: 'utf8', cwd: scene.root, env: scene.environment });
  };
  const asked: StartThere = { root: scene.root, environment: scene.environment, ...(calls ? { calls } : {}) };
  const child = run([attackProgram('start-there')], JSON.stringify(asked));
  if (child.status !== 0) throw new Unmet(`halter does not start: ${child.stderr.slice(0, 300)}`);
  const answer = JSON.parse(child.stdout) as StartAnswer;
  const real = run([MAIN, 'tools', 'call', 'get_current_time', '{}'], '');
  const told = [...answer.warnings, answer.problem ?? '', real.stderr].join('\n');
  const problem =
    answer.problem ?? (real.status === 0 ? undefined : `exit ${real.status}: ${real.stdout}${real.stderr}`);
  return { ...answer, told, ...(problem === undefined ? {} : { problem }) };
};

const POLICY: Readonly<Record<string, readonly string[]>> = {
  'ask for everything': ['prompt'],
  'ask for everything or refuse': ['prompt', 'deny'],
};

const checkPolicy = (expected: JsonValue, { decisions, problem }: Started): void => {
  const words = Object.hasOwn(POLICY, String(expected)) ? POLICY[String(expected)] : undefined;
  if (words === undefined) throw new Unmet(`the policy ${String(expected)} is not known`);
  if (problem !== undefined && words.includes('deny')) return;
  hold(decisions.length > 0, `nothing was decided: ${problem}`);
  for (const { tool, word, message } of decisions)
    hold(words.includes(word), `${tool} is not asked about: ${word} ${message}`);
};

/** The tool of the rule that cannot be read is asked about; what another rule allows is allowed. */
const checkBadRule = (scene: Scene, then: JsonObject): void => {
  const bad = asList((JSON.parse(String(scene.attack.given[POLICIES])) as JsonObject)['rules']).flatMap((rule) =>
    typeof rule === 'object' && rule !== null && !Array.isArray(rule) && typeof rule['tool'] === 'string'
      ? [rule['tool']]
      : [],
  );
  const calls = bad.filter((tool) => tool === 'bash').map((tool) => ({ tool, args: { command: 'touch x' } }));
  const { decisions } = start(scene, [...calls, OTHER]);
  const [other] = decisions.filter(({ tool }) => tool === OTHER.tool);
  const ignored = decisions.filter((each) => each !== other).every(({ word }) => word === 'prompt');
  if (then['bad_rule_ignored'] !== undefined)
    hold(
      (calls.length > 0 && ignored) === then['bad_rule_ignored'],
      `the bad rule decides: ${JSON.stringify(decisions)}`,
    );
  if (then['others_kept'] !== undefined)
    hold(
      (other?.word === 'allow') === then['others_kept'],
      `the rule beside it counts no more: ${JSON.stringify(other)}`,
    );
};

const checkBackup = (scene: Scene, expected: JsonValue, written: ReadonlyMap<string, string>): void => {
  const names = fs.readdirSync(scene.config);
  const files = expected === true ? [...written.keys()] : [backupsOf(expected).file];
  for (const file of files) {
    const { start: begin } = backupsOf(`${file}.corrupt-*`);
    const kept = names.filter((name) => name.startsWith(begin));
    const isKept = kept.some((name) => fs.readFileSync(path.join(scene.config, name), 'utf8') === written.get(file));
    hold(isKept, `there is no backup of ${file}: ${names.join(', ')}`);
  }
};

export const withSettings = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('when', when, ['start']);
  onlyKnown('then', then, THEN);
  onlyKnown('given', given, [...SETTINGS_WORDS, ...PLACE_WORDS]);
  const written = putSettings(scene);
  if (then['bad_rule_ignored'] !== undefined || then['others_kept'] !== undefined) checkBadRule(scene, then);
  const started = start(scene);
  if (then['starts'] !== undefined)
    hold((started.problem === undefined) === then['starts'], `it does not start: ${started.problem}`);
  if (then['effective_policy'] !== undefined) checkPolicy(then['effective_policy'], started);
  const { told } = started;
  for (const part of asList(then['message_contains']).map(String))
    hold(told.includes(part), `${part} is not said: ${told}`);
  if (then['remember_disabled_notice'] !== undefined)
    hold(
      /\b(?:no|not|nothing)\b[^.;\n]*\bremember/i.test(told) === then['remember_disabled_notice'],
      `whether decisions are remembered is not said: ${told}`,
    );
  if (then['notice_lines'] !== undefined)
    hold(started.warnings.length === then['notice_lines'], `the notices are: ${started.warnings.join('; ')}`);
  fs.chmodSync(scene.config, 0o700);
  if (then['backup'] !== undefined) checkBackup(scene, then['backup'], written);
  for (const name of asList(then['unchanged']).map(String)) {
    const before = written.get(name);
    hold(before !== undefined, `"unchanged" has ${name}, which was not put there`);
    hold(fs.readFileSync(path.join(scene.config, name), 'utf8') === before, `${name} has changed`);
  }
};
