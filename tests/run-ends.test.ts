/**
 * A run can end without the person's doing while a tool runs. Whoever reads on, a person or the model, then reads what
 * happened and whether the call took effect, never the bare word that it was cancelled.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { Agent } from '../src/agent/create-agent.ts';
import type { OpenSession } from '../src/agent/session.ts';
import { cancelRun } from '../src/cluster/end-run.ts';
import { standingOf } from '../src/cluster/poison.ts';
import { openChanges } from '../src/core/changes.ts';
import { createDeferred } from '../src/core/deferred.ts';
import type { Event } from '../src/core/events.ts';
import { exportSession } from '../src/core/export-session.ts';
import type { JsonObject } from '../src/core/json.ts';
import { failure, succeed } from '../src/core/outcome.ts';
import type { JobRecords } from '../src/core/storage-port.ts';
import { defineTool } from '../src/core/tool/define-tool.ts';
import { systemClock } from '../src/io/clock.ts';
import { detectSandbox } from '../src/sandbox/index.ts';
import { type ScriptedProviderSource, scriptedProvider } from '../src/testing/index.ts';
import { reduce } from '../web/src/state/reduce.ts';
import { EMPTY_VIEW } from '../web/src/state/view.ts';
import { verifies } from './requirements.ts';
import { assembled, openedSession, say } from './support/assembled.ts';
import { scratchFolder } from './support/scratch.ts';

/** The database of every session is away while it is `away`; `from` says with which event that begins, `tries` when it ends. */
type Outage = { away: boolean; isOver?: boolean; copiedTo?: number; tries?: number };
const withOutages = ({ sessions }: Agent, from: (event: Event) => boolean = () => false): Outage => {
  const state: Outage = { away: false };
  const open = sessions.open.bind(sessions);
  vi.spyOn(sessions, 'open').mockImplementation(async (id) => {
    const opened = await open(id);
    if (!opened.ok) return opened;
    const { log } = opened.value;
    const append: typeof log.append = async (event) => {
      state.away ||= from(event);
      if (state.away && state.tries !== undefined) {
        state.isOver = state.tries <= 0;
        state.tries -= 1;
      }
      return state.away && !state.isOver ? failure('io_error', 'the database is away') : log.append(event);
    };
    const { copiedTo } = state;
    return { ...opened, value: { ...opened.value, copiedTo, log: { append, close: () => log.close() } } };
  });
  return state;
};

/** What anybody reads of it later: in an export, in the page, and the model with the next message. */
const readLater = async (session: OpenSession, requests: readonly unknown[]): Promise<Record<string, string>> => {
  const events = [...session.log()];
  await say(session, 'and now?');
  const page = reduce(EMPTY_VIEW, events, 0);
  return {
    log: JSON.stringify(events.filter(({ type }) => type === 'tool_finished')),
    'an export': exportSession(events, 'markdown'),
    page: JSON.stringify(page.items),
    model: JSON.stringify(requests.at(-1)),
  };
};

type Begun = { halter: Agent; session: OpenSession; outage: Outage; requests: readonly unknown[] };
type End = { said: RegExp; end(begun: Begun): Promise<OpenSession> };

/** What another process finds of a session whose process is gone. */
const leftBehind = async ({ halter, session }: Begun): Promise<string> => {
  const [first, ...rest] = session.log();
  const id = 'left-behind';
  const made = await halter.sessions.create(id, [{ ...(first as Event), session_id: id } as Event, ...rest]);
  if (!made.ok) throw new Error(made.error.message);
  return id;
};
const partsOf = ({ sessions, limits, verdict }: Agent) => ({ sessions, limits, clock: systemClock, verdict });
/** Records of a job that has cost so many workers their lives that it is given up. */
const given_up = {
  deaths: async () => succeed(9),
  notePlace: async () => succeed({ here: 99, own: 99, others: 0 }),
  fail: async () => succeed(undefined),
} as unknown as JobRecords;

