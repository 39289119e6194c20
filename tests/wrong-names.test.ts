/**
 * A name, an id or a path that is not there ends every command that takes one: what was not found, what may have been
 * meant, and how to list what there is, in words that cannot steer a terminal.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { sanitizeText } from '../src/terminal/sanitize.ts';
import { type ScriptedServer, startScriptedServer } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { runHalter } from './support/halter-process.ts';
import { everyNth } from './support/long.ts';
import { putFiles } from './support/scratch.ts';

type Row = {
  /** Behind the name. */
  more?: readonly string[];
  /** A mistyped name, and the one that is there. */
  near?: readonly [typed: string, meant: string];
  /** A model server answers. */
  served?: boolean;
  /** How what there is can be listed, or the list itself. */
  listed: string | RegExp;
  /** Not looked for by name: an empty one or one of odd characters may be right, or the answer is that something else is missing. */
  needs?: 'database';
};

const SESSION: Row = { near: ['fix-lgin', 'fix-login'], listed: '`halter sessions list --all`' };
const MODEL: Row = {
  near: ['satrter', 'starter'],
  listed: /`halter models (?:list|advise)`|These can be pulled: starter/,
};
const TOOL: Row = { more: ['{}'], near: ['raed_file', 'read_file'], listed: /The tools are: ls, / };
const SETTING: Row = { near: ['mdoel', 'model'], listed: /There are: model, / };
const SERVER: Row = { near: ['trakcer', 'tracker'], listed: '`halter mcp list`' };
const CLIENT: Row = { near: ['codxe', 'codex'], listed: /codex, claude/ };

const ROWS: Readonly<Record<string, Row>> = {
  'worker retry': { listed: '', needs: 'database' },
  'worker discard': { listed: '', needs: 'database' },
  'tools call': TOOL,
  'models advise': MODEL,
  'models pull': MODEL,
  'models probe': { ...MODEL, near: ['olama/qwen', 'ollama'], listed: /The providers are: ollama, / },
  'models load': { ...MODEL, near: ['qwne3', 'qwen3'], served: true },
  'models unload': { ...MODEL, near: ['qwne3', 'qwen3'], served: true },
  'models rm': { ...MODEL, near: ['minni', 'mini'] },
  'sessions show': SESSION,
  'sessions rename': { ...SESSION, more: ['another'] },
  'sessions fork': SESSION,
  'sessions undo': SESSION,
  'sessions export': SESSION,
  'sessions delete': SESSION,
  'sessions import': { listed: 'there is no such file' },
  replay: SESSION,
  egress: SESSION,
  'policy test': TOOL,
  'policy explain': TOOL,
  'config get': SETTING,
  'config set': { ...SETTING, more: ['1'] },
  launch: CLIENT,
  connect: CLIENT,
  'mcp remove': SERVER,
  'mcp login': SERVER,
  'mcp logout': SERVER,
  'mcp allow': SERVER,
  completion: { near: ['bsah', 'bash'], listed: /bash, zsh, fish/ },
};

/** What follows these is no name of something that is there already. */
const OTHER_WORDS = ['run', 'search', 'sessions search', 'mcp add', 'conformance'];

const ODD_WORDS: readonly [string, string][] = [
  ['an empty one', ''],
  ['blanks', '   '],
  ['a path outside', '../x'],
  ['emoji', '👩‍🚀🎉'],
  ['10,000 characters', 'x'.repeat(10_000)],
  ['10,000 characters with blanks', 'x y '.repeat(2_500)],
  ['control characters', 'a\u001b[31mb\u0007\u009b2J\u202ec\nd\r\te'],
  ['a name that every object has', '__proto__'],
  ['another of them', 'constructor'],
];
/** The help that is named below an error, and nothing else. */
const LINES_MAX = 2;
const CHARACTERS_MAX = 2_500;

let root = '';
let server: ScriptedServer;
const run = (name: string, words: readonly string[], env: Record<string, string> = {}) =>
  runHalter([...name.split(' '), ...words], { home: root, cwd: join(root, 'project'), env });
