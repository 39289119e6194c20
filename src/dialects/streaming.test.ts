import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { createParser, dialectNames } from './index.ts';

const tools = [{ name: 'add', parameters: { type: 'object', properties: {} } }];
/** Its first line says for whom the message is. */
const NEEDS_A_LINE: ReadonlySet<string> = new Set(['functionary-v3.2']);

test.each(dialectNames())('%s lets ordinary text go on while it streams', (dialect) => {
  verifies('L10', 'Z19');
  const text = 'Hello! How can I help you today? I am here, and I can do things.\nWhat is it?';
  const parser = createParser({ dialect, tools });
  let held = 0;
  let most = 0;
  for (const character of text) {
    held = parser.push(character).length > 0 ? 0 : held + 1;
    most = Math.max(most, held);
  }
  const { result } = parser.end();
  expect(result.content).toBe(text);
  if (!NEEDS_A_LINE.has(dialect)) expect(most).toBeLessThan(16);
});