const ENDS: Record<string, End> = {
  'the log cannot be written for a while': {
    said: /The conversation could not be saved any more, so the run was stopped while this ran\./,
    async end({ session, outage }) {
      outage.away = true;
      await session.send({ type: 'rename', title: 'noticed by this' });
      await session.idle();
      outage.isOver = true;
      return session;
    },
  },
  'the session is closed, as by SIGTERM': {
    said: /halter was ended while this ran\./,
    async end({ halter, session }) {
      await session.close();
      return openedSession(halter, { id: session.id });
    },
  },
  'the process is killed': {
    said: /halter was ended while this ran\./,
    end: async (begun) => openedSession(begun.halter, { id: await leftBehind(begun) }),
  },
  'the database was restored from a backup': {
    said: /The database was restored from a backup that was made while this ran\./,
    async end(begun) {
      begun.outage.copiedTo = begun.session.log().length;
      return openedSession(begun.halter, { id: await leftBehind(begun) });
    },
  },
  'a worker is killed, and another one goes on': {
    said: /The worker was ended or cut off while this ran\./,
    async end(begun) {
      const session = await openedSession(begun.halter, { id: await leftBehind(begun), goesOn: true });
      await session.idle();
      return session;
    },
  },
  'a message has cost too many workers': {
    said: /99 workers died with this message.*The worker was ended or cut off while this ran\./,
    async end(begun) {
      const id = await leftBehind(begun);
      const job = { session: id, command: { type: 'send_message', content: 'go' } as const };
      expect(await standingOf(given_up, partsOf(begun.halter), `${id}/1`, job)).toMatchObject({ ok: true });
      return openedSession(begun.halter, { id });
    },
  },
  'it is cancelled while its worker is gone': {
    said: /Cancelled while no worker ran this conversation\. The worker was ended or cut off while this ran\./,
    async end(begun) {
      const id = await leftBehind(begun);
      expect(await cancelRun(partsOf(begun.halter), id)).toMatchObject({ ok: true });
      return openedSession(begun.halter, { id });
    },
  },
};

/** Goes on until it is told to end, and then says nothing of what it did. */
const hanging = (onStart: () => void) =>
  defineTool({
    name: 'hang',
    description: 'Waits',
    parameters: { type: 'object', properties: {} },
    effects: 'write',
    timeout_ms: 0,
    run: (_, { signal }) => {
      onStart();
      return new Promise<string>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
      );
    },
  });

describe('a call whose run was ended', () => {
  test.each(Object.entries(ENDS))(
    'is told whether it took effect where %s',
    async (_, { said, end }) => {
      verifies('B5');
      const started = createDeferred<void>();
      const calls = [{ name: 'hang', arguments: {} }];
      const modelProvider = scriptedProvider([{ calls }, { text: 'I see.' }, { text: 'I see.' }]);
      const tools = [hanging(() => started.resolve())];
      const plugins = { tools, dialects: [], providers: {}, commands: [] };
      const halter = await assembled({ modelProvider, plugins, mode: 'yolo' });
      const outage = withOutages(halter);
      const session = await openedSession(halter);
      await session.send({ type: 'send_message', content: 'go' });
      await started.promise;
      const later = await end({ halter, session, outage, requests: modelProvider.requests });
      for (const [reader, text] of Object.entries(await readLater(later, modelProvider.requests))) {
        expect(text, reader).toMatch(said);
        expect(text, reader).toContain('hang: whether it took effect cannot be known. Look before you do it again.');
        expect(text, reader).not.toContain('Cancelled.');
      }
    },
    60_000,
  );

  test('is told where the model was to answer', async () => {
    verifies('B5');
    const asked = createDeferred<void>();
    const provider = scriptedProvider([{ text: 'never' }, { text: 'I see.' }]);
    let first = true;
    const stream: typeof provider.stream = (request, emit, signal) => {
      if (!first) return provider.stream(request, emit, signal);
      first = false;
      asked.resolve();
      const error = { code: 'cancelled', message: 'The request was cancelled.' } as const;
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve({ ok: false, error, partial: true })),
      );
    };
    const halter = await assembled({ modelProvider: { ...provider, stream } });
    const outage = withOutages(halter);
    const session = await openedSession(halter);
    await session.send({ type: 'send_message', content: 'go' });
    await asked.promise;
    outage.away = true;
    await session.send({ type: 'rename', title: 'noticed by this' });
    await session.idle();
    const failed = session.log().find(({ type }) => type === 'model_failed');
    expect(failed).toMatchObject({
      message: expect.stringMatching(/could not be saved any more.* before the model answered/),
    });
  });
});

type Row = { name: string; args: JsonObject; sandboxed?: boolean };
const EFFECTS: Record<string, Row> = {
  'a command in a layer': { name: 'bash', args: { command: 'echo new > a; echo new > b' }, sandboxed: true },
  write_file: { name: 'write_file', args: { path: 'b', content: 'new' } },
  edit_file: { name: 'edit_file', args: { path: 'a', old_text: 'old', new_text: 'new' } },
};
const isApplying = (event: Event): boolean =>
  event.type === 'layer_changed' ? event.state === 'applying' : event.type === 'change_recorded';
const isApplied = (event: Event): boolean =>
  event.type === 'layer_changed' ? event.state === 'applied' : event.type === 'tool_finished';

