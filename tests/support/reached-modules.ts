/** What a program gets with an entry of the built package: the files that it imports, at once or later, and what is in them. */
import fs from 'node:fs';
import path from 'node:path';

/** In the built files, a comment names the source of what follows. */
const MODULE = /^\/\/ (src\/\S+\.ts)$/gm;
const IMPORTED = /(?:from ?|import ?\(?)"(\.[^"]+\.js)"/g;

type ReachedFile = {
  file: string;
  /** The sources that it holds. */
  modules: string[];
  /** The files by which it is reached, from the entry on. */
  way: string[];
};

export const reachedFiles = (entry: string): ReachedFile[] => {
  const found = new Map<string, readonly string[]>([[entry, []]]);
  return [...walk(found)].map(([file, way]) => ({
    file,
    modules: [...fs.readFileSync(file, 'utf8').matchAll(MODULE)].map(([, name = '']) => name),
    way: [...way],
  }));
};

/** A map tells also what is added to it while it is gone through. */
function* walk(found: Map<string, readonly string[]>): Generator<[string, readonly string[]]> {
  for (const [file, way] of found) {
    yield [file, way];
    for (const [, name = ''] of fs.readFileSync(file, 'utf8').matchAll(IMPORTED)) {
      const next = path.join(path.dirname(file), name);
      if (!found.has(next)) found.set(next, [...way, file]);
    }
  }
}

/** Without what shares a file with the paths of the storage, and does nothing by being loaded. */
const SURFACES = /^src\/(?:cli|terminal|acp|server)\/(?!compile-cache\.ts$)|^src\/mcp\/tool-server\.ts$/;

/** The names that a built file imports from another one. */
const namesFrom = (file: string, other: string): string[] => {
  const from = `from "${path.relative(path.dirname(file), other).replace(/^(?!\.)/, './')}"`;
  const line = fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .find((each) => each.includes(from));
  return [...(line ?? '').matchAll(/(?: as |[{,] )(\w+)(?= ?[,}])/g)].map(([, name = '']) => name);
};

/** Where an entry reaches surfaces: what is in the first such file, by which way it is reached, and what to do. */
export const reachedSurfaces = (dist: string, entry: string): string | undefined => {
  const first = reachedFiles(path.join(dist, entry)).find(({ modules }) => modules.some((name) => SURFACES.test(name)));
  if (first === undefined) return undefined;
  const { file, modules, way } = first;
  const named = (name: string): string => path.relative(dist, name);
  const last = way.at(-1) ?? file;
  const others = modules.filter((name) => !SURFACES.test(name));
  return (
    `${entry} reaches ${named(file)} by ${way.map(named).join(' → ')}, which holds ${modules.find((name) => SURFACES.test(name))}. ` +
    `${named(last)} takes ${namesFrom(last, file).join(', ')} from there. Name the module of it in TOGETHER of scripts/bundle-program.ts ` +
    `before what holds it now, so that it gets a file of its own, or do not import it from the library. It is one of: ${others.join(', ')}.`
  );
};
