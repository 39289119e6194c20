/**
 * Program text that a line hands to a shell or an interpreter otherwise than in a word of its own: in a here-document, a
 * here-string, a pipe, a substitution, or a file that the line writes first. Each is given as the command that has the same
 * text in a word (`python3 -c …`), so that it is judged as that is.
 */
import type { Node, Tree } from 'web-tree-sitter';
import { AGENT_LIMITS } from '../../limits.ts';
import { commandOf, type ShellGrammar, wordOf } from './grammar.ts';
import { codeOption, isShell } from './interpreters.ts';
import { saysWhatRuns } from './masked-orders.ts';
import { type Fed, printedText } from './printed-text.ts';
import { compiles, type ProgramInput, programInputs } from './program-input.ts';
import { ProgramNames, plainName } from './program-names.ts';
import { linesTold, variablesTold, withInput, wordsOfText } from './told-lines.ts';
import { asWord, hereDocument, isBareVariable, isOfOthers, isWhole, joined, partsOf } from './tree-texts.ts';
import { isDecoded, runsUnread, takesData, worksOut } from './unread-words.ts';
import { type ShellCommand, type ShellWord, staticWord } from './words.ts';
import { baseName } from './wrappers.ts';
import {
  fetchedFiles,
  isBroughtBy,
  isData,
  languageOf,
  runsNothing,
  shellLines,
  type Written,
} from './written-texts.ts';

