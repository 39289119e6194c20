/** What went wrong and what to do, as one text for a person. */
import type { ModelError } from './model-port.ts';

/** A server's own words seldom end in a full stop. */
export const asSentence = (message: string): string => (/[\p{L}\p{N})"'\]]$/u.test(message) ? `${message}.` : message);

/** The hint is a sentence of its own, and a paragraph of its own where the message has several lines. */
export const withHint = ({ message, hint }: Pick<ModelError, 'message' | 'hint'>): string =>
  hint ? `${asSentence(message)}${message.includes('\n') ? '\n\n' : ' '}${hint}` : message;
