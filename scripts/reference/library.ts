/** The reference page of the library, made from the comments and types of what each entry exports. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const LIBRARY_REFERENCE_FILE = 'docs/reference/library.md';
const ROOT = join(import.meta.dirname, '..', '..');

const ENTRIES = [
  [
    'halter',
    'src/index.ts',
    'Agents, tools, permissions. Node 20.19 and newer, Bun, Deno. The rest of the program is loaded at the first message.',
  ],
  [
    'halter/dialects',
    'src/dialects/index.ts',
    'Tool calls that models write as text. Imports nothing of Node: runs in browsers, Bun and Deno too.',
  ],
  [
    'halter/dialects/browser',
    'src/dialects/browser.ts',
    'The parser of `halter/dialects` as one file, for pages without a bundler.',
  ],
  [
    'halter/dialects/ai-sdk',
    'src/dialects/ai-sdk.ts',
    'Models of the Vercel AI SDK (5, 6, 7) read with care, and a run as the stream that `useChat` reads.',
  ],
  [
    'halter/dialects/langchain',
    'src/dialects/langchain.ts',
    'Chat models of LangChain (core 0.3 and 1) read with care.',
  ],
  [
    'halter/core',
    'src/core/index.ts',
    'The pure core: the loop as `step(state, event)`, the executor, policy, events. Imports nothing of Node.',
  ],
  [
    'halter/server',
    'src/server/index.ts',
    'The web app and the HTTP interfaces as a function from Request to Response.',
  ],
  ['halter/testing', 'src/testing/index.ts', 'Models and servers that speak from a script.'],
] as const;
/** Types that a reader of the page needs whole. */
const WHOLE = [
  'Harness',
  'HarnessOptions',
  'AgentOptions',
  'WorkspaceOptions',
  'ModelOptions',
  'Sampling',
  'PromptOptions',
  'ToolOptions',
  'PermissionOptions',
  'StorageOptions',
  'SearchOptions',
  'McpOptions',
  'McpServer',
  'Limits',
  'IoOptions',
  'TelemetryOptions',
  'ChatOptions',
  'StepOverrides',
  'Step',
  'ChatResult',
  'ModelFailure',
  'RunStopped',
  'OpenFailure',
  'PermissionRequest',
  'PermissionQuestion',
  'HistoryMessage',
  'ContentPart',
  'Usage',
  'ToolDefinition',
  'ToolContext',
  'ToolResult',
  'ToolExecutor',
  'ParserEvent',
  'ParseResult',
];

type Exported = { name: string; file: string };
type Declared = { kind: string; comment: string; text: string };

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** What an entry exports, with the file that declares it. */
const exportsOf = (entry: string): Exported[] => {
  const source = read(entry);
  const named = [...source.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gms)].flatMap(
    ([, names = '', from = '']) =>
      names
        .split(',')
        .map((name) => name.replace(/^\s*type\s/, '').trim())
        .filter((name) => name !== '')
        .map((name) => ({ name: name.split(' as ')[0] as string, shown: name.split(' as ').at(-1) as string, from })),
  );
  const found = named.map(({ shown, name, from }) => ({ name: shown, file: resolveIn(entry, from), original: name }));
  const all = [...source.matchAll(/^export type \* from '([^']+)';/gm)].flatMap(([, from = '']) => {
    const file = resolveIn(entry, from);
    return [...read(file).matchAll(/^export type (\w+)/gm)].map(([, name = '']) => ({ name, file, original: name }));
  });
  const own = [...source.matchAll(/^export (?:const|class|type) (\w+)/gm)].map(([, name = '']) => ({
    name,
    file: entry,
    original: name,
  }));
  return [...own, ...found, ...all].map(({ name, file, original }) => follow({ name, file }, original));
};

const resolveIn = (file: string, from: string): string => join(dirname(file), from);

/** A file that only hands a name on is not where it is declared. */
const follow = ({ name, file }: Exported, original: string): Exported & { original: string } => {
  const passedOn = new RegExp(`^export (?:type )?\\{[^}]*\\b${original}\\b[^}]*\\} from '([^']+)';`, 'ms').exec(
    read(file),
  );
  const here = new RegExp(`^export (?:const|class|type) ${original}\\b`, 'm').test(read(file));
  if (here || passedOn === null) return { name, file, original };
  return follow({ name, file: resolveIn(file, passedOn[1] as string) }, original);
};

const declared = (file: string, name: string): Declared => {
  const source = read(file);
  const found = new RegExp(`^export (const|class|type) ${name}\\b`, 'm').exec(source);
  if (found === null) throw new Error(`${file} does not declare ${name}`);
  const before = source.slice(0, found.index);
  const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n$/.exec(before)?.[1] ?? '';
  const rest = source.slice(found.index);
  const end =
    /\n(?=\n|\/\*\*|export |const |type )/.exec(rest.replaceAll(/\n {2}/g, '\u0000\u0000\u0000'))?.index ?? rest.length;
  const words = withoutRows(
    comment
      .replaceAll(/^\s*\* ?/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  return { kind: kindOf(found[1] as string, rest), comment: words, text: rest.slice(0, end).trim() };
};

/** The rows of the feature list mean something to those who work on the program. */
const withoutRows = (text: string): string => {
  const plain = text
    .replaceAll(/ \((?:[A-Z]\d+(?:, )?)+\)/g, '')
    .replaceAll(/\b[A-Z]\d+(?: and [A-Z]\d+)*: /g, '')
    .replaceAll(/ of [A-Z]\d+\b/g, '');
  return plain.charAt(0).toUpperCase() + plain.slice(1);
};

const kindOf = (word: string, text: string): string => {
  if (word !== 'const') return word;
  return /^export const \w+ = (?:(?:async )?(?:<|\()|\w+ as \w+;)/.test(text) ? 'function' : 'value';
};

const row = ({ name, file, original }: Exported & { original: string }): string => {
  const { kind, comment } = declared(file, original);
  const cell = comment.replaceAll('|', '\\|');
  return `| \`${name}\` | ${kind} | ${cell} |`;
};

const section = ([entry, file, summary]: (typeof ENTRIES)[number]): string => {
  const found = exportsOf(file) as (Exported & { original: string })[];
  const order = ['function', 'class', 'value', 'type'];
  const kind = (one: Exported & { original: string }) => order.indexOf(declared(one.file, one.original).kind);
  const sorted = found.toSorted((a, b) => kind(a) - kind(b) || a.name.localeCompare(b.name, 'en'));
  return [`## \`${entry}\``, '', summary, '', '| name | is | |', '|---|---|---|', ...sorted.map(row)].join('\n');
};

const whole = (): string => {
  const all = ENTRIES.flatMap(([, file]) => exportsOf(file)) as (Exported & { original: string })[];
  const texts = WHOLE.map((name) => {
    const found = all.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no entry exports ${name}`);
    return `### \`${name}\`\n\n\`\`\`text\n${declared(found.file, found.original).text}\n\`\`\``;
  });
  return ['## Types in full', '', texts.join('\n\n')].join('\n');
};

export const libraryReference = (): string =>
  [
    '# Library',
    '',
    '<!-- Made by scripts/write-reference.ts from the sources. -->',
    '',
    'ES modules, typed, for Node 20.19 and newer, Bun and Deno; what needs a newer Node says so. [How to use it](../how-to/use-the-library.md) · [errors](errors.md).',
    '',
    ENTRIES.map(section).join('\n\n'),
    '',
    whole(),
    '',
  ].join('\n');
