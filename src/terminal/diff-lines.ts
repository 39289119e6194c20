import { keptLines, shortLine } from '../core/short-diff.ts';
import { type Language, languageOfFile } from './code/languages.ts';
import { CodeLexer } from './code/lexer.ts';
import { codeSpans } from './code/spans.ts';
import { sanitizeLine } from './sanitize.ts';
import { type Span, wrapSpans } from './text.ts';
import type { Theme } from './theme.ts';

/** A unified diff, every line with its sign in its first column. */
export const diffLines = (diff: string | undefined, width: number, theme: Theme): string[] => {
  if (diff === undefined || diff === '') return [];
  const lines = linesOf(diff);
  // Below the first hunk a line that begins with `---` is one that goes, not a heading.
  const firstHunk = lines.findIndex((line) => line.startsWith('@@'));
  const painter = new DiffPainter(languageOf(lines.slice(0, Math.max(0, firstHunk))), width, theme);
  return ['', ...lines.flatMap((line, index) => (index < firstHunk ? painter.heading(line) : painter.line(line)))];
};

/** The same without the names of the files, which stand above it already. All of it: what is asked about is shown whole. */
export const changedLines = (diff: string, width: number, theme: Theme): string[] => {
  const { body, painter } = changeOf(diff, width, theme);
  return body.flatMap((line) => painter.line(line));
};

/** Its beginning, with lines that go and lines that come, and how much is left. */
export const firstChangedLines = (
  diff: string,
  width: number,
  theme: Theme,
  most: number,
): { lines: string[]; left: number } => {
  const { body, painter } = changeOf(diff, width, theme);
  const kept = keptLines(body, most);
  const painted = kept.flatMap((at) => painter.line(shortLine(body[at] ?? '')));
  const lines = painted.slice(0, most);
  return { lines, left: body.length - kept.length + painted.length - lines.length };
};

/** What a diff could not set out stands in it without a hunk, and is shown too. */
const changeOf = (diff: string, width: number, theme: Theme): { body: string[]; painter: DiffPainter } => {
  const lines = linesOf(diff);
  const from = lines.findIndex((line) => line.startsWith('@@') || line.startsWith('['));
  const head = lines.slice(0, Math.max(0, from));
  return { body: from < 0 ? [] : lines.slice(from), painter: new DiffPainter(languageOf(head), width, theme) };
};

const linesOf = (diff: string): string[] => diff.replace(/\n$/, '').split('\n');

const languageOf = (headings: readonly string[]): Language | undefined => {
  const named = headings.findLast((line) => /^(?:\+\+\+|---) (?!\/dev\/null)/.test(line));
  return named === undefined ? undefined : languageOfFile(named.split('\t')[0]!.trimEnd());
};

class DiffPainter {
  readonly #language: Language | undefined;
  readonly #width: number;
  readonly #theme: Theme;
  /** The file before and after: a text may be open in one of them alone. */
  #before: CodeLexer | undefined;
  #after: CodeLexer | undefined;

  constructor(language: Language | undefined, width: number, theme: Theme) {
    this.#language = theme.code && language;
    this.#width = width;
    this.#theme = theme;
  }

  heading(line: string): string[] {
    return this.#wrapped([{ text: safe(line), paint: this.#theme.dim }]);
  }

  line(line: string): string[] {
    const { dim, diff } = this.#theme;
    if (line.startsWith('@@') || line.startsWith('\\')) {
      this.#before = this.#language && new CodeLexer(this.#language);
      this.#after = this.#language && new CodeLexer(this.#language);
      return this.#wrapped([{ text: safe(line), paint: dim }]);
    }
    const isAdded = line.startsWith('+');
    const isRemoved = line.startsWith('-');
    const text = safe(line.slice(1));
    const whole = [{ text: safe(line) }];
    const paint = isAdded ? diff.added : isRemoved ? diff.removed : undefined;
    // Where the colour of the letters says which line it is, it says nothing else.
    if (paint && !diff.isTinted) return this.#wrapped(whole.map((span) => ({ ...span, paint })));
    if (!isRemoved && !isAdded) this.#before?.line(text);
    const tokens = (isRemoved ? this.#before : this.#after)?.line(text);
    const spans = tokens ? [{ text: line.slice(0, 1) }, ...codeSpans(tokens, this.#theme)] : whole;
    const lines = this.#wrapped(spans);
    return paint ? lines.map(paint) : lines;
  }

  /** What is left of a long line never looks like a line of its own. */
  #wrapped(spans: readonly Span[]): string[] {
    return wrapSpans(spans, this.#width, `  ${this.#theme.marks.ellipsis} `).map((each) => each.text);
  }
}

/** A tab keeps its width and can be seen; everything else that cannot be seen is escaped. */
const safe = (line: string): string => line.split('\t').map(sanitizeLine).join('→   ');
