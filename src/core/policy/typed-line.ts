/** Text that is typed into a running program: pieces of a line add up, and some keys take a part of it back. */

/** Ctrl+C and Ctrl+U give the line up. */
const GIVES_UP = /[\x03\x15]/;
/** Backspace, as terminals send it. */
const TAKES_BACK = /[\x08\x7f]/;
/** Enter. */
const ENDS = /[\r\n]/;

/**
 * The lines that the last piece completes or begins, with what earlier pieces had begun. Other keys of a line editor stay in
 * the text: whoever judges it cannot read such a line.
 */
export const typedLines = (earlier: readonly string[], last: string): string => {
  const begun = typed('', earlier.join(''));
  return typed(begun.slice(begun.lastIndexOf('\n') + 1), last);
};

const typed = (before: string, text: string): string => {
  let lines = '';
  const line = [...before];
  for (const key of text) {
    if (GIVES_UP.test(key)) line.length = 0;
    else if (TAKES_BACK.test(key)) line.pop();
    else if (ENDS.test(key)) lines += `${line.splice(0).join('')}\n`;
    else line.push(key);
  }
  return lines + line.join('');
};
