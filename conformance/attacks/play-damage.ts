/** Plays the cases in which halter finds files of its own damaged, and hands on those in which it is killed. */
import fs from 'node:fs';
import path from 'node:path';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { type AttackCase, asList, hold, onlyKnown, Unmet } from './attack-case.ts';
import { answer } from './model-server.ts';
import { backupsOf } from './names.ts';
import { callTool } from './play-call.ts';
import { withClosedWindow, withKilledShell, withKilledWrite } from './play-killed-program.ts';
import { withHugeSession, withKills, withLockedStore } from './play-stores.ts';
import { type Scene, withScene } from './scene.ts';
import { openStage, type Stage } from './stage.ts';

const POLICIES = 'policies.json';
const SESSION_TAIL = 'session.jsonl_tail_hex';

export const playDamage = async (attack: AttackCase): Promise<void> => {
  const { given } = attack;
  if (given[POLICIES] !== undefined) return withScene(attack, { also: [POLICIES] }, withPolicies);
  if (given[SESSION_TAIL] !== undefined) return withScene(attack, { also: [SESSION_TAIL] }, withTornSession);
  const play = crashPlay(given, attack.when);
  if (play) return withScene(attack, { also: Object.keys(given) }, play);
  throw new Unmet(`${Object.keys(given).join(' and ')}: cannot be played here yet`);
};

const crashPlay = (given: JsonObject, when: JsonObject): ((scene: Scene) => Promise<void>) | undefined => {
  if (given['kills'] !== undefined) return withKills;
  if (given['kill_at'] !== undefined) return withKilledWrite;
  if (given['session.jsonl'] !== undefined) return withHugeSession;
  if (given['db'] !== undefined) return withLockedStore;
  if (String(given['op']).startsWith('bash ')) return withKilledShell;
  return given['op'] !== undefined && when['signal'] === 'SIGHUP' ? withClosedWindow : undefined;
};

/** A file that would allow everything here, if it were believed. */
const generousRules = (root: string): string =>
  JSON.stringify({
    version: 1,
    rules: ['*', 'bash'].map((tool) => ({ tool, decision: 'allow', workspace: root, created_at: 0 })),
  });

const withPolicies = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('when', when, ['start']);
  onlyKnown('then', then, ['starts', 'backup', 'message_contains', 'effective_policy', 'unchanged']);
  const file = path.join(scene.config, POLICIES);
  fs.mkdirSync(scene.config, { recursive: true });
  const text = String(given[POLICIES]);
  const target = /^symlink → ws\/(\S+)$/.exec(text)?.[1];
  if (target !== undefined) {
    fs.writeFileSync(path.join(scene.root, target), generousRules(scene.root));
    fs.symlinkSync(path.join(scene.root, target), file);
  } else fs.writeFileSync(file, text);
  const messages: string[] = [];
  // Where it does not start, `open` says so.
  const halter = await scene.open({ onWarning: (_code, message) => messages.push(message) });
  const told = messages.join('\n');
  for (const part of asList(then['message_contains']).map(String))
    hold(told.includes(part), `${part} is not said: ${told}`);
  if (then['backup'] !== undefined) {
    const { start } = backupsOf(then['backup']);
    hold(
      fs.readdirSync(scene.config).some((name) => name.startsWith(start)),
      'there is no backup',
    );
  }
  for (const name of asList(then['unchanged']).map(String)) {
    hold(name === POLICIES, `"unchanged" has ${name}, which is not known`);
    hold(fs.readFileSync(file, 'utf8') === text, `${name} has changed`);
  }
  if (then['effective_policy'] === undefined) return;
  hold(
    then['effective_policy'] === 'ask for everything',
    `the policy ${String(then['effective_policy'])} is not known`,
  );
  for (const tool of halter.tools.filter(({ risk }) => risk !== 'safe')) {
    const { decision, result } = await callTool(halter, tool.name, argumentsFor(tool.parameters));
    hold(decision.word === 'prompt', `${tool.name} is not asked about: ${result.error_message}`);
  }
};

/** Some arguments that fit, to see what would be decided about a call. */
const argumentsFor = (parameters: { [key: string]: JsonValue }): { [key: string]: JsonValue } => {
  const properties = parameters['properties'] as { [name: string]: { type?: string; enum?: JsonValue[] } };
  const values: { [type: string]: JsonValue } = { string: 'x', integer: 1, number: 1, boolean: true, array: [] };
  return Object.fromEntries(
    asList(parameters['required']).map((name) => {
      const property = properties[String(name)] ?? {};
      return [String(name), property.enum?.[0] ?? values[property.type ?? 'string'] ?? 'x'];
    }),
  );
};

const messagesIn = (stage: Stage): number => stage.log().filter(({ type }) => type.endsWith('_message_added')).length;

const withTornSession = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('when', when, ['resume']);
  onlyKnown('then', then, ['messages_lost_max', 'backup']);
  const first = await openStage(scene, { script: () => answer(['done']) });
  await first.send('one');
  await first.idle();
  await first.send('two');
  await first.idle();
  await first.close();
  const [before, folder] = [messagesIn(first), first.halter.paths.sessions];
  const files = fs.readdirSync(folder).filter((name) => name.startsWith(first.sessionId) && name.endsWith('.jsonl'));
  const file = path.join(folder, String(files[0]));
  fs.appendFileSync(file, Buffer.from(String(given[SESSION_TAIL]), 'hex'));
  const torn = fs.readFileSync(file);
  const stage = await openStage(scene, { script: () => answer(['done']), sessionId: first.sessionId });
  const lost = before - messagesIn(stage);
  hold(lost <= Number(then['messages_lost_max']), `${lost} messages are lost`);
  if (then['backup'] === undefined) return;
  const copies = fs
    .readdirSync(folder)
    .filter((name) => name.startsWith(first.sessionId) && name !== path.basename(file));
  const isKept = copies.some((name) => {
    const copy = path.join(folder, name);
    return fs.statSync(copy).isFile() && fs.readFileSync(copy).includes(torn.subarray(-7));
  });
  hold(
    isKept === then['backup'],
    `what was torn off is kept nowhere; beside the session are ${copies.join(', ') || 'no files'}`,
  );
};
