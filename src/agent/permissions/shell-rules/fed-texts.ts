/**
 * Program text that a line hands to a shell or an interpreter otherwise than in a word of its own: in a here-document, a
 * here-string, a pipe, a substitution, or a file that the line writes first. Each is given as the command that has the same
 * text in a word (`python3 -c …`), so that it is judged as that is.
 */
import type { Node, Tree } from 'web-tree-sitter';
import { AGENT_LIMITS } from '../../limits.ts';
import { type Fed, printedText } from './printed-text.ts';
import { type ProgramInput, programInputs } from './program-input.ts';
import { type ShellCommand, type ShellWord, staticWord } from './words.ts';

/** Of a part of the grammar's tree: the words of a command, as the rules read them. */
type ReadCommand = (node: Node) => ShellCommand;

/** Lines without one of these feed nothing, and need no tree. */
const FEEDS = /[|<>`$]/;
const INTERPRETERS =
  /\b(?:\w*sh|python|pypy|node|nodejs|deno|bun|tsx|perl|ruby|php|lua\w*|eval|source|busybox|at|batch|xargs|parallel|g?make|just|[gmn]?awk|g?sed|R|Rscript|julia|irb|gdb|lldb|ed|ex|dc|m4|gnuplot|octave|pwsh|tclsh|expect|elixir|iex|erl|groovy|scala|clojure|guile|racket|swipl|ocaml|sqlite3?|duckdb|psql|mysql|mariadb)|(?:^|[\s;&|(])\.\s/;
/** `commands`: those of the line, where it was read. */
export const mayFeed = (line: string, commands: readonly ShellCommand[] | undefined): boolean =>
  FEEDS.test(line) &&
  INTERPRETERS.test(line) &&
  (commands === undefined || commands.some(({ words }) => programInputs(words).length > 0));

export const fedCommands = (line: string, tree: Tree, read: ReadCommand): ShellCommand[] => {
  const walk = new Feeding(line, read);
  walk.visit(tree.rootNode, undefined);
  return walk.found;
};

class Feeding {
  readonly found: ShellCommand[] = [];
  /** Files that the line writes, by name. */
  private readonly written = new Map<string, Fed>();
  private readonly line: string;
  private readonly read: ReadCommand;
  private seen = 0;

  constructor(line: string, read: ReadCommand) {
    this.line = line;
    this.read = read;
  }

  /** Gives what the part prints. */
  visit(node: Node, input: Fed): Fed {
    this.seen += 1;
    if (this.seen > AGENT_LIMITS.shellNodes) return 'unknown';
    switch (node.type) {
      case 'command':
        return this.command(node, input);
      case 'pipeline':
        return this.pipeline(node, input);
      case 'redirected_statement':
        return this.redirected(node, input);
      // Who calls it, and with what, is not known.
      case 'function_definition':
        return this.each(node, 'unknown');
      default:
        return this.each(node, input);
    }
  }

  private each(node: Node, input: Fed): Fed {
    return joined(partsOf(node).map((child) => this.visit(child, input)));
  }

  private pipeline(node: Node, input: Fed): Fed {
    let passed = input;
    for (const child of partsOf(node)) passed = this.visit(child, passed);
    return passed;
  }

  private redirected(node: Node, input: Fed): Fed {
    const redirects = partsOf(node).filter(({ type }) => type.endsWith('_redirect'));
    const body = partsOf(node).find(({ type }) => !type.endsWith('_redirect'));
    const own = redirects.reduce((fed, redirect) => this.inputOf(redirect, fed), input);
    let printed = body === undefined ? own : this.visit(body, own);
    for (const redirect of redirects.flatMap((each) => [each, ...partsOf(each)])) this.note(redirect, printed);
    // Of `cat <<END | sh` the grammar puts what follows into the here-document.
    for (const redirect of redirects.filter(({ type }) => type === 'heredoc_redirect'))
      for (const behind of partsOf(redirect).filter(({ type }) => !/^heredoc_|_redirect$/.test(type)))
        printed = this.visit(behind, behind.type === 'pipeline' ? printed : input);
    return printed;
  }

  private inputOf(redirect: Node, before: Fed): Fed {
    if (redirect.type === 'herestring_redirect') return this.herestring(redirect);
    if (redirect.type === 'heredoc_redirect') return hereDocument(redirect);
    if (!/^[0-9]*<[^&]?/.test(redirect.text)) return before;
    const inner = partsOf(redirect).find(({ type }) => type === 'process_substitution');
    return inner === undefined ? 'unknown' : this.each(inner, undefined);
  }

  private herestring(redirect: Node): Fed {
    const [part] = partsOf(redirect);
    const word = part && this.read(part).words[0];
    return part === undefined || word === undefined ? 'unknown' : this.textOf(part, word);
  }

  /** `> name`, and `> >(program)`. */
  private note(redirect: Node, printed: Fed): void {
    if (redirect.type !== 'file_redirect' || !/^[0-9&]*>/.test(redirect.text)) return;
    const target = redirect.childForFieldName('destination');
    if (target === null) return;
    if (target.type === 'process_substitution') this.each(target, printed ?? 'unknown');
    else this.written.set(plainName(target.text), printed);
  }

  private command(node: Node, given: Fed): Fed {
    const command = this.read(node);
    // The grammar loses this word: `make -f - <<END`.
    if (/^[ \t]+-[ \t]*<</.test(this.line.slice(node.endIndex, node.endIndex + GAP)))
      command.words.push(staticWord('-'));
    const nodes = node.children.filter((child): child is Node => child !== null && !/_redirect$/.test(child.type));
    const herestring = node.children.find((child) => child?.type === 'herestring_redirect');
    const input = herestring ? this.herestring(herestring) : given;
    const printedWithin = new Map<ShellWord, Fed>();
    for (const child of nodes) {
      const word = command.words.find(({ start }) => start === child.startIndex);
      const isSink = child.type === 'process_substitution' && child.text.startsWith('>');
      const printed = this.each(child, isSink ? (input ?? 'unknown') : undefined);
      if (word !== undefined && !isSink && /\$\(|`|<\(/.test(child.text))
        printedWithin.set(word, isWhole(child) ? printed : 'unknown');
    }
    for (const { program, option, from } of programInputs(command.words)) {
      const fed = this.fedFrom(from, input, printedWithin);
      if (fed !== undefined) this.found.push(asWord(program, option, fed, node.startIndex));
    }
    const printed = printedText(command.words, input, printedWithin);
    for (const file of printed.files) this.written.set(plainName(file), printed.fed);
    return printed.fed;
  }

  private fedFrom(from: ProgramInput['from'], input: Fed, printedWithin: ReadonlyMap<ShellWord, Fed>): Fed {
    if (from === 'input') return input;
    if (from === 'input_of_any_kind') return input === undefined ? undefined : 'unknown';
    const within = printedWithin.get(from.word);
    if (from.isCode) return within ?? (isBareVariable(from.word) ? 'unknown' : undefined);
    return within ?? this.written.get(plainName(from.word.text));
  }

  private textOf(part: Node, word: ShellWord): Fed {
    if (!/\$\(|`/.test(part.text) || !word.dynamic) return { text: word.text };
    return isWhole(part) ? this.each(part, undefined) : 'unknown';
  }
}

const GAP = 16;
const partsOf = (node: Node): Node[] => node.namedChildren.filter((child): child is Node => child !== null);

/** Nothing but one substitution stands in the word. */
const isWhole = (part: Node): boolean => {
  if (/_substitution$/.test(part.type)) return true;
  const [only, ...others] = partsOf(part);
  return part.type === 'string' && only !== undefined && others.length === 0 && /^"\$\(.*\)"$/s.test(part.text);
};

const isBareVariable = ({ text, dynamic }: ShellWord): boolean =>
  dynamic && /^\s*(?:\$(?:\w+|\{[^}]*\}|[@*])\s*)+$/.test(text);

const hereDocument = (redirect: Node): Fed => {
  const body = partsOf(redirect).find(({ type }) => type === 'heredoc_body');
  const start = partsOf(redirect).find(({ type }) => type === 'heredoc_start');
  if (body === undefined) return { text: '' };
  const text = redirect.text.startsWith('<<-') ? body.text.replaceAll(/^\t+/gm, '') : body.text;
  if (/['"\\]/.test(start?.text ?? '')) return { text };
  // What the shell puts in is known to it alone.
  if (/\$\(|(?<!\\)`/.test(text)) return 'unknown';
  return { text: text.replaceAll(/\\([$`\\])/g, '$1') };
};

const plainName = (name: string): string => name.replace(/^["']|["']$/g, '').replace(/^(?:\.\/)+/, '');

const joined = (parts: readonly Fed[]): Fed => {
  const fed = parts.filter((part) => part !== undefined);
  if (fed.length === 0) return undefined;
  const texts = fed.map((part) => (part === 'unknown' ? undefined : part.text));
  return texts.includes(undefined) ? 'unknown' : { text: texts.join('') };
};

const asWord = (program: string, option: string, fed: Exclude<Fed, undefined>, start: number): ShellCommand => {
  const code: ShellWord = fed === 'unknown' ? { ...staticWord(''), dynamic: true } : staticWord(fed.text);
  return { words: [staticWord(program), staticWord(option), code], assignments: [], redirections: [], start };
};
