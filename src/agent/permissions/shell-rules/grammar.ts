/**
 * The second reader of a command line: tree-sitter's grammar of bash. It says whether the line can be parsed at all,
 * agrees or disagrees with the strict reader, and finds the commands of lines that the strict reader leaves alone.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Node, Parser, Tree } from 'web-tree-sitter';
import { OUTSIDE_PACKAGES } from '../../../core/outside-packages.ts';
import { loadPackage } from '../../../disk/load-package.ts';
import { packageFile } from '../../../disk/own-package.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import type { LexedLine } from './lexer.ts';
import type { ShellAssignment, ShellCommand, ShellRedirection, ShellWord } from './words.ts';

export type ShellGrammar = {
  /** Undefined where the grammar finds an error. The tree must be given back with `delete()`. */
  parse(line: string): Tree | undefined;
};

const GRAMMAR_FILE = 'tree-sitter-bash.wasm';

/** A build lays the grammars into one folder; a checkout has them among its packages. */
const readGrammar = (): Uint8Array => {
  const file = packageFile('grammars/', new URL(`../../../grammars/${GRAMMAR_FILE}`, import.meta.url));
  if (!file.ok) throw new Error(file.error.message);
  try {
    return readFileSync(file.value);
  } catch {
    return readFileSync(createRequire(import.meta.url).resolve(`tree-sitter-bash/${GRAMMAR_FILE}`));
  }
};

let loading: Promise<ShellGrammar> | undefined;
/** Loaded at the first need, once a process: it takes some twenty milliseconds. */
export const openGrammar = (): Promise<ShellGrammar> => {
  loading ??= load();
  return loading;
};

const load = async (): Promise<ShellGrammar> => {
  const bytes = readGrammar();
  const library = await loadPackage(OUTSIDE_PACKAGES.parser, () => import('web-tree-sitter'));
  if (!library.ok) throw new Error(library.error.message);
  const { Language, Parser: ParserClass } = library.value;
  await ParserClass.init();
  const parser: Parser = new ParserClass();
  parser.setLanguage(await Language.load(bytes));
  return {
    parse: (line) => {
      const tree = parser.parse(line);
      if (tree === null) return undefined;
      if (!tree.rootNode.hasError) return tree;
      tree.delete();
      return undefined;
    },
  };
};

/** Nodes that are commands of their own, whatever stands inside them. */
const COMMANDS: ReadonlySet<string> = new Set(['command', 'declaration_command', 'unset_command', 'test_command']);
/** What the strict reader never lets through: if the grammar sees it, the two do not agree. */
const FOREIGN: ReadonlySet<string> = new Set([
  'arithmetic_expansion',
  'process_substitution',
  'function_definition',
  'case_statement',
  'c_style_for_statement',
  'brace_expression',
  'ansi_c_string',
  'translated_string',
  'extglob_pattern',
  'subscript',
  'array',
  'declaration_command',
  'unset_command',
]);
/** Nodes without commands inside; not looked into. */
const LEAVES: ReadonlySet<string> = new Set([
  'word',
  'raw_string',
  'number',
  'comment',
  'variable_name',
  'simple_expansion',
  'string_content',
  'heredoc_end',
]);

/** True where both readers see the same commands, beginning at the same places with as many words. */
export const agrees = (tree: Tree, lexed: LexedLine): boolean => {
  const expected = new Map(lexed.commands.map((command) => [command.start, command]));
  let found = 0;
  const cursor = tree.walk();
  try {
    return visit();
  } finally {
    cursor.delete();
  }

  function visit(): boolean {
    const type = cursor.nodeType;
    if (FOREIGN.has(type)) return false;
    if (COMMANDS.has(type)) {
      const command = expected.get(cursor.startIndex);
      if (command === undefined || !partsAgree(type, command)) return false;
      found += 1;
      return true;
    }
    if (type === 'variable_assignment' && expected.has(cursor.startIndex)) found += 1;
    if (LEAVES.has(type)) return true;
    return children(visit) && (type !== 'program' || found === expected.size - bareRedirections());
  }
  function bareRedirections(): number {
    return lexed.commands.filter(({ words, assignments }) => words.length + assignments.length === 0).length;
  }
  function partsAgree(type: string, command: ShellCommand): boolean {
    // The grammar reads `[ … ]` as an expression; that it begins and ends where the words do must do.
    if (type === 'test_command') return command.words[0]?.text === '[' && cursor.endIndex === command.words.at(-1)?.end;
    const starts = [
      ...command.assignments.map(({ name, value }) => value.start - name.length - 1),
      ...command.words.map(({ start }) => start),
    ];
    let next = 0;
    const agreed = children(() => {
      const part = cursor.nodeType;
      if (part === 'herestring_redirect' || part === 'file_redirect') return children(visit);
      if (cursor.startIndex !== starts[next]) return false;
      next += 1;
      return LEAVES.has(part) || children(visit);
    });
    if (!agreed) return false;
    // Of `command > file more words` the grammar gives the last words to the redirection.
    return next === starts.length || (command.redirections.length > 0 && next > 0);
  }
  function children(each: () => boolean): boolean {
    if (!cursor.gotoFirstChild()) return true;
    let fine = each();
    while (fine && cursor.gotoNextSibling()) fine = each();
    cursor.gotoParent();
    return fine;
  }
};

