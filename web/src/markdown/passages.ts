/**
 * A text in passages, each of which is drawn in one short task. A passage that is full never changes, and stays the same
 * object, however long the text grows. Pure.
 */
import type { Block } from './blocks.ts';

export const PASSAGE = {
  /** Of one passage, unless a single block weighs more. */
  weight: 3_000,
  /** Of what may be drawn in one task: more than a screen holds. */
  atOnce: 5_000,
  /** What a block costs whatever its length, in characters of prose. */
  block: 100,
  /** A line of code is text alone until its colours come. */
  codeLine: 2,
} as const;

export type Passage = { blocks: readonly Block[]; weight: number };

const weightOf = (block: Block): number =>
  PASSAGE.block + (block.kind === 'code' ? block.lines.length * PASSAGE.codeLine : block.text.length);

export class PassageReader {
  readonly #full: Passage[] = [];
  /** Blocks that stand in full passages. */
  #taken = 0;

  /** The passages of all blocks, of which the first `closed` never change. */
  read(blocks: readonly Block[], closed: number): readonly Passage[] {
    const passages = cut(blocks.slice(this.#taken));
    for (const passage of passages.slice(0, -1)) {
      if (this.#taken + passage.blocks.length > closed) break;
      this.#full.push(passage);
      this.#taken += passage.blocks.length;
    }
    return [...this.#full, ...cut(blocks.slice(this.#taken))];
  }
}

const cut = (blocks: readonly Block[]): Passage[] => {
  const passages: { blocks: Block[]; weight: number }[] = [];
  for (const block of blocks) {
    const weight = weightOf(block);
    const last = passages.at(-1);
    if (last === undefined || last.weight + weight > PASSAGE.weight) passages.push({ blocks: [block], weight });
    else {
      last.blocks.push(block);
      last.weight += weight;
    }
  }
  return passages;
};

/** From which passage on all may be drawn at once, where so much may: what one looks at is the end. */
export const drawnFrom = (passages: readonly Passage[], weight: number): number => {
  let left = weight;
  let first = passages.length;
  // A passage cannot be drawn in part.
  while (first > 0 && left > 0 && (first === passages.length || left >= (passages[first - 1]?.weight ?? 0))) {
    first -= 1;
    left -= passages[first]?.weight ?? 0;
  }
  return first;
};
