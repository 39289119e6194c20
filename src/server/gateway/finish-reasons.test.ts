/**
 * Why a model's server says that an answer ended, on every wire, whole and streamed: what was cut says so in the words of
 * the client's API, half a call is never handed on, and a word that nobody knows does not pass in silence.
 */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { HALF, talk, type Upstream, WRITTEN } from '../../../tests/support/ended-answers.ts';
import { everyNth } from '../../../tests/support/long.ts';
import { NAME, WIRES } from '../../../tests/support/wire-cases.ts';

const SAID = 'It is sunny, and then';
const FILTERED: Readonly<Record<string, unknown>> = {
  '/v1/chat/completions': 'content_filter',
  '/v1/responses': 'incomplete',
  '/v1/messages': 'refusal',
  '/api/chat': 'content_filter',
};
const WHOLE = ['stop', 'STOP', 'eos', 'end_turn', 'stop_sequence', 'tool_calls', 'function_call', 'completed', null];
const CUT = ['length', 'max_tokens', 'MAX_TOKENS', 'max_output_tokens', 'model_context_window_exceeded'];
const BY_FILTER = ['content_filter', 'Content-Filter', 'SAFETY', 'refusal', 'sensitive', 'guardrail_intervened'];
const BROKEN = ['error', 'abort', 'aborted', 'cancelled', 'insufficient_system_resource', 'network_error'];
const UNKNOWN = ['banana', 'FINISH_REASON_UNSPECIFIED', 'pause_turn'];

/** Usually each word is played on some of the wires, in turn. */
const rowsOf = (words: readonly (string | null)[]) =>
  everyNth(
    words.flatMap((finish) =>
      (['openai', 'ollama'] as const).flatMap((protocol) =>
        WIRES.flatMap((wire) =>
          [false, true].map(
            (stream) => [finish, protocol, wire.name + (stream ? ', streamed' : ''), wire, stream] as const,
          ),
        ),
      ),
    ),
    9,
  );

describe('an answer that ended with', () => {
  it.each(rowsOf(WHOLE))('%s is whole: %s, %s', async (finish, protocol, _, wire, stream) => {
    verifies('Z15');
    const told = await talk(protocol, wire, stream, { text: SAID, finish });
    expect(told).toMatchObject({ text: SAID, finish: wire.finish.answered, faults: [], guards: '' });
  });

  it.each(rowsOf(CUT))('%s was cut by the limit: %s, %s', async (finish, protocol, _, wire, stream) => {
    verifies('Z15');
    const told = await talk(protocol, wire, stream, { text: SAID, finish });
    expect(told).toMatchObject({ text: SAID, finish: wire.finish.cut, faults: [] });
  });

  it.each(rowsOf(BY_FILTER))('%s was cut by a filter: %s, %s', async (finish, protocol, _, wire, stream) => {
    verifies('Z15');
    for (const text of [SAID, '']) {
      const told = await talk(protocol, wire, stream, { text, finish });
      expect(told).toMatchObject({ text, finish: FILTERED[wire.path], faults: [], status: 200 });
      expect(told.error).toBeUndefined();
      expect(told.reason).toBe(wire.path === '/v1/responses' ? 'content_filter' : undefined);
    }
  });

  it.each(rowsOf(BROKEN))('%s is an error: %s, %s', async (finish, protocol, _, wire, stream) => {
    verifies('Z15');
    expect((await talk(protocol, wire, stream, { text: SAID, finish })).error).toBeTruthy();
  });

  it.each(rowsOf(UNKNOWN))('%s, which nobody knows, says so: %s, %s', async (finish, protocol, _, wire, stream) => {
    verifies('Z15');
    const told = await talk(protocol, wire, stream, { text: SAID, finish });
    expect(told).toMatchObject({ finish: wire.finish.answered, faults: [] });
    expect(told.text.startsWith(SAID)).toBe(true);
    expect(told.text).toContain(`"${finish}"`);
  });

  it.each(rowsOf([...CUT.slice(0, 1), ...BY_FILTER.slice(0, 2), ...UNKNOWN]))(
    '%s hands on no half of a call: %s, %s',
    async (finish, protocol, _, wire, stream) => {
      verifies('Z15');
      for (const half of [{ args: HALF }, { text: WRITTEN }]) {
        const told = await talk(protocol, wire, stream, { ...half, finish });
        expect(told.calls).toEqual([]);
        expect(told.faults).toEqual([]);
      }
    },
  );

  it.each(rowsOf([...BY_FILTER, ...UNKNOWN]))(
    '%s keeps a whole call: %s, %s',
    async (finish, protocol, _, wire, stream) => {
      verifies('Z15');
      const told = await talk(protocol, wire, stream, { args: '{"city": "Paris"}', finish });
      expect(told).toMatchObject({
        calls: [{ name: NAME, args: { city: 'Paris' } }],
        finish: wire.finish.called,
        faults: [],
      });
    },
  );
});

describe.each(['end', 'disconnected'] as const)('a stream that breaks in the middle of a call (%s)', (end) => {
  const halves: readonly (readonly [string, Upstream])[] = [
    ['the field for calls', { args: HALF, finish: null, end }],
    ['the text', { text: WRITTEN, finish: null, end }],
    ['the text, before its name', { text: '<tool_call>{"na', finish: null, end }],
  ];
  const rows = halves.flatMap(([what, half]) =>
    WIRES.flatMap((wire) =>
      [false, true].map((stream) => [what, wire.name + (stream ? ', streamed' : ''), half, wire, stream] as const),
    ),
  );

  it.each(rows)('is asked again, since nothing was handed on: %s, %s', async (_what, _name, half, wire, stream) => {
    verifies('Z15');
    const whole = { args: '{"city": "Oslo"}', finish: 'tool_calls' };
    const told = await talk('openai', wire, stream, (number) => (number === 1 ? half : whole));
    expect(told).toMatchObject({ calls: [{ name: NAME, args: { city: 'Oslo' } }], text: '', faults: [] });
    expect(told.guards).toBe('broken_answer_asked_again');
  });

  it.each(rows)('is an error, where it breaks again: %s, %s', async (_what, _name, half, wire, stream) => {
    verifies('Z15');
    let asked = 0;
    const told = await talk('openai', wire, stream, () => {
      asked += 1;
      return half;
    });
    expect(told).toMatchObject({ calls: [], status: 502 });
    expect(asked).toBe(2);
  });

  it.each(WIRES.map((wire) => [wire.name, wire] as const))(
    'is an error, where words were handed on: %s',
    async (_, wire) => {
      verifies('Z15');
      let asked = 0;
      const told = await talk('openai', wire, true, () => {
        asked += 1;
        return { text: `${'I look it up for you now. '.repeat(20)}\n`, args: HALF, finish: null, end };
      });
      expect([told.error === undefined, told.calls, asked]).toEqual([false, [], 1]);
    },
  );
});