/** Lines without one of these feed nothing, and need no tree. */
const FEEDS =
  /[|<>`$]|\b(?:cp|ln|mv|install|dd|curl|wget|alias|hash|coproc|eval|exec|xxd|openssl|gpg|base64|basenc|scp|sftp|rsync|aria2c|deno|bun|npx|bunx|uvx|pipx)\b|\w=|sh\s.*-\w*c\s/;
/** `commands`: those of the line, where it was read. */
export const mayFeed = (line: string, commands: readonly ShellCommand[] | undefined): boolean =>
  commands?.some(({ words }) => words[0]?.glob && words[0].text.includes('/')) ||
  isDecoded(line) ||
  commands?.some(({ words }) => runsUnread(words, ({ text }) => text)) ||
  (FEEDS.test(line) &&
    (commands === undefined ||
      commands.some(
        ({ words, assignments }) =>
          words[0]?.dynamic ||
          !runsNothing(words.map(({ text }) => text)) ||
          (line.includes('>') && compiles(baseName(words[0]?.text ?? ''))) ||
          assignments.length > 0,
      )));

/** `loaded`: what programs may run besides, of the line itself; only secrets are looked for in it. */
export const fedCommands = (
  line: string,
  tree: Tree,
  grammar: Pick<ShellGrammar, 'parse'>,
): { fed: ShellCommand[]; loaded: ShellCommand[] } => {
  const walk = new Feeding(line, grammar);
  walk.visit(tree.rootNode, undefined);
  return { fed: walk.found, loaded: walk.loaded };
};

class Feeding {
  readonly found: ShellCommand[] = [];
  readonly loaded: ShellCommand[] = [];
  /** Files that the line writes, by name. */
  private readonly written = new Map<string, Written>();
  private readonly names = new ProgramNames();
  /** Variables of text that a decoder made. */
  private readonly hidden = new Set<string>();
  private line: string;
  private readonly grammar: Pick<ShellGrammar, 'parse'>;
  /** Files of an archive that came in lie in the folder. */
  private isUnpacked = false;
  /** What `exec < file` made of everything that comes in from then on. */
  private opened: Fed;
  private seen = 0;
  private depth = 0;
  private writes = 0;
  /** Texts that were read, with the state of names and files in which they were: each command may load them all. */
  private readonly read = new Set<string>();
  /** Texts that are being read: one that loads itself says nothing new. */
  private readonly reading = new Set<string>();

  constructor(line: string, grammar: Pick<ShellGrammar, 'parse'>) {
    this.line = line;
    this.grammar = grammar;
  }

  /** Gives what the part prints. */
  visit(node: Node, input: Fed): Fed {
    this.seen += 1;
    if (this.seen > AGENT_LIMITS.shellNodes) return 'unknown';
    if (worksOut(node) && this.isHidden(node.text)) this.load('unknown', '');
    switch (node.type) {
      case 'command':
        return this.command(node, input);
      case 'pipeline':
        return this.pipeline(node, input);
      case 'redirected_statement':
        return this.redirected(node, input);
      case 'variable_assignment':
        return this.assignment(node);
      case 'for_statement':
        return this.loop(node, input);
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
    if (body?.text === 'exec') this.opened = own;
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
    const named = redirect.childForFieldName('destination');
    if (named !== null && !/_substitution$/.test(named.type)) this.reads([wordOf(named)]);
    const inner = partsOf(redirect).find(({ type }) => type === 'process_substitution');
    return inner === undefined ? 'unknown' : this.each(inner, undefined);
  }

  private assignment(node: Node): Fed {
    const name = node.childForFieldName('name')?.text ?? '';
    const value = node.childForFieldName('value');
    const isList = value?.type === 'array';
    const text = value === null ? '' : isList ? value.text.slice(1, -1) : wordOf(value);
    this.names.assign(name, typeof text === 'string' ? text : text.dynamic ? undefined : text.text);
    if (typeof text === 'string' && ALL_OF_LIST.test(this.line)) this.reads(wordsOfText(text));
    if (this.isHidden(value?.text ?? '')) this.hidden.add(name);
    const printed = this.each(node, undefined);
    if (value !== null && typeof text !== 'string') this.variable(name, text, value.text, printed);
    return undefined;
  }

  /** A command that reads what these words name. */
  private reads(words: readonly ShellWord[]): void {
    this.loaded.push({ words: [staticWord('cat'), ...words], assignments: [], redirections: [], start: 0 });
  }

  private loop(node: Node, input: Fed): Fed {
    const name = node.childForFieldName('variable')?.text ?? '';
    const values = node.childrenForFieldName('value').flatMap((each) => (each === null ? [] : [wordOf(each)]));
    const isKnown = values.length > 0 && values.every(({ dynamic, glob }) => !dynamic && !glob);
    for (const { text } of isKnown ? values.slice(1) : [])
      this.loaded.push({ words: wordsOfText(text), assignments: [], redirections: [], start: node.startIndex });
    this.names.assign(name, isKnown ? values[0]?.text : undefined);
    return this.each(node, input);
  }

  /** A variable that says what other programs run: a line, or a file of lines. */
  private variable(name: string, { text, dynamic }: ShellWord, source: string, printed: Fed): void {
    if (!saysWhatRuns(name)) return;
    const written = this.written.get(plainName(text.replace(/^.*\s/s, '')));
    if (written !== undefined) this.load(written.fed, text);
    if (/<\(/.test(source)) this.load(printed ?? 'unknown', '');
    else if (dynamic && isOfOthers(name, source)) this.load('unknown', '');
    else if (/\s|[$`]/.test(text)) this.lines(text.replace(/^[!|]/, ''));
  }

  private herestring(redirect: Node): Fed {
    const [part] = partsOf(redirect);
    const word = part && wordOf(part);
    return part === undefined || word === undefined ? 'unknown' : this.textOf(part, word);
  }

  /** `> name`, and `> >(program)`. */
  private note(redirect: Node, printed: Fed): void {
    if (redirect.type !== 'file_redirect' || !/^[0-9&]*>/.test(redirect.text)) return;
    const target = redirect.childForFieldName('destination');
    if (target === null) return;
    if (target.type === 'process_substitution') this.each(target, printed ?? 'unknown');
    else this.write(target.text, this.behind(target.text, redirect.text, printed), redirect.parent?.text ?? '');
  }

  /** `>>` leaves what the line wrote before. */
  private behind(name: string, redirect: string, printed: Fed): Fed {
    const before = /^[0-9&]*>>/.test(redirect) ? this.written.get(plainName(name))?.fed : undefined;
    return joined([before, printed]);
  }

  private write(name: string, fed: Fed, source: string): void {
    this.written.set(plainName(name), { fed, isBrought: isBroughtBy(source) });
    this.writes += 1;
  }

  private command(node: Node, given: Fed): Fed {
    const command = commandOf(node);
    // The grammar loses this word: `make -f - <<END`.
    if (/^[ \t]+-[ \t]*<</.test(this.line.slice(node.endIndex, node.endIndex + GAP)))
      command.words.push(staticWord('-'));
    const herestring = node.children.find((child) => child?.type === 'herestring_redirect');
    const input = herestring ? this.herestring(herestring) : (given ?? this.opened);
    const printedWithin = this.printedWithin(node, command, input);
    const started = this.names.startedBy(command.words, node.childForFieldName('name')?.text ?? '');
    if (started === 'unknown') this.load('unknown', '');
    // The person's own variable may name a shell, or whatever else reads a text.
    if (started === 'of_person' && input !== undefined) this.load(input, '');
    const words = typeof started === 'string' ? command.words : started.words;
    if (words[0]?.text !== command.words[0]?.text) this.loaded.push({ ...command, words });
    for (const { program, option, from } of programInputs(words)) {
      const fed = this.fedFrom(from, input, printedWithin);
      if (fed !== undefined) this.found.push(asWord(program, option, fed, node.startIndex));
      if (fed !== undefined && fed !== 'unknown' && isShell(program)) this.lines(fed.text);
    }
    if (this.handsOverUnread(node, words)) this.load('unknown', '');
    this.told(words);
    for (const given of input === undefined || input === 'unknown' ? [] : withInput(words, input.text)) {
      this.loaded.push({ words: given, assignments: [], redirections: [], start: node.startIndex });
      this.told(given);
    }
    this.runs(words, printedWithin);
    this.names.note(words);
    const printed = printedText(words, input, printedWithin);
    for (const file of printed.files) this.write(file, printed.fed, 'echo');
    this.copied(words);
    for (const file of fetchedFiles(words.map(({ text }) => text))) this.write(file, 'unknown', 'curl');
    return printed.fed;
  }

  /** A decoder made the text, or a variable that holds such. */
  private isHidden(text: string): boolean {
    if (isDecoded(text)) return true;
    return this.hidden.size > 0 && [...text.matchAll(NAMED)].some(([name]) => this.hidden.has(name));
  }

  private handsOverUnread(node: Node, words: readonly ShellWord[]): boolean {
    const source = ({ start, end }: ShellWord): string => this.line.slice(start, end);
    if (runsUnread(words, source)) return true;
    const parts = node.children.filter((child) => child !== null && !/_redirect$/.test(child.type));
    return parts.some(
      (part) =>
        part !== null && (worksOut(part) || !takesData(words)) && /[$`<]/.test(part.text) && this.isHidden(part.text),
    );
  }

  private printedWithin(node: Node, command: ShellCommand, input: Fed): Map<ShellWord, Fed> {
    const within = new Map<ShellWord, Fed>();
    for (const child of node.children) {
      if (child === null || /_redirect$/.test(child.type)) continue;
      const word = command.words.find(({ start }) => start === child.startIndex);
      const isSink = child.type === 'process_substitution' && child.text.startsWith('>');
      const printed = this.each(child, isSink ? (input ?? 'unknown') : undefined);
      if (word !== undefined && !isSink && /\$\(|`|<\(/.test(child.text))
        within.set(word, isWhole(child) ? printed : 'unknown');
      const assigned = child.type === 'variable_assignment' ? child : undefined;
      const value = assigned?.childForFieldName('value');
      if (assigned && value)
        this.variable(assigned.childForFieldName('name')?.text ?? '', wordOf(value), value.text, printed);
    }
    return within;
  }

  /** What a file that is copied or moved holds, its copy holds too. */
  private copied(words: readonly ShellWord[]): void {
    if (!/^(?:cp|mv|ln|install)$/.test(baseName(words[0]?.text ?? ''))) return;
    const plain = words.slice(1).filter(({ text }) => !text.startsWith('-'));
    const written = this.written.get(plainName(plain.at(-2)?.text ?? ''));
    if (written === undefined) return;
    this.written.set(plainName(plain.at(-1)?.text ?? ''), written);
    this.writes += 1;
  }

  /** What is unknown in a line within counts as in the line itself. */
  private told(words: readonly ShellWord[]): void {
    for (const { name, value } of variablesTold(words)) this.variable(name, value, value.text, undefined);
    for (const text of linesTold(words)) this.lines(text);
  }

  /** Files of the line that the command runs: by name, or because a program of its kind loads what lies there. */
  private runs(words: readonly ShellWord[], printedWithin: ReadonlyMap<ShellWord, Fed>): void {
    const texts = words.map(({ text }) => text);
    if (texts[0] === 'coproc' && programInputs(words).length > 0) this.load('unknown', '');
    if (UNPACKS.test(baseName(texts[0] ?? '')) && isBroughtBy(this.line) && this.line.includes('|'))
      this.isUnpacked = true;
    else if (this.isUnpacked && runsFile(texts)) this.load('unknown', '');
    const own = this.written.get(plainName(texts[0] ?? ''));
    if (own !== undefined) this.load(own.fed, texts[0] ?? '');
    if (compiles(baseName(texts[0] ?? ''))) this.includes(words);
    if (runsNothing(texts) || texts[0] === undefined) return;
    for (const [at, word] of words.entries()) {
      if (at === 0) continue;
      for (const name of [word.text, word.text.replace(/^--?[\w-]+=/, ''), word.text.replace(/^-\w/, '')].map(
        plainName,
      )) {
        const written = this.written.get(name);
        if (written !== undefined && !isData(name)) this.load(written.fed, name);
      }
      if (printedWithin.has(word) && /^-/.test(words[at - 1]?.text ?? '') && /^<\(/.test(this.line.slice(word.start)))
        this.load(printedWithin.get(word), '');
    }
    for (const [name, { fed, isBrought }] of this.written)
      if (!isData(name) && (fed === 'unknown' ? isBrought && LOADED.test(name) : fed !== undefined))
        this.load(fed, name);
  }

  /** What a compiler puts in of other files stands in what it prints. */
  private includes(words: readonly ShellWord[]): void {
    for (const { text } of words.slice(1)) {
      const fed = this.written.get(plainName(text))?.fed;
      if (fed === undefined || fed === 'unknown') continue;
      const names = [
        ...fed.text.matchAll(/\b(?:include|incbin|include_str|include_bytes|embed)\b[!(\s]*["<]([^">\n]+)/g),
      ];
      this.reads(names.map(([, name = '']) => ({ ...staticWord(name), glob: true })));
    }
  }

  /** What the text of a file of this name may do. */
  private load(fed: Fed, name: string): void {
    if (fed === undefined) return;
    if (fed === 'unknown') {
      this.loaded.push(asWord('sh', '-c', fed, 0));
      return;
    }
    const key = [this.names.changes, this.writes, name, fed.text].join('\0');
    if (this.read.has(key) || this.reading.has(fed.text)) return;
    this.read.add(key);
    const program = languageOf(name, fed.text);
    if (!isShell(program)) this.loaded.push(asWord(program, codeOption(program)?.option ?? '-e', fed, 0));
    else for (const lines of shellLines(name, fed.text)) this.lines(lines);
    // Of a text without a name, or for whatever program, nobody knows the language.
    if (name === '') this.loaded.push(asWord('python3', '-c', fed, 0));
  }

  /** Lines of a shell within the line. */
  private lines(text: string): void {
    this.loaded.push(asWord('sh', '-c', { text }, 0));
    if (this.depth >= AGENT_LIMITS.shellLinesWithin) return;
    const tree = this.grammar.parse(text);
    // What this reader cannot read, a shell may read otherwise.
    if (tree === undefined) {
      this.load('unknown', '');
      return;
    }
    const [line, found] = [this.line, this.found.length];
    this.line = text;
    this.depth += 1;
    this.reading.add(text);
    try {
      this.visit(tree.rootNode, undefined);
    } finally {
      tree.delete();
      this.reading.delete(text);
      this.line = line;
      this.depth -= 1;
      this.loaded.push(...this.found.splice(found));
    }
  }

  private fedFrom(from: ProgramInput['from'], input: Fed, printedWithin: ReadonlyMap<ShellWord, Fed>): Fed {
    if (from === 'input') return input;
    if (from === 'elsewhere') return 'unknown';
    if (from === 'input_of_any_kind') return input === undefined ? undefined : 'unknown';
    const within = printedWithin.get(from.word);
    if (from.isCode) return within ?? (isBareVariable(from.word) ? 'unknown' : undefined);
    return within ?? this.written.get(plainName(from.word.text))?.fed;
  }

  private textOf(part: Node, word: ShellWord): Fed {
    if (!/\$\(|`/.test(part.text) || !word.dynamic) return { text: word.text };
    return isWhole(part) ? this.each(part, undefined) : 'unknown';
  }
}

const UNPACKS = /^(?:[gb]?s?d?tar|unzip|7z|cpio|bsdcpio)$/;
/** A program, or a script, that is named by a path. */
const runsFile = ([program = '', ...others]: readonly string[]): boolean =>
  program.includes('/') ||
  ((isShell(program) || codeOption(program) !== undefined) && others.some((word) => /^[^-].*\.\w+$|\//.test(word)));
const GAP = 16;
const NAMED = /[A-Za-z_]\w*/g;
const ALL_OF_LIST = /\$\{\w+\[/;
/** Loaded by others without being named. */
const LOADED =
  /\.(?:py|pth|[cm]?[jt]sx?|rb|p[lm]|php|lua|sh|mk|cmake|gradle|go|rs)$|(?:^|\/)(?:[A-Z]\w*file|\.?justfile|makefile|package\.json)$/;
