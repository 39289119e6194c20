import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { nearlyFullText, refusalOf } from './window-texts.ts';

it('says what stays of a message that is too long', () => {
  verifies('B7');
  const { hint } = refusalOf({ tokens: 40_000, head: 1_000, message: 39_000, tools: 15 }, 'm', 8_192);
  expect(hint).toContain('no more than its first 1,000 characters stay');
});

it('sends nobody to a new session before their next message had its chance to make room', () => {
  verifies('B7');
  expect(nearlyFullText(2_270, 2_901, false)).toBe(
    'The window is nearly full: about 2,270 of 2,901 tokens, and there is too little to drop yet. Where your next message finds no room either, a new session gives some.',
  );
});
