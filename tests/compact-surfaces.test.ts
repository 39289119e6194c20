/** `/compact` says what it did, or why it did nothing, in every state of a conversation and on every surface. */
import { expect, it } from 'vitest';
import { performTyped } from '../src/acp/typed-commands.ts';
import { makeRoom } from '../src/cli/run/make-room.ts';
import type { SessionFace } from '../src/core/events.ts';
import type { ModelRequest } from '../src/core/model-port.ts';
import type { CompactionMode } from '../src/core/window/compaction-mode.ts';
import { compactionLines } from '../src/core/window/compaction-text.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { assembled, openedSession, say } from './support/assembled.ts';
import { inTurn } from './support/long.ts';
import { sentEvents } from './support/sent-events.ts';
import { testServer } from './support/test-server.ts';
import { wireSize } from './support/wire-size.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';
const question = (at: number): string => `Question ${at} is about the number ${at * 37}. ${WORDS.repeat(2)}`;

type State = {
  messages: number;
  compaction?: CompactionMode;
  notes?: ScriptedProviderTurn;
  focus?: string;
  /** All that can be dropped is dropped already. */
  isAgain?: true;
  isRunning?: true;
  /** Nobody knows the window. */
  isUnknown?: true;
  says: RegExp;
};
const MADE =
  /^Room was made in the window: about [\d,]+ tokens became [\d,]+\. Left out so far: \d+ turns.*Kept of it: \d+ messages of yours\./;
const withNotes = new RegExp(
  `${MADE.source} The model wrote notes of it: what you said of it, word for word: Question 3 is about the number 111\\. Question 15 is about the number 555\\.$`,
);
const STATES: Readonly<Record<string, State>> = {
  'nothing was said': { messages: 0, says: /^Nothing was said here yet, so there is nothing to drop\.$/ },
  'nothing was said, with words': {
    messages: 0,
    focus: 'the port',
    says: /^Nothing was said here yet, so nothing can/,
  },
  'a short conversation': { messages: 2, says: /^There is too little to drop, so nothing was left out/ },
  'a short conversation, with words': { messages: 2, focus: 'the port', says: /told to keep in mind: the port\.$/ },
  'a short conversation, window unknown': { messages: 2, isUnknown: true, says: /^There is too little to drop/ },
  'a run goes on': { messages: 2, isRunning: true, says: /^A run is going on\. Compact when it is done\.$/ },
  'a long conversation': { messages: 16, says: withNotes },
  'a long conversation, window unknown': { messages: 16, isUnknown: true, says: withNotes },
  'again and again': { messages: 16, isAgain: true, says: /^There is too little to drop, so nothing was left out/ },
  'by rules': { messages: 16, compaction: 'rules', says: new RegExp(`${MADE.source}$`) },
  'compaction off': { messages: 16, compaction: 'off', says: new RegExp(`${MADE.source}$`) },
  'notes that are none': {
    messages: 16,
    notes: { text: 'I will not.' },
    says: /notes could not be used, so rules alone/,
  },
  'notes of which none is true': {
    messages: 16,
    notes: { text: '{"goal": "Sell the kiosk"}' },
    says: new RegExp(`${MADE.source}$`),
  },
  'notes that say that there is nothing to note': {
    messages: 16,
    notes: { text: '{"goal": "", "decisions": [], "facts": [], "open": []}' },
    says: new RegExp(`${MADE.source}$`),
  },
  'notes that fail': {
    messages: 16,
    notes: { error: { code: 'server_error', message: 'boom' } },
    says: /notes could not be used, so rules alone/,
  },
};

const isNotes = (request: ModelRequest): boolean => JSON.stringify(request.messages.at(-1)).includes('Write notes');
const answering =
  ({ notes }: State, held: Promise<void>) =>
  async (request: ModelRequest): Promise<ScriptedProviderTurn> => {
    const usage = { prompt_tokens: wireSize(request), completion_tokens: 20 };
    if (isNotes(request)) return { usage, ...(notes ?? { text: '{"facts": ["about the number 111"]}' }) };
    if (JSON.stringify(request.messages.at(-1)).includes('for long')) return { text: 'Yes.', usage, endGate: held };
    return { text: WORDS.repeat(16), usage };
  };
