import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { verifies } from '../../tests/requirements.ts';
import { rounds } from '../../tests/support/long.ts';
import type { JsonObject } from '../core/json.ts';
import { failure, succeed } from '../core/outcome.ts';
import type { Processes, Workspace } from '../core/ports.ts';
import type { ToolContext } from '../core/tool.ts';
import type { ToolOutput } from '../core/tool-result.ts';
import { type ClosableProcesses, createProcesses } from '../io/processes.ts';
import { createGrepCollector, shownLine } from './grep-output.ts';
import { expandBraces, parseFileFilter, patternToRegex } from './grep-pattern.ts';
import { grepSearchTool } from './grep-search.ts';
import { loadRipgrep } from './support/ripgrep.ts';

let base: string;
let made = 0;
const ports: ClosableProcesses[] = [];
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'halter-grep-'));
});
afterAll(() => {
  for (const port of ports) port.close();
  rmSync(base, { recursive: true, force: true });
});

/** Of a machine that does much else. */
const LONG = { timeout: 60_000 };

type Files = Record<string, string | Uint8Array>;
const folderOf = (files: Files): string => {
  made += 1;
  const root = join(base, `folder-${made}`);
  mkdirSync(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
};
/** Of a workspace the tool asks what a path is, and what stands in a file of settings. */
const workspaceOf = (files: Files): Workspace =>
  ({
    stat: async (path: string) => {
      const kind = path in files ? 'file' : 'directory';
      const known = path in files || Object.keys(files).some((name) => name.startsWith(`${path.replace(/\/$/, '')}/`));
      return known ? { ok: true, value: { kind, size: 1, modified_ms: 0 } } : failure('not_found', path);
    },
    readFile: async (path: string) =>
      path in files ? succeed({ bytes: Buffer.from(files[path] ?? '') }) : failure('not_found', path),
  }) as unknown as Workspace;

const grepIn = async (root: string, files: Files, args: JsonObject, processes?: Processes): Promise<ToolOutput> => {
  const port = createProcesses({ root, registerExit: () => {} });
  ports.push(port);
  const context = {
    processes: processes ?? port,
    workspace: workspaceOf(files),
    signal: new AbortController().signal,
    report: () => {},
  } as unknown as ToolContext;
  return grepSearchTool.run(args, context);
};
const grep = (files: Files, args: JsonObject): Promise<ToolOutput> => grepIn(folderOf(files), files, args);
const found = async (files: Files, args: JsonObject): Promise<string> => {
  const result = await grep(files, args);
  if (!result.success) throw new Error(`${result.error_type}: ${result.error_message}`);
  return result.data;
};
const pathsIn = (text: string): string[] =>
  text
    .split('\n\n')
    .slice(1)
    .map((block) => block.split('\n')[0] as string);

describe('secrets', () => {
  const files = { '.env': 'API_KEY=abc', 'keys/server.PEM': 'abc', 'a.ts': 'abc in code', 'b/credentials.json': 'x' };

  it('are left out of a search through a folder, which says so and not whether they match', async () => {
    verifies('H8');
    const note = '3 files that may hold secrets left out';
    const hit = await found(files, { pattern: 'abc', include_hidden: true });
    expect(pathsIn(hit)).toEqual(['a.ts']);
    expect(hit).toContain(note);
    const miss = await found(files, { pattern: 'not there at all', include_hidden: true });
    const notes = (text: string): string[] => text.split('\n').filter((line) => line.includes('secrets'));
    expect(notes(miss)).toEqual(notes(hit));
    expect(await found({ 'a.ts': 'abc' }, { pattern: 'abc' })).not.toContain('secrets');
  });

  it('are searched where the filter names one, which was asked about', async () => {
    expect(await found(files, { pattern: 'abc', include_hidden: true, file_filter: '.env' })).toContain('API_KEY=abc');
  });
});

describe('settings that may hold a key', () => {
  it('are left out while they do, and searched where the filter names them', async () => {
    verifies('S18');
    const files = { 'pip.conf': 'password = abc', 'web/.yarnrc.yml': 'abc: 1', 'a.ts': 'abc' };
    const hit = await found(files, { pattern: 'abc', include_hidden: true });
    expect(pathsIn(hit)).toEqual(['a.ts', 'web/.yarnrc.yml']);
    expect(hit).toContain('1 file that may hold secrets left out (pip.conf)');
    expect(await found(files, { pattern: 'abc', file_filter: 'pip.conf' })).toContain('password = abc');
  });
});

describe('what it finds', () => {
  it('shows lines by file, sorted, with their numbers, in any case', async () => {
    verifies('H8');
    const files = { 'b.txt': 'one\nTWO foo\nFoo three', 'a/z.txt': 'foo', 'c.txt': 'nothing' };
    expect(await found(files, { pattern: 'fOO' })).toBe(
      ['Found 3 matches in 2 files', '', 'a/z.txt', '  1: foo', '', 'b.txt', '  2: TWO foo', '  3: Foo three'].join(
        '\n',
      ),
    );
  });

  it('takes * for any characters of the line, and everything else for itself', async () => {
    verifies('H8');
    const files = { 'a.zig': 'fn deep_init(x)\nfunction\ninit fn\nfn(a+)+$ init\n-e --pre=x\n(a\n' };
    const lines = async (pattern: string): Promise<string[]> =>
      (await found(files, { pattern }))
        .split('\n')
        .filter((line) => line.startsWith('  '))
        .map((line) => line.trim());
    expect(await lines('fn*init')).toEqual(['1: fn deep_init(x)', '4: fn(a+)+$ init']);
    expect(await lines('*init*')).toHaveLength(3);
    expect(await lines('(a+)+$')).toEqual(['4: fn(a+)+$ init']);
    expect(await lines('-e --pre=x')).toEqual(['5: -e --pre=x']);
    expect(await lines('(a')).toEqual(['4: fn(a+)+$ init', '6: (a']);
  });

  it('matches exactly what a walk over the lines matches, whatever the pattern', async () => {
    verifies('H8');
    const lines = ['a.b*c[d]', 'A^B$', 'a b c', 'x{1,2}|y', '\\d+ #&~-', 'äÖ ß', '(?i)a', 'aa--bb', "it's", '😀 a😀b'];
    const root = folderOf({ 'lines.txt': `${lines.join('\n')}\n` });
    const alphabet = [...'aAbBcd.*[]^$ {}|\\+#&~-(?)iäö😀', "'"];
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 4 }),
        async (pattern) => {
          fc.pre(pattern.trim() !== '');
          const result = await grepIn(root, {}, { pattern });
          if (!result.success) throw new Error(result.error_message);
          const shown = [...result.data.matchAll(/^ {2}(\d+): /gm)].map((match) => Number(match[1]));
          const parts = pattern.toLowerCase().split('*');
          const expected = lines.flatMap((line, index) => {
            let from = 0;
            const matches = parts.every((part) => {
              const at = line.toLowerCase().indexOf(part, from);
              from = at + part.length;
              return at !== -1;
            });
            return matches ? [index + 1] : [];
          });
          expect([pattern, shown]).toEqual([pattern, expected]);
        },
      ),
      { numRuns: rounds(20, 200) },
    );
  });

  it('says that there is nothing, and what was not searched, as a success', async () => {
    verifies('H8');
    expect(await grep({ 'a.txt': 'x' }, { pattern: 'y' })).toEqual({
      success: true,
      data: 'No matches for "y" (hidden and ignored files were not searched)',
    });
    expect(await found({}, { pattern: 'y', include_hidden: true, ignore_gitignore: true })).toBe(
      'No matches for "y" [+hidden] [+gitignored]',
    );
  });

  it('shows lines that are not UTF-8, control characters and odd names safely, and long lines round their match', async () => {
    verifies('H8');
    const files = {
      'latin.txt': Buffer.from('63616665e920666f6f', 'hex'),
      'escape.txt': 'foo \u001b[31mred\u0007\tend\r\n',
      'na\nme.txt': 'foo',
      'long.js': `${'é'.repeat(100_000)}foo${'x'.repeat(100_000)}`,
      'utf16.txt': Buffer.from('\ufefffoo ✓', 'utf16le'),
    };
    const text = await found(files, { pattern: 'foo' });
    expect(text).toContain('1: cafe\ufffd foo');
    expect(text).toContain('1: foo \\u{1B}[31mred\\u{7}\tend\n');
    expect(text).toContain('na\\nme.txt\n  1: foo');
    expect(text).toContain('utf16.txt\n  1: foo ✓');
    expect(text).toMatch(/1: …é+foox+…\n/);
    for (const line of text.split('\n')) expect(line.length).toBeLessThan(520);
  });
});

