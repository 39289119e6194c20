import type { ContentPart } from '../../../src/core/message.ts';

/** What a message says, without the files that came with it. */
export const wordsOf = (content: string | readonly ContentPart[]): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' && part.shown === undefined ? [part.text] : [])).join('\n\n');

/** What came along with it, in its order. */
export const companionsOf = (content: string | readonly ContentPart[]): readonly ContentPart[] =>
  typeof content === 'string' ? [] : content.filter((part) => part.type === 'image' || part.shown !== undefined);
