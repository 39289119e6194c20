import { describe, expect, it } from 'vitest';
import { formOf, settingsOfForm } from './setting-fields.ts';

describe('the form of settings', () => {
  it.each([
    {},
    { instructions: 'Be short.', temperature: 0, top_p: 0.5, seed: 7, max_tokens: 100, think: false },
    { context_length: 8_192 },
    { max_iterations: 3, max_tool_calls: 2, think: true, tools_off: ['bash'] },
  ])('gives back what it was given: %j', (settings) => {
    expect(settingsOfForm(formOf(settings), settings)).toEqual(settings);
  });

  it('leaves out what is empty', () => {
    expect(settingsOfForm({ ...formOf({ temperature: 1 }), temperature: ' ', instructions: '\n' }, {})).toEqual({});
  });
});
