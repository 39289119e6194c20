import { describe, expect, it } from 'vitest';
import { unsentMessages } from './sending.ts';
import { EMPTY_VIEW, type View } from './view.ts';

const kept = (text: string) => ({ text, after: 1 });
const said = (text: string): View['items'] => [{ kind: 'user', key: 'u', seq: 2, after: 1, at: 0, content: text }];
const none = { coming: [], isLive: true, tab: 'this' };

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

  it('is told by its key, whatever was said in its words', () => {
    const keyed = { ...kept('said'), after: 0, key: 'mine' };
    expect(unsentMessages([keyed], view, none)).toEqual([keyed]);
    const items = view.items.map((item) => ({ ...item, messageKey: 'mine' })) as View['items'];
    expect(unsentMessages([keyed], { ...view, items }, none)).toEqual([]);
  });

  it('is told while a run goes on where this tab sent it before it was loaded again', () => {
    const running = { ...view, running: true };
    const mine = { ...kept('lost'), key: 'mine', tab: 'this' };
    expect(unsentMessages([mine], running, none)).toEqual([mine]);
    expect(unsentMessages([mine], running, { ...none, coming: [mine] })).toEqual([]);
    // Another tab may be sending it now; and what the server took or had in its queue is under way there.
    for (const under of [{ tab: 'other' }, { isTaken: true }, { queueId: 'q' }])
      expect(unsentMessages([{ ...mine, ...under }], running, none)).toEqual([]);
    // It stands in the session that was begun for it.
    expect(unsentMessages([{ ...mine, session: 's' }], view, none)).toEqual([]);
  });
});
