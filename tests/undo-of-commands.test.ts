/** Every kind of change that a command makes in its layer × every way in which a person takes changes back. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../src/agent/create-agent.ts';
import type { OpenSession } from '../src/agent/session.ts';
import { openKeptUndo } from '../src/agent/undo/kept.ts';
import { detectSandbox } from '../src/sandbox/index.ts';
import { halterPaths } from '../src/storage/paths.ts';
import { createFileStorage } from '../src/storage/storage.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { assembled, openedSession, say } from './support/assembled.ts';
import { scratchFolder } from './support/scratch.ts';

/** `before`: what the person does in a folder of the case; `command`: what the model's command does there. */
type Kind = { before: (folder: string) => void; command: string };

const file =
  (name: string, mode: number, text = `${name}\n`) =>
  (folder: string) => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
  };
const link = (target: string, name: string) => (into: string) => symlinkSync(target, join(into, name));
const folder = (name: string) => (into: string) => mkdirSync(join(into, name));
const all =
  (...steps: ((folder: string) => void)[]) =>
  (folder: string): void => {
    for (const step of steps) step(folder);
  };

const KINDS: Record<string, Kind> = {
  'a script is removed': { before: file('run.sh', 0o755), command: 'rm run.sh' },
  'a private file is removed': { before: file('key', 0o600), command: 'rm key' },
  'a script is written over': { before: file('run.sh', 0o755), command: 'echo new > run.sh' },
  'a script is replaced by another file': { before: file('run.sh', 0o755), command: 'echo new > t; mv t run.sh' },
  'a script is moved': { before: file('run.sh', 0o755), command: 'mv run.sh moved.sh' },
  'a file can be run from now on': { before: file('a', 0o644), command: 'chmod 755 a' },
  'a script cannot be run any more': { before: file('run.sh', 0o755), command: 'chmod -x run.sh' },
  'a file is closed to everybody': { before: file('a', 0o640), command: 'chmod 000 a' },
  'a file is changed and made read-only': { before: file('a', 0o664), command: 'echo new > a; chmod 444 a' },
  'a read-only file is changed': { before: file('a', 0o444), command: 'chmod u+w a; echo new > a; chmod u-w a' },
  'a new script': { before: () => {}, command: 'echo x > new.sh; chmod 755 new.sh' },
  'files of one content and other permissions are swapped': {
    before: all(file('a', 0o755, 'same\n'), file('b', 0o644, 'same\n')),
    command: 'mv a t; mv b a; mv t b',
  },
  'a link is removed': { before: all(file('t', 0o644), link('t', 'L')), command: 'rm L' },
  'a link to nothing is removed': { before: link('/nonexistent/place', 'L'), command: 'rm L' },
  'a link that leads outside is removed': { before: link('/etc/hostname', 'L'), command: 'rm L' },
  'a link leads elsewhere': { before: link('t', 'L'), command: 'ln -sfn u L' },
  'a new link': { before: file('t', 0o644), command: 'ln -s t N' },
  'a new link in new folders': { before: () => {}, command: 'mkdir -p a/b; ln -s / a/b/N' },
  'a script is replaced by a link': { before: file('run.sh', 0o755), command: 'mv run.sh o; ln -s o run.sh' },
  'a link is replaced by a file': { before: all(file('t', 0o600), link('t', 'L')), command: 'rm L; echo x > L' },
  'a link is replaced by a folder': { before: link('/etc', 'L'), command: 'rm L; mkdir L; echo x > L/hosts' },
  'a link is replaced by an empty folder': { before: link('/etc', 'L'), command: 'rm L; mkdir L' },
  'a folder is replaced by a link that leads outside': {
    before: all(folder('d'), file('d/x', 0o755)),
    command: 'rm -r d; ln -s /etc d',
  },
  'a folder is replaced by a link to its other name': {
    before: all(folder('d'), file('d/x', 0o755)),
    command: 'mv d e; ln -s e d',
  },
  'an empty folder is replaced by a link': { before: folder('d'), command: 'rmdir d; ln -s / d' },
  'a file is replaced by a folder': { before: file('a', 0o755), command: 'rm a; mkdir a; echo x > a/b' },
  'a folder is replaced by a file': { before: all(folder('d'), file('d/x', 0o755)), command: 'rm -r d; echo x > d' },
  'new empty folders': { before: () => {}, command: 'mkdir -p a/b/c' },
  'an empty folder is removed': { before: folder('d'), command: 'rmdir d' },
  'a folder with an empty one is removed': { before: all(folder('d'), folder('d/e')), command: 'rm -r d' },
};

