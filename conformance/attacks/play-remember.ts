/** Plays the cases in which a person has halter remember a decision, and the file for it cannot be written. */
import fs from 'node:fs';
import path from 'node:path';
import { asList, hold, onlyKnown, Unmet } from './attack-case.ts';
import { answer, type Reply } from './model-server.ts';
import { policiesOf } from './names.ts';
import { badPlace, PLACE_WORDS } from './place.ts';
import { openPty } from './pty.ts';
import type { Scene } from './scene.ts';

const POLICIES = 'policies.json';
const GIVEN = ['op', 'config_dir_mode', POLICIES, `${POLICIES}_mode`, ...PLACE_WORDS];
const THEN = [
  'decision_applied_for_session',
  'message_contains',
  'unchanged',
  'saved_or_clear_error',
  'unchanged_or_new',
  'starts',
  'tmp_left',
];
const FILE = 'remembered.txt';
/** The keys that answer a question. */
const KEYS: Readonly<Record<string, string>> = { Once: '1', Session: '2', Remember: '3', Deny: '4' };

const write = (content: string): Reply =>
  answer([], [{ id: content, name: 'write_file', arguments: JSON.stringify({ path: FILE, content }) }]);
const SCRIPT: readonly Reply[] = [write('one'), write('two'), answer(['That was all.'])];

/** Where the file that is moved into place lies in the person's settings, the move fails as the case says. */
const failingRename = (operation: unknown, folder: string): string[] => {
  const code = /^rename\(\) fails with (E[A-Z]+)\b/.exec(String(operation))?.[1];
  if (operation === undefined || operation === 'policy save') return [];
  if (code === undefined) throw new Unmet(`the operation ${JSON.stringify(operation)} is not known`);
  const source = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const fails = (from, to) => String(to).startsWith(${JSON.stringify(folder)});
const error = () => Object.assign(new Error('${code}: rename'), { code: '${code}', syscall: 'rename' });
const { rename } = fs.promises;
fs.promises.rename = async (from, to) => { if (fails(from, to)) throw error(); return rename(from, to); };
const { renameSync } = fs;
fs.renameSync = (from, to) => { if (fails(from, to)) throw error(); return renameSync(from, to); };
syncBuiltinESMExports();`;
  return ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
};

const modeOf = (mode: unknown): number => Number.parseInt(String(mode), 8);

const rulesIn = (text: string): number | undefined => {
  try {
    const { rules } = JSON.parse(text) as { rules?: unknown };
    return Array.isArray(rules) ? rules.length : undefined;
  } catch {
    return undefined;
  }
};

export const withRemember = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('given', given, GIVEN);
  onlyKnown('when', when, ['user']);
  onlyKnown('then', then, THEN);
  const key = KEYS[String(when['user'])];
  if (key === undefined) throw new Unmet(`a user who answers ${JSON.stringify(when['user'])} is not known`);
  const file = path.join(scene.config, POLICIES);
  const before =
    given[POLICIES] === undefined
      ? JSON.stringify({
          version: 1,
          rules: [{ tool: 'ls', decision: 'allow', workspace: '/elsewhere', created_at: 0 }],
        })
      : policiesOf(String(given[POLICIES]), scene.root, []);
  fs.mkdirSync(scene.config, { recursive: true, mode: 0o700 });
  fs.writeFileSync(file, before);
  fs.chmodSync(file, modeOf(given[`${POLICIES}_mode`] ?? '0600'));
  if (given['config_dir_mode'] !== undefined) {
    fs.chmodSync(scene.config, modeOf(given['config_dir_mode']));
    scene.onEnd(() => fs.chmodSync(scene.config, 0o700));
  }
  const place = badPlace(scene, scene.config)?.command ?? [];
  const node = failingRename(given['op'], scene.config);
  const app = await openPty(scene, { script: (number) => SCRIPT[number] ?? answer(['That was all.']), place, node });
  app.type('go\r');
  await app.question();
  // On a busy machine the line about the keys is drawn late; behind the key it would look like another question.
  await app.until(() => app.shows('Press 1, 2'), 'the question takes no key');
  const from = app.raw().length;
  app.type(key);
  const isOver = (): boolean => app.shows('That was all.');
  const asksAgain = (): boolean =>
    app.raw().slice(from).includes('two') && app.raw().slice(from).includes('Press 1, 2');
  await app.until(() => isOver() || asksAgain(), 'the answer to the question has no effect');
  const isApplied = isOver() && fs.readFileSync(path.join(scene.root, FILE), 'utf8') === 'two';
  if (then['decision_applied_for_session'] !== undefined)
    hold(isApplied === then['decision_applied_for_session'], 'the person is asked about the same thing again');
  const told = (part: string): boolean => app.shows(part);
  for (const part of asList(then['message_contains']).map(String))
    await app.until(() => told(part), `${part} is not said`, SAID_MS);
  app.type('\x04');
  await app.end(END_MS);
  fs.chmodSync(scene.config, 0o700);
  const after = fs.readFileSync(file, 'utf8');
  const isSaved = (rulesIn(after) ?? 0) > (rulesIn(before) ?? 0);
  if (then['saved_or_clear_error'] !== undefined)
    hold(
      (isSaved || told('could not be saved')) === then['saved_or_clear_error'],
      'the decision is not saved, and nothing is said of it',
    );
  if (then['unchanged_or_new'] !== undefined)
    hold((after === before || isSaved) === then['unchanged_or_new'], `the file is neither old nor new: ${after}`);
  for (const name of asList(then['unchanged']).map(String)) {
    hold(name === POLICIES, `"unchanged" has ${name}, which is not known`);
    hold(after === before, `${name} has changed: ${after.slice(0, 200)}`);
  }
  if (then['tmp_left'] !== undefined)
    hold(
      fs.readdirSync(scene.config).filter((each) => each.endsWith('.tmp')).length === then['tmp_left'],
      'temporary files are left',
    );
};
const SAID_MS = 5_000;
const END_MS = 5_000;
