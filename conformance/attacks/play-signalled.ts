/** Plays the cases in which the terminal app is told to end: what it does then, and what it leaves. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { SessionFiles } from '../../src/storage/session-files.ts';
import { asList, hold, onlyKnown, Unmet } from './attack-case.ts';
import { answer, type Reply } from './model-server.ts';
import { processesWith } from './processes.ts';
import { openPty, type PtyProgram } from './pty.ts';
import type { Scene } from './scene.ts';

const SPOKEN = 'These are the first words of an answer';
const call = (name: string, args: object): Reply => answer([], [{ id: 'c1', name, arguments: JSON.stringify(args) }]);
const ask = async (app: PtyProgram): Promise<void> => app.type('go\r');

type Situation = { script: () => Reply; words?: readonly string[]; bring(app: PtyProgram): Promise<void> };

/** In the words of a case, what the app is doing. */
const SITUATIONS: readonly { words: RegExp; of(found: RegExpExecArray): Situation }[] = [
  { words: /^idle TUI$/, of: () => ({ script: () => answer(['done']), bring: async () => {} }) },
  {
    words: /^streaming answer$/,
    of: () => ({
      // The end of the stream never comes.
      script: () => ({ stream: [...(answer([SPOKEN]).stream ?? []).slice(0, 1), '!hang'] }),
      async bring(app) {
        await ask(app);
        await app.until(() => app.shows(SPOKEN), 'the answer does not stream');
      },
    }),
  },
  {
    words: /^(?:waiting for (?:a )?permission|permission question open|open question)$/,
    of: () => ({
      script: () => call('write_file', { path: 'a.txt', content: 'x' }),
      async bring(app) {
        await ask(app);
        await app.question();
      },
    }),
  },
  {
    words: /^bash sleep (\d+) running$/,
    of: ([, seconds]) => ({
      script: () => call('bash', { command: `sleep ${seconds}.${process.pid}` }),
      words: ['--allow', 'bash'],
      async bring(app) {
        await ask(app);
        const runs = (): boolean =>
          processesWith('cmdline', (text) => text.includes(`sleep\0${seconds}.${process.pid}`)) > 0;
        await app.until(runs, 'the command does not run');
      },
    }),
  },
];

const THEN = ['exit_ms', 'children_left', 'terminal_restored', 'partial_answer_saved', 'unchanged', 'absent'];

const situationOf = (operation: unknown): Situation => {
  for (const { words, of } of SITUATIONS) {
    const found = words.exec(String(operation));
    if (found !== null) return of(found);
  }
  throw new Unmet(`the operation ${JSON.stringify(operation)} is not known`);
};

export const isSignalled = (operation: unknown): boolean =>
  SITUATIONS.some(({ words }) => words.test(String(operation)));

const textsOf = async (scene: Scene): Promise<string> => {
  const folder = path.join(scene.home, '.local/share/halter/sessions');
  const files = new SessionFiles({ folder });
  const ids = await files.ids();
  const texts: string[] = [];
  for (const id of ids.ok ? ids.value : []) {
    const read = await files.read(id);
    if (!read.ok) continue;
    texts.push(JSON.stringify(read.value.events));
  }
  return texts.join('\n');
};

export const withSignal = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('given', given, ['op']);
  onlyKnown('when', when, ['signal']);
  onlyKnown('then', then, THEN);
  const { script, words = [], bring } = situationOf(given['op']);
  const app = await openPty(scene, { script, words });
  await bring(app);
  const signal = /^SIG[A-Z]+$/.exec(String(when['signal']))?.[0];
  if (signal === undefined) throw new Unmet(`the signal ${String(when['signal'])} is not known`);
  const most = Number(then['exit_ms'] ?? 10_000);
  const started = performance.now();
  process.kill(app.pid(), signal as NodeJS.Signals);
  const isOver = await app.end(most + LATE_MS);
  const milliseconds = Math.round(performance.now() - started);
  hold(isOver && milliseconds <= most, `it ended ${isOver ? `after ${milliseconds} ms` : 'never'}`);
  if (then['children_left'] !== undefined) {
    const left = (): number =>
      processesWith('environ', (text) => text.split('\0').includes(`HALTER_CASE=${scene.scratch}`));
    // A process that was killed is there until the system has cleared it away.
    const patience = performance.now() + CLEARED_MS;
    while (left() > Number(then['children_left']) && performance.now() < patience) await wait(CLEARED_MS / 20);
    hold(left() <= Number(then['children_left']), `${left()} processes are left`);
  }
  if (then['terminal_restored'] !== undefined) {
    const wrong = app.restored();
    hold((wrong === undefined) === then['terminal_restored'], `the terminal is not as it was: ${wrong}`);
  }
  if (then['partial_answer_saved'] !== undefined)
    hold((await textsOf(scene)).includes(SPOKEN) === then['partial_answer_saved'], 'what was said is kept nowhere');
  for (const name of [...asList(then['absent'])].map(String))
    hold(!fs.existsSync(path.join(scene.root, name)), `${name} is there`);
};
const CLEARED_MS = 1_000;
const LATE_MS = 500;
