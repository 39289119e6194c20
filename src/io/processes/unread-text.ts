/** What a background job printed and nobody has read yet. A flood costs no more than the limit. */

/** Small pieces are joined up to this length, so that a job that prints letter by letter costs no piece a letter. */
const PIECE_CHARACTERS = 4_096;

export type UnreadText = {
  push(text: string): void;
  isEmpty(): boolean;
  /** All that is kept, and how much before it was too much; afterwards it is empty. */
  take(): { text: string; omitted: number };
};

/** What was not read in time is dropped from its beginning; the end says how things stand. */
export const createUnreadText = (maxCharacters: number): UnreadText => {
  let pieces: string[] = [];
  /** Pieces before this one are dropped. */
  let first = 0;
  let held = 0;
  let omitted = 0;

  const dropSurplus = (): void => {
    while (held - (pieces[first]?.length ?? 0) >= maxCharacters) {
      const { length } = pieces[first] ?? '';
      pieces[first] = '';
      first += 1;
      held -= length;
      omitted += length;
    }
    // Now and then, so that each piece is moved a few times at most.
    if (first * 2 <= pieces.length) return;
    pieces = pieces.slice(first);
    first = 0;
  };
  return {
    push(text) {
      if (text === '') return;
      const last = pieces.length - 1;
      const end = last >= first ? pieces[last] : undefined;
      if (end !== undefined && end.length + text.length <= PIECE_CHARACTERS) pieces[last] = end + text;
      else pieces.push(text);
      held += text.length;
      dropSurplus();
    },
    isEmpty: () => held === 0,
    take() {
      const all = pieces.slice(first).join('');
      let start = Math.max(0, all.length - maxCharacters);
      // Never the second half of a character.
      if (start > 0 && (all.charCodeAt(start) & 0xfc00) === 0xdc00) start += 1;
      const taken = { text: all.slice(start), omitted: omitted + start };
      pieces = [];
      first = 0;
      held = 0;
      omitted = 0;
      return taken;
    },
  };
};
