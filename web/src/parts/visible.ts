/**
 * What cannot be seen, made visible: direction marks, zero-width signs and control characters can make a text look like
 * another one. Where a person decides, every character is shown.
 */
import { escapeCharacter, visibleText } from '../../../src/core/invisible.ts';

/** Signs that turn the direction of what follows. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text to be read, of a model, a file or a person: what turns its direction is shown and does not work, so that no name
 * looks like another. Marks that languages need stay as they are.
 */
export const readable = (text: string): string => text.replace(TURNS, escapeCharacter);

export const visible = visibleText;
