import { describe, expect, it } from 'vitest';
import type { SessionState } from '../state/api.ts';
import { alertsBetween } from './alerts.ts';

const state = (id: string, more: Partial<SessionState> = {}): SessionState => ({
  id,
  running: true,
  permission_request: null,
  server_questions: 0,
  ...more,
});
const asks = (id: string, call: string): SessionState =>
  state(id, {
    permission_request: {
      tool_call_id: call,
      name: 'write_file',
      arguments: {},
      risk: 'high',
      preview: 'write notes.txt',
      rule: 'write_file',
    },
  });
const states = (...all: SessionState[]) => new Map(all.map((each) => [each.id, each]));

describe('what a person is told of', () => {
  it('is a session that begins to wait, with what it asks', () => {
    expect(alertsBetween(states(state('a')), states(asks('a', '1')))).toEqual([
      { sessionId: 'a', kind: 'waits', tag: 'a 1', text: 'write notes.txt' },
    ]);
  });

  it('is each question once', () => {
    expect(alertsBetween(states(asks('a', '1')), states(asks('a', '1')))).toEqual([]);
    expect(alertsBetween(states(asks('a', '1')), states(asks('a', '2'))).map(({ tag }) => tag)).toEqual(['a 2']);
    expect(alertsBetween(states(), states(state('a', { server_questions: 1 }))).map(({ kind }) => kind)).toEqual([
      'waits',
    ]);
  });

  it('is a run that is over, and not one that goes on or only waits', () => {
    expect(
      alertsBetween(states(state('a'), state('b')), states(state('b'))).map(({ kind, sessionId }) => [kind, sessionId]),
    ).toEqual([['done', 'a']]);
    expect(alertsBetween(states(asks('a', '1')), states(state('a')))).toEqual([]);
  });
});
