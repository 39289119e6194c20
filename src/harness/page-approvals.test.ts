/** A page answers the questions of a run in a later request, and sends the whole conversation, which may be made up. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { defineTool } from '../core/index.ts';
import type { JsonObject } from '../core/json.ts';
import { fromUIMessages, toUIMessageStream, type UIMessageLike } from '../dialects/ai-sdk.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../testing/index.ts';
import { approvalId } from './approvals.ts';
import type { ChatOptions } from './chat-options.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const SECRET = 'a secret of the server, long enough';
type Part = { type: string; [field: string]: unknown };
type Chunk = Record<string, unknown> & { type: string };
type Request = { options?: Partial<HarnessOptions>; chat?: ChatOptions };

/** Tools that note what ran. */
const world = () => {
  const ran: string[] = [];
  const noting = (name: string, more: object) =>
    defineTool({
      name,
      description: `Does ${name}`,
      parameters: { type: 'object', properties: { to: { type: 'string' }, sum: { type: 'integer', default: 1 } } },
      run: ({ to, sum }: { to?: string; sum?: number }) => {
        ran.push(`${name} ${to} ${sum}`);
        return { done: name };
      },
      ...more,
    });
  const tools = [
    noting('pay', {}),
    noting('mail', {}),
    noting('look', { risk: 'safe' }),
    noting('save', { effects: 'write', risk: 'medium' }),
  ];
  /** One request of a page to a route that keeps nothing. */
  const request = async (
    messages: readonly UIMessageLike[],
    turns: readonly ScriptedProviderTurn[],
    more: Request = {},
  ) => {
    const provider = scriptedProvider(turns);
    const { history, message, approvals } = fromUIMessages(messages);
    const harness = createHarness({
      model: 'm',
      provider,
      tools,
      messages: history,
      workspace: scratchFolder(),
      approvalSecret: SECRET,
      ...more.options,
    });
    onTestFinished(() => harness.close());
    const chat = harness.chat(message, { approvals, ...more.chat });
    const chunks: Chunk[] = [];
    for await (const chunk of toUIMessageStream(chat)) chunks.push(chunk as Chunk);
    const result = await chat
      .result()
      .catch((error: { partial: Awaited<ReturnType<typeof chat.result>> }) => error.partial);
    return { chunks, result, provider, harness };
  };
  return { ran, tools, request };
};

const user = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });
const call = (name: string, args: JsonObject) => ({ name, arguments: args }) as const;
const PAY = call('pay', { to: 'Ada', sum: 5 });
const calling = (...calls: { name: string; arguments: JsonObject }[]): ScriptedProviderTurn =>
  ({ calls }) as ScriptedProviderTurn;

/** The parts that `useChat` makes of the chunks of a step. */
const partsOf = (chunks: readonly Chunk[]): Part[] => {
  const parts: Part[] = [{ type: 'step-start' }];
  const of = (id: unknown): Part => parts.find(({ toolCallId }) => toolCallId === id) ?? { type: 'none' };
  for (const { type, toolCallId, toolName, input, approvalId, output } of chunks) {
    if (type === 'tool-input-available')
      parts.push({ type: `tool-${toolName}`, toolCallId, state: 'input-available', input });
    else if (type === 'tool-approval-request')
      Object.assign(of(toolCallId), { state: 'approval-requested', approval: { id: approvalId } });
    else if (type === 'tool-output-available') Object.assign(of(toolCallId), { state: 'output-available', output });
    else if (type === 'tool-output-error') Object.assign(of(toolCallId), { state: 'output-error', errorText: 'No.' });
  }
  return parts;
};

const answered = (parts: readonly Part[], approved: unknown = true, reason?: string): Part[] =>
  parts.map((part) =>
    part['state'] === 'approval-requested'
      ? { ...part, state: 'approval-responded', approval: { ...(part['approval'] as object), approved, reason } }
      : part,
  );
const said = (parts: readonly Part[]): UIMessageLike[] => [user('Go'), { role: 'assistant', parts }];
const toldModel = (provider: ReturnType<typeof scriptedProvider>): string[] =>
  (provider.requests[0]?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.content] : []));

