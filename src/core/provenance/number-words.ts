/** Amounts that are written in English words: `twelve`, `two hundred and fifty`, `three thousand`. */
const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const UNITS: ReadonlyMap<string, number> = new Map([
  ...ONES.map((word, index): [string, number] => [word, index]),
  ...TENS.map((word, index): [string, number] => [word, (index + 2) * 10]),
]);
const SCALES: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1_000],
  ['million', 1_000_000],
]);

type Reading = { whole: number; part: number };

const scaled = ({ whole, part }: Reading, scale: number): Reading =>
  scale === 100 ? { whole, part: Math.max(part, 1) * scale } : { whole: whole + Math.max(part, 1) * scale, part: 0 };

/** `twenty five`, `hundred twelve`; what does not go on is a number of its own: `one and two`. */
const goesOn = ({ part }: Reading, unit: number): boolean =>
  part % 100 === 0 || (unit < 10 && part % 100 >= 20 && part % 10 === 0);

/** Each run of number words is one number. `words` are in lower case. */
export const numbersInWords = (words: readonly string[]): number[] => {
  const numbers: number[] = [];
  let open: Reading | undefined;
  const close = (): void => {
    if (open) numbers.push(open.whole + open.part);
    open = undefined;
  };
  for (const word of words) {
    const unit = UNITS.get(word);
    const scale = SCALES.get(word);
    if (unit !== undefined) {
      if (open && !goesOn(open, unit)) close();
      open = { whole: open?.whole ?? 0, part: (open?.part ?? 0) + unit };
    } else if (scale !== undefined && open) open = scaled(open, scale);
    else if (word !== 'and') close();
  }
  close();
  return numbers;
};
