/** What of a settings file its own program does not read: what is written into such a file is not heard. */
import { visit } from 'jsonc-parser';

/** What people write into JSON and not every program reads. */
export type BeyondJson = 'line_comment' | 'block_comment' | 'trailing_comma';

const WORDS: Readonly<Record<BeyondJson, string>> = {
  line_comment: 'a // comment',
  block_comment: 'a /* comment */',
  trailing_comma: 'a comma behind the last entry',
};

/** `line 2 has a // comment`: the first of what a program that reads `reads` besides JSON cannot read. */
export const unreadIn = (text: string, reads: readonly BeyondJson[]): string | undefined => {
  const first = beyondJson(text).find(({ kind }) => !reads.includes(kind));
  if (first === undefined) return undefined;
  const line = text.slice(0, first.at).split('\n').length;
  return `line ${line} has ${WORDS[first.kind]}`;
};

const beyondJson = (text: string): { kind: BeyondJson; at: number }[] => {
  const found: { kind: BeyondJson; at: number }[] = [];
  let comma: number | undefined;
  const entry = (): void => {
    comma = undefined;
  };
  const end = (): void => {
    if (comma !== undefined) found.push({ kind: 'trailing_comma', at: comma });
    comma = undefined;
  };
  const visitor = {
    onComment: (at: number) =>
      void found.push({ kind: text.startsWith('//', at) ? 'line_comment' : 'block_comment', at }),
    onSeparator(character: string, at: number) {
      comma = character === ',' ? at : undefined;
    },
    onObjectBegin: entry,
    onArrayBegin: entry,
    onObjectProperty: entry,
    onLiteralValue: entry,
    onObjectEnd: end,
    onArrayEnd: end,
  };
  visit(text, visitor, { allowTrailingComma: true });
  return found;
};
