/** Text that a person wrote, told from what a machine made, by its characters alone. */
import { UNSPACED_SCRIPTS } from './unspaced-scripts.ts';

const SAMPLE_CHARACTERS = 20_000;
/** Tibetan sets a sign between its syllables that is no letter elsewhere. */
const LETTER = new RegExp(`[\\p{L}\\p{M}${UNSPACED_SCRIPTS}]`, 'gu');
const UNSPACED_SIGN = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'gu');
/** Paragraphs in a line each are no work of a machine: words of letters, with room between them where their script has it. */
export const isWrittenProse = (text: string): boolean => {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const inked = sample.replaceAll(/\s+/g, '');
  const letters = inked.match(LETTER)?.length ?? 0;
  const unspaced = inked.match(UNSPACED_SIGN)?.length ?? 0;
  const spaces = sample.length - inked.length;
  return letters / inked.length > 0.8 && (spaces / sample.length > 0.08 || unspaced / inked.length > 0.5);
};
