/**
 * The second reader of a command line: tree-sitter's grammar of bash. It says whether the line can be parsed at all,
 * agrees or disagrees with the strict reader, and finds the commands of lines that the strict reader leaves alone.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Node, Parser, Tree } from 'web-tree-sitter';
import { LIMITS } from '../core/limits.ts';
import type { LexedLine } from './shell-lexer.ts';
import type { ShellAssignment, ShellCommand, ShellRedirection, ShellWord } from './shell-words.ts';

export type ShellGrammar = {
  /** Undefined where the grammar finds an error. The tree must be given back with `delete()`. */
  parse(line: string): Tree | undefined;
};

const GRAMMAR_FILE = 'tree-sitter-bash.wasm';

/** A build lays the grammar beside this module; a checkout has it among its packages. */
const readGrammar = (): Uint8Array => {
  try {
    return readFileSync(fileURLToPath(new URL(GRAMMAR_FILE, import.meta.url)));
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
  const { Language, Parser: ParserClass } = await import('web-tree-sitter');
  await ParserClass.init();
  const parser: Parser = new ParserClass();
  parser.setLanguage(await Language.load(readGrammar()));
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

/** Every command of the tree, as far as its words can be known: for lines that the strict reader leaves alone. */
export const commandsOfTree = (tree: Tree): ShellCommand[] => {
  const commands: ShellCommand[] = [];
  const pending: Node[] = [tree.rootNode];
  for (let seen = 0; pending.length > 0 && seen < LIMITS.shellNodes; seen += 1) {
    const node = pending.pop() as Node;
    if (COMMANDS.has(node.type)) commands.push(commandOf(node));
    for (const child of node.children.toReversed()) if (child !== null) pending.push(child);
  }
  return commands.sort((a, b) => a.start - b.start);
};

const commandOf = (node: Node): ShellCommand => {
  const command = {
    words: [] as ShellWord[],
    assignments: [] as ShellAssignment[],
    redirections: [] as ShellRedirection[],
  };
  for (const child of node.children) {
    if (child === null || child.type === 'herestring_redirect' || child.type === 'file_redirect') continue;
    if (child.type === 'variable_assignment' && node.type === 'command') {
      const name = child.childForFieldName('name')?.text ?? '';
      const value = child.childForFieldName('value');
      command.assignments.push({ name, value: value === null ? wordOf(child) : wordOf(value) });
    } else command.words.push(wordOf(child));
  }
  return { ...command, start: node.startIndex };
};

const wordOf = (node: Node): ShellWord => {
  const word: ShellWord = {
    text: '',
    dynamic: false,
    glob: false,
    quoted: false,
    start: node.startIndex,
    end: node.endIndex,
  };
  const text = (part: Node): string => {
    switch (part.type) {
      case 'command_name':
      case 'concatenation':
        return part.namedChildren.map((child) => (child === null ? '' : text(child))).join('');
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
      default:
        if (part.type.endsWith('substitution') || part.type.endsWith('expansion')) word.dynamic = true;
        if (/[*?[]/.test(part.text)) word.glob = true;
        return part.text.replaceAll(/\\\n/g, '').replaceAll(/\\(.)/g, '$1');
    }
  };
  return { ...word, text: text(node), dynamic: word.dynamic, glob: word.glob };
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
