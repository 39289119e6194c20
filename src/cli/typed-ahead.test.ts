import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { keepTypedAhead } from './typed-ahead.ts';

const terminal = () => {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
  });
  return { input, modes };
};

it.each([['what is this?\r'], ['日本', '語\r'], ['one\r', 'two\r'], []])(
  'gives back what was typed, to the byte: %j %j',
  async (...typed) => {
    verifies('Z9');
    const { input, modes } = terminal();
    const kept = keepTypedAhead(input, () => {
      throw new Error('nobody ends it');
    });
    for (const text of typed) {
      input.write(text);
      await new Promise((resolve) => setImmediate(resolve));
    }
    kept.release();
    kept.release();
    expect(modes).toEqual([true, false]);
    input.end();
    let read = '';
    for await (const data of input.setEncoding('utf8')) read += data;
    expect(read).toBe(typed.join(''));
  },
);

it("ends the program on Ctrl+C, which is nobody else's then", async () => {
  verifies('Z9');
  const { input } = terminal();
  let ended = 0;
  const kept = keepTypedAhead(input, () => {
    ended += 1;
  });
  input.write('abc');
  await new Promise((resolve) => setImmediate(resolve));
  input.write('\x03');
  await new Promise((resolve) => setImmediate(resolve));
  kept.release();
  input.end();
  let read = '';
  for await (const data of input.setEncoding('utf8')) read += data;
  expect([ended, read]).toEqual([1, 'abc']);
});

it('leaves an input that is no terminal alone', () => {
  const input = new PassThrough();
  keepTypedAhead(input, () => {}).release();
  expect(input.listenerCount('data')).toBe(0);
});
