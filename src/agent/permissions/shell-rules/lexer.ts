/**
 * Reads a command line the strict way: only what is understood without doubt, and nothing for the rest. Its answer
 * counts for a rule that allows only where the grammar, asked separately, sees the same commands: two readers that
 * were written apart do not make the same mistake.
 */
import type { ShellAssignment, ShellCommand, ShellRedirection, ShellWord } from './words.ts';

export type LexedLine = {
  commands: ShellCommand[];
  /** Of the words of a for loop, which its variable takes. */
  loops: ShellAssignment[];
};

/** Words that begin or end a part of a compound command where a command could stand. */
const RESERVED: ReadonlySet<string> = new Set('if then elif else fi while until do done { } ! time'.split(' '));
const REFUSED: ReadonlySet<string> = new Set('case esac select function coproc [[ ]] in'.split(' '));
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=/;
const VARIABLE = /\$(?:\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*|[?#$])/y;
const DEPTH = 8;
/** Characters that only stand for themselves, as many as there are. */
const PLAIN_RUN = /[A-Za-z0-9_./:,@%+=-]+/y;

/** Made once: what a line is refused for is never read, and a trace of the stack costs more than reading the line. */
const UNCLEAR = new Error('The line cannot be read without doubt.');
function unclear(): never {
  throw UNCLEAR;
}

export const lexLine = (line: string): LexedLine | undefined => {
  try {
    const reader = new Reader(line);
    reader.list('');
    return { commands: reader.commands, loops: reader.loops };
  } catch (error) {
    if (error === UNCLEAR) return undefined;
    throw error;
  }
};

class Reader {
  readonly commands: ShellCommand[] = [];
  readonly loops: ShellAssignment[] = [];
  private readonly line: string;
  private at = 0;
  private depth = 0;
  /** A here-document whose text begins after the next newline. */
  private awaited: { end: string; tabs: boolean; plain: boolean } | undefined;
  private documents = 0;

  constructor(line: string) {
    this.line = line;
  }

  /** Commands and what joins them, until `closer` (a bracket) or the end. */
  list(closer: string): void {
    this.depth += 1;
    if (this.depth > DEPTH) unclear();
    for (;;) {
      this.blanks();
      const character = this.line[this.at];
      if (character === undefined) {
        if (closer !== '' || this.awaited !== undefined) unclear();
        break;
      }
      if (character === closer) {
        if (this.awaited !== undefined) unclear();
        this.at += 1;
        break;
      }
      if (character === '(') {
        if (this.line[this.at + 1] === '(') unclear();
        this.at += 1;
        this.list(')');
        this.afterCompound();
      } else if (character === '\n') this.newline();
      else if (character === ';' || character === '&' || character === '|') this.operator();
      else if (character === '#') this.comment();
      else this.command();
    }
    this.depth -= 1;
  }

  private blanks(): void {
    for (;;) {
      const character = this.line[this.at];
      if (character === '\\' && this.line[this.at + 1] === '\n') this.at += 2;
      else if (character === ' ' || character === '\t') this.at += 1;
      else return;
    }
  }

  private comment(): void {
    while (this.at < this.line.length && this.line[this.at] !== '\n') this.at += 1;
  }

  private operator(): void {
    const two = this.line.slice(this.at, this.at + 2);
    // `;;` belongs to case; `&>` begins a redirection that no command stands before.
    if (two === ';;' || two === ';&' || two === '&>') unclear();
    this.at += two === '&&' || two === '||' || two === '|&' ? 2 : 1;
  }

  private optionOfTime(): void {
    this.blanks();
    if (/^-p[ \t]/.test(this.line.slice(this.at, this.at + 3))) this.at += 2;
  }

  /** After `)` only an operator, an end or a redirection may come; redirections of groups are not read. */
  private afterCompound(): void {
    this.blanks();
    const next = this.line[this.at];
    if (next !== undefined && !')|&;\n}'.includes(next)) unclear();
    if (next === '&' && this.line[this.at + 1] === '>') unclear();
  }

  private newline(): void {
    this.at += 1;
    const document = this.awaited;
    this.awaited = undefined;
    if (document === undefined) return;
    for (;;) {
      if (this.at >= this.line.length) unclear();
      const end = this.line.indexOf('\n', this.at);
      const text = this.line.slice(this.at, end < 0 ? this.line.length : end);
      this.at = end < 0 ? this.line.length : end + 1;
      if ((document.tabs ? text.replace(/^\t+/, '') : text) === document.end) return;
      if (!document.plain && /[$`\\]/.test(text)) unclear();
    }
  }

  private command(): void {
    const words: ShellWord[] = [];
    const assignments: ShellAssignment[] = [];
    const redirections: ShellRedirection[] = [];
    const start = this.at;
    for (;;) {
      this.blanks();
      const character = this.line[this.at];
      if (character === undefined || ')|;\n'.includes(character)) break;
      if (character === '&') {
        if (this.line[this.at + 1] !== '>') break;
        this.redirection(redirections);
      } else if (character === '<' || character === '>') this.redirection(redirections);
      else if (character === '(') unclear();
      else if (character === '#') {
        this.comment();
        break;
      } else {
        const word = this.word();
        const next = this.line[this.at];
        // {name}>file gives a variable the number of what was opened.
        if ((next === '<' || next === '>') && word.text.endsWith('}')) unclear();
        if ((next === '<' || next === '>') && /^[0-9]+$/.test(word.text) && !word.quoted) {
          this.redirection(redirections);
          continue;
        }
        if (words.length === 0 && !word.quoted && !word.dynamic) {
          if (REFUSED.has(word.text)) unclear();
          if (word.text === 'for') {
            if (assignments.length + redirections.length > 0) unclear();
            this.loop();
            return;
          }
          if (RESERVED.has(word.text)) {
            if (assignments.length + redirections.length > 0) unclear();
            if (word.text === '}' || word.text === 'fi' || word.text === 'done') this.afterCompound();
            if (word.text === 'time') this.optionOfTime();
            return;
          }
        }
        const assignment = words.length === 0 ? this.asAssignment(word) : undefined;
        if (assignment === undefined) words.push(word);
        else assignments.push(assignment);
      }
    }
    if (words.length + assignments.length + redirections.length === 0) unclear();
    this.commands.push({ words, assignments, redirections, start });
  }

  private asAssignment(word: ShellWord): ShellAssignment | undefined {
    const raw = this.line.slice(word.start, word.end);
    const name = ASSIGNMENT.exec(raw)?.[1];
    if (name !== undefined) {
      return { name, value: { ...word, text: word.text.slice(name.length + 1), start: word.start + name.length + 1 } };
    }
    // `a[…]=`, `a+=` and their like evaluate what stands in the brackets.
    if (/^[A-Za-z_][A-Za-z0-9_]*(?:\[|\+=)/.test(raw)) unclear();
    return undefined;
  }

  /** for NAME in WORDS; the `do` that follows is read as any reserved word. */
  private loop(): void {
    this.blanks();
    const name = this.word();
    if (name.quoted || name.dynamic || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name.text)) unclear();
    this.blanks();
    const keyword = this.word();
    if (keyword.text !== 'in' || keyword.quoted) unclear();
    for (;;) {
      this.blanks();
      const character = this.line[this.at];
      if (character === ';' || character === '\n') return;
      if (character === undefined || '()&|<>#'.includes(character)) unclear();
      this.loops.push({ name: name.text, value: this.word() });
    }
  }

  private redirection(into: ShellRedirection[]): void {
    const operator = /^(?:&>>|&>|<<<|<<-|<<|<&|<>|>>|>&|>\||<|>)/.exec(this.line.slice(this.at, this.at + 3))?.[0];
    if (operator === undefined) unclear();
    this.at += operator.length;
    if (this.line[this.at] === '(') unclear();
    this.blanks();
    const before = this.at;
    const target = this.word();
    if (operator === '<<' || operator === '<<-') {
      this.documents += 1;
      if (this.documents > 1 || this.depth > 1 || target.dynamic || target.text === '') unclear();
      const raw = this.line.slice(before, this.at);
      if (!/^(?:[A-Za-z_][A-Za-z0-9_]*|'[A-Za-z_][A-Za-z0-9_]*')$/.test(raw)) unclear();
      this.awaited = { end: target.text, tabs: operator === '<<-', plain: target.quoted };
    }
    into.push({ operator, target });
  }

  private word(): ShellWord {
    const start = this.at;
    let text = '';
    const word: ShellWord = { text, dynamic: false, glob: false, quoted: false, start, end: start };
    for (;;) {
      const character = this.line[this.at];
      if (character === undefined || ' \t\n|&;<>()'.includes(character)) break;
      if (character === "'") {
        const end = this.line.indexOf("'", this.at + 1);
        if (end < 0) unclear();
        text += this.line.slice(this.at + 1, end);
        word.quoted = true;
        this.at = end + 1;
      } else if (character === '"') {
        word.quoted = true;
        this.at += 1;
        text += this.doubleQuoted(word);
      } else if (character === '\\') {
        const next = this.line[this.at + 1];
        if (next === undefined || next === '\n') return unclear();
        text += next;
        word.quoted = true;
        this.at += 2;
      } else if (character === '$' || character === '`') {
        text += this.expansion(word);
      } else {
        PLAIN_RUN.lastIndex = this.at;
        const run = PLAIN_RUN.exec(this.line)?.[0];
        if (run === undefined && '*?['.includes(character)) word.glob = true;
        text += run ?? character;
        this.at += run?.length ?? 1;
      }
    }
    if (this.at === start) unclear();
    word.text = text;
    word.end = this.at;
    // {a,b} and {1..3} become several words; {} and HEAD@{1} stay what they are.
    const raw = this.line.slice(start, this.at);
    if (raw.includes('{') && /\{[^{}]*(?:,|\.\.)/.test(raw) && !this.wholeIsQuoted(start)) unclear();
    return word;
  }

  private wholeIsQuoted(start: number): boolean {
    const raw = this.line.slice(start, this.at);
    const quote = raw[0];
    return (quote === "'" || quote === '"') && raw.indexOf(quote, 1) === raw.length - 1;
  }

  private doubleQuoted(word: ShellWord): string {
    let text = '';
    for (;;) {
      const character = this.line[this.at];
      if (character === undefined) return unclear();
      if (character === '"') {
        this.at += 1;
        return text;
      }
      if (character === '\\') {
        const next = this.line[this.at + 1] ?? unclear();
        if (next === '\n') unclear();
        text += '$`"\\'.includes(next) ? next : `\\${next}`;
        this.at += 2;
      } else if (character === '$' || character === '`') {
        if (character === '$' && /["\s]/.test(this.line[this.at + 1] ?? '"')) {
          text += '$';
          this.at += 1;
        } else text += this.expansion(word);
      } else {
        text += character;
        this.at += 1;
      }
    }
  }

  /**
   * $NAME, ${NAME}, $(commands): their commands are read too, their value is not known. Everything else is unclear.
   * Gives a variable as it is written, for those who know its value.
   */
  private expansion(word: ShellWord): string {
    word.dynamic = true;
    const start = this.at;
    const next = this.line[this.at + 1] ?? '';
    if (this.line[this.at] === '`') unclear();
    if (next === '(') {
      if (this.line[this.at + 2] === '(') unclear();
      this.at += 2;
      this.list(')');
      return '';
    }
    VARIABLE.lastIndex = start;
    const length = VARIABLE.exec(this.line)?.[0].length;
    if (length === undefined) return unclear();
    this.at += length;
    return this.line.slice(start, this.at);
  }
}
