/** G: a value whose strings stand between marks, which a string may hold itself, since nothing is escaped. */
import type { CallWriter } from '../call-writer.ts';
import type { Core } from '../core.ts';
import type { MarkerSet } from '../markers.ts';
import type { Routine } from '../scanner.ts';
import type { ValueScanner } from '../value-scanner.ts';

/** What decides whether a mark ends its string: another mark, the end of the call, the next call or the turn's end. */
export type BehindMark = MarkerSet<'mark' | 'close' | 'open'>;

/** Between the end of a string and the next one: brackets, a comma, values without marks, a key. */
const TO_NEXT = /^[\s}\]]*,(?:[^<>]*[:=,[{])?\s*$/;
const TO_NEXT_WITHOUT_COMMA = /^\s+[\w.$-]+\s*[:=]\s*[[{]*$/;
/** Between the end of the last string and the end of the call. */
const TO_CLOSE = /^[\s}\]]*(?:,[^<>]*[}\]]?\s*)?$/;
const KEY = /^\s*,\s*([\w.$-]+)\s*[:=]/;

type Verdict = 'over' | 'text' | 'unclear';

/** Reads the value with this scanner; false where it cannot be told where a string of it ends. */
export function* markedValue(
  core: Core,
  scanner: ValueScanner,
  behind: BehindMark,
  writer: CallWriter | undefined,
): Routine<boolean> {
  /** A mark stands in the string, or in one before it. */
  let holdsMark = false;
  let heldMark = false;
  yield scanner;
  while (scanner.outcome === 'mark') {
    const { verdict, closed, read } = yield* behindMark(core, behind, (key) =>
      holdsMark ? due(scanner, writer, key) : 'over',
    );
    if (verdict === 'unclear' && holdsMark) return false;
    if (verdict === 'text') {
      // The end of a string before may have been taken out of this one.
      if (closed && heldMark) return false;
      holdsMark = true;
      scanner.goOn(read);
    } else {
      core.putBack(read);
      heldMark ||= holdsMark;
      holdsMark = false;
      scanner.endString();
    }
    if (!scanner.done) yield scanner;
  }
  return true;
}

/** Behind a string that holds marks, only an argument that is still due shows that it is over. */
const due = (scanner: ValueScanner, writer: CallWriter | undefined, key: string | undefined): Verdict => {
  if (key === undefined || scanner.depth > 1 || writer === undefined || !writer.isKnown) return 'unclear';
  return writer.parameter(key) !== undefined && !writer.has(key) ? 'over' : 'text';
};

function* behindMark(
  core: Core,
  behind: BehindMark,
  next: (key: string | undefined) => Verdict,
): Routine<{ verdict: Verdict; closed: boolean; read: string }> {
  let read = '';
  const push = (piece: string): void => {
    read += piece;
  };
  /** The call ended, as far as what stands before it shows. */
  let closed = false;
  let passedEnd = false;
  const over = (verdict: Verdict) => ({ verdict, closed, read });
  for (;;) {
    const before = read.length;
    const { found } = yield* core.until(behind, push);
    if (found === undefined) return over(closed ? 'over' : 'unclear');
    const { meaning, text } = found;
    const isFirst = before === 0;
    if (meaning === 'mark') {
      core.putBack(text);
      const follows = isFirst && (TO_NEXT.test(read) || TO_NEXT_WITHOUT_COMMA.test(read));
      return over(follows ? next(KEY.exec(read)?.[1]) : 'text');
    }
    if (meaning === 'open' && (closed || passedEnd)) {
      core.putBack(text);
      return over(closed ? 'over' : 'unclear');
    }
    if (meaning === 'close') {
      const ends = isFirst && TO_CLOSE.test(read) && (!read.includes(',') || next(KEY.exec(read)?.[1]) === 'over');
      closed ||= ends;
      passedEnd = true;
    }
    push(text);
  }
}
