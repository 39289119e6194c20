import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { tellingWords } from './telling-words.ts';

const STACK = Array.from(
  { length: 30 },
  (_, at) => `    at Module.load${at} (node:internal/modules/cjs/loader:${at}:5)`,
);
const NODE = [
  'node:internal/modules/cjs/loader:1228',
  '  throw err;',
  '  ^',
  '',
  "Error: Cannot find module 'server.js'",
  'Require stack:',
  ...STACK,
  '',
  'Node.js v24.1.0',
].join('\n');
const PYTHON =
  'Traceback (most recent call last):\n  File "s.py", line 1, in <module>\nModuleNotFoundError: No module named \'mcp\'';

describe('the words that tell why a process ended', () => {
  it.each([
    { name: 'Node', text: NODE, told: "Error: Cannot find module 'server.js'\nRequire stack:" },
    { name: 'Python', text: PYTHON, told: "ModuleNotFoundError: No module named 'mcp'" },
    {
      name: 'Rust',
      text: "thread 'main' panicked at src/main.rs:2:5:\nno key",
      told: "thread 'main' panicked at src/main.rs:2:5:\nno key",
    },
    { name: 'a sentence', text: 'starting\nAPI_KEY is not set', told: 'starting\nAPI_KEY is not set' },
    { name: 'two faults', text: 'Error: first\n    at a (b)\nTypeError: second', told: 'TypeError: second' },
    { name: 'nothing', text: '', told: '' },
  ])('of $name are its reason', ({ text, told }) => {
    verifies('U1');
    expect(tellingWords(text, 300)).toBe(told);
  });

  it('are never longer than there is room', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 500 }), fc.integer({ min: 1, max: 100 }), (text, most) => {
        expect(tellingWords(text, most).length).toBeLessThanOrEqual(most);
      }),
    );
  });
});
