/** A text that is asked about, as much as has room: its end is in sight before anybody says yes, and what is not is told. */
import { useState } from 'react';
import { counted } from '../../../src/core/number-text.ts';
import { useLittleRoom } from '../parts/room.ts';
import { NARROW, useFits } from '../parts/use-fits.ts';
import { type HeadAndTail, headAndTail, type Room } from './head-and-tail.ts';

/** Narrower than any panel is: a text that is broken at its words takes more rows. */
const FOLDED: Room = { columns: 34, head: 1, tail: 2 };
const SHORT: Room = { columns: 76, head: 1, tail: 2 };
const WIDE: Room = { columns: 76, head: 5, tail: 4 };

export const AskedText = ({ text, isFolded }: { text: string; isFolded: boolean }) => {
  const isNarrow = useFits(NARROW);
  const hasLittleRoom = useLittleRoom();
  const [isWhole, setWhole] = useState(false);
  // A panel that was opened shows all of it.
  const isShortened = !isWhole && (isFolded || !hasLittleRoom);
  const parts = isShortened ? headAndTail(text, !isFolded ? WIDE : isNarrow ? FOLDED : SHORT) : undefined;
  if (parts === undefined) return text;
  return (
    <>
      {parts.head}
      {parts.lines > 0 ? '\n' : ' '}
      {isFolded ? (
        <span className="font-sans text-xs text-warn" data-left-out>
          … {leftOut(parts)} …
        </span>
      ) : (
        <button
          type="button"
          className="quiet-button border border-line bg-raised font-sans text-warn"
          data-left-out
          onClick={() => setWhole(true)}
        >
          … {leftOut(parts)}: show all
        </button>
      )}
      {parts.lines > 0 ? '\n' : ' '}
      <span data-end>{parts.tail}</span>
    </>
  );
};

const leftOut = ({ lines, characters }: HeadAndTail): string =>
  lines > 1 ? counted(lines - 1, 'more line') : counted(characters, 'more character');
