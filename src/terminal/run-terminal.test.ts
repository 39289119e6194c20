import { expect, it } from 'vitest';
import { createTypedEarly } from './run-terminal.ts';

it('takes the line end of what was typed before the app began as Enter, and none that comes later', () => {
  const turns: (() => void)[] = [];
  const typed = createTypedEarly((work) => turns.push(work));
  const turn = (): void => turns.shift()?.();
  expect(typed('\n')).toBe('\r');
  turn();
  expect([typed('h'), typed('\n'), typed('\x1b[A')]).toEqual(['h', '\r', '\x1b[A']);
  turn();
  expect([typed('h'), typed('\n'), typed('\r')]).toEqual(['h', '\n', '\r']);
});
