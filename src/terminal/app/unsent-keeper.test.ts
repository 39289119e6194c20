/** What was typed and not sent is kept, also where the window closes while it is on its way. */
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { SessionFace } from '../../core/events.ts';
import { UnsentKeeper } from './unsent-keeper.ts';

const opened = () => {
  const kept: string[] = [];
  let texts: readonly string[] = [];
  const keeper = new UnsentKeeper(
    { read: () => undefined, keep: (_id, text) => void kept.push(text) },
    { session: () => ({ id: 's', log: () => [] }) as unknown as SessionFace, texts: () => texts },
  );
  keeper.open();
  const type = (...all: string[]): void => {
    texts = all;
  };
  return { keeper, kept, type };
};

it('keeps what is on its way when the window closes, whatever its session says after that', () => {
  verifies('U1');
  const { keeper, kept, type } = opened();
  type('to be kept');
  keeper.keep(true);
  // The session ends, and the message is neither taken nor back in the prompt yet.
  type();
  keeper.keep();
  keeper.keep(true);
  expect(kept).toEqual(['to be kept']);
});

it('forgets what was sent', () => {
  const { keeper, kept, type } = opened();
  type('first', '', 'second');
  keeper.keep();
  type();
  keeper.keep();
  expect(kept).toEqual(['first\nsecond', '']);
});
