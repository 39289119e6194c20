/** How an answer ended, in the words of a run's last line, its JSON, the HTTP reply and the trace. */
import { expect, test } from 'vitest';
import { createStreamLines } from '../src/agent/loop/call-model/stream-lines.ts';
import { createRunRecorder } from '../src/cli/run/run-recorder.ts';
import type { Event } from '../src/core/events.ts';
import type { AssistantMessage } from '../src/core/message.ts';
import { chatReply } from '../src/server/chat/chat-result.ts';
import { verifies } from './requirements.ts';

type End = Pick<AssistantMessage, 'finish' | 'ended_by'>;

const ENDS: readonly (readonly [End, string, string | undefined])[] = [
  [{ finish: 'stop' }, 'stop', undefined],
  [{ finish: 'length' }, 'length', 'length'],
  [{ finish: 'stop', ended_by: 'content_filter' }, 'content_filter', 'content_filter'],
  [{ finish: 'stop', ended_by: 'banana' }, 'other', 'other'],
  [{ finish: 'tool_calls', ended_by: 'content_filter' }, 'tool_calls', undefined],
  [{ finish: 'disconnected' }, 'disconnected', undefined],
];

test.each(ENDS)('%j is %s', (ended, word, cut) => {
  verifies('B11');
  const message: AssistantMessage = { role: 'assistant', content: 'Ha', tool_calls: [], ...ended };
  const events: Event[] = [
    { seq: 1, at: 1, type: 'user_message_added', content: 'Go' },
    { seq: 2, at: 2, type: 'assistant_message_added', message },
    { seq: 3, at: 3, type: 'run_completed', sources: [] },
  ];
  const recorder = createRunRecorder('s');
  const lines = createStreamLines();
  for (const event of events) {
    recorder.add(event, event.at);
    lines.add(event, event.at);
  }
  expect(recorder.report().finish_reason).toBe(word);
  expect(recorder.lastLine(4)['finish_reason' as never]).toBe(cut);
  expect(lines.turnEnd('s').finish_reason).toBe(cut);
  const about = { chat_id: 'c', request_id: 'r', tools_allowed: true, permission_requests: [], model: 'm' };
  const ending = { events, reason: 'answered' as const, warnings: [], tools: [], summaryCharacters: 100 };
  expect(chatReply(ending, { ...about, context: undefined }).finish_reason).toBe(cut);
  // The next message is not cut by what cut this one.
  lines.add({ seq: 4, at: 5, type: 'user_message_added', content: 'And?' }, 5);
  lines.add({ seq: 5, at: 6, type: 'run_cancelled' }, 6);
  expect(lines.turnEnd('s').finish_reason).toBe(undefined);
});