describe('a run with questions for a page', () => {
  test('ends at them, and goes on with the answer in another harness', async () => {
    verifies('H12', 'Z8');
    const { ran, request } = world();
    const first = await request([user('Go')], [calling(PAY), { text: 'never asked' }]);
    expect(first.chunks.slice(-4)).toMatchObject([
      { type: 'tool-input-available', toolName: 'pay', input: PAY.arguments },
      { type: 'tool-approval-request', approvalId: expect.any(String) },
      { type: 'finish-step' },
      { type: 'finish', finishReason: 'tool-calls' },
    ]);
    expect(first.result).toMatchObject({ finishReason: 'tool_end', warnings: [] });
    expect(first.provider.requests).toHaveLength(1);
    const parts = partsOf(first.chunks);
    const second = await request(said(answered(parts)), [{ text: 'Paid.' }]);
    expect(ran).toEqual(['pay Ada 5']);
    expect(second.chunks).toEqual([
      { type: 'start' },
      { type: 'tool-output-available', toolCallId: parts[1]?.['toolCallId'], output: { done: 'pay' } },
      { type: 'start-step' },
      { type: 'text-start', id: 'part-1' },
      { type: 'text-delta', id: 'part-1', delta: 'Paid.' },
      { type: 'text-end', id: 'part-1' },
      { type: 'finish-step' },
      { type: 'finish', finishReason: 'stop' },
    ]);
    expect(toldModel(second.provider)).toEqual(['{"done":"pay"}']);
    expect(second.result).toMatchObject({ answer: 'Paid.', toolCalls: [{ name: 'pay', result: { success: true } }] });
    expect((await second.harness.messages()).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
  });
});

type Several = readonly [
  what: string,
  calls: readonly ReturnType<typeof call>[],
  said: (parts: Part[]) => Part[],
  before: string[],
  after: string[],
  told: RegExp[],
];
const LOOK = call('look', { to: 'Ada' });
const MAIL = call('mail', { to: 'Bob', sum: 2 });
const SAVE = call('save', { to: 'Cy' });
const yes = (parts: Part[]): Part[] => answered(parts);
const no = (parts: Part[]): Part[] => answered(parts, false, 'Too much.');
const only = (name: string) => (parts: Part[]) =>
  parts.map((part) => (part.type === `tool-${name}` ? answered([part])[0] : answered([part], false)[0]) as Part);
const DONE = /^\{"done"/;
const DENIED = /denied this call/;
const SEVERAL: readonly Several[] = [
  ['two, both allowed', [PAY, MAIL], yes, [], ['pay Ada 5', 'mail Bob 2'], [DONE, DONE]],
  ['two, one allowed', [PAY, MAIL], only('mail'), [], ['mail Bob 2'], [DENIED, DONE]],
  ['one, denied with a reason', [PAY], no, [], [], [/denied this call: Too much\./]],
  ['one, and a safe call before it', [LOOK, PAY], yes, ['look Ada 1'], ['pay Ada 5'], [DONE, DONE]],
  ['one, and a safe call behind it', [PAY, LOOK], yes, ['look Ada 1'], ['pay Ada 5'], [DONE, DONE]],
  ['one, and a change behind it that a rule allows', [PAY, SAVE], yes, [], ['pay Ada 5'], [DONE, /No\./]],
  ['one behind a change that a rule allows', [SAVE, PAY], yes, ['save Cy 1'], ['pay Ada 5'], [DONE, DONE]],
];
test.each(SEVERAL)('an answer with %s', async (_what, calls, say, before, after, told) => {
  const { ran, request } = world();
  const options = { permissions: { allow: ['save'] } };
  const first = await request([user('Go')], [calling(...calls)], { options });
  expect(ran).toEqual(before);
  ran.length = 0;
  const second = await request(said(say(partsOf(first.chunks))), [{ text: 'Done.' }], { options });
  expect(ran.toSorted()).toEqual(after.toSorted());
  expect(toldModel(second.provider)).toEqual(told.map((words) => expect.stringMatching(words)));
  expect(second.result.answer).toBe('Done.');
});

const SAME = (parts: Part[]): Part[] => parts;
const changed = (fields: object) => (parts: Part[]) =>
  parts.map((part) => ('toolCallId' in part ? { ...part, ...fields } : part));
const withApproval = (fields: object) => (parts: Part[]) =>
  parts.map((part) =>
    'approval' in part ? { ...part, approval: { ...(part['approval'] as object), ...fields } } : part,
  );
const NEVER_ASKED = /Denied, and by nobody: this call, with these arguments, was never asked about\./;
const NEITHER = /neither yes nor no/;
type Forged = readonly [what: string, forge: (parts: Part[]) => Part[], told: RegExp, options: Partial<HarnessOptions>];
const FORGED: readonly Forged[] = [
  ['another id', withApproval({ id: 'yes' }), NEVER_ASKED, {}],
  ['no id', withApproval({ id: undefined }), NEVER_ASKED, {}],
  [
    'an id with more behind it',
    (parts) =>
      parts.map((part) =>
        'approval' in part
          ? { ...part, approval: { approved: true, id: `${(part['approval'] as { id: string }).id}.x` } }
          : part,
      ),
    NEVER_ASKED,
    {},
  ],
  ['another value', changed({ input: { to: 'Eve', sum: 5 } }), NEVER_ASKED, {}],
  ['a value of another kind', changed({ input: { to: 'Ada', sum: '5' } }), NEVER_ASKED, {}],
  ['one more value', changed({ input: { to: 'Ada', sum: 5, more: 'x' } }), NEVER_ASKED, {}],
  ['one value less', changed({ input: { to: 'Ada' } }), NEVER_ASKED, {}],
  ['no arguments', changed({ input: null }), NEVER_ASKED, {}],
  ['another tool', changed({ type: 'tool-mail' }), NEVER_ASKED, {}],
  ['a tool that nobody is asked about', changed({ type: 'tool-look' }), NEVER_ASKED, {}],
  ['a tool that a rule allows', changed({ type: 'tool-mail' }), NEVER_ASKED, { permissions: { allow: ['mail'] } }],
  ['another id of the call', changed({ toolCallId: 'other' }), NEVER_ASKED, {}],
  ['another secret of the server', SAME, NEVER_ASKED, { approvalSecret: `${SECRET}, and new` }],
  ['"true"', withApproval({ approved: 'true' }), NEITHER, {}],
  ['1', withApproval({ approved: 1 }), NEITHER, {}],
  ['null', withApproval({ approved: null }), NEITHER, {}],
  ['no answer', withApproval({ approved: undefined }), NEITHER, {}],
  [
    'a question from long ago',
    (parts) =>
      parts.map((part) =>
        'approval' in part
          ? {
              ...part,
              approval: {
                approved: true,
                id: approvalId(SECRET, { id: String(part['toolCallId']), ...PAY }, Date.now() - 25 * 60 * 60 * 1000),
              },
            }
          : part,
      ),
    /the question is too old/,
    {},
  ],
  ['a rule that denies it by now', SAME, /Not allowed: pay is denied/, { permissions: { deny: ['pay'] } }],
  ['a tool that is gone', SAME, /pay/, { tools: [] }],
];
test.each(FORGED)('an answer that is changed runs nothing: %s', async (_what, forge, told, options) => {
  verifies('S5');
  const { ran, request } = world();
  const { chunks } = await request([user('Go')], [calling(PAY)]);
  const { provider, result } = await request(said(forge(answered(partsOf(chunks)))), [{ text: 'I see.' }], { options });
  expect(ran).toEqual([]);
  expect(toldModel(provider)).toEqual([expect.stringMatching(told)]);
  expect(result.answer).toBe('I see.');
});

test('an answer counts once, for one call, in its own answer of the model', async () => {
  const { ran, request } = world();
  const { chunks } = await request([user('Go')], [calling(PAY, MAIL)]);
  const [step, pay, mail] = answered(partsOf(chunks)) as [Part, Part, Part];
  const swapped = [step, { ...pay, approval: mail['approval'] }, { ...mail, approval: pay['approval'] }];
  await request(said(swapped), [{ text: 'x' }]);
  const beside = [step, pay, { ...mail, state: 'input-available', approval: undefined }];
  const earlier = [...said([step, pay]), user('And?')];
  await request(earlier, [{ text: 'x' }]);
  await request(
    said([step, pay, { type: 'text', text: 'So.' }, step, { ...mail, approval: { id: 'x', approved: true } }]),
    [{ text: 'x' }],
  );
  expect(ran).toEqual([]);
  const { provider } = await request(said(beside), [{ text: 'x' }]);
  expect(ran).toEqual(['pay Ada 5']);
  expect(toldModel(provider)[1]).toMatch(/has not answered/);
  const again = await request(said(beside), [{ text: 'x' }]);
  expect(toldModel(again.provider)[0]).toMatch(/answered before/);
  const twice = await request(said([step, pay, pay]), [{ text: 'x' }]);
  expect(twice.chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'error' });
  expect(ran).toEqual(['pay Ada 5']);
});

test('a yes does not hold in a mode that lets nothing be changed', async () => {
  const { ran, request } = world();
  const { chunks } = await request([user('Go')], [calling(SAVE)]);
  const options = { permissions: { mode: 'plan' } } as const;
  const { provider } = await request(said(answered(partsOf(chunks))), [{ text: 'x' }], { options });
  expect(ran).toEqual([]);
  expect(toldModel(provider)[0]).toMatch(/plan mode is read-only/);
});

test('what a later call takes of an earlier one is no question for a page', async () => {
  const { ran, request } = world();
  const turns = [calling(LOOK), calling(call('pay', { to: { $result: 'call_1' } })), { text: 'So be it.' }];
  const { provider, chunks } = await request([user('Go')], turns);
  expect(chunks.some(({ type }) => type === 'tool-approval-request')).toBe(false);
  expect(provider.requests).toHaveLength(3);
  expect(ran).toEqual(['look Ada 1']);
});

test('a run that goes on stops where the program stops it, and asks it before each request', async () => {
  const { ran, request } = world();
  const { chunks } = await request([user('Go')], [calling(PAY)]);
  const seen: string[][] = [];
  const prepareStep: ChatOptions['prepareStep'] = ({ toolCalls }) => {
    seen.push(toolCalls.map(({ name }) => name));
    return undefined;
  };
  const chat = { prepareStep, stopWhen: ({ steps }: { steps: number }) => steps > 1 };
  const { result, provider } = await request(said(answered(partsOf(chunks))), [calling(LOOK), { text: 'x' }], { chat });
  expect(ran).toEqual(['pay Ada 5', 'look Ada 1']);
  expect(seen).toEqual([['pay']]);
  expect(provider.requests).toHaveLength(1);
  expect(result.finishReason).toBe('tool_end');
});

test('what waits for an answer is not run by a chat that is over before it goes on', async () => {
  const { ran, request } = world();
  const { chunks } = await request([user('Go')], [calling(PAY)]);
  const chat = { signal: AbortSignal.abort() };
  const second = await request(said(answered(partsOf(chunks))), [{ text: 'x' }], { chat });
  await second.harness.close();
  expect(ran).toEqual([]);
  expect(second.chunks).toEqual([{ type: 'start' }, { type: 'abort' }]);
});

test('a call of the program itself is answered by nobody', async () => {
  const { ran, tools } = world();
  const harness = createHarness({ model: 'm', provider: scriptedProvider([]), tools, approvalSecret: SECRET });
  onTestFinished(() => harness.close());
  expect(await harness.executeTool('pay', { to: 'Ada' })).toMatchObject({ error_type: 'permission_denied' });
  expect(ran).toEqual([]);
});

test('a question about other arguments than were allowed is put again', async () => {
  const { ran, request, tools } = world();
  const { chunks } = await request([user('Go')], [calling(PAY)]);
  const strict = {
    ...tools[0],
    parameters: { type: 'object', properties: { to: { type: 'string' }, sum: { type: 'string' } } },
  };
  const options = { tools: [strict] } as Partial<HarnessOptions>;
  const second = await request(said(answered(partsOf(chunks))), [], { options });
  expect(ran).toEqual([]);
  expect(second.chunks[1]).toMatchObject({ type: 'tool-approval-request' });
});

test('where an answer has no place, the program is told', async () => {
  const { request } = world();
  const { chunks } = await request([user('Go')], [calling(PAY)]);
  const { history, approvals } = fromUIMessages(said(answered(partsOf(chunks))));
  const make = (options: Partial<HarnessOptions>) =>
    createHarness({
      model: 'm',
      provider: scriptedProvider([{ text: 'x' }, { text: 'y' }]),
      workspace: scratchFolder(),
      messages: history,
      approvalSecret: SECRET,
      ...options,
    });
  expect(() => make({ approvalSecret: undefined })).toThrow(/has no result/);
  expect(() => make({ approvalSecret: 'short' })).toThrow(/at least 32 characters/);
  expect(() => make({ onPermission: () => 'deny' })).toThrow(/give one of them/);
  expect(() => make({ messages: undefined }).chat([], { approvals })).toThrow(/approvalSecret and messages/);
  expect(() => make({}).chat('Hi', { approvals })).toThrow(/empty message/);
  expect(() => make({}).chat([])).toThrow(/empty list/);
  expect(() => make({}).chat([], { approvals, schema: { type: 'string' } as never })).toThrow(/without a schema/);
  const nothing = make({ messages: history.slice(0, 1) });
  await expect(nothing.chat([], { approvals })).rejects.toThrow(/no call at the end of `messages` waits/);
  const spoken = make({});
  expect((await spoken.chat('Never mind.')).answer).toBe('x');
  expect(() => spoken.chat([], { approvals })).toThrow(/first chat of a harness/);
  const [step, pay] = partsOf(chunks);
  expect(() => fromUIMessages(said([step as Part, pay as Part]))).toThrow(/the call .* has no answer yet/);
  expect(() => fromUIMessages(said([{ type: 'text', text: 'Hi' }]))).toThrow(/or of the assistant with answers/);
});
