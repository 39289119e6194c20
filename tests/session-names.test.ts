/**
 * Which session a word means, by every command that takes one. What changes or deletes a session takes it named whole;
 * what looks at one may complete the word, and says which it took.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { type ScriptedServer, startScriptedServer } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { runHalter } from './support/halter-process.ts';
import { everyNth } from './support/long.ts';

/** `changes`: what was named is changed or lost. `opens`: goes on with it, or begins one of the name. */
const KINDS: Readonly<Record<string, 'changes' | 'reads' | 'opens' | 'jobs'>> = {
  'sessions delete': 'changes',
  'sessions rename': 'changes',
  'sessions undo': 'changes',
  'sessions show': 'reads',
  'sessions fork': 'reads',
  'sessions export': 'reads',
  replay: 'reads',
  egress: 'reads',
  context: 'reads',
  run: 'opens',
  'tools call': 'opens',
  // A job or a session by its whole id.
  'worker retry': 'jobs',
  'worker discard': 'jobs',
};

const GENERATED = '4f07e76a-1c2d-4e3f-8a9b-0c1d2e3f4a5b';
const ELSEWHERE = 'a1b2c3d4-1c2d-4e3f-8a9b-0c1d2e3f4a5b';
/** What a person may write, and the session that it is near to. */
const NOT_WHOLE: readonly [what: string, word: string, near: string][] = [
  ['the beginning of a name', 'rel-o', 'rel-old'],
  ['one letter of a name', 'r', 'rel-old'],
  ['a name in other letters', 'REL-OLD', 'rel-old'],
  ['a short beginning of an id', '4f07e76', GENERATED],
  ['the beginning of a name of another folder', 'qqq', 'qqq-work'],
  ['the beginning of an id of another folder', 'a1b2c3d4', ELSEWHERE],
  ['a given name in other letters', 'MY WORK', GENERATED],
  ['a given name of another folder', 'Their work', ELSEWHERE],
  ['first words', 'unique zebra words', 'rel-old'],
];
const WHOLE: readonly [what: string, word: string, id: string][] = [
  ['a name', 'rel-old', 'rel-old'],
  ['an id', GENERATED, GENERATED],
  ['eight characters of an id', GENERATED.slice(0, 8), GENERATED],
  ['a given name', 'My work', GENERATED],
];
const COMPLETED: readonly [what: string, word: string, id: string][] = [
  ['the beginning of a name', 'rel-o', 'rel-old'],
  ['the beginning of an id', '4f07', GENERATED],
  ['a name of another folder', 'qqq', 'qqq-work'],
  ['a given name', 'my work', GENERATED],
];

let root = '';
let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer({ turns: Array.from({ length: 400 }, () => ({ text: 'well' })) });
});
afterAll(() => server.close());
const halter = (args: readonly string[], folder = 'project') =>
  runHalter(args, { home: root, cwd: join(root, folder) });
const model = (): string[] => ['--provider', 'openai', '--base-url', server.openaiUrl];
const say = (words: string, id: string, ...more: string[]) =>
  halter(['run', words, '--session', id, ...more, ...model()]);
const call = (id: string, folder = 'project') =>
  halter(['tools', 'call', 'get_current_time', '{}', '--session', id], folder);
const kept = async (): Promise<string> => (await halter(['sessions', 'list', '--all'])).out;
const ids = async (): Promise<string[]> =>
  ((await halter(['sessions', 'list', '--all', '--json'])).json() as { sessions: { id: string }[] }).sessions.map(
    ({ id }) => id,
  );

const make = async (): Promise<void> => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'halter-session-names-'));
  for (const folder of ['project', 'other']) mkdirSync(join(root, folder));
  await say('unique zebra words', 'rel-old');
  await call(GENERATED);
  await halter(['sessions', 'rename', GENERATED, 'My', 'work']);
  await call('qqq-work', 'other');
  await call(ELSEWHERE, 'other');
  await halter(['sessions', 'rename', ELSEWHERE, 'Their', 'work'], 'other');
};
const remove = (): void => rmSync(root, { recursive: true, force: true, maxRetries: 10 });

const of = (kind: string): string[] => Object.keys(KINDS).filter((name) => KINDS[name] === kind);
const each = <Row extends readonly unknown[]>(kind: string, rows: readonly Row[]) =>
  of(kind).flatMap((name) => rows.map((row) => [name, ...row] as const));
const words = (name: string, word: string): string[] =>
  name === 'context'
    ? ['context', '--session', word, ...model()]
    : [...name.split(' '), word, ...(name.endsWith('rename') ? ['another'] : [])];

it('knows every command that takes a session', () => {
  const taking = COMMANDS.filter(({ flags, usage }) => flags.includes('session') || /\bID\b|SESSION/.test(usage));
  expect(Object.keys(KINDS).sort()).toEqual(taking.map(({ name }) => name).sort());
});

