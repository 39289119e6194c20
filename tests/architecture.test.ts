/** The layers of the program, held by a test: imports point downward only, and nothing imports in a circle. */
import { describe, expect, it } from 'vitest';
import { isTest, listFiles, readSource, resolveImport, type SourceFile, scan } from './source-files.ts';

const PURE = ['core', 'schema', 'dialects'];
/** What all that touches files shares. */
const DISK = 'disk';
const ADAPTERS = ['providers', 'tools', 'sandbox', 'storage', 'mcp'];
const BELOW_AGENT = [...PURE, DISK, ...ADAPTERS, 'io', 'search'];
/** What is made of agents: the library, the gateway, the workers of a shared database. */
const OF_AGENTS = ['harness', 'gateway', 'cluster'];
const BELOW_SURFACES = [...BELOW_AGENT, 'agent', ...OF_AGENTS];

/** What each folder of src/ may import besides itself. A folder that is not here is not in the plan. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  schema: [],
  core: ['schema'],
  dialects: ['core', 'schema'],
  [DISK]: PURE,
  ...Object.fromEntries(ADAPTERS.map((folder) => [folder, [...PURE, DISK]])),
  // The ports to files, network and processes.
  io: [...PURE, DISK, 'sandbox'],
  search: [...PURE, DISK, 'io'],
  agent: BELOW_AGENT,
  ...Object.fromEntries(OF_AGENTS.map((folder) => [folder, [...BELOW_AGENT, 'agent']])),
  terminal: BELOW_SURFACES,
  server: BELOW_SURFACES,
  acp: BELOW_SURFACES,
  cli: [...BELOW_SURFACES, 'terminal', 'server', 'acp'],
  testing: BELOW_SURFACES,
  // The public library is a surface of its own.
  'index.ts': BELOW_SURFACES,
};

const MAX_LINES = 500;
/** The ports to files, network and processes are made in io/ and handed in. */
const DOORS = /^(?:node:)?(?:fs|fs\/promises|child_process|net|tls|http|https|http2|dgram|cluster)$/;
const NETWORK_AND_PROCESSES = /^(?:node:)?(?:child_process|net|tls|http|https|http2|dgram|cluster)$/;
const IMPURE: readonly [RegExp, string][] = [
  [/\bDate\.now\b|\bnew Date\(\)|\bperformance\./, 'reads the clock'],
  [/\bMath\.random\b|\bcrypto\./, 'draws a random number'],
  [/\bfetch\(|\bXMLHttpRequest\b|\bWebSocket\b/, 'reaches the network'],
  [/\bprocess\.|\bBuffer\.|\brequire\(|\bglobalThis\./, 'uses what only Node has'],
  [/\bset(?:Timeout|Interval|Immediate)\(/, 'waits'],
];
const FORBIDDEN_SYNTAX: readonly [RegExp, string][] = [
  [/[:<|&,]\s*any\b|\bas any\b|\bany\[\]/, 'any'],
  [/\bexport default\b/, 'a default export'],
  [/\benum\s+[A-Z]\w*\s*\{/, 'an enum'],
  [/\b(?:vi|vitest)\.mock\(/, 'a module mock'],
];

const folderOf = (path: string): string => path.split('/')[1] ?? '';
const sources = listFiles('src').map(readSource);
const code = sources.filter((file) => !isTest(file.path));
const web = listFiles('web/src').map(readSource);
const conformance = listFiles('conformance').map(readSource);

const edges = (file: SourceFile): string[] =>
  file.imports.flatMap((specifier) => resolveImport(file.path, specifier) ?? []);

/** Tarjan's strongly connected parts; those with more than one file are circles. */
const cyclesOf = (graph: ReadonlyMap<string, readonly string[]>): string[][] => {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    low.set(node, order.get(node) as number);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node) as number, low.get(next) as number));
    }
    if (low.get(node) !== order.get(node)) return;
    const part = stack.splice(stack.indexOf(node));
    if (part.length > 1 || graph.get(node)?.includes(node)) found.push(part.reverse());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found;
};

describe('the architecture', () => {
  it('sees imports of every form and nothing in comments, strings and templates', () => {
    const text = [
      "import type { A } from './a.ts'; // from './comment.ts'",
      'import "./b.ts";',
      "export { c } from './c.ts';",
      "const d = await import('./d.ts'); type E = import('./e.ts').E;",
      `/* import './no.ts' */ const text = \`import './no.ts' \${f('g', \`in \${1}\`)} from './no.ts'\`;`,
      "const quote = /['\"]/; const last = 'any';",
      "import { h } from './h.ts';",
    ].join('\n');
    const { strings, code: rest } = scan(text);
    const imports = strings.filter(({ before }) => /(?:from|import|import\s*\()\s*$/.test(before));
    expect(imports.map(({ value }) => value)).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './h.ts']);
    expect(rest).not.toContain('no.ts');
    expect(rest).not.toContain('any');
  });

  it('finds a circle of files', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['a']],
      ['d', ['a']],
    ]);
    expect(cyclesOf(graph)).toEqual([['c', 'b', 'a']]);
  });

  it('knows every folder of src/', () => {
    expect(code.map(({ path }) => folderOf(path)).filter((folder) => !(folder in MAY_IMPORT))).toEqual([]);
  });

  it('imports downward only, and adapters never import each other', () => {
    const wrong = code.flatMap((file) => {
      const folder = folderOf(file.path);
      const allowed = [folder, ...(MAY_IMPORT[folder] ?? [])];
      return edges(file)
        .filter((target) => !(target.startsWith('src/') && allowed.includes(folderOf(target))))
        .filter((target) => target !== 'package.json')
        .map((target) => `${file.path} → ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it('lets only tests import testing/', () => {
    const wrong = code
      .filter((file) => folderOf(file.path) !== 'testing')
      .filter((file) => edges(file).some((target) => target.startsWith('src/testing/')));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('has no circle of imports, types included', () => {
    expect(cyclesOf(new Map([...code, ...web, ...conformance].map((file) => [file.path, edges(file)])))).toEqual([]);
  });

  it('keeps core, schema and dialects pure: no Node, no network, no clock, no randomness', () => {
    const wrong = code
      .filter(({ path }) => PURE.includes(folderOf(path)))
      .flatMap((file) => [
        ...file.imports
          .filter((specifier) => specifier.startsWith('node:'))
          .map((name) => `${file.path} imports ${name}`),
        ...IMPURE.filter(([pattern]) => pattern.test(file.code)).map(([, what]) => `${file.path} ${what}`),
      ]);
    expect(wrong).toEqual([]);
  });

  it('gives tools no way to files, network or processes but the ports', () => {
    const wrong = code
      .filter(({ path }) => folderOf(path) === 'tools')
      .filter((file) => file.imports.some((specifier) => DOORS.test(specifier)) || /\bfetch\(/.test(file.code));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('gives providers, retrieval and MCP no socket and no process of their own', () => {
    const wrong = code
      .filter(({ path }) => ['providers', 'search', 'mcp'].includes(folderOf(path)))
      .filter(
        (file) =>
          file.imports.some((specifier) => NETWORK_AND_PROCESSES.test(specifier)) || /\bfetch\(/.test(file.code),
      );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('lets the web app import what runs in a browser alone, and write no markup as text', () => {
    const wrong = web
      .filter(({ path }) => !isTest(path))
      .flatMap((file) => [
        ...edges(file)
          .filter((target) => !target.startsWith('web/src/') && !PURE.includes(folderOf(target)))
          .map((target) => `${file.path} → ${target}`),
        ...file.imports.filter((name) => name.startsWith('node:')).map((name) => `${file.path} imports ${name}`),
        ...(/dangerouslySetInnerHTML|\b(?:inner|outer)HTML\s*(?:\+|\|\||&&|\?\?)?=(?!=)|insertAdjacentHTML|HTMLUnsafe|document\.write|\beval\(|new Function/.test(
          file.code,
        )
          ? [`${file.path} writes markup or runs text`]
          : []),
      ]);
    expect(wrong).toEqual([]);
  });

  it('sets flags of the engine in the program alone: the library runs in a process of somebody else', () => {
    const wrong = code
      .filter(({ path }) => folderOf(path) !== 'cli')
      .filter((file) => /\b(?:setFlagsFromString|enableCompileCache)\b/.test(file.code));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('has no any, no default export, no enum and no module mock', () => {
    const wrong = [...sources, ...web, ...listFiles('tests').map(readSource)].flatMap((file) =>
      FORBIDDEN_SYNTAX.filter(([pattern]) => pattern.test(file.code)).map(([, what]) => `${file.path}: ${what}`),
    );
    expect(wrong).toEqual([]);
  });

  it('waits for facts as long as a busy machine needs: `vi.waitFor` without a timeout gives up after a second', () => {
    const hasty = /\bvi\.wait(?:For|Until)\((?:(?!\btimeout\b)[^;])*;/;
    const wrong = [...sources, ...listFiles('tests').map(readSource)].filter(({ code }) => hasty.test(code));
    expect(wrong.map(({ path }) => `${path}: name a timeout, or use expect.poll`)).toEqual([]);
  });

  it(`has no file over ${MAX_LINES} lines`, () => {
    const long = [...sources, ...web]
      .filter(({ lines }) => lines > MAX_LINES)
      .map(({ path, lines }) => `${path}: ${lines} lines`);
    expect(long).toEqual([]);
  });
});
