/** Names and texts of a folder in an answer, which is read as Markdown: they are shown as they are. */

/** What Markdown would read as its own: `__init__.py` would lose its underscores. */
const MARKDOWN = /[*`<>[\]\\~&$|]|(?<![^\W_])_|_(?![^\W_])|^\s|^(?:#+|[+-]|\d+[.)])(?:\s|$)|^[=-]+$|\s$/;

const longestRun = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));

/** A text of one line, as a person reads it in Markdown; a span of code where Markdown would read it otherwise. */
export const asWritten = (text: string): string => {
  if (!MARKDOWN.test(text)) return text;
  const marks = '`'.repeat(longestRun(text) + 1);
  const space = /^[`\s]|[`\s]$/.test(text) ? ' ' : '';
  return `${marks}${space}${text}${space}${marks}`;
};

/** Lines as they are: without marks around them Markdown would join them, and read headings and lists in them. */
export const fenced = (lines: readonly string[]): string[] => {
  const marks = '`'.repeat(Math.max(3, longestRun(lines.join('\n')) + 1));
  return [marks, ...lines, marks];
};
