/** `halter-dialects`: built, packed, installed in a project of its own and used there, without the checkout. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectWithin } from '../support/budget.ts';
import { packDialects } from '../support/packed-dialects.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const BUILD_MS = 180_000;
const SMALLER =
  'A page loads every dialect, so whatever is added costs all of them: say it with what src/dialects/engine has already, ' +
  'or raise the number here with the reason in the commit.';
/** Of the file that a page loads, as it is and as it travels. */
const MINIFIED_MAX = 86_300;
const GZIPPED_MAX = 32_100;
/** Bytes of a page that imports only some of it, minified. Everything in `.` together is 124,000. */
const ALONE = [
  { entry: '/browser', names: 'createParser, stripToolCalls', max: 81_200 },
  { entry: '', names: 'createParser, stripToolCalls', max: 90_500 },
  { entry: '', names: 'createFormatParser', max: 70_900 },
  { entry: '', names: 'offerTools, renderCall, renderResult', max: 19_500 },
  { entry: '', names: 'parseJsonLeniently', max: 13_200 },
  { entry: '', names: 'detectDialect', max: 7_000 },
  { entry: '', names: 'toTemplateMessages', max: 2_800 },
  { entry: '/ai-sdk', names: 'fromUIMessages, toUIMessageResponse', max: 7_200 },
];

const PROGRAM = `
import { autoParseToolCalls, createParser, detectDialect, dialectNames, offerTools, renderCall, stripToolCalls } from 'halter-dialects';
import * as browser from 'halter-dialects/browser';
const text = 'I look.\\n<tool_call>\\n{"name": "ls", "arguments": {"path": ".",}}\\n</tool_call>';
const parser = browser.createParser({ dialect: detectDialect({ model: 'qwen3:8b' }) ?? 'auto' });
for (const character of text) parser.push(character);
const call = { name: 'ls', arguments: { path: '.' } };
console.log(JSON.stringify([
  autoParseToolCalls(text).calls[0]?.arguments,
  browser.autoParseToolCalls(text).dialect,
  parser.end().result.calls[0]?.name,
  stripToolCalls(text),
  createParser({ dialect: 'hermes' }).push(renderCall('hermes', call)).at(-1)?.type,
  offerTools('hermes', []).length > 0,
  dialectNames().flatMap((name) => {
    const written = renderCall(name, call);
    return autoParseToolCalls(written).dialect === browser.autoParseToolCalls(written).dialect ? [] : [name];
  }),
]));
`;

describe('the package halter-dialects', () => {
  let place = '';
  let built = '';
  let project = '';

  beforeAll(async () => {
    place = mkdtempSync(path.join(tmpdir(), 'halter-dialects-'));
    const packed = await packDialects();
    built = packed.built;
    project = path.join(place, 'project');
    mkdirSync(project);
    writeFileSync(path.join(project, 'package.json'), '{"type": "module"}');
    writeFileSync(path.join(project, 'program.ts'), PROGRAM);
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--offline'];
    execFileSync('npm', ['install', ...quiet, packed.tarball], { cwd: project });
  }, BUILD_MS);

  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it('needs no other package', () => {
    const manifest = JSON.parse(readFileSync(path.join(built, 'package.json'), 'utf8')) as Record<string, unknown>;
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
      expect(manifest[kind]).toBeUndefined();
    expect(readdirSync(path.join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'halter-dialects',
    ]);
  });

  it('reads and writes calls, as a module of Node and as the one file of a page', () => {
    const out = execFileSync(process.execPath, ['program.ts'], { cwd: project, encoding: 'utf8' });
    expect(JSON.parse(out)).toEqual([{ path: '.' }, 'hermes', 'ls', 'I look.', 'call_end', true, []]);
  });

  it('names nothing of Node in what a browser loads', () => {
    const files = globSync('**/*.js', { cwd: built });
    const entries = ['ai-sdk', 'browser', 'index', 'langchain'].map((name) => path.join('dialects', `${name}.js`));
    expect(files).toEqual(expect.arrayContaining(entries));
    for (const name of files) {
      const text = readFileSync(path.join(built, name), 'utf8');
      expect(text, name).not.toMatch(/\bfrom ?["'`](?!\.\.?\/)|\bprocess\.|\brequire\(/);
    }
  });

  it('has a README that names what is in the package, and nothing else', () => {
    const text = readFileSync(path.join(built, 'README.md'), 'utf8');
    const manifest = JSON.parse(readFileSync(path.join(built, 'package.json'), 'utf8')) as { exports: object };
    const named = [...text.matchAll(/[`']halter-dialects(\/[a-z-]+)?[`']/g)].map(([, entry = '']) => `.${entry}`);
    expect(Object.keys(manifest.exports)).toEqual(expect.arrayContaining([...new Set(named)]));
    expect(text).not.toMatch(/\]\((?![a-z]+:|#)|\| halter |package `halter`|npm run|\n\n\n/);
  });

  it('brings types that a strict project accepts', () => {
    const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom'];
    execFileSync(process.execPath, [compiler, ...flags, 'program.ts'], { cwd: project, encoding: 'utf8' });
  });

  it('stays small', () => {
    const page = readFileSync(path.join(built, 'dialects', 'browser.js'));
    const whole = { unit: 'bytes', advice: SMALLER };
    expectWithin({ ...whole, what: 'halter-dialects/browser, minified', most: MINIFIED_MAX }, page.length);
    expectWithin({ ...whole, what: 'halter-dialects/browser, gzipped', most: GZIPPED_MAX }, gzipSync(page).length);
  });

  it.each(ALONE)(
    'gives the bundler of a page that imports $names from $entry that alone',
    async ({ entry, names, max }) => {
      const page = path.join(project, 'page.js');
      writeFileSync(page, `export { ${names} } from 'halter-dialects${entry}';`);
      const bundle = await rolldown({ input: page, platform: 'browser' });
      const { output } = await bundle.generate({ format: 'esm', minify: true, comments: false });
      await bundle.close();
      const what = `A page with ${names} from halter-dialects${entry}`;
      expectWithin({ what, most: max, unit: 'bytes', advice: SMALLER }, output[0].code.length);
    },
  );
});
