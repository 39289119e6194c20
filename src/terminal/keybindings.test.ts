import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { createKeybindings, keyText, readKeybindings } from './keybindings.ts';

const CTRL_G = '\x07';
const CTRL_O = '\x0f';

describe('keybindings.json', () => {
  it('gives an action other keys, and takes a key from the action that has it by default', () => {
    verifies('Z19');
    const { chosen, problems } = readKeybindings('{"details": "ctrl+g", "stop": ["Ctrl+O", "f2"]}');
    expect(problems).toEqual([]);
    const keys = createKeybindings(chosen);
    expect(keys.matches(CTRL_G, 'details')).toBe(true);
    expect(keys.matches(CTRL_O, 'details')).toBe(false);
    expect(keys.matches(CTRL_O, 'stop')).toBe(true);
    expect(keys.keysOf('stop')).toEqual(['ctrl+o', 'f2']);
    expect(keys.keysOf('send')).toEqual(['enter']);
    expect(createKeybindings({ send: ['ctrl+j'] }).keysOf('new_line')).toEqual(['shift+enter']);
  });

  it('says what is wrong, and lets the rest count', () => {
    const text = '{"detials": "x", "stop": 7, "details": ["ctrl+g", "hyper+q"], "send": "ctrl+c", "leave": []}';
    const { chosen, problems } = readKeybindings(text);
    expect(chosen).toEqual({ details: ['ctrl+g'], leave: [] });
    expect(problems).toEqual([
      expect.stringContaining('Did you mean details?'),
      '"stop" needs a key, or a list of keys',
      '"details" names a key that there is none of: "hyper+q"',
      '"send" cannot have ctrl+c, which always stops and leaves',
    ]);
    for (const broken of ['', '[]', 'null', '{'])
      expect(readKeybindings(broken)).toMatchObject({ chosen: {}, problems: [expect.any(String)] });
  });

  it('reads keys as a person writes them', () => {
    expect(keyText(['ctrl+j', 'shift+enter', 'escape'])).toBe('Ctrl+J, Shift+Enter, Esc');
  });
});
