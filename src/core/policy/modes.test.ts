import { describe, expect, it } from 'vitest';
import { MODES, type Mode, modeReason, nextMode } from './modes.ts';

describe('the key that changes the mode', () => {
  const round = (from: Mode, withYolo: boolean): Mode[] => {
    const passed: Mode[] = [];
    for (let mode = nextMode(from, withYolo); !passed.includes(mode); mode = nextMode(mode, withYolo))
      passed.push(mode);
    return passed;
  };

  it.each(MODES)('goes past yolo from %s, unless the program began in it', (from) => {
    expect(round(from, false)).not.toContain('yolo');
    expect(round(from, false)).toHaveLength(MODES.length - 1);
    expect(new Set(round(from, true))).toEqual(new Set(MODES));
  });

  it('leaves yolo for the strictest', () => {
    for (const withYolo of [false, true]) expect(nextMode('yolo', withYolo)).toBe('plan');
  });
});

it.each(['write', 'process', 'network', 'unknown'] as const)(
  'a refusal in plan mode says the mode and the way out: %s',
  (effects) => {
    const reason = modeReason('plan', { name: 'a_tool', effects: effects as 'write' }, {});
    expect(reason).toEqual({
      says: 'deny',
      because: 'plan mode is read-only and a_tool is not (Shift+Tab, /mode ask or --mode ask changes the mode)',
    });
  },
);
