/** Texts that are nearly right: vectors with something changed, from a seed that can be given again. */
import type { Random } from '../support/random.ts';
import type { Case } from './cases.ts';

const FRAGMENTS = [
  '<tool_call>', '</tool_call>', '<think>', '</think>', '```', '```json\n', '{', '}', '[', ']', '"', "'", '\\', ',', ':',
  '<', '>', '|', '<|', '|>', '\n', ' ', '(', ')', '=', '<function=', '</function>', '<parameter=', '</parameter>',
  '[TOOL_CALLS]', '[ARGS]', '<|channel|>', '<|message|>', '<|end|>', '<|im_end|>', 'null', 'True', '1e9', '\u0000', '😀',
  '\ud83d', '"""', '`', '<invoke name="', '</invoke>', '<arg_key>', '</arg_value>', 'Action:', 'Thought:', '>>>', '{"name": "',
]; // biome-ignore format: a list

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

/** One change of a text. */
const mutateOnce = (text: string, random: Random, other: string): string => {
  const at = Math.floor(random() * (text.length + 1));
  const length = Math.floor(random() * 8);
  switch (Math.floor(random() * 7)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1 + length);
    case 1:
      return text.slice(0, at) + pick(random, FRAGMENTS) + text.slice(at);
    case 2:
      return text.slice(0, at) + pick(random, FRAGMENTS) + text.slice(at + 1);
    case 3:
      return text.slice(0, at);
    case 4:
      return text.slice(0, at) + text.slice(Math.max(0, at - 20 - length), at) + text.slice(at);
    case 5: {
      const from = Math.floor(random() * other.length);
      return text.slice(0, at) + other.slice(from, from + 40) + text.slice(at);
    }
    default:
      return text.slice(0, at) + text.slice(at, at + 1 + length).toUpperCase() + text.slice(at + 1 + length);
  }
};

/** A case with one to three changes in its text. */
export const mutate = (cases: readonly Case[], random: Random): Case => {
  const base = pick(random, cases);
  let { text } = base;
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--)
    text = mutateOnce(text, random, pick(random, cases).text);
  return { ...base, text };
};
