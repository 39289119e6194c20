import type { ContentPart } from '../../../src/core/message.ts';

/** What a message says, without the files that came with it. */
export const wordsOf = (content: string | readonly ContentPart[]): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' && part.shown === undefined ? [part.text] : [])).join('\n\n');

/** `[src/a.ts: 12 lines]`: it came because the words named it, and comes again where they still do. */
const isBrought = (part: ContentPart): boolean => part.type === 'text' && /^\[.*\]$/.test(part.shown ?? '');

/** What the person put beside the words themselves. */
export const attachedTo = (content: string | readonly ContentPart[]): ContentPart[] =>
  companionsOf(content).filter((part) => !isBrought(part));

/** What came along with it, in its order. */
export const companionsOf = (content: string | readonly ContentPart[]): readonly ContentPart[] =>
  typeof content === 'string' ? [] : content.filter((part) => part.type === 'image' || part.shown !== undefined);