const optionsOf = ({ compaction }: State) => ({ mode: 'yolo', ...(compaction ? { compaction } : {}) }) as const;
const modelsOf = (id: string, { isUnknown }: State) => [{ id, ...(isUnknown ? {} : { context_length: 16_384 }) }];

/** What a person reads of it. */
type Surface = (
  state: State,
  held: Promise<void>,
) => Promise<{ compact(): Promise<string>; say(text: string): void; made(): string }>;

const withSession =
  (read: (session: SessionFace, focus: string | undefined) => Promise<string>): Surface =>
  async (state, held) => {
    const scripted = scriptedProvider(answering(state, held), { models: modelsOf('test-model', state) });
    const session = await openedSession(await assembled({ modelProvider: scripted, ...optionsOf(state) }));
    for (let at = 0; at < state.messages; at += 1) await say(session, question(at));
    return {
      compact: () => read(session, state.focus),
      say: (content) => void session.send({ type: 'send_message', content }),
      made: () =>
        session
          .log()
          .flatMap((event) => (event.type === 'context_compacted' ? compactionLines(event) : []))
          .join('\n'),
    };
  };

const SURFACES: Readonly<Record<string, Surface>> = {
  'run --compact': withSession(async (session, focus) => {
    const made = await makeRoom({
      session,
      flags: { compact: focus ?? true },
      io: { stderr: { write: () => true } },
      reporter: { line: () => {} },
      recorder: { add: () => [], endAs: () => {} },
      ending: { signal: new AbortController().signal, graceOver: () => new Promise(() => {}) },
      timeIsUp: () => ({ code: 'limit', message: '' }),
    } as never);
    return made.message;
  }),
  'an editor': withSession((session, focus) =>
    performTyped(session, { name: 'compact', argument: focus ?? '' }, new AbortController().signal),
  ),
  'POST …/commands': async (state, held) => {
    const server = await testServer(answering(state, held), { models: modelsOf('m', state), ...optionsOf(state) });
    const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
    for (let at = 0; at < state.messages; at += 1)
      await server.json('POST', '/api/chat', { chat_id: id, message: question(at) });
    const command = (body: object) => server.call('POST', `/api/sessions/${id}/commands`, body);
    let text = '';
    return {
      async compact() {
        const stream = sentEvents(await server.call('GET', `/api/sessions/${id}/events`));
        const { focus } = state;
        const response = await command({ type: 'compact', ...(focus === undefined ? {} : { focus }) });
        if (response.status !== 200) return ((await response.json()) as { error: { message: string } }).error.message;
        for await (const event of stream) {
          if (event.type !== 'warning' || event.data['code'] !== 'context_compacted') continue;
          text = String(event.data['message']);
          break;
        }
        return text.replace(/ The server reads again from .*$/, '');
      },
      say: (content) => void command({ type: 'send_message', content }),
      made: () => text,
    };
  },
};

/** Usually each state on one surface, in turn. */
const ROWS = Object.keys(STATES).flatMap((state, index) =>
  inTurn(Object.keys(SURFACES), index % 3, 3).map((surface) => [state, surface] as const),
);

it.each(ROWS)('%s: %s', async (name, surface) => {
  verifies('B7');
  const state = STATES[name] as State;
  let open = (): void => {};
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  const at = await (SURFACES[surface] as Surface)(state, held);
  if (state.isRunning) at.say('Work for long.');
  if (state.isAgain) for (let time = 0; time < 2; time += 1) expect(await at.compact()).toMatch(MADE);
  expect(await at.compact()).toMatch(state.says);
  // Where there is room for it, nothing that the person said is lost by it.
  expect(at.made()).not.toMatch(/shortened|Nothing was kept|Not kept/i);
  open();
});
