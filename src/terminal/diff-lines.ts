import { shortDiff } from '../core/short-diff.ts';
import { type Language, languageOfFile } from './code/languages.ts';
import { CodeLexer } from './code/lexer.ts';
import { codeSpans } from './code/spans.ts';
import { sanitizeLine } from './sanitize.ts';
import { type Span, wrapSpans } from './text.ts';
import type { Theme } from './theme.ts';

/** A unified diff, every line with its sign in its first column. */
export const diffLines = (diff: string | undefined, width: number, theme: Theme): string[] => {
  if (diff === undefined || diff === '') return [];
  const lines = shortDiff(diff.replace(/\n$/, '')).split('\n');
  // Below the first hunk a line that begins with `---` is one that goes, not a heading.
  const firstHunk = lines.findIndex((line) => line.startsWith('@@'));
  const painter = new DiffPainter(languageOf(lines.slice(0, Math.max(0, firstHunk))), width, theme);
  return ['', ...lines.flatMap((line, index) => (index < firstHunk ? painter.heading(line) : painter.line(line)))];
};

/** The same without the names of the files, which stand above it already. */
export const changedLines = (diff: string, width: number, theme: Theme): string[] => {
  const lines = shortDiff(diff.replace(/\n$/, '')).split('\n');
  const from = lines.findIndex((line) => line.startsWith('@@'));
  if (from < 0) return [];
  const painter = new DiffPainter(languageOf(lines.slice(0, from)), width, theme);
  return lines.slice(from).flatMap((line) => painter.line(line));
};

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
