/** A string between quote markers such as `<|"|>`: it holds no escapes, and ends at the next marker. */
import type { State } from '../scanner.ts';
import { escapeJson } from '../value-sink.ts';
import type { StringHost } from './quoted-string.ts';

export type MarkedStringHost = Pick<StringHost, 'enter' | 'put' | 'over'> & {
  /** The opening marker was there whole. */
  opened(): void;
  /** It was no marker. */
  fail(): void;
};

export type MarkedStringReader = {
  /** At the first character of the opening marker. */
  begin(): void;
};

export const markedStringReader = (host: MarkedStringHost, marker: string): MarkedStringReader => {
  const { enter, put, over, opened, fail } = host;
  /** How much of a marker has been read. */
  let matched = 0;
  const putText = (text: string, from: number, to: number): void => {
    if (to > from) put(escapeJson(text.slice(from, to)));
  };

  const opening: State = (text, at) => {
    if (text[at] !== marker[matched]) {
      fail();
      return at;
    }
    matched++;
    if (matched === marker.length) {
      matched = 0;
      opened();
      enter(inside);
    }
    return at + 1;
  };

  const inside: State = (text, at, end) => {
    let from = at;
    while (at < end) {
      if (text[at] === marker[matched]) {
        if (matched === 0) putText(text, from, at);
        matched++;
        at++;
        from = at;
        if (matched < marker.length) continue;
        matched = 0;
        over();
        return at;
      }
      if (matched > 0) {
        // The marker's first character occurs in it once, so nothing of what was matched can begin it anew.
        put(escapeJson(marker.slice(0, matched)));
        matched = 0;
      } else at++;
    }
    if (matched === 0) putText(text, from, at);
    return at;
  };

  return {
    begin() {
      matched = 0;
      enter(opening);
    },
  };
};
