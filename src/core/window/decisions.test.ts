/** What the person decided stays in what is kept, and nothing that nobody decided. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { Event, EventBody, Rule } from '../events.ts';
import { deniedByPerson } from '../policy/refusal-words.ts';
import { createRetainer } from './retained.ts';

const REASON = 'docs stay until the audit in June';
const asked = (id: string, name: string, args: Record<string, string>): EventBody => ({
  type: 'assistant_message_added',
  message: {
    role: 'assistant',
    content: '',
    tool_calls: [{ id, name, arguments: args, source: 'native', repairs: [] }],
    finish: 'tool_calls',
  },
});
const finished = (id: string, refusal?: { message: string; reason: string }): EventBody => ({
  type: 'tool_finished',
  tool_call_id: id,
  result: {
    success: refusal === undefined,
    data: refusal === undefined ? 'ok' : null,
    error_message: refusal?.message ?? null,
    error_type: refusal === undefined ? 'none' : 'permission_denied',
    metadata: {
      execution_time_ms: 0,
      data_size_bytes: 0,
      timestamp: 0,
      ...(refusal ? { reason: refusal.reason } : {}),
    },
  },
});
const removal = asked('rm', 'bash', { command: 'rm -rf docs' });
const byPerson = (reason: string | undefined): EventBody[] => [
  removal,
  { type: 'permission_resolved', tool_call_id: 'rm', decision: 'deny', ...(reason ? { reason } : {}) },
  finished('rm', { message: deniedByPerson(reason), reason: 'person' }),
];
/** As `messages()` gave it to another harness. */
const given: EventBody[] = [removal, finished('rm', { message: deniedByPerson(REASON), reason: 'person' })];
const byNobody: EventBody[] = [
  removal,
  {
    type: 'permission_resolved',
    tool_call_id: 'rm',
    decision: 'deny',
    reason: 'nobody is there to ask',
    unanswered: true,
  },
  finished('rm', { message: 'nobody is there to ask', reason: 'permission_required' }),
];
const byRule: EventBody[] = [removal, finished('rm', { message: 'Not allowed: a rule.', reason: 'rule' })];
const allowed = (number: number): EventBody[] => [
  asked(`e${number}`, 'edit_file', { path: `src/${number}.ts`, old_text: 'a'.repeat(80), new_text: 'b' }),
  {
    type: 'permission_resolved',
    tool_call_id: `e${number}`,
    decision: 'session',
    rule: { tool: 'edit_file' },
  },
  finished(`e${number}`),
];
const many = Array.from({ length: 12 }, (_, at) => allowed(at)).flat();

const kept = (bodies: readonly EventBody[], maxCharacters: number) => {
  const log = [{ type: 'user_message_added', content: 'go' } as const, ...bodies].map(
    (body, index): Event => ({ seq: index + 1, at: 0, ...body }),
  );
  return createRetainer(log, () => undefined)(log.length + 1, { trace: () => undefined, tasks: [], maxCharacters });
};

const ROOMS = [10_000, 2_000, 700, 300];

describe('what the person decided', () => {
  it.each(
    ROOMS.flatMap((room) => [
      ['by itself', byPerson(REASON), room] as const,
      ['before twelve lasting permissions', [...byPerson(REASON), ...many], room] as const,
      ['behind them', [...many, ...byPerson(REASON)], room] as const,
      ['in a conversation that was given as messages', [...given, ...many], room] as const,
    ]),
  )('is a denial with its reason, %s, in little room and in much', (_name, events, room) => {
    verifies('B7');
    expect(kept(events, room).text).toContain(`- denied bash {"command":"rm -rf docs"}: ${REASON}`);
  });

  it('is a denial with a reason that is longer than the room, in its first words', () => {
    verifies('B7');
    const long = `${REASON}, ${'and so on '.repeat(90)}`;
    expect(kept(byPerson(long), 700).text).toContain(`- denied bash {"command":"rm -rf docs"}: ${REASON}`);
  });

  it('is of many denials those with a reason first, and says how many are left out', () => {
    verifies('B7');
    const denial = (at: number, reason?: string): EventBody[] => [
      asked(`d${at}`, 'bash', { command: `tool${at} --do "something that takes some words to say"` }),
      { type: 'permission_resolved', tool_call_id: `d${at}`, decision: 'deny', ...(reason ? { reason } : {}) },
      finished(`d${at}`, { message: deniedByPerson(reason), reason: 'person' }),
    ];
    const events = [...denial(0, REASON), ...Array.from({ length: 12 }, (_, at) => denial(at + 1)).flat()];
    const { text } = kept(events, 700);
    expect(text).toContain(REASON);
    expect(text).toMatch(/- \[\d more denials left out\]/);
    expect(kept(events, 30_000).text).not.toContain('left out]');
  });

  it('is a denial without a reason', () => {
    verifies('B7');
    expect(kept([...byPerson(undefined), ...many], 700).text).toContain('- denied bash {"command":"rm -rf docs"}\n');
  });

  it('is what it allowed from then on, where there is room', () => {
    verifies('B7');
    expect(kept([...byPerson(REASON), ...many], 10_000).text).toContain('- allowed edit_file from then on');
  });

  it('is all that was allowed, and not the call alone that was asked about', () => {
    verifies('B7');
    const allowed = (rule: Rule): EventBody[] => [
      removal,
      { type: 'permission_resolved', tool_call_id: 'rm', decision: 'session', rule },
    ];
    const textOf = (rule: Rule): string => kept(allowed(rule), 10_000).text;
    expect(textOf({ tool: 'folder:read' })).toContain(
      '- allowed everything that only reads in the folder from then on',
    );
    expect(textOf({ tool: 'bash', pattern: '=rm -rf docs' })).toContain('- allowed bash(rm -rf docs) from then on');
  });

  it.each([
    ['because nobody was there to answer', byNobody],
    ['by a rule', byRule],
  ])('is no call that was denied %s', (_name, events) => {
    verifies('B7');
    for (const room of ROOMS) {
      const { text, counts } = kept(events, room);
      expect(text).not.toContain('denied');
      expect(counts.decisions).toBe(0);
    }
  });
});
