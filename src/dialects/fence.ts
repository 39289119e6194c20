/** Text out of its code fence. */

const WHOLE = /^`{3}\w*[ \t]*\n([\s\S]*?)\n?`{3}$/;

/** What stands in the fence that is the whole answer, or the answer. */
export const withoutFence = (answer: string): string => {
  const text = answer.trim();
  return WHOLE.exec(text)?.[1]?.trim() ?? text;
};

/** What stands behind a fence that opens the text, up to the one that closes it where there is one, or the text. */
export const withoutOpenFence = (text: string): string => {
  const start = text.trimStart();
  if (!start.startsWith('```')) return text;
  const line = start.indexOf('\n');
  if (line < 0) return text;
  const body = start.slice(line + 1).trimEnd();
  return body.endsWith('```') ? body.slice(0, -3) : body;
};
