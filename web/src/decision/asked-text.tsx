/** A text that is asked about, as much as has room: its end is in sight before anybody says yes, and what is not is told. */
import { counted } from '../../../src/core/number-text.ts';
import { useLittleRoom } from '../parts/room.ts';
import { NARROW, useFits } from '../parts/use-fits.ts';
import { type HeadAndTail, headAndTail, type Room } from './head-and-tail.ts';
import { LeftOut } from './left-out.tsx';
import { ReadEnd } from './read-end.tsx';
import { tellingParts } from './telling-parts.ts';
import { useUnfolding } from './use-reading.ts';

/** Narrower than any panel is: a text that is broken at its words takes more rows. */
const FOLDED: Room = { columns: 34, head: 1, tail: 2 };
const SHORT: Room = { columns: 76, head: 1, tail: 2 };
const WIDE: Room = { columns: 76, head: 5, tail: 4 };
/** Of what is between. */
const TOLD_PARTS = 3;
const TOLD_CHARACTERS = 48;

export const AskedText = ({ text, isFolded }: { text: string; isFolded: boolean }) => {
  const isNarrow = useFits(NARROW);
  const hasLittleRoom = useLittleRoom();
  const { isWhole, open, isSlim } = useUnfolding();
  // A panel that was opened shows all of it.
  const isShortened = !isWhole && (isFolded || !hasLittleRoom);
  const parts = isShortened ? headAndTail(text, !isFolded ? WIDE : isNarrow || isSlim ? FOLDED : SHORT) : undefined;
  if (parts === undefined) {
    return (
      <>
        {text}
        <ReadEnd key="whole" />
      </>
    );
  }
  const { head, between, tail } = parts;
  const told = tellingParts(text, head.length, head.length + between.length, TOLD_PARTS, TOLD_CHARACTERS);
  const edge = between.includes('\n') ? '\n' : ' ';
  return (
    <>
      {head}
      {edge}
      <LeftOut onOpen={open} words={leftOut(parts)} />
      {told.shown.length > 0 && (
        <span className="font-sans text-xs text-warn" data-telling>
          {' '}
          with <code className="mono text-xs">{told.shown.join(' · ')}</code>
          {told.more > 0 && ` and ${told.more} more like it`}
        </span>
      )}
      {edge}
      <span data-end>{tail}</span>
    </>
  );
};

const leftOut = ({ between }: HeadAndTail): string => {
  const lines = between.split('\n').length - 1;
  return lines > 1 ? counted(lines - 1, 'more line') : counted(between.length, 'more character');
};
