import type { ContentPart } from '../../../src/core/message.ts';

/** What a message says, without the files that came with it. */
export const wordsOf = (content: string | readonly ContentPart[]): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
