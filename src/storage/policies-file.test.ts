import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programFile } from '../../scripts/built-programs.ts';
import { verifies } from '../../tests/requirements.ts';
import { rounds } from '../../tests/support/long.ts';
import type { StoredRule } from '../core/storage-port.ts';
import { createPoliciesFile } from './policies-file.ts';

let base: string;
let made = 0;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'halter-policies-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));
const newFolder = (): string => {
  made += 1;
  const folder = join(base, `folder-${made}`);
  mkdirSync(folder);
  return folder;
};
const rule = (tool: string, more: Partial<StoredRule> = {}): StoredRule => ({
  tool,
  decision: 'allow',
  workspace: '/w',
  created_at: 1,
  ...more,
});

describe('what is remembered', () => {
  it('is taken out again, and everything else stays as it is', async () => {
    const folder = newFolder();
    const file = createPoliciesFile({ folder });
    for (const one of [rule('bash', { pattern: 'git log *' }), rule('bash'), rule('ls', { workspace: '/other' })])
      await file.add(one);
    const path = join(folder, 'policies.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"version": 1', '"version": 1,\n  "note": "mine"'));
    expect(await file.remove({ tool: 'bash', pattern: 'git log *', workspace: '/w' })).toMatchObject({ ok: true });
    expect(await file.remove({ tool: 'ls', workspace: '/w' })).toMatchObject({ ok: true });
    expect((await file.load('/w')).rules).toEqual([rule('bash')]);
    expect((await file.load('/other')).rules).toHaveLength(1);
    expect(readFileSync(path, 'utf8')).toContain('"note": "mine"');
  });

  it('is kept across runs, for its workspace alone', async () => {
    verifies('Z8', 'Z10');
    const folder = join(base, 'not', 'there', 'yet');
    const rules = [
      rule('bash', { pattern: 'git log *' }),
      rule('ls'),
      rule('bash', { decision: 'deny', pattern: 'rm *' }),
    ];
    for (const one of rules)
      expect(await createPoliciesFile({ folder }).add(one)).toEqual({ ok: true, value: undefined });
    await createPoliciesFile({ folder }).add(rule('ls', { workspace: '/w-evil' }));
    expect(await createPoliciesFile({ folder }).load('/w')).toEqual({ rules, warnings: [] });
    expect((await createPoliciesFile({ folder }).load('/w-evil')).rules).toHaveLength(1);
    expect(await createPoliciesFile({ folder }).load('/')).toEqual({ rules: [], warnings: [] });
    const written = JSON.parse(readFileSync(join(folder, 'policies.json'), 'utf8'));
    expect(written).toMatchObject({ version: 1, rules: [...rules, rule('ls', { workspace: '/w-evil' })] });
    expect(statSync(join(folder, 'policies.json')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('is the newest word on a thing, once', async () => {
    verifies('Z10');
    const store = createPoliciesFile({ folder: newFolder() });
    await store.add(rule('ls', { created_at: 1 }));
    await store.add(rule('ls', { created_at: 2, decision: 'deny' }));
    expect((await store.load('/w')).rules).toEqual([rule('ls', { created_at: 2, decision: 'deny' })]);
  });

  it('leaves what it does not know in the file', async () => {
    verifies('Z10');
    const folder = newFolder();
    writeFileSync(
      join(folder, 'policies.json'),
      JSON.stringify({ version: 1, note: 'mine', rules: [{ ...rule('ls', { pattern: 'src/**' }), comment: 'why' }] }),
    );
    const store = createPoliciesFile({ folder });
    expect((await store.load('/w')).rules).toEqual([rule('ls', { pattern: 'src/**' })]);
    await store.add(rule('bash'));
    expect(JSON.parse(readFileSync(store.path, 'utf8'))).toMatchObject({
      note: 'mine',
      rules: [{ tool: 'ls', comment: 'why' }, { tool: 'bash' }],
    });
  });

  it('takes no rule with a misspelt pattern for one about the whole tool', async () => {
    verifies('Z10', 'S31');
    const folder = newFolder();
    const rules = [{ ...rule('bash'), Pattern: 'git log *' }];
    writeFileSync(join(folder, 'policies.json'), JSON.stringify({ version: 1, rules }));
    const { rules: counting, warnings } = await createPoliciesFile({ folder }).load('/w');
    expect(counting).toEqual([]);
    expect(warnings.join()).toContain('rule 1 is no rule');
  });

  it('loses no rule when many write at once', async () => {
    verifies('Z10', 'U1');
    const folder = newFolder();
    const module = programFile(new URL('./policies-file.ts', import.meta.url));
    const script = (writer: number): string => `
      const { createPoliciesFile } = await import(${JSON.stringify(module)});
      const store = createPoliciesFile({ folder: ${JSON.stringify(folder)} });
      for (let count = 0; count < 15; count += 1) {
        const added = await store.add({ tool: 'tool-${writer}-' + count, decision: 'allow', workspace: '/w', created_at: 1 });
        if (!added.ok) throw new Error(added.error.message);
      }`;
    const ends = await Promise.all(
      [1, 2, 3, 4].map(
        (writer) =>
          new Promise((resolve) =>
            spawn(process.execPath, ['--input-type=module', '-e', script(writer)], { stdio: 'inherit' }).on(
              'close',
              resolve,
            ),
          ),
      ),
    );
    expect(ends).toEqual([0, 0, 0, 0]);
    expect((await createPoliciesFile({ folder }).load('/w')).rules).toHaveLength(60);
  });
});

describe('a file that cannot be believed', () => {
  const damaged = [
    '',
    '{"rules":[{"tool":"bash"',
    '[]',
    'null',
    '{"rules":[]}',
    '{"version":1}',
    '{"version":"1","rules":[]}',
    JSON.stringify({ version: 1, rules: [rule('ls'), 'bash'] }),
    JSON.stringify({ version: 1, rules: [rule('ls'), { decision: 'allow', workspace: '/w', created_at: 1 }] }),
    JSON.stringify({ version: 1, rules: [rule('ls'), null] }),
  ];
  it.each(damaged)('is put aside, said, and allows nothing: %s', async (text) => {
    verifies('Z10', 'S30');
    const folder = newFolder();
    writeFileSync(join(folder, 'policies.json'), text);
    const store = createPoliciesFile({ folder, now: () => 0 });
    const { rules, warnings } = await store.load('/w');
    expect(rules).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/policies\.json is damaged .* backup/);
    expect(readFileSync(join(folder, 'policies.json.bad-1970-01-01T00-00-00.000Z'), 'utf8')).toBe(text);
    expect(await store.load('/w')).toEqual({ rules: [], warnings: [] });
    await store.add(rule('ls'));
    expect((await store.load('/w')).rules).toEqual([rule('ls')]);
  });

  const typo = { tool: 'bash', decision: 'alow', workspace: '/w', created_at: 1 };
  it.each([
    ['a decision', typo],
    ['a pattern', { ...rule('bash'), pattern: 7 }],
    ['a key', { ...rule('bash'), patern: 'git log *' }],
  ])('leaves out a rule with a wrong %s, what allows its tool beside it, and nothing else', async (_what, wrong) => {
    verifies('Z10', 'S31');
    const folder = newFolder();
    const others = [
      rule('ls'),
      rule('bash', { pattern: 'git log *' }),
      rule('bash', { pattern: 'rm *', decision: 'deny' }),
    ];
    writeFileSync(join(folder, 'policies.json'), JSON.stringify({ version: 1, rules: [wrong, ...others] }));
    const store = createPoliciesFile({ folder });
    const { rules, warnings } = await store.load('/w');
    expect(rules).toEqual([others[0], others[2]]);
    expect(warnings).toEqual([expect.stringContaining(`rule 1 is no rule (${JSON.stringify(wrong)})`)]);
    // It stays where the person can mend it.
    expect(await store.add(rule('write_file'))).toMatchObject({ ok: true });
    expect(JSON.parse(readFileSync(store.path, 'utf8'))).toMatchObject({
      rules: [wrong, ...others, { tool: 'write_file' }],
    });
  });

  it('allows nothing for any tool beside a wrong rule for many', async () => {
    verifies('Z10', 'S31');
    const folder = newFolder();
    const rules = [{ ...typo, tool: 'mcp__*' }, rule('ls'), rule('bash', { decision: 'deny' })];
    writeFileSync(join(folder, 'policies.json'), JSON.stringify({ version: 1, rules }));
    expect((await createPoliciesFile({ folder }).load('/w')).rules).toEqual([rules[2]]);
  });

  it.skipIf(process.platform === 'win32').each([
    ['the file', '0666', '0700'],
    ['the file, for a group of several', '0660', '0700'],
    ['the folder', '0600', '0777'],
  ])('does not count where others can write %s', async (_what, file, of) => {
    verifies('Z10', 'S30');
    const folder = newFolder();
    const store = createPoliciesFile({ folder });
    expect(await store.add(rule('bash'))).toMatchObject({ ok: true });
    // One that belongs to a group that is nobody's own.
    if (process.getuid?.() === 0) chownSync(store.path, 0, 0);
    else if (file === '0660') return;
    chmodSync(store.path, Number.parseInt(file, 8));
    chmodSync(folder, Number.parseInt(of, 8));
    const { rules, warnings } = await store.load('/w');
    expect(rules).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/writable by others \(mode 0\d+; `chmod go-w /)]);
    expect(await store.add(rule('ls'))).toMatchObject({ ok: false });
    chmodSync(folder, 0o700);
    chmodSync(store.path, 0o600);
    expect((await store.load('/w')).rules).toHaveLength(1);
  });

  it('is left alone when a newer halter wrote it', async () => {
    verifies('Z10', 'U1');
    const folder = newFolder();
    const text = '{"version":999,"rules":[{"tool":"*","action":"allow"}]}';
    writeFileSync(join(folder, 'policies.json'), text);
    const store = createPoliciesFile({ folder });
    expect(await store.load('/w')).toEqual({ rules: [], warnings: [expect.stringContaining('version 999')] });
    expect(await store.add(rule('ls'))).toMatchObject({ ok: false });
    expect(readFileSync(store.path, 'utf8')).toBe(text);
  });

  it('is not followed when it is a link, and not waited for when it is no file', async () => {
    verifies('Z10');
    const folder = newFolder();
    const evil = join(newFolder(), 'evil.json');
    writeFileSync(evil, JSON.stringify({ version: 1, rules: [rule('bash')] }));
    symlinkSync(evil, join(folder, 'policies.json'));
    const linked = createPoliciesFile({ folder });
    expect(await linked.load('/w')).toEqual({ rules: [], warnings: [expect.stringContaining('symlink')] });
    expect(await linked.add(rule('ls'))).toMatchObject({ ok: false });
    const other = newFolder();
    mkdirSync(join(other, 'policies.json'));
    expect((await createPoliciesFile({ folder: other }).load('/w')).warnings).toHaveLength(1);
  });
});

/** So many kills, or fewer on a machine so busy that they would take longer than this; HALTER_KILLS asks for a number. */
const KILLS = Number(process.env['HALTER_KILLS'] ?? rounds(8, 40));
const KILL_TIME_MS = process.env['HALTER_KILLS'] === undefined ? 10_000 : Number.POSITIVE_INFINITY;
const FEWEST_KILLS = 8;
const killUntil = (): ((round: number) => boolean) => {
  const end = performance.now() + KILL_TIME_MS;
  return (round) => round < FEWEST_KILLS || (round < KILLS && performance.now() < end);
};

/** A kill hits a write or comes a moment late: it goes on until one hit. */
const MOST_KILLS = 200;

it('is whole whenever its writer is killed, and leaves no temporary behind', {
  timeout: 600_000,
}, async () => {
  verifies('Z10');
  const folder = newFolder();
  const module = programFile(new URL('./policies-file.ts', import.meta.url));
  // About 3 MB, so that a kill has something to interrupt.
  const filler = Array.from({ length: 300 }, (_, index) => rule(`old-${index}`, { pattern: 'x'.repeat(10_000) }));
  writeFileSync(join(folder, 'policies.json'), JSON.stringify({ version: 1, rules: filler }));
  const script = `
    const { createPoliciesFile } = await import(${JSON.stringify(module)});
    const store = createPoliciesFile({ folder: ${JSON.stringify(folder)} });
    process.stdout.write('ready\\n');
    for (let count = 0; ; count += 1) await store.add({ tool: 'new', decision: 'allow', workspace: '/w', created_at: count });`;
  const goesOn = killUntil();
  let stale = 0;
  for (let round = 0; goesOn(round) || (stale === 0 && round < MOST_KILLS); round += 1) {
    const writer = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => writer.stdout.once('data', resolve));
    // Every other time in the middle of a write, which the temporary gives away; else wherever it is.
    while (round % 2 === 0 && !readdirSync(folder).some((name) => name.endsWith('.tmp'))) {
      await new Promise((next) => setImmediate(next));
    }
    const ended = new Promise((resolve) => writer.on('close', resolve));
    writer.kill('SIGKILL');
    await ended;
    stale += readdirSync(folder).filter((name) => name.endsWith('.tmp')).length;
    const { rules, warnings } = await createPoliciesFile({ folder }).load('/w');
    expect(warnings).toEqual([]);
    expect(rules.length).toBeGreaterThanOrEqual(300);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  }
  // One kill at least did hit in the middle of writing; otherwise this would show nothing.
  expect(stale).toBeGreaterThan(0);
});