const placeOf = (event: Event | undefined) => ({ seq: event?.seq, at: event?.at });

describe('what an outage left of a call', () => {
  for (const [what, { name, args, sandboxed = false }] of Object.entries(EFFECTS))
    for (const [moment, from, isKept] of [
      ['before it is put in place', isApplying, false],
      ['when its change is noted', (event: Event) => event.type === 'change_recorded', false],
      ['after it was put in place', isApplied, true],
    ] as const)
      test(`${what}, ${moment}: is ${isKept ? 'never lost' : 'never said as applied'}`, async (context) => {
        verifies('B12');
        if (sandboxed && (await detectSandbox()).kind !== 'bubblewrap') context.skip('bubblewrap does not work here');
        const folder = scratchFolder();
        writeFileSync(join(folder, 'a'), 'old\n');
        const turns: ScriptedProviderSource[] = [{ calls: [{ name, arguments: args }] }, { text: 'I see.' }];
        const modelProvider = scriptedProvider(turns);
        const halter = await assembled({ folder, modelProvider, mode: 'yolo', sandbox: true });
        const outage = withOutages(halter, from);
        const session = await openedSession(halter);
        await say(session);
        expect(outage.away).toBe(true);
        outage.isOver = true;
        // Another process opens what was kept of it in the end.
        await session.close();
        const later = await openedSession(halter, { id: session.id });
        const changed = openChanges(later.log()).map(({ path }) => path);
        const files = readFileSync(join(folder, 'a'), 'utf8');
        const result = later.log().find((event) => event.type === 'tool_finished');
        const told = JSON.stringify(result);
        expect(told).not.toContain('Cancelled.');
        if (isKept) {
          expect(changed.length).toBeGreaterThan(0);
          expect(told).not.toContain('not applied');
        } else {
          expect(files).toBe('old\n');
          expect(result).toMatchObject({ result: { success: false } });
          expect(told).toMatch(/could not be saved any more.*not applied|Nothing was written/);
          expect(told).not.toMatch(/being applied|: applied/);
          const undone = await later.send({ type: 'undo' });
          expect(undone).toMatchObject({ ok: false });
          if (name === 'bash') expect(changed).toEqual([]);
          // In words that versions before this one read rightly: they take each state but these for `applied`.
          const noted = later.log().filter((event) => event.type === 'layer_changed');
          expect(noted.filter(({ state }) => !['opened', 'applying'].includes(state))).toEqual([]);
          if (name === 'bash') expect(noted.at(-1)).toEqual({ ...noted[0], dropped: true, ...placeOf(noted.at(-1)) });
        }
      }, 60_000);
});

describe('what a person reads of a run that ended since it could not be saved', () => {
  const MENDED = /could not be saved.*What was said is saved by now; send the message again\.$/;
  const NOT_YET =
    /cannot be saved.*Send the message again once that is mended: what was said meanwhile is saved then\.$/;
  const ROWS: [what: string, from: Event['type'], tries: number | undefined, said: RegExp][] = [
    ['the message itself, mended by then', 'user_message_added', 1, MENDED],
    ['the message itself, not mended', 'user_message_added', undefined, NOT_YET],
    ['the answer, mended by then', 'assistant_message_added', 1, MENDED],
    ['the answer, not mended', 'assistant_message_added', undefined, NOT_YET],
    ['the answer, mended after the first words', 'assistant_message_added', 2, NOT_YET],
  ];
  test.each(ROWS)('says whether that is mended: %s', async (_, from, tries, said) => {
    verifies('B5', 'B12');
    const modelProvider = scriptedProvider([
      { calls: [{ name: 'get_current_time', arguments: {} }] },
      { text: 'I see.' },
    ]);
    const halter = await assembled({ modelProvider, mode: 'yolo' });
    const outage = withOutages(halter, ({ type }) => type === from);
    if (tries !== undefined) outage.tries = tries;
    const session = await openedSession(halter);
    const heard: string[] = [];
    session.subscribe((update) => {
      if (update.type === 'run_stopped') heard.push(update.message ?? '');
    });
    await say(session);
    expect(heard).toEqual([expect.stringMatching(said)]);
    outage.isOver = true;
    delete outage.tries;
    await session.close();
    // Another process reads the same.
    const later = await openedSession(halter, { id: session.id });
    expect(later.log().find(({ type }) => type === 'run_stopped')).toMatchObject({ message: heard[0] });
    const shown = { seqs: later.log().map(({ seq }) => seq) };
    expect(shown.seqs).toEqual(shown.seqs.map((_seq, at) => at + 1));
  });
});
