/** What is read out of code in every language, and that a file is cut into parts without a line lost or doubled. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { codeChunks, proseChunks } from './chunks.ts';
import { importMeans, readImport } from './imports.ts';
import { LANGUAGES, type Language, languageNamed } from './languages.ts';
import { type Outline, qualifiedName } from './outline.ts';
import { createCodeParser, outlineOf } from './parser.ts';

const SOURCES: Record<
  string,
  { text: string; names: string[]; calls: string[]; inherits?: string[]; modules: string[] }
> = {
  typescript: {
    text: "import { a as b } from './a.ts';\nexport class Dog extends Animal implements Pet {\n  bark(): Sound {\n    return b(1);\n  }\n}\nexport const run = async (x: number) => x;\ntype Id = string;\n",
    names: ['Dog', 'Dog.bark', 'run', 'Id'],
    calls: ['b'],
    inherits: ['Animal', 'Pet'],
    modules: ['./a.ts'],
  },
  tsx: { text: 'export const App = () => <Panel title="x" />;\n', names: ['App'], calls: [], modules: [] },
  javascript: {
    text: "const { a } = require('./a');\nclass Dog extends Animal {\n  bark() { return a(); }\n}\n",
    names: ['Dog', 'Dog.bark'],
    calls: ['a', 'require'],
    inherits: ['Animal'],
    modules: ['./a'],
  },
  python: {
    text: 'from .base import Base as B\nimport os.path\nLIMIT = 3\nclass Dog(B):\n    def bark(self, n):\n        return os.path.join(run(n))\n\ndef run(n):\n    return n\n',
    names: ['LIMIT', 'Dog', 'Dog.bark', 'run'],
    calls: ['join', 'run'],
    inherits: ['B'],
    modules: ['.base', 'os.path'],
  },
  go: {
    text: 'package main\nimport "fmt"\ntype Dog struct { Animal }\nfunc (d *Dog) Bark() { fmt.Println(run(1)) }\nfunc run(n int) int { return n }\n',
    names: ['Dog', 'Dog.Bark', 'run'],
    calls: ['Println', 'run'],
    inherits: ['Animal'],
    modules: ['fmt'],
  },
  rust: {
    text: 'use crate::base::{Base, run as go};\npub struct Dog;\nimpl Base for Dog {\n    fn bark(&self) { go(1); }\n}\n',
    names: ['Dog', 'Dog', 'Dog.bark'],
    calls: ['go'],
    inherits: ['Base'],
    modules: ['crate::base', 'crate::base'],
  },
  c: {
    text: '#include "a.h"\nstruct dog { int n; };\nstatic int run(int n) { return bark(n); }\n',
    names: ['dog', 'run'],
    calls: ['bark'],
    modules: ['a.h'],
  },
  cpp: {
    text: '#include <a.h>\nclass Dog : public Animal { public: void bark() { run(1); } };\nvoid Dog::sit() { bark(); }\n',
    names: ['Dog', 'Dog.bark', 'Dog.sit'],
    calls: ['run', 'bark'],
    inherits: ['Animal'],
    modules: ['a.h'],
  },
  java: {
    text: 'import a.b.Sound;\nclass Dog extends Animal implements Pet {\n  Sound bark() { return make(1); }\n}\n',
    names: ['Dog', 'Dog.bark'],
    calls: ['make'],
    inherits: ['Animal', 'Pet'],
    modules: ['a.b.Sound'],
  },
};

describe('code', () => {
  it.each(LANGUAGES.map((language) => [language.name, language] as const))(
    'in %s gives its definitions, calls, ancestors and imports',
    async (name, language) => {
      verifies('Z20');
      const { text, names, calls, inherits = [], modules } = SOURCES[name] as (typeof SOURCES)[string];
      const outline = await outlineOf(language, text);
      if (outline === undefined) throw new Error('nothing was read');
      expect(outline.definitions.map((_definition, index) => qualifiedName(outline.definitions, index))).toEqual(names);
      const found = (kinds: string[]) =>
        outline.references.filter(({ kind }) => kinds.includes(kind)).map((reference) => reference.name);
      expect(found(['call', 'member']).sort()).toEqual([...calls].sort());
      expect(found(['inherit'])).toEqual(inherits);
      expect(outline.imports.map(({ module }) => module)).toEqual(modules);
    },
  );

  it.each([
    ['go', 'package a\n\nconst (\n\tone = 1\n\ttwo, three = 2, 3\n)\n', ['one', 'two', 'three']],
    ['typescript', 'const one = 1, two = 2;\n', ['one', 'two']],
  ] as const)('in %s gives names of one statement beside each other, in one part', async (name, text, names) => {
    const language = languageNamed(name) as Language;
    const outline = await outlineOf(language, text);
    if (outline === undefined) throw new Error('nothing was read');
    expect(outline.definitions.map((_definition, index) => qualifiedName(outline.definitions, index))).toEqual(names);
    const chunks = codeChunks(text.split('\n'), outline, language);
    expect(chunks.filter(({ names: found }) => found.join() === names.join())).toHaveLength(1);
  });

  it('that does not parse still gives what can be read of it', async () => {
    const outline = await createCodeParser().outline('a.ts', 'function whole() { return 1; }\nfunction broken( {{{\n');
    expect(outline?.[0]).toMatchObject({ name: 'whole', kind: 'function', line_start: 1, line_end: 1 });
    expect(await createCodeParser().outline('a.xyz', 'whatever')).toBeUndefined();
  });
});

describe('imports', () => {
  it.each([
    ['typescript', './b.ts', 'src/a.ts', 'src/b.ts', true],
    ['typescript', './b.js', 'src/a.ts', 'src/b.ts', true],
    ['typescript', './lib', 'src/a.ts', 'src/lib/index.ts', true],
    ['typescript', 'react', 'src/a.ts', 'src/react.ts', false],
    ['python', 'pkg.mod', 'x.py', 'src/pkg/mod.py', true],
    ['python', '..mod', 'a/b/c.py', 'a/mod.py', true],
    ['python', '.', 'a/b.py', 'a/__init__.py', true],
    ['go', 'example.org/x/pkg/util', 'main.go', 'pkg/util/a.go', true],
    ['rust', 'crate::a::b', 'src/main.rs', 'src/a/b.rs', true],
    ['java', 'a.b.C', 'x/D.java', 'src/a/b/C.java', true],
    ['c', 'x/a.h', 'src/b.c', 'include/x/a.h', true],
  ] as const)('in %s: %s in %s means %s', (language, module, from, target, means) => {
    expect(importMeans(language, module, from, target)).toBe(means);
  });

  it.each([
    ['use a::b::C;', ['a::b C']],
    ['pub(crate) use a::{self, b as c, d::{E, f::*}, };', ['a self', 'a b as c', 'a::d E', 'a::d::f']],
    ['use a;', ['a a']],
    [
      `use ${'a::{b, '.repeat(20_000)}c;`,
      Array.from({ length: 32 }, (_, at) => `${'a::'.repeat(at + 1)}b`.replace(/::b$/, ' b')),
    ],
    [`use ${'{a}, '.repeat(20_000)};`, Array.from({ length: 20_000 }, () => 'a a')],
  ] as const)('of Rust, row %#', (text, expected) => {
    const written = readImport('rust', text, 1).map(({ module, names: [name] }) => {
      if (name === undefined) return module;
      return `${module} ${name.name}${name.as === name.name ? '' : ` as ${name.as}`}`;
    });
    expect(written).toEqual(expected);
  });

  it('never break on text that is no import', () => {
    fc.assert(
      fc.property(fc.constantFrom(...LANGUAGES), fc.string(), ({ name }, text) => {
        for (const { module, names } of readImport(name, text, 1)) {
          expect(typeof module).toBe('string');
          expect(names.every(({ name: brought, as }) => brought !== '' && as !== '')).toBe(true);
        }
      }),
    );
  });
});

describe('the parts of a file', () => {
  const line = fc.constantFrom(
    'export class A {',
    '}',
    '  method() { return call(1); }',
    'function f() {',
    '/** says something */',
    '',
    'const x = 1;',
    '# Heading',
    'words of prose',
    '```',
  );

  it('are in order, apart from each other and hold every line with a word in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 200 }), async (lines) => {
        const language = languageNamed('typescript') as Language;
        const outline = await outlineOf(language, lines.join('\n'));
        for (const chunks of [proseChunks(lines), outline ? codeChunks(lines, outline, language) : []]) {
          let last = 0;
          for (const { lineStart, lineEnd } of chunks) {
            expect(lineStart).toBeGreaterThan(last);
            expect(lineEnd).toBeGreaterThanOrEqual(lineStart);
            last = lineEnd;
          }
          expect(last).toBeLessThanOrEqual(lines.length);
          const held = new Set(
            chunks.flatMap(({ lineStart, lineEnd }) =>
              Array.from({ length: lineEnd - lineStart + 1 }, (_none, at) => lineStart + at),
            ),
          );
          const lost = lines.flatMap((text, at) => (/\w/.test(text) && !held.has(at + 1) ? [at + 1] : []));
          expect(lost).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('hold the comment above a definition together with it, inside a class too', async () => {
    const method = '  /** Bites. */\n  bite() {\n    return 1;\n  }\n'.repeat(8);
    const inside = `class Dog {\n${method}}\n`;
    const of = (language: Language, outline: Outline | undefined, lines: string[]) =>
      outline ? codeChunks(lines, outline, language).map(({ lineStart, lineEnd }) => [lineStart, lineEnd]) : [];
    const script = languageNamed('typescript') as Language;
    expect(of(script, await outlineOf(script, inside), inside.split('\n')).slice(0, 3)).toEqual([
      [1, 1],
      [2, 5],
      [6, 9],
    ]);
    const text = '/** Counts.\n * All of them.\n */\nfunction count() {\n  const a = 1;\n  return a;\n}\n';
    const language = languageNamed('typescript') as Language;
    const outline = await outlineOf(language, text);
    if (outline === undefined) throw new Error('nothing was read');
    expect(codeChunks(text.split('\n'), outline, language)).toMatchObject([
      { lineStart: 1, lineEnd: 7, definition: 0 },
    ]);
  });
});
