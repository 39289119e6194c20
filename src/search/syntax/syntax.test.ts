/** The tree out of memory against the library's cursor, and our matching of patterns against the library's queries. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Query, type Tree } from 'web-tree-sitter';
import { verifies } from '../../../tests/requirements.ts';
import { listFiles, ROOT } from '../../../tests/source-files.ts';
import { createColumnsOf, type Grammar, libraryMemory, openGrammar } from '../grammars.ts';
import { LANGUAGES, type LanguageName } from '../languages.ts';
import { createColumns, fillByCursor, type NodeColumns } from './node-columns.ts';
import { matchPatterns, readPatterns } from './patterns.ts';

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const some = (folder: string, ending: string, count: number): string[] =>
  listFiles(folder, [ending]).slice(0, count).map(read);

const GO = `package main

import (
	"fmt"
	other "example.org/a/b"
)

const limit, most = 3, 4

var table = map[string]int{"a": 1}

type Animal interface{ Bark() }
type Dog struct {
	Animal
	name string
}
type List[T any] struct{ items []T }

func (d *Dog) Bark() { fmt.Println(d.name, run(limit)) }
func (d Dog) Sit()   {}
func (l *List[T]) Push(item T) { l.items = append(l.items, item) }
func (l List[T]) Len() int { return len(l.items) }
func run(n int) int { // a comment
	return other.Do(func() int { return n })
}
`;
const RUST = `use crate::base::{Base, run as go};
pub(crate) mod inner { pub const LIMIT: usize = 3; static NAME: &str = "a"; }
pub struct Dog<T> { name: T }
union Bits { a: u32, b: f32 }
enum Kind { One, Two(u8) }
type Id = u64;
trait Bark { fn bark(&self) -> Id; fn sit(&self) { sit_down(self, LIMIT) } }
impl<T> Bark for Dog<T> { fn bark(&self) -> Id { self.name.len(); inner::go(1); println!("{}", 1); 0 } }
impl Base for Kind {}
macro_rules! many { ($x:expr) => { $x } }
`;
const JAVA = `package a.b;
import java.util.List;
import static a.C.d;
/** A dog. */
@Deprecated
public class Dog<T> extends Animal<T> implements Pet, Walks<T> {
  Dog(String name) { super(name); }
  public List<T> bark(int n) { this.run(n); run(n, name); return new Sound<>(n); }
  interface Inner extends Outer { void sit(); }
  enum Kind { ONE, TWO }
  record Point(int x, int y) {}
  @interface Note {}
}
`;
const PYTHON = `from .base import (Base as B, Other)
import os.path as p, sys
LIMIT = 3

@decorated
@a.cached(LIMIT)
class Dog(B, abc.Pet, metaclass=Meta):
    """A dog."""

    def bark(self, n: Count = LIMIT) -> "Sound":
        return p.join(run(n, key=sort), *rest)

async def run(n):
    with open(n) as f:
        yield [g(x) for x in f]
    if (m := n) and f"{run(m)!r}":
        pass