describe('where it looks', () => {
  const tree = {
    '.gitignore': 'gen.ts\nbuild/\n',
    'a.ts': 'foo',
    'b.md': 'foo',
    'gen.ts': 'foo',
    '.hidden.ts': 'foo',
    '.config/x.ts': 'foo',
    'build/out.ts': 'foo',
    'src/deep/c.ts': 'foo',
    'src/d.tsx': 'foo',
    '.git/config.ts': 'foo',
    '.hg/x.ts': 'foo',
    'sub/.svn/x.ts': 'foo',
    '.bzr/x.ts': 'foo',
    'binary.ts': 'foo\n\0\n',
    'binary-further-down.ts': `foo\n${'text\n'.repeat(100_000)}\0\n`,
  };
  const paths = async (args: JsonObject): Promise<string[]> => pathsIn(await found(tree, { pattern: 'foo', ...args }));

  it('respects .gitignore without a repository, skips hidden files, stores of version control and binaries', async () => {
    verifies('H8');
    expect(await paths({})).toEqual(['a.ts', 'b.md', 'src/d.tsx', 'src/deep/c.ts']);
  });

  it('shows in the output that hidden or ignored files were searched too', async () => {
    verifies('H8');
    expect(await paths({ include_hidden: true })).toEqual([
      '.config/x.ts',
      '.hidden.ts',
      'a.ts',
      'b.md',
      'src/d.tsx',
      'src/deep/c.ts',
    ]);
    expect(await paths({ ignore_gitignore: true })).toEqual([
      'a.ts',
      'b.md',
      'build/out.ts',
      'gen.ts',
      'src/d.tsx',
      'src/deep/c.ts',
    ]);
    expect(await found(tree, { pattern: 'foo', include_hidden: true, ignore_gitignore: true })).toMatch(
      /^Found 8 matches in 8 files \[\+hidden\] \[\+gitignored\]\n/,
    );
  });

  it('keeps to those rules with a file_filter as well', async () => {
    verifies('H8');
    expect(await paths({ file_filter: '*.ts' })).toEqual(['a.ts', 'src/deep/c.ts']);
    expect(await paths({ file_filter: '**/*.ts' })).toEqual(['a.ts', 'src/deep/c.ts']);
    expect(await paths({ file_filter: './src/**/*.{ts,tsx}' })).toEqual(['src/d.tsx', 'src/deep/c.ts']);
    expect(await paths({ file_filter: '{src,build}/**' })).toEqual(['src/d.tsx', 'src/deep/c.ts']);
    expect(await paths({ file_filter: 'src/*.ts*' })).toEqual(['src/d.tsx']);
    expect(await paths({ file_filter: '!*.ts' })).toEqual(['b.md', 'src/d.tsx']);
    expect(await paths({ file_filter: 'a.ts' })).toEqual(['a.ts']);
    expect(await paths({ file_filter: 'src/deep/c.ts' })).toEqual(['src/deep/c.ts']);
    expect(await paths({ file_filter: 'src' })).toEqual(['src/d.tsx', 'src/deep/c.ts']);
    expect(await paths({ file_filter: 'src/' })).toEqual(['src/d.tsx', 'src/deep/c.ts']);
    expect(await paths({ file_filter: '.' })).toHaveLength(4);
    expect(await paths({ file_filter: '' })).toHaveLength(4);
    expect(await paths({ file_filter: '*.zig' })).toEqual([]);
    expect(await paths({ file_filter: '.config/*', include_hidden: true })).toEqual(['.config/x.ts']);
  });

  it('does not leave the workspace: not by a filter, not through a link', async () => {
    verifies('H8', 'H10');
    for (const file_filter of ['../*', '/etc/*', 'a/../../b', '/etc', 'C:\\x']) {
      expect([file_filter, await grep(tree, { pattern: 'foo', file_filter })]).toMatchObject([
        file_filter,
        { success: false, error_type: 'validation_failed' },
      ]);
    }
    const root = folderOf({ 'inside.txt': 'foo' });
    symlinkSync(folderOf({ 'secret.txt': 'foo' }), join(root, 'link'));
    symlinkSync(join(folderOf({ 'secret.txt': 'foo' }), 'secret.txt'), join(root, 'link.txt'));
    const result = await grepIn(root, {}, { pattern: 'foo', include_hidden: true, ignore_gitignore: true });
    expect(result.success && pathsIn(result.data)).toEqual(['inside.txt']);
  });

  it('does not hang on FIFOs, and uses nobody else’s ignore files', async () => {
    verifies('H8');
    const outer = folderOf({ '.gitignore': '*\n', 'ws/a.txt': 'foo', 'ws/.ignore': 'a.txt' });
    for (const name of ['f1', 'f2', 'f3', 'f4']) spawnSync('mkfifo', [join(outer, 'ws', name)]);
    const result = await grepIn(join(outer, 'ws'), {}, { pattern: 'foo' });
    expect(result.success && pathsIn(result.data)).toEqual(['a.txt']);
  });

  it('respects .halterignore at the top', async () => {
    verifies('H8');
    const files = { '.halterignore': 'secret.txt\n', 'secret.txt': 'foo', 'a.txt': 'foo' };
    expect(pathsIn(await found(files, { pattern: 'foo' }))).toEqual(['a.txt']);
  });
});

