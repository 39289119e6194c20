/** Plays the cases in which the file of the folder's index is damaged while no halter has it open. */
import fs from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Agent } from '../../src/agent/create-agent.ts';
import { asList, hold, onlyKnown, Unmet } from './attack-case.ts';
import { runProgram } from './run-program.ts';
import type { Scene } from './scene.ts';

/** What happened to the file, in the words of a case. */
const DAMAGES: readonly { words: RegExp; damage(file: string, amount: number): void }[] = [
  {
    words: /^first (\d+) bytes overwritten$/,
    damage: (file, amount) => writeAt(file, 0, amount),
  },
  {
    words: /^last (\d+) bytes overwritten$/,
    damage: (file, amount) => writeAt(file, Math.max(0, fs.statSync(file).size - amount), amount),
  },
  {
    words: /^(\d+) bytes in the middle overwritten$/,
    damage: (file, amount) => writeAt(file, Math.floor(fs.statSync(file).size / 2), amount),
  },
  { words: /^truncated to (\d+) bytes$/, damage: (file, amount) => fs.truncateSync(file, amount) },
  { words: /^(?:empty|zero length)$/, damage: (file) => fs.truncateSync(file, 0) },
  { words: /^deleted$/, damage: (file) => fs.rmSync(file) },
  { words: /^-(wal|shm) file deleted while closed$/, damage: () => {} },
  { words: /^-(wal|shm) file (?:is )?garbage$/, damage: () => {} },
];

const writeAt = (file: string, from: number, amount: number): void => {
  const handle = fs.openSync(file, 'r+');
  fs.writeSync(handle, Buffer.alloc(amount, 'x'), 0, amount, from);
  fs.closeSync(handle);
};

const NAME = 'something_to_find';
const knows = async (halter: Agent): Promise<boolean> => {
  const found = await halter.executeTool('code_graph', { relation: 'defines', symbol: NAME });
  return found.success && (found.data ?? '').includes('found.ts');
};

const openHalter = async (scene: Scene, notices: string[]): Promise<Agent> =>
  scene.open({ allow: ['*'], graphRag: 'on', onWarning: (_code, message) => void notices.push(message) });

const damageFile = (file: string, words: string): void => {
  const [ending] = /^-(?:wal|shm)/.exec(words) ?? [];
  if (ending !== undefined) {
    // What a program that was killed leaves beside the file.
    if (words.endsWith('garbage')) fs.writeFileSync(`${file}${ending}`, 'garbage'.repeat(1_000));
    else fs.rmSync(`${file}${ending}`, { force: true });
  }
  const found = DAMAGES.find((each) => each.words.test(words));
  if (found === undefined) throw new Unmet(`a database that is ${JSON.stringify(words)} is not known`);
  found.damage(file, Number(found.words.exec(words)?.[1]));
};

export const withDamagedIndex = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('when', when, ['start']);
  onlyKnown('then', then, ['starts', 'index', 'backup', 'integrity_check', 'notice', 'message_contains', 'max_ms']);
  fs.writeFileSync(`${scene.root}/found.ts`, `export const ${NAME} = () => 1;\n`);
  const first = await openHalter(scene, []);
  const { file } = await first.retrieval.status();
  const made = await first.retrieval.index();
  hold(made.ok && fs.existsSync(file), 'no index was made');
  await first.close();
  damageFile(file, String(given['db']));

  const started = performance.now();
  const notices: string[] = [];
  // Where it does not start, `open` says so.
  const halter = await openHalter(scene, notices);
  const session = await halter.openSession({});
  if (then['starts'] !== undefined) hold(session.ok === then['starts'], 'no session opens');
  await halter.close();
  const openedMs = performance.now() - started;
  const ran = await runProgram(scene, ['index']);
  const milliseconds = openedMs + ran.tookMs;
  notices.push(ran.stderr);
  hold(ran.status === 0, `the index cannot be made again: ${ran.stderr.slice(0, 300)}`);
  if (then['index'] !== undefined) {
    hold(then['index'] === 'rebuilt', `an index that is ${String(then['index'])} is not known`);
    const again = await openHalter(scene, []);
    hold(await knows(again), 'the index does not know what is in the folder');
    await again.close();
  }
  if (then['integrity_check'] !== undefined) {
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare('PRAGMA integrity_check').all();
    database.close();
    const word = Object.values(rows[0] ?? {})[0];
    hold(word === then['integrity_check'], `the integrity check says ${String(word)}`);
  }
  if (then['backup'] === true) {
    const kept = fs.readdirSync(file.replace(/\/[^/]+$/, '')).filter((name) => name.includes('.bad'));
    hold(kept.length > 0, 'the damaged file is kept nowhere');
  }
  if (then['notice'] === true) hold(notices.join('').trim() !== '', 'nothing is said of it');
  for (const part of asList(then['message_contains']).map(String))
    hold(notices.join('\n').includes(part), `${part} is not said: ${notices.join('\n')}`);
  if (then['max_ms'] !== undefined) hold(milliseconds <= Number(then['max_ms']), `it takes ${milliseconds} ms`);
};