/** What stands in a folder: permissions, contents and targets of links. */
const look = (folder: string, way = ''): string[] =>
  readdirSync(join(folder, way))
    .sort()
    .flatMap((entry) => {
      const name = join(way, entry);
      const stat = lstatSync(join(folder, name));
      if (stat.isSymbolicLink()) return [`${name} -> ${readlinkSync(join(folder, name))}`];
      if (stat.isDirectory()) return [`${name}/`, ...look(folder, name)];
      return [`${name} ${(stat.mode & 0o7777).toString(8)} ${stat.isFile() ? readFileSync(join(folder, name)) : '?'}`];
    });

type Done = { halter: Agent; session: OpenSession; folder: string; home: string };

const WAYS: Record<string, (done: Done) => Promise<void>> = {
  '/undo step and the library': async ({ session }) => {
    expect(await session.send({ type: 'undo' })).toEqual({ ok: true });
  },
  '/undo': async ({ session }) => {
    expect(await session.send({ type: 'undo', scope: 'message' })).toEqual({ ok: true });
  },
  '/rewind': async ({ session }) => {
    expect(await session.send({ type: 'undo', since_seq: 1 })).toEqual({ ok: true });
  },
  'the review of the page': async ({ halter, session }) => {
    const review = await halter.reviewChanges(session.log());
    if (!review.ok) throw new Error(review.error.message);
    for (const { path, hash } of review.value.files)
      expect(await session.send({ type: 'resolve_changes', path, hash, decision: 'undo' })).toEqual({ ok: true });
  },
  'halter sessions undo': async ({ session, folder, home }) => {
    await session.close();
    const paths = halterPaths({ HOME: home }, 'linux');
    const undo = await openKeptUndo(createFileStorage(paths), paths, { id: session.id, folder: [folder, folder] });
    if (!undo.ok) throw new Error(undo.error.message);
    expect(await undo.value.undo()).toMatchObject({ ok: true });
    await undo.value.close();
  },
};

describe('what a command changed in its layer', () => {
  for (const [way, takeBack] of Object.entries(WAYS))
    test(`is as it was, taken back by ${way}`, { timeout: 60_000 }, async (context) => {
      verifies('B6');
      if ((await detectSandbox()).kind !== 'bubblewrap') context.skip('bubblewrap does not work here');
      const [folder, home] = [scratchFolder(), scratchFolder()];
      const kinds = Object.entries(KINDS).map(([name, kind], index) => ({ name, ...kind, place: `k${index}` }));
      for (const { place, before } of kinds) {
        mkdirSync(join(folder, place));
        before(join(folder, place));
      }
      const before = kinds.map(({ place }) => look(join(folder, place)));
      const command = kinds.map(({ place, command }) => `(cd ${place}; ${command})`).join('\n');
      const halter = await assembled({
        folder,
        environment: { HOME: home },
        modelProvider: scriptedProvider([{ calls: [{ name: 'bash', arguments: { command } }] }, { text: 'done' }]),
        mode: 'yolo',
        sandbox: true,
      });
      const session = await openedSession(halter);
      await say(session);
      for (const [index, { name, place }] of kinds.entries())
        expect.soft(look(join(folder, place)), `the command did it: ${name}`).not.toEqual(before[index]);
      await takeBack({ halter, session, folder, home });
      for (const [index, { name, place }] of kinds.entries())
        expect.soft(look(join(folder, place)), name).toEqual(before[index]);
    });

  test('is named where it cannot be taken back', { timeout: 60_000 }, async (context) => {
    verifies('B6');
    if ((await detectSandbox()).kind !== 'bubblewrap') context.skip('bubblewrap does not work here');
    const into = scratchFolder();
    all(folder('d'), file('large', 0o644), file('a', 0o644))(into);
    const command = 'mkfifo p; chmod 700 d; head -c 11000000 /dev/zero > large; echo new > a';
    const halter = await assembled({
      folder: into,
      modelProvider: scriptedProvider([{ calls: [{ name: 'bash', arguments: { command } }] }, { text: 'done' }]),
      mode: 'yolo',
      sandbox: true,
    });
    const session = await openedSession(halter);
    const told: string[] = [];
    session.subscribe((update) => {
      if (update.type === 'warning' && update.code === 'undo_not_kept') told.push(update.message);
    });
    await say(session);
    expect(told.join()).toContain('p (a pipe, socket or device)');
    expect(told.join()).toContain('d (the permissions of a folder)');
    expect(told.join()).toContain('large (too large)');
    expect(told.join()).not.toContain('a (');
    expect(await session.send({ type: 'undo' })).toEqual({ ok: true });
    expect(readFileSync(join(into, 'a'), 'utf8')).toBe('a\n');
  });
});
