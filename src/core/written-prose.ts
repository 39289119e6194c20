/** Text that a person wrote, told from what a machine made, by its characters alone. */

const SAMPLE_CHARACTERS = 20_000;
/** Paragraphs in a line each are no work of a machine: words of letters, with room between them where their script has it. */
export const isWrittenProse = (text: string): boolean => {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const inked = sample.replaceAll(/\s+/g, '');
  const letters = inked.match(/\p{L}|\p{M}/gu)?.length ?? 0;
  const spaceless =
    inked.match(/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}/gu)?.length ?? 0;
  const spaces = sample.length - inked.length;
  return letters / inked.length > 0.8 && (spaces / sample.length > 0.08 || spaceless / inked.length > 0.5);
};