describe('a session that is not named whole', () => {
  // Nothing is changed here, so one set of sessions is enough.
  // Within a test: a process may be started there alone.
  let made: Promise<void> | undefined;
  beforeEach(() => {
    made ??= make();
    return made;
  });
  afterAll(remove);

  it.each(each('changes', NOT_WHOLE))('%s does nothing by %s', async (name, _what, word, near) => {
    verifies('B5');
    const before = await kept();
    const ran = await halter(words(name, word));
    expect(ran, ran.err).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(near);
    expect(await kept()).toBe(before);
  });
});

describe('what changes a session', () => {
  beforeEach(make);
  afterEach(remove);

  it.each(everyNth(each('changes', WHOLE), 5))(
    '%s takes %s, and says which that was',
    async (name, _what, word, id) => {
      const ran = await halter(words(name, word));
      expect(ran.code, ran.err).toBe(name.endsWith('undo') ? 1 : 0);
      if (!name.endsWith('undo')) {
        expect(ran.out).toContain(id);
        expect(ran.out).toContain(join(root, 'project'));
      } else if (word === id) expect(ran.err).toContain('no change');
      else expect(ran.err).toContain(id);
    },
  );

  it('deletes a session of another folder by its whole id, and only once', async () => {
    const first = await halter(['sessions', 'delete', 'qqq-work']);
    expect(first).toMatchObject({ code: 0, out: `Deleted qqq-work (${join(root, 'other')})\n` });
    await call('rel-old-2');
    expect((await halter(['sessions', 'delete', 'rel-old'])).code).toBe(0);
    expect((await halter(['sessions', 'delete', 'rel-old'])).code).toBe(1);
    expect(await ids()).toContain('rel-old-2');
  });
});

describe('what looks at a session', () => {
  beforeEach(make);
  afterEach(remove);

  it.each(everyNth(each('reads', COMPLETED), 7))(
    '%s takes %s, and says which that is',
    async (name, _what, word, id) => {
      const ran = await halter(words(name, word));
      // Of another folder's session the window is not counted.
      if (!(name === 'context' && id === 'qqq-work')) expect(ran.code, ran.err).toBe(0);
      expect(ran.err).toContain(`halter: "${word}" is the session ${id}\n`);
    },
  );
});

describe('--session', () => {
  beforeEach(make);
  afterEach(remove);

  const openedBy = (name: string, word: string, ...more: string[]) =>
    name === 'run' ? say('hello', word, ...more) : call(word);

  it.each(each('opens', [['rel-o'], ['REL-OLD'], ['rel-odl'], ['qqq']] as const))(
    'of %s begins %s beside a near name, and says so',
    async (name, word) => {
      const ran = await openedBy(name, word);
      expect(ran.code, ran.err).toBe(0);
      expect(ran.err).toMatch(new RegExp(`halter: a new session ${word} begins; there is (?:rel-old|qqq-work)\n`));
      expect(await ids()).toContain(word);
    },
  );

  it.each(each('opens', [['4f07'], ['my work']] as const))('of %s goes on with %s, and says so', async (name, word) => {
    expect((await openedBy(name, word)).err).toContain(`halter: "${word}" is the session ${GENERATED}\n`);
  });

  it('says nothing of a name that is near to none, of a whole one, and with --quiet', async () => {
    for (const word of ['something-else', 'rel-old']) expect((await say('hello', word)).err).toBe('');
    expect((await say('hello', 'rel-o', '--quiet')).err).toBe('');
  });
});

describe('sessions undo without an id', () => {
  beforeEach(make);
  afterEach(remove);

  it('names the session that was looked at, and the latest that has a change', async () => {
    const turns = [
      { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'a' } }] },
      ...Array.from({ length: 3 }, () => ({ text: 'done' })),
    ];
    const writing = await startScriptedServer({ turns });
    try {
      const more = ['--allow', 'write_file', '--provider', 'openai', '--base-url', writing.openaiUrl];
      await halter(['run', 'write', '--session', 'writing', ...more]);
      await halter(['run', 'ask', '--session', 'asking', ...more]);
    } finally {
      await writing.close();
    }
    for (const list of [[], ['--list']]) {
      const ran = await halter(['sessions', 'undo', ...list]);
      expect(ran).toMatchObject({ code: list.length === 0 ? 1 : 0, out: '' });
      expect(ran.err).toContain('asking (ask)');
      expect(ran.err).toContain('writing (write): `halter sessions undo writing`');
    }
    expect((await halter(['sessions', 'undo', 'writing'])).code).toBe(0);
    const nothing = await halter(['sessions', 'undo']);
    expect(nothing.err).toMatch(/There is no change .* looked at: \w+ .* No other session of this folder has one/);
  });
});
