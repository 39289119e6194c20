import { expect, it } from 'vitest';
import type { SessionUpdate } from '../../core/events.ts';
import { type Attention, AttentionCaller } from './attention.ts';

const ended = { type: 'run_completed', sources: [], seq: 1, at: 0 } as SessionUpdate;
const written = (when: Attention, ...focus: string[]): string => {
  let out = '';
  const caller = new AttentionCaller(when, (data) => {
    out += data;
  });
  for (const key of focus) expect(caller.takes(key)).toBe(true);
  expect(caller.takes('x')).toBe(false);
  caller.follow(ended);
  return out;
};

it('calls the person back only where they asked for it, and while another window has the keys', () => {
  expect(written('never', '\x1b[O')).toBe('');
  expect(written('unfocused')).toBe('');
  expect(written('unfocused', '\x1b[O', '\x1b[I')).toBe('');
  expect(written('unfocused', '\x1b[O')).toContain('\x07\x1b]9;');
  expect(written('always')).toContain('\x1b]777;notify;halter;');
});
