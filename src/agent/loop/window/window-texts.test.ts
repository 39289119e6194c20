import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { refusalOf } from './window-texts.ts';

it('says what stays of a message that is too long', () => {
  verifies('B7');
  const { hint } = refusalOf({ tokens: 40_000, head: 1_000, message: 39_000, tools: 15 }, 'm', 8_192);
  expect(hint).toContain('no more than its first 1,000 characters stay');
});
