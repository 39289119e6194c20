/** A dialect of somebody's own may begin its markers with any character. */
import { expect, test } from 'vitest';
import { type Grammar, JSON_BODY } from './engine/grammar.ts';
import { createFormatParser } from './format-parser.ts';

const tools = [
  { name: 'look', description: '', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
];
const body = '{"name": "look", "arguments": {"at": "é « 漢字 »"}}';

test.each([
  ['@@call@@', '@@end@@'],
  ['«call»', '«/call»'],
  ['⟦call⟧', '⟦/call⟧'],
  ['◁呼び出し▷', '◁終わり▷'],
  ['🔧call', '🔧end'],
])('reads calls between %s and %s, however the stream is cut', (open, close) => {
  const grammar: Grammar = { name: 'own', calls: [{ open: [open], close: [close], bodies: [JSON_BODY] }] };
  const text = `Schön, ich sehe « nach ».\n${open}${body}${close}`;
  for (const size of [1, 3, text.length]) {
    const parser = createFormatParser(grammar, { tools });
    for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
    const { result } = parser.end();
    expect(result.calls).toMatchObject([{ name: 'look', arguments: { at: 'é « 漢字 »' } }]);
    expect(result.content.trim()).toBe('Schön, ich sehe « nach ».');
  }
});