describe('limits and failures', () => {
  it('stops at max_results and says how many there are', async () => {
    verifies('H8');
    const files = { 'a.txt': 'foo\n'.repeat(10), 'b.txt': 'foo\n'.repeat(5) };
    const result = await grep(files, { pattern: 'foo', max_results: 12 });
    expect(result).toMatchObject({ success: true, metadata: { truncated: '12 of 15 matches shown' } });
    expect(result.success && result.data.match(/^ {2}\d/gm)).toHaveLength(12);
    const least = await grep({ 'a.txt': 'foo\n'.repeat(9_999) }, { pattern: 'foo', max_results: 3 });
    expect(least).toMatchObject({ success: true, metadata: { truncated: '3 of at least 4 matches shown' } });
    expect(await found(files, { pattern: 'foo' })).toMatch(/^Found 15 matches in 2 files\n\n/);
  });

  it('ends a search that finds everything', async () => {
    verifies('H8');
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${index}.txt`, 'foo\n'.repeat(1_000)]));
    const result = await grep(files, { pattern: 'o', max_results: 1_000 });
    expect(result.metadata?.truncated).toMatch(/^1,000 of at least 2\d,\d{3} matches shown$/);
  });

  it('answers to patterns and filters that cannot be', async () => {
    verifies('H8', 'Z6');
    const files = { 'a.txt': 'foo' };
    expect(await grep(files, { pattern: 'foo', file_filter: '[' })).toMatchObject({ error_type: 'parse_error' });
    expect(await grep(files, { pattern: 'foo', file_filter: 'src/{a,b' })).toMatchObject({ error_type: 'parse_error' });
    for (const pattern of ['a\nb', 'a\0', ' ']) {
      expect(await grep(files, { pattern })).toMatchObject({ error_type: 'validation_failed' });
    }
  });

  it('passes on what the port says, and a cancel', async () => {
    verifies('H8', 'Z6');
    const missing: Processes = { run: async () => failure('not_found', 'no rg', 'program_not_found') };
    expect(await grepIn(base, {}, { pattern: 'x' }, missing)).toMatchObject({ success: false, error_message: 'no rg' });
    const cancelled: Processes = {
      run: async () => ({
        ok: true,
        value: {
          exitCode: null,
          signal: 'SIGTERM',
          stdout: '',
          stderr: '',
          output: '',
          timedOut: false,
          cancelled: true,
        },
      }),
    };
    expect(await grepIn(base, {}, { pattern: 'x' }, cancelled)).toMatchObject({ metadata: { reason: 'cancelled' } });
  });

  it('is asked for once a session', () => {
    verifies('H8', 'Z7');
    expect(grepSearchTool).toMatchObject({ risk: 'medium', session_scope: true, effects: 'read' });
    expect(grepSearchTool.parameters).toMatchObject({
      required: ['pattern'],
      properties: { max_results: { default: 200, maximum: 1000 }, include_hidden: { default: false } },
    });
  });
});

describe('the parts', () => {
  it('reads the stream wherever it is cut', () => {
    verifies('H8');
    const message = (type: string, data: object): string => `${JSON.stringify({ type, data })}\n`;
    const stream =
      message('begin', { path: { text: './a' } }) +
      message('match', {
        path: { text: './a' },
        lines: { text: 'foo ✓\n' },
        line_number: 7,
        submatches: [{ start: 0 }],
      }) +
      message('end', { binary_offset: null }) +
      message('summary', {});
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 8 }), (cuts) => {
        const collector = createGrepCollector(() => true, 10);
        const points = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
        for (let index = 1; index < points.length; index += 1) {
          collector.push(stream.slice(points[index - 1], points[index]));
        }
        expect(collector.files()).toEqual([{ path: 'a', matches: [{ line: 7, text: 'foo ✓' }] }]);
        expect(collector.finished()).toBe(true);
      }),
    );
  });

  it('keeps of a line that is too long what stands from the match on, however the stream is cut', () => {
    verifies('H8');
    const message = (match: string) =>
      `{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"${'\\"submatches\\":[{\\"match\\":{\\"'.repeat(4)}`.concat(
        'x'.repeat(9_000),
        `"},"line_number":7,"absolute_offset":0,"submatches":[{"match":{${match}},"start":5,"end":9}]}}\n`,
      );
    const text = `fo\\u0001\\"${'✓'.repeat(4_000)}`;
    const shown = `…fo\\u{1}"${'✓'.repeat(Math.floor((500 - 4) / 3))}…`;
    const base64 = Buffer.from(`fo\xff${'y'.repeat(5_000)}`, 'latin1').toString('base64');
    const stream =
      `{"type":"begin","data":{"path":{"text":"a"}}}\n${message(`"text":"${text}"`)}` +
      `${message(`"bytes":"${base64}"`)}{"type":"match","data":{"lines":{"text":"foo"},"line_number":9}}\n` +
      '{"type":"end","data":{}}\n';
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6_000 }), { minLength: 1, maxLength: 6 }), (sizes) => {
        const collector = createGrepCollector(() => true, 10, undefined, 2_000);
        for (let at = 0, turn = 0; at < stream.length; turn += 1) {
          const size = sizes[turn % sizes.length] as number;
          collector.push(stream.slice(at, at + size));
          at += size;
        }
        const [file] = collector.files();
        expect(file?.matches.map(({ line }) => line)).toEqual([7, 7, 9]);
        // Cut into few pieces, a message may have come whole, and is then shown from its beginning.
        const [first, second] = file?.matches.map((match) => match.text) ?? [];
        if (sizes.every((size) => size < 2_000)) {
          expect(first).toBe(shown);
          expect(second).toBe(`…fo\ufffd${'y'.repeat(497)}…`);
        }
        expect(collector.incomplete()).toBe(false);
      }),
    );
  });

  it('reads a line of many megabytes once, whatever matches in it, and finds what is there', LONG, async () => {
    verifies('H8');
    const line = Buffer.alloc(12 * 1024 * 1024, 'x');
    line.write('needle', line.length / 2);
    const files = { 'a.txt': line };
    // Every character of it matches, one after the other: as many matches as bytes, told as one.
    const all = await found(files, { pattern: 'x' });
    expect(all.split('\n\n')[0]).toBe('Found 1 match in 1 file');
    expect(all).toContain(`  1: …${'x'.repeat(500)}…`);
    expect(await found(files, { pattern: 'need*e' })).toContain(`  1: …needle${'x'.repeat(494)}…`);
  });

  it('cuts a long line at whole characters', () => {
    verifies('H8');
    fc.assert(
      fc.property(fc.nat(3_000), fc.constantFrom('é', '✓', '😀', 'x'), (at, character) => {
        const bytes = Buffer.from(`${character.repeat(1_000)}`);
        expect(shownLine(bytes, Math.min(at, bytes.length))).not.toContain('\ufffd');
      }),
    );
  });

  it('says how to get ripgrep where a program was bundled without it, and why it cannot be used where it was not', async () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    const { '@vscode/ripgrep': version } = packageJson.dependencies;
    expect(await loadRipgrep(() => Promise.reject(missing))).toMatchObject({
      error: { message: expect.stringContaining(`npm install @vscode/ripgrep@${version}`) },
    });
    expect(await loadRipgrep(() => Promise.reject(new Error('Could not find linux-riscv64')))).toMatchObject({
      error: { message: expect.stringContaining('cannot be loaded: Could not find linux-riscv64') },
    });
  });

  it('expands braces and refuses those that do not match', async () => {
    verifies('H8');
    expect(expandBraces('a/{b,c{d,e}}.x')).toEqual(['a/b.x', 'a/cd.x', 'a/ce.x']);
    for (const glob of ['{a', 'a}', '{a,{b}', '{1,2}'.repeat(9)]) expect(expandBraces(glob)).toBeUndefined();
    expect(parseFileFilter('x/{a,b}/*.ts', false)).toMatchObject({ ok: true });
    expect(patternToRegex('**a.b**c*')).toBe('a\\.b(?-u:[^\\n])*?c');
  });
});
