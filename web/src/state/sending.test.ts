import { describe, expect, it } from 'vitest';
import { unsentMessages } from './sending.ts';
import { EMPTY_VIEW, type View } from './view.ts';

const kept = (text: string) => ({ text, after: 1 });
const said = (text: string): View['items'] => [{ kind: 'user', key: 'u', seq: 2, after: 1, at: 0, content: text }];
const none = { coming: [], isLive: true };

describe('a message that the server does not have', () => {
  const all = [kept('said'), kept('waits'), kept('lost')];
  const view: View = {
    ...EMPTY_VIEW,
    items: said('said'),
    queue: [{ queue_id: 'q', content: 'waits', held: false } as unknown as View['queue'][number]],
  };

  it('is told where no run goes on, or nobody answers, and not twice', () => {
    expect(unsentMessages(all, view, none)).toEqual([kept('lost')]);
    // It may be taken any moment.
    expect(unsentMessages(all, { ...view, running: true }, none)).toEqual([]);
    expect(unsentMessages(all, { ...view, running: true }, { ...none, isLive: false })).toEqual([kept('lost')]);
    expect(unsentMessages(all, view, { ...none, coming: [kept('lost')] })).toEqual([]);
    // Nobody answered when it was sent.
    const unanswered = { ...kept('lost'), isUnanswered: true };
    expect(unsentMessages([unanswered, kept('other')], { ...view, running: true }, none)).toEqual([unanswered]);
    expect(unsentMessages([{ ...kept('waits'), isUnanswered: true }], { ...view, running: true }, none)).toEqual([]);
  });
});
