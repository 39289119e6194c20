import { expect, it } from 'vitest';
import { KeyBurst } from './key-burst.ts';

/** What reaches the app of readings, each given unit by unit. */
const handedOn = (readings: readonly (readonly string[])[]): string[] => {
  const taken: string[] = [];
  let read = (): void => {};
  let quiet = (): void => {};
  const burst = new KeyBurst({
    take: (data) => void taken.push(data),
    afterReading: (then) => {
      read = then;
    },
    after: (_ms, then) => {
      quiet = then;
      return () => {
        quiet = () => {};
      };
    },
  });
  for (const keys of readings) {
    for (const key of keys) burst.key(key);
    read();
  }
  quiet();
  return taken;
};
const pasted = (text: string): string => `\x1b[200~${text}\x1b[201~`;
const LINE = 'a line of a log 🎉 with words in it\r';

it('hands a paste of many readings on at once, its line ends with it', () => {
  const text = LINE.repeat(1_600);
  const readings = Array.from({ length: Math.ceil(text.length / 4_096) }, (_, index) =>
    text.slice(index * 4_096, (index + 1) * 4_096).split(''),
  );
  expect(readings.length).toBeGreaterThan(10);
  expect(handedOn(readings)).toEqual([pasted(text)]);
});

const X = 'x'.repeat(200);
const LONG = 'x'.repeat(5_000);
const UP = Array.from({ length: 90 }, () => '\x1b[A');
const ROWS: [string, string[][], string[]][] = [
  ['keys', [['h'], ['i', '\r']], ['h', 'i', '\r']],
  ['a line and its Enter', [[...X, '\r']], [pasted(X), '\r']],
  ['a line, and Enter by itself', [[...X], ['\r']], [pasted(X), '\r']],
  ['two lines', [[...X, '\r', 'y', '\r']], [pasted(`${X}\ry\r`)]],
  ['a long line', [[...LONG, '\r']], [pasted(LONG), '\r']],
  ['a key behind it', [[...X, '\x03']], [pasted(X), '\x03']],
  ['keys of several units', [UP], UP],
];
it.each(ROWS)('hands on in their order: %s', (_name, readings, taken) => {
  expect(handedOn(readings)).toEqual(taken);
});
