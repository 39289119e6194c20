/** One trace of a message, whichever processes work on it. */
import { expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { Event, EventBody, SessionFace, SessionUpdate } from '../../core/events.ts';
import { succeed } from '../../core/outcome.ts';
import type { Network } from '../../core/ports.ts';
import { parseTraceparent } from '../../core/traceparent.ts';
import { openTracing } from './tracing.ts';

type Sent = { traceId: string; spanId: string; parentSpanId?: string; name: string };

/** A process that sends its spans to a collector. */
const process = () => {
  const spans: Sent[] = [];
  const network = {
    async request({ body }: { body: string }) {
      spans.push(...JSON.parse(body).resourceSpans[0].scopeSpans[0].spans);
      return succeed({ status: 200, text: async () => '' });
    },
  } as unknown as Network;
  const tracing = openTracing(
    { to: 'otlp' },
    {
      clock: { now: () => 1_000, monotonic: () => 0 },
      network,
      environment: {},
      folder: '',
      version: '1',
      onProblem: (message) => {
        throw new Error(message);
      },
    },
  );
  /** It opens the session with this log, and then this happens. */
  const work = (log: readonly Event[], updates: readonly SessionUpdate[]): void => {
    let tell = (_update: SessionUpdate): void => {};
    const face = {
      id: 's',
      log: () => log,
      subscribe(listener: typeof tell) {
        tell = listener;
        return () => {};
      },
    } as unknown as SessionFace;
    tracing.follow(face, { provider: 'openai', model: 'm', endpoint: 'http://127.0.0.1:1/v1' });
    for (const update of updates) tell(update);
  };
  return { spans, tracing, work };
};

const events = (...bodies: EventBody[]): Event[] =>
  bodies.map((body, index) => ({ seq: index + 1, at: index, ...body }) as Event);
const call = { id: 'c1', name: 'ls', arguments: {}, source: 'native', repairs: [] } as const;
const result = { success: true, data: '', error_message: null, error_type: 'none', metadata: {} };
const logOf = (message: object): Event[] =>
  events(
    { type: 'user_message_added', content: 'go', ...message },
    {
      type: 'assistant_message_added',
      message: { role: 'assistant', content: '', tool_calls: [{ ...call, repairs: [] }], finish: 'stop' },
    },
    { type: 'tool_started', tool_call_id: 'c1' },
    { type: 'tool_finished', tool_call_id: 'c1', result } as unknown as EventBody,
    { type: 'run_completed', sources: [] },
  );

test.each([{ client: '00-11111111111111111111111111111111-2222222222222222-01' }, { client: undefined }])(
  'a server, a worker that dies and the one that takes over write into one trace ($client)',
  async ({ client }) => {
    verifies('B12');
    const [server, first, second] = [process(), process(), process()];
    const handed = server.tracing.handOver('s', client);
    handed.end();
    const log = logOf({ traceparent: handed.traceparent });
    first.work([], log.slice(0, 3));
    second.work(log.slice(0, 3), [{ type: 'model_started', model: 'm', iteration: 2 }, ...log.slice(3)]);
    for (const one of [server, first, second]) await one.tracing.close();
    const all = [...server.spans, ...first.spans, ...second.spans];
    expect(all.map(({ name }) => name).sort()).toEqual([
      'chat m',
      'execute_tool ls',
      'invoke_agent halter',
      'send conversations',
    ]);
    expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1);
    const named = (name: string): Sent | undefined => all.find((span) => span.name === name);
    expect(named('send conversations')?.parentSpanId).toBe(parseTraceparent(client)?.span_id);
    expect(named('invoke_agent halter')?.parentSpanId).toBe(named('send conversations')?.spanId);
    for (const name of ['chat m', 'execute_tool ls']) {
      expect(named(name)?.parentSpanId).toBe(named('invoke_agent halter')?.spanId);
    }
  },
);

test('without a span of the sender the ids follow from the session and the message alone', async () => {
  const [one, other] = [process(), process()];
  const log = logOf({});
  one.work([], log);
  other.work(log.slice(0, 2), log.slice(2));
  for (const each of [one, other]) await each.tracing.close();
  const run = ({ spans }: typeof one) => spans.find(({ name }) => name === 'invoke_agent halter');
  expect(run(one)).toEqual(run(other));
  expect(run(one)?.parentSpanId).toBeUndefined();
});

test('what a client sends that is no span of a trace is passed over', () => {
  for (const text of [undefined, null, '', '00-0-0-00', `00-${'0'.repeat(32)}-2222222222222222-01`, 'x'.repeat(55)]) {
    expect(parseTraceparent(text)).toBeUndefined();
  }
});
