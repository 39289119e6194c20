import { describe, expect, it } from 'vitest';
import type { EventBody, StopReason } from '../../../src/core/events.ts';
import type { ToolCall } from '../../../src/core/message.ts';
import type { ToolResult } from '../../../src/core/tool-result.ts';
import { verifies } from '../../../tests/requirements.ts';
import { reduce } from '../state/reduce.ts';
import { EMPTY_VIEW, type NoticeItem, type View } from '../state/view.ts';
import { closedAnswer, GO_ON, isNewest, isStopTold, waysOn, whyBroken } from './go-on.ts';

const call: ToolCall = { id: 'c', name: 'ls', arguments: { path: '.' }, source: 'native', repairs: [] };
const answer = (
  content: string,
  finish: 'stop' | 'cancelled' | 'disconnected' | 'tool_calls',
  tool_calls: ToolCall[] = [],
): EventBody => ({ type: 'assistant_message_added', message: { role: 'assistant', content, tool_calls, finish } });
const stopped = (reason: StopReason): EventBody => ({ type: 'run_stopped', reason, name: 'X', message: 'It ended.' });
const cancelled: EventBody = { type: 'run_cancelled' };
const play = (...bodies: EventBody[]): View =>
  reduce(
    EMPTY_VIEW,
    [{ type: 'user_message_added', content: 'Hello' } as EventBody, ...bodies].map((body, index) => ({
      ...body,
      seq: index + 1,
      at: 1_000 + index,
    })),
    0,
  );

const finished: EventBody = { type: 'run_completed', sources: [] };
const question: EventBody = { type: 'user_message_added', content: 'And now?' };
const part = answer('A part', 'cancelled');
const broken = answer('A part', 'disconnected');
const looked = answer('', 'tool_calls', [call]);
const ENDS: readonly [how: string, view: View, copied: string, edited: boolean, ways: string][] = [
  ['stopped in its words', play(part, cancelled), 'A part', true, 'continue, again'],
  ['stopped, its words after it', play(cancelled, part), 'A part', true, 'continue, again'],
  ['broken off', play(broken, stopped('error')), 'A part', true, 'continue, again'],
  ['no model in its words', play(broken, stopped('model_unusable')), 'A part', true, 'continue, again'],
  ['a limit in its words', play(part, stopped('limit')), 'A part', true, 'continue'],
  ['a limit after its words', play(answer('All', 'stop'), stopped('limit')), 'All', true, 'goes on'],
  ['an error after its words', play(answer('All', 'stop'), stopped('error')), 'All', true, 'goes on, again'],
  ['tried too often', play(answer('All', 'stop'), stopped('retries_exhausted')), 'All', true, 'goes on, again'],
  ['stopped before its words', play(cancelled), '', false, 'again'],
  ['an error before its words', play(stopped('error')), '', false, 'again'],
  ['nobody to ask, before anything', play(stopped('permission_required')), '', false, 'again'],
  ['a limit before its words', play(stopped('limit')), '', false, 'goes on'],
  ['stopped in a call', play(looked, cancelled), '', false, 'goes on, again'],
  ['an error after a call', play(looked, stopped('error')), '', false, 'goes on, again'],
  ['a loop of calls', play(looked, stopped('loop')), '', false, 'goes on'],
  ['words before a call', play(answer('I look.', 'tool_calls', [call]), cancelled), '', false, 'goes on, again'],
];

const WHY = 'The connection to the model was lost. What came before is kept.';
const lost = stopped('model_unusable');
const brokenBy: EventBody = { ...broken, broken_by: WHY } as EventBody;

describe('why an answer broke off', () => {
  it.each<[string, EventBody[], string | undefined]>([
    ['by its end', [brokenBy, lost], WHY],
    ['also once it was gone on with', [brokenBy, lost, { type: 'user_message_added', content: GO_ON }], WHY],
    ['by no other end', [brokenBy, lost, question, part, cancelled], undefined],
    ['before its end by nothing', [brokenBy], undefined],
    ['where it is not known by nothing', [broken, lost], undefined],
    ['of a whole answer by nothing', [answer('All', 'stop'), finished], undefined],
  ])('is told %s', (_, bodies, why) => {
    verifies('L8');
    expect(whyBroken(play(...bodies).items)).toBe(why);
  });
});

describe('an answer that was stopped', () => {
  it.each(ENDS)('%s: has what a finished one has, and a way on', (_, { items }, copied, edited, ways) => {
    const end = items.findLastIndex((item) => item.kind === 'notice');
    const { goesOn, again } = waysOn(items, end);
    const closed = closedAnswer(items, end);
    expect(closed.text).toBe(copied);
    expect(closed.last !== undefined).toBe(edited);
    const onward = goesOn === undefined ? [] : [goesOn === GO_ON ? 'continue' : 'goes on'];
    expect([...onward, ...(again ? ['again'] : [])].join(', ')).toBe(ways);
    expect((items[end] as NoticeItem).stopped).toBeDefined();
  });
});

const undone: EventBody = { type: 'change_undone', change_seq: 2, path: 'a.ts', how: 'restored' };
const SEEN: ToolResult = {
  success: true,
  data: '',
  error_message: null,
  error_type: 'none',
  metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 },
};
const NOTES: readonly [what: string, notes: readonly EventBody[]][] = [
  ['nothing', []],
  ['a file taken back', [undone]],
  ['another model', [{ type: 'model_changed', model: 'other' }]],
  ['another model for plans', [{ type: 'model_changed', model: 'other', role: 'plan' }]],
  ['a summary', [{ type: 'context_compacted', summary: 'Much.', kept_from_seq: 1 }]],
  ['a call from outside', [{ type: 'tool_called', name: 'ls', arguments: {}, result: SEEN }]],
  ['several of them', [undone, { type: 'model_changed', model: 'other' }]],
];

describe.each(NOTES)('with %s behind it', (what, notes) => {
  it('a finished answer is the newest one still', () => {
    const { items } = play(answer('All', 'stop'), finished, ...notes);
    expect(items.slice(3).every(({ kind }) => kind === 'notice')).toBe(true);
    expect(items.length > 3).toBe(what !== 'nothing');
    expect(isNewest(items, 2)).toBe(true);
  });
  it('a stopped answer keeps its ways on', () => {
    const { items } = play(part, cancelled, ...notes);
    expect(isNewest(items, 2)).toBe(true);
  });
  it.each([
    ['a question', [question]],
    ['a question that was answered', [question, answer('Then', 'stop'), finished]],
    ['another stop', [stopped('limit')]],
  ] as const)('and %s: no longer', (_, later) => {
    expect(isNewest(play(answer('All', 'stop'), finished, ...notes, ...later).items, 2)).toBe(false);
  });
  it('words that were cut say so themselves, where no stop does', () => {
    expect(isStopTold(play(broken, ...notes).items, 1)).toBe(false);
    expect(isStopTold(play(broken, ...notes, question, part, cancelled).items, 1)).toBe(false);
    expect(isStopTold(play(broken, ...notes, stopped('error')).items, 1)).toBe(true);
  });
});