/** Every command and loop of the tree, as far as its words can be known: for lines that the strict reader leaves alone. */
export const readTree = (tree: Tree): LexedLine => {
  const commands: ShellCommand[] = [];
  const loops: ShellAssignment[] = [];
  const cursor = tree.walk();
  try {
    // From the front to the back and downwards: commands come in the order in which they stand.
    for (let seen = 0; seen < AGENT_LIMITS.shellNodes; seen += 1) {
      const type = cursor.nodeType;
      if (COMMANDS.has(type)) commands.push(commandOf(cursor.currentNode));
      else if (type === 'for_statement') loops.push(...loopOf(cursor.currentNode));
      else if (type === 'variable_assignment') commands.push(...bareAssignment(cursor.currentNode));
      if (!LEAVES.has(type) && cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return { commands, loops };
    }
    return { commands, loops };
  } finally {
    cursor.delete();
  }
};

const loopOf = (node: Node): ShellAssignment[] => {
  const name = node.childForFieldName('variable')?.text ?? '';
  return node
    .childrenForFieldName('value')
    .flatMap((value) => (value === null ? [] : [{ name, value: wordOf(value) }]));
};

/** Of `x=y` alone and of `export x=y`; what stands before a command belongs to that. */
const bareAssignment = (node: Node): ShellCommand[] => {
  if (node.parent?.type === 'command') return [];
  const name = /^[A-Za-z_]\w*/.exec(node.text)?.[0] ?? '';
  const value = node.childForFieldName('value');
  const parts = value?.type === 'array' ? value.namedChildren : [value];
  const isAppended = /^[^=]*\+=/.test(node.text) && value?.type !== 'array' ? { isAppended: true as const } : {};
  const elementOf = (part: Node): ShellWord => {
    const word = wordOf(part);
    return { ...word, text: word.text.replace(/^\[[^\]]*\]=/, '') };
  };
  const assignments = parts.flatMap((part) => (part === null ? [] : [{ name, value: elementOf(part), ...isAppended }]));
  return assignments.length === 0 ? [] : [{ words: [], assignments, redirections: [], start: node.startIndex }];
};

/** Each question to a node crosses into the grammar and back: its type and its text are asked for once. */
export const commandOf = (node: Node): ShellCommand => {
  const command = {
    words: [] as ShellWord[],
    assignments: [] as ShellAssignment[],
    redirections: [] as ShellRedirection[],
  };
  const isCommand = node.type === 'command';
  for (const child of node.children) {
    if (child === null) continue;
    const type = child.type;
    if (type === 'file_redirect') continue;
    if (type === 'herestring_redirect') {
      const target = child.namedChildren[0];
      if (target) command.redirections.push({ operator: '<<<', target: wordOf(target) });
    } else if (isCommand && type === 'variable_assignment') {
      const name = child.childForFieldName('name')?.text ?? '';
      command.assignments.push({ name, value: wordOf(child.childForFieldName('value') ?? child) });
    } else command.words.push(wordOf(child));
  }
  return { ...command, start: node.startIndex };
};

export const wordOf = (node: Node): ShellWord => {
  const word: ShellWord = {
    text: '',
    dynamic: false,
    glob: false,
    quoted: false,
    start: node.startIndex,
    end: node.endIndex,
  };
  word.text = textOf(node, word);
  return word;
};

/** The text of a part of a word, as far as it is known; what is not is noted at the word. */
const textOf = (part: Node, word: ShellWord): string => {
  const type = part.type;
  switch (type) {
    case 'command_name':
    case 'concatenation':
      return part.namedChildren.map((child) => (child === null ? '' : textOf(child, word))).join('');
    case 'raw_string':
      return part.text.slice(1, -1);
    case 'string':
      if (part.namedChildren.some((child) => child !== null && child.type !== 'string_content')) word.dynamic = true;
      return part.text.slice(1, -1).replaceAll(/\\([$`"\\])/g, '$1');
    case 'ansi_c_string':
      return ansiText(part.text.slice(2, -1));
    case 'simple_expansion':
    case 'expansion':
      word.dynamic = true;
      return part.text;
    default: {
      const text = part.text;
      if (type.endsWith('substitution') || type.endsWith('expansion')) word.dynamic = true;
      if (/[*?[]|[+@!]\(/.test(text)) word.glob = true;
      return text.includes('\\') ? text.replaceAll(/\\\n/g, '').replaceAll(/\\(.)/g, '$1') : text;
    }
  }
};

const ANSI: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  v: '\v',
};
const ansiText = (raw: string): string =>
  raw.replaceAll(/\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|([0-7]{1,3})|(.))/g, (_, hex, unicode, octal, other) => {
    if (hex !== undefined || unicode !== undefined) return String.fromCharCode(Number.parseInt(hex ?? unicode, 16));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    return ANSI[other as string] ?? (other as string);
  });
