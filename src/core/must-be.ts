/** What a function of the package says of an argument that is wrong. */
import { shown } from './shown-value.ts';

/** Throws `TypeError`: `text of push() must be a text, not 5.` */
export const mustBe = (wanted: string, what: string, value: unknown, fits: boolean): void => {
  if (!fits) throw new TypeError(`${what} must be ${wanted}, not ${shown(value)}.`);
};
