/** A comment inside a value: to the end of the line behind `#` or `//`, to its end mark behind a slash and a star. */
import type { State } from '../scanner.ts';

/** Behind the comment's first character. */
export const commentState = (first: string, over: () => void, fail: () => void): State => {
  /** `#`, `//` or, once its second character is there, what a block begins with. */
  let opener = first;
  let last = '';
  return (text, at, end) => {
    while (at < end) {
      const one = text[at] as string;
      if (opener === '/') {
        if (one !== '/' && one !== '*') {
          fail();
          return at;
        }
        opener += one;
      } else if (opener === '/*' ? last === '*' && one === '/' : one === '\n') {
        over();
        return at + 1;
      } else last = one;
      at++;
    }
    return at;
  };
};