`;
const CPP = `#include <vector>
#define TWICE(x) ((x) * 2)
namespace zoo {
template <typename T> class Dog : public Animal, private Pet<T> {
 public:
  Dog() = default;
  T& bark(int n) const { return *new Sound<T>(run(n, other)); }
  virtual void sit() = 0;
};
enum class Kind { One };
}
void zoo::Dog::sit() { std::move(this->bark(1)); }
int& pick(int* a) { return a[0]; }
`;

const SAMPLES: Record<LanguageName, () => string[]> = {
  typescript: () => some('src/core', '.ts', 12),
  tsx: () => some('web/src', '.tsx', 4),
  javascript: () => some('scripts', '.mjs', 6).concat(read('node_modules/tree-sitter-javascript/grammar.js')),
  python: () => [PYTHON],
  go: () => [GO],
  rust: () => [RUST],
  c: () => [read('node_modules/tree-sitter-python/src/scanner.c')],
  cpp: () => [CPP, read('node_modules/tree-sitter-python/bindings/node/binding.cc')],
  java: () => [JAVA],
};

const COLUMNS = ['symbol', 'field', 'start', 'end', 'startRow', 'endRow', 'after'] as const;
const plain = (columns: NodeColumns) =>
  Object.fromEntries(COLUMNS.map((name) => [name, [...columns[name].subarray(0, columns.count)]]));
const byCursor = (tree: Tree): NodeColumns => {
  const columns = createColumns(tree.rootNode.descendantCount + 1);
  fillByCursor(tree, columns);
  return columns;
};
/** A query takes the first of several names in one field (`const a, b = 1, 2`); here each is found. */
const FURTHER_NAME = /^constant /;
const expectSame = (found: readonly string[], wanted: readonly string[]): void => {
  const more = multisetDifference(found, wanted).filter((match) => !FURTHER_NAME.test(match));
  expect({ more, missing: multisetDifference(wanted, found) }).toEqual({ more: [], missing: [] });
};
const multisetDifference = (from: readonly string[], other: readonly string[]): string[] => {
  const left = new Map<string, number>();
  for (const entry of other) left.set(entry, (left.get(entry) ?? 0) + 1);
  return from.filter((entry) => {
    const count = left.get(entry) ?? 0;
    left.set(entry, count - 1);
    return count <= 0;
  });
};
const parsed = <T>({ parser }: Grammar, text: string, use: (tree: Tree) => T): T => {
  const tree = parser.parse(text);
  if (tree === null) throw new Error('no tree');
  try {
    return use(tree);
  } finally {
    tree.delete();
  }
};
const ours = (grammar: Grammar, tree: Tree, text: string): string[] => {
  const columns = grammar.columnsOf(tree);
  const found: string[] = [];
  matchPatterns(grammar.patterns, columns, text, (captures, rows) => {
    const named = captures.map((name, at) => {
      const row = rows[at] as number;
      return `${name} ${columns.start[row]}-${columns.end[row]}`;
    });
    found.push(named.sort().join(', '));
  });
  return found.sort();
};
const theirs = (query: Query, tree: Tree): string[] =>
  query
    .matches(tree.rootNode)
    .map(({ captures }) =>
      captures
        .map(({ name, node }) => `${name} ${node.startIndex}-${node.endIndex}`)
        .sort()
        .join(', '),
    )
    .sort();

describe.each(LANGUAGES)('$name', (language) => {
  let grammar: Grammar;
  let query: Query;
  const samples = SAMPLES[language.name]();
  beforeAll(async () => {
    grammar = await openGrammar(language);
    query = new Query(grammar.parser.language as NonNullable<typeof grammar.parser.language>, language.query);
    // Enough for the memory to be trusted, so that what follows comes from there.
    parsed(grammar, samples.join('\n').repeat(6), grammar.columnsOf);
  });

  it('gives the same nodes out of memory as the cursor, and the same matches as a query', () => {
    verifies('Z20');
    for (const text of samples) {
      parsed(grammar, text, (tree) => {
        expect(plain(grammar.columnsOf(tree))).toEqual(plain(byCursor(tree)));
        const found = ours(grammar, tree, text);
        expectSame(found, theirs(query, tree));
        expect(found.length).toBeGreaterThan(0);
      });
    }
  });

  it('does so for text that is damaged anywhere', () => {
    verifies('Z20');
    const damaged = fc
      .tuple(
        fc.constantFrom(...samples),
        fc.nat(3_000),
        fc.nat(2_000),
        fc.nat(200),
        fc.constantFrom('', '{', '"', '\n é😀('),
      )
      .map(([text, from, length, cut, put]) => {
        const part = text.slice(from % text.length, (from % text.length) + length);
        const at = Math.floor(part.length / 2);
        return part.slice(0, at) + put + part.slice(at + cut);
      });
    fc.assert(
      fc.property(damaged, (text) =>
        parsed(grammar, text, (tree) => {
          expect(plain(grammar.columnsOf(tree))).toEqual(plain(byCursor(tree)));
          expectSame(ours(grammar, tree, text), theirs(query, tree));
        }),
      ),
      { numRuns: 40 },
    );
  });
});

describe('a memory that is not as it is thought to be', () => {
  const TEXT = 'export const a = () => b(1);\n'.repeat(60);
  const shifted = (by: number) => {
    const { HEAPU8, HEAPU16, HEAPU32 } = libraryMemory;
    if (!HEAPU8 || !HEAPU16 || !HEAPU32) throw new Error('the library was started by another');
    return { HEAPU8: HEAPU8.subarray(by * 4), HEAPU16: HEAPU16.subarray(by * 2), HEAPU32: HEAPU32.subarray(by) };
  };
  it.each([
    ['is not there', () => ({})],
    ['has other things in its places', () => shifted(1)],
    ['has the children elsewhere', () => shifted(2)],
    ['is empty', () => ({ HEAPU8: new Uint8Array(), HEAPU16: new Uint16Array(), HEAPU32: new Uint32Array() })],
    [
      'is all ones',
      () => ({
        HEAPU8: new Uint8Array(1e6).fill(255),
        HEAPU16: new Uint16Array(5e5).fill(65_535),
        HEAPU32: new Uint32Array(2e5).fill(0xffffffff),
      }),
    ],
  ])('%s: the cursor is used', async (_what, memory) => {
    const grammar = await openGrammar(LANGUAGES[0] as (typeof LANGUAGES)[number]);
    const columnsOf = createColumnsOf(memory());
    for (let time = 0; time < 3; time += 1) {
      parsed(grammar, TEXT, (tree) => expect(plain(columnsOf(tree))).toEqual(plain(byCursor(tree))));
    }
  });

  it('a tree deeper than is counted on is read by the cursor, and the next one out of memory again', async () => {
    const grammar = await openGrammar(LANGUAGES[0] as (typeof LANGUAGES)[number]);
    const deep = `const a = ${'['.repeat(3_000)}${']'.repeat(3_000)};`;
    for (const text of [TEXT, deep, TEXT]) {
      parsed(grammar, text, (tree) => expect(plain(grammar.columnsOf(tree))).toEqual(plain(byCursor(tree))));
    }
  });
});

describe('patterns', () => {
  it.each([
    ['(identifier', 'not closed'],
    ['(no_such_node) @x', 'no node no_such_node'],
    ['(call_expression nobody: (identifier))', 'no field nobody'],
    ['(identifier)? @x', 'cannot be read'],
    ['identifier @x', 'begins no node'],
  ])('%s is refused: %s', async (text, why) => {
    const { parser } = await openGrammar(LANGUAGES[0] as (typeof LANGUAGES)[number]);
    expect(() => readPatterns(parser.language as NonNullable<typeof parser.language>, text)).toThrow(why);
  });
});