/** Once, and by a test: a program is started for its sake alone. */
let made: Promise<void> | undefined;
const make = async (): Promise<void> => {
  for (const id of ['fix-login', 'fix-logout']) await run('tools call', ['get_current_time', '{}', '--session', id]);
  await run('mcp add', ['tracker', 'http://127.0.0.1:1/mcp']);
};
const halter = async (...called: Parameters<typeof run>) => {
  made ??= make();
  await made;
  return run(...called);
};
const said = (ran: { out: string; err: string }): string => `${ran.out}${ran.err}`;

beforeAll(async () => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'halter-names-'));
  mkdirSync(join(root, 'project'));
  server = await startScriptedServer({ models: [{ id: 'qwen3' }] });
  putFiles(root, {
    '.local/share/halter/models/mini.gguf': 'GGUF',
    '.config/halter/mcp-logins.json': JSON.stringify({
      version: 1,
      servers: { tracker: { url: 'http://127.0.0.1:1/mcp' } },
    }),
  });
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

describe('a command that is given what is not there', () => {
  it('has a row here', () => {
    const taking = COMMANDS.filter(({ words }) => words.max > 0).map(({ name }) => name);
    expect([...Object.keys(ROWS), ...OTHER_WORDS].sort()).toEqual(taking.sort());
  });

  const rows = Object.entries(ROWS);
  it.each(rows.filter(([, { needs }]) => needs === undefined))(
    '%s names it and how to list what there is',
    async (name, { more = [], listed }) => {
      verifies('B11');
      const ran = await halter(name, ['zzz-nothing', ...more]);
      expect(ran.code, said(ran)).not.toBe(0);
      expect(said(ran)).toContain('zzz-nothing');
      expect(said(ran)).toMatch(listed);
    },
  );

  it.each(rows.flatMap(([name, row]) => (row.near ? [[name, row.near, row] as const] : [])))(
    '%s offers the nearest of %j',
    async (name, [typed, meant], { more = [], served }) => {
      const ran = await halter(name, [typed, ...more], served ? { OLLAMA_HOST: server.url } : {});
      expect(ran.code, said(ran)).not.toBe(0);
      expect(said(ran)).toMatch(new RegExp(`Did you mean [^?]*\\b${meant}\\b`));
    },
  );

  const odd = rows.flatMap(([name, row]) => ODD_WORDS.map(([what, word]) => [name, what, word, row] as const));
  it.each(everyNth(odd, 5))('%s of %s ends in one clear line', async (name, _what, word, { more = [] }) => {
    const ran = await halter(name, [word, ...more]);
    expect(ran.code, said(ran)).toBeOneOf([1, 2, 5]);
    expect(said(ran)).not.toMatch(/defect of halter|\n {4}at /);
    const lines = said(ran).trimEnd().split('\n');
    expect(lines.length, said(ran).slice(0, CHARACTERS_MAX)).toBeLessThanOrEqual(LINES_MAX);
    expect(Math.max(...lines.map((line) => line.length)), said(ran).slice(0, CHARACTERS_MAX)).toBeLessThan(
      CHARACTERS_MAX,
    );
    expect(sanitizeText(ran.err)).toBe(ran.err);
  });

  it.each(rows.filter(([name]) => (COMMANDS.find((each) => each.name === name)?.words.min ?? 0) > 0))(
    '%s says what it needs where only -- stands',
    async (name) => {
      const ran = await halter(name, ['--']);
      expect([ran.code, ran.out]).toEqual([2, '']);
      expect(ran.err).toMatch(`halter: ${name} needs `);
    },
  );

  it.each(rows.filter(([, row]) => row === SESSION || row.listed === SESSION.listed))(
    '%s names the sessions that an ambiguous beginning may mean',
    async (name, { more = [] }) => {
      const ran = await halter(name, ['fix-log', ...more]);
      expect(ran.code, said(ran)).toBe(1);
      expect(ran.err).toContain('2 sessions begin with "fix-log"');
      for (const id of ['fix-login', 'fix-logout']) expect(ran.err).toContain(id);
    },
  );
});
