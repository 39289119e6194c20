import type { ContentPart } from '../../../src/core/message.ts';

/** What the model reads after an answer that was cut. The person wrote none of it, so the page shows no message of theirs. */
export const GO_ON = 'Your answer was cut off. Go on exactly where it stopped, without repeating anything.';

export const isGoOn = (content: string | readonly ContentPart[]): boolean => content === GO_ON;
