import { describe, expect, it } from 'vitest';
import type { QueuedMessage } from '../../core/events.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { MessageQueue } from './message-queue.ts';

describe('the messages that wait', () => {
  it('tell which of them a person took out, and not which were sent or dropped', () => {
    const told: { messages: QueuedMessage[]; removed: readonly string[] }[] = [];
    const queue = new MessageQueue((change) => void told.push(change));
    const ids = (): string[] => told.at(-1)?.messages.map(({ queue_id }) => queue_id) ?? [];
    for (const content of ['one', 'two', 'three']) queue.add({ content });
    queue.tell();
    const [, second = ''] = ids();
    expect(queue.remove(second)).toBe(true);
    expect(queue.remove('unknown')).toBe(false);
    queue.tell();
    expect(told.at(-1)?.removed).toEqual([second]);
    queue.next();
    queue.drop();
    queue.tell();
    expect(told.at(-1)).toEqual({ messages: [], removed: [second] });
  });

  it('remember only so many of them', () => {
    let removed: readonly string[] = [];
    const queue = new MessageQueue((change) => {
      removed = change.removed;
      for (const { queue_id } of change.messages) queue.remove(queue_id);
    });
    for (let round = 0; round < AGENT_LIMITS.removedMessages * 2; round += 1) {
      queue.add({ content: `message ${round}` });
      queue.tell();
    }
    queue.tell();
    expect(removed).toHaveLength(AGENT_LIMITS.removedMessages);
  });
});
