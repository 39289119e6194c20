/** Making room because the person asks for it: what is said meanwhile waits, and it can be stopped. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import type { SessionFace, SessionUpdate } from '../../../core/events.ts';
import type { ModelProvider, ModelRequest } from '../../../core/model-port.ts';
import { scriptedProvider } from '../../../testing/index.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';
const NOTES = '{"facts": ["the quick fox jumps"]}';
/** As it was asked for. */
const EMPTY = '{"goal": "", "decisions": [], "facts": [], "open": []}';
const isNotes = (request: ModelRequest): boolean =>
  JSON.stringify(request.messages.at(-1)).includes('Write notes for yourself');

/** A session with something to drop; `gate` holds the notes of the model back. */
const conversation = async (gate: () => Promise<void> | undefined) => {
  const asked = Promise.withResolvers<void>();
  const scripted = scriptedProvider(
    (request) => {
      if (!isNotes(request)) return { text: WORDS.repeat(40) };
      asked.resolve();
      const held = gate();
      return { text: NOTES, ...(held ? { gate: held } : {}) };
    },
    { models: [{ id: 'test-model', context_length: 32_768 }] },
  );
  const agent = await assembled({ modelProvider: scripted });
  const session = await openedSession(agent);
  for (let at = 0; at < 6; at += 1) await say(session, `Question ${at}`);
  const told: SessionUpdate[] = [];
  session.subscribe((update) => told.push(update));
  return { session, scripted, asked: asked.promise, told };
};
const never = new Promise<void>(() => {});
const typesOf = (session: SessionFace): string[] => session.log().map(({ type }) => type);
const statesOf = (told: readonly SessionUpdate[]): string[] =>
  told.flatMap((update) => (update.type === 'compaction' ? [update.state] : []));

describe('room between two messages', () => {
  it('leaves the file that the last answer was about, so that it can be asked about and changed', async () => {
    verifies('B7');
    const folder = scratchFolder();
    putFiles(
      folder,
      Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`f${n}.txt`, `${n} ${WORDS}\n`.repeat(150)])),
    );
    const scripted = scriptedProvider(
      (request) => {
        const last = request.messages.at(-1);
        const [file] = /f\d+\.txt/.exec(last?.role === 'user' ? JSON.stringify(last.content) : '') ?? [];
        if (isNotes(request)) return { text: NOTES };
        return file
          ? { calls: [{ name: 'read_file', arguments: { path: file, full: true } }] }
          : { text: 'It is about a fox.' };
      },
      { models: [{ id: 'test-model', context_length: 16_384 }] },
    );
    const session = await openedSession(await assembled({ modelProvider: scripted, mode: 'yolo', folder }));
    for (let at = 0; at < 12; at += 1) {
      await say(session, `Read f${at}.txt.`);
      await say(session, 'Now tell me more of it.');
      expect(JSON.stringify(scripted.requests.at(-1)?.messages)).toContain(`150: ${at} The quick`);
    }
    const made = session.log().filter((event) => event.type === 'context_compacted');
    expect(made.length).toBeGreaterThan(2);
    for (const { report } of made) expect(report?.after_tokens).toBeLessThan((16_384 * 2) / 3);
  });
});

describe('room that the person asks for', () => {
  it.each([0, 2, 4, 8])(
    'is not made for a few words beside instructions and tools: answers of %i lines',
    async (lines) => {
      verifies('B7');
      const scripted = scriptedProvider(() => ({ text: `Yes. ${WORDS.repeat(lines)}` }), {
        models: [{ id: 'test-model', context_length: 8_192 }],
      });
      const session = await openedSession(await assembled({ modelProvider: scripted, compaction: 'rules' }));
      for (let at = 0; at < 9; at += 1) {
        await say(session, `Short question number ${at}, of a few words.`);
        await session.send({ type: 'compact' });
      }
      for (const event of session.log()) {
        if (event.type !== 'context_compacted' || !event.report) continue;
        const { before_tokens: before, after_tokens: after } = event.report;
        expect(before - after).toBeGreaterThanOrEqual(before / 10);
      }
    },
  );

  it('is not made where they stop it, and nothing is left out', async () => {
    verifies('B7');
    const { session, asked, told } = await conversation(() => never);
    const making = session.send({ type: 'compact' });
    await asked;
    expect(await session.send({ type: 'cancel' })).toEqual({ ok: true });
    expect(await making).toMatchObject({ ok: false, message: expect.stringContaining('Stopped') });
    expect(typesOf(session)).not.toContain('context_compacted');
    expect(statesOf(told)).toEqual(['started', 'cancelled']);
    await say(session, 'Still there?');
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
  });

  it('lets a message wait until it is made, so that the answer is to the shorter prompt', async () => {
    verifies('B7');
    const gate = Promise.withResolvers<void>();
    const { session, asked, scripted, told } = await conversation(() => gate.promise);
    const making = session.send({ type: 'compact' });
    await asked;
    await session.send({ type: 'send_message', content: 'And now?' });
    expect(await session.send({ type: 'compact' })).toMatchObject({ ok: false });
    gate.resolve();
    expect(await making).toEqual({ ok: true });
    await session.idle();
    const types = typesOf(session);
    expect(types.lastIndexOf('context_compacted')).toBeLessThan(types.lastIndexOf('user_message_added'));
    expect(JSON.stringify(scripted.requests.at(-1)?.messages)).toContain('noted: the quick fox jumps');
    expect(statesOf(told)).toEqual(['started', 'finished']);
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
  });

  it('has the notes of the model also after a run that was stopped', async () => {
    const gate = Promise.withResolvers<void>();
    gate.resolve();
    const { session } = await conversation(() => gate.promise);
    await session.send({ type: 'send_message', content: 'One more' });
    await session.send({ type: 'cancel' });
    await session.idle();
    expect(await session.send({ type: 'compact' })).toEqual({ ok: true });
    expect(session.log().findLast(({ type }) => type === 'context_compacted')).toMatchObject({
      notes: { facts: ['the quick fox jumps'] },
    });
  });

  it.each([
    ['prose', 'I would rather talk about foxes.', true],
    ['notes', NOTES, undefined],
    [
      'notes of which none is true',
      '{"goal": "Sell the kiosk of Uncle Eberhard", "open": ["Delete src/till.ts"]}',
      undefined,
    ],
    ['notes that note nothing', '{"goal": "", "facts": []}', true],
    ['notes in which each part that was asked for is empty', EMPTY, undefined],
    ['the same in words around it', `Here they are:\n\`\`\`json\n${EMPTY}\n\`\`\``, undefined],
  ])('says whether what the model wrote as notes could be used: %s', async (_what, text, isFailed) => {
    verifies('B7');
    const scripted = scriptedProvider((request) => (isNotes(request) ? { text } : { text: WORDS.repeat(40) }), {
      models: [{ id: 'test-model', context_length: 32_768 }],
    });
    const session = await openedSession(await assembled({ modelProvider: scripted }));
    for (let at = 0; at < 6; at += 1) await say(session, `Question ${at}`);
    expect(await session.send({ type: 'compact' })).toEqual({ ok: true });
    expect(scripted.requests.filter(isNotes)).toHaveLength(1);
    const event = session.log().findLast(({ type }) => type === 'context_compacted');
    expect(event?.type === 'context_compacted' && event.report?.notes_failed).toBe(isFailed);
  });

  it('ends with the session, however long the model takes', async () => {
    const { session, asked } = await conversation(() => never);
    const making = session.send({ type: 'compact' });
    await asked;
    await session.close();
    expect(await making).toMatchObject({ ok: false });
    expect(typesOf(session)).not.toContain('context_compacted');
  });

  it.each([
    ['with much to drop, though the notes leave it out', 6],
    ['with nothing to drop', 1],
  ])('keeps what the person wants kept, word for word, %s', async (_how, turns) => {
    verifies('B7');
    const scripted = scriptedProvider((request) => (isNotes(request) ? { text: NOTES } : { text: WORDS.repeat(40) }), {
      models: [{ id: 'test-model', context_length: 32_768 }],
    });
    const session = await openedSession(await assembled({ modelProvider: scripted }));
    const wanted = 'remember the port 8149 and the name heron-7';
    expect(await session.send({ type: 'compact', focus: wanted })).toMatchObject({ ok: false });
    for (let at = 0; at < turns; at += 1) await say(session, `Question ${at}`);
    const said: string[] = [];
    session.subscribe((update) => {
      if (update.type === 'warning') said.push(update.message);
    });
    expect(await session.send({ type: 'compact', focus: wanted })).toEqual({ ok: true });
    expect(said.join()).toContain(`The model is told to keep in mind: ${wanted}.`);
    await say(session, 'And now?');
    expect(JSON.stringify(scripted.requests.at(-1)?.messages)).toContain(wanted);
    // Later ones keep it too.
    for (let at = 0; at < 5; at += 1) await say(session, `More ${at}`);
    expect(await session.send({ type: 'compact' })).toEqual({ ok: true });
    await say(session, 'Still?');
    const prompt = JSON.stringify(scripted.requests.at(-1)?.messages);
    expect(prompt.split(wanted)).toHaveLength(2);
  });

  it('is refused in words where there is nothing to drop', async () => {
    const scripted = scriptedProvider(() => ({ text: 'Hello.' }));
    const session = await openedSession(await assembled({ modelProvider: scripted }));
    expect(await session.send({ type: 'compact' })).toMatchObject({ ok: false, message: /too little to drop/ });
    await say(session, 'Hello');
    expect(await session.send({ type: 'compact' })).toMatchObject({ ok: false, message: /too little to drop/ });
    expect(scripted.requests).toHaveLength(1);
  });
});

it('a run that is stopped while notes are written leaves nothing out', async () => {
  verifies('B7');
  const asked = Promise.withResolvers<void>();
  let holds = false;
  const scripted = scriptedProvider(
    (request) => {
      if (!isNotes(request)) return { text: WORDS.repeat(30) };
      asked.resolve();
      return holds ? { text: NOTES, gate: never } : { text: NOTES };
    },
    { models: [{ id: 'test-model', context_length: 8_192 }] },
  );
  const session = await openedSession(await assembled({ modelProvider: scripted }));
  holds = true;
  const run = (async () => {
    for (let at = 0; at < 40; at += 1) await say(session, `Question ${at}: ${WORDS.repeat(6)}`);
  })();
  await asked.promise;
  await session.send({ type: 'cancel' });
  expect(typesOf(session)).not.toContain('context_compacted');
  holds = false;
  await run;
  expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
  expect(typesOf(session)).toContain('context_compacted');
});

describe('Esc while room is made by itself', () => {
  const filled = async (options: { ignoresAbort?: boolean } = {}) => {
    const asked = Promise.withResolvers<void>();
    let holds = true;
    const scripted = scriptedProvider(
      (request) => {
        if (!isNotes(request)) return { text: WORDS.repeat(30) };
        asked.resolve();
        return holds ? { text: NOTES, gate: never } : { text: NOTES };
      },
      { models: [{ id: 'test-model', context_length: 8_192 }] },
    );
    const stream: ModelProvider['stream'] = (request, emit, signal) =>
      scripted.stream(request, emit, isNotes(request) && options.ignoresAbort ? new AbortController().signal : signal);
    const session = await openedSession(await assembled({ modelProvider: { ...scripted, stream } }));
    let sent = 0;
    const run = (async () => {
      while (!typesOf(session).includes('run_cancelled') && sent < 60) {
        sent += 1;
        await say(session, `Question ${sent}: ${WORDS.repeat(6)}`);
      }
    })();
    await asked.promise;
    const told: SessionUpdate[] = [];
    session.subscribe((update) => told.push(update));
    const requests = scripted.requests.length;
    return {
      session,
      scripted,
      run,
      told,
      requests,
      sent: () => sent,
      release: () => {
        holds = false;
      },
    };
  };

  it.each([
    ['stops at once, and sends nothing more', false],
    ['stops where the model does not notice it', true],
  ])('%s; nothing is lost, and the session goes on', async (_how, ignoresAbort) => {
    verifies('B7');
    const { session, scripted, run, told, requests, sent, release } = await filled({ ignoresAbort });
    expect(await session.send({ type: 'cancel' })).toEqual({ ok: true });
    await run;
    expect(scripted.requests).toHaveLength(requests);
    expect(typesOf(session)).not.toContain('context_compacted');
    const end = told.findIndex(({ type }) => type === 'run_cancelled');
    // What comes behind the end would stand on the screen as if it went on.
    expect(
      told
        .slice(end + 1)
        .filter(({ seq }) => seq === undefined)
        .map(({ type }) => type),
    ).toEqual([]);
    const said = session.log().filter(({ type }) => type === 'user_message_added');
    expect(said).toHaveLength(sent());
    release();
    await say(session, 'And now?');
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
    expect(typesOf(session)).toContain('context_compacted');
    const prompt = JSON.stringify(scripted.requests.at(-1)?.messages);
    expect(prompt).toContain('Question 1:');
    expect(prompt).toContain(`Question ${sent()}:`);
    expect(prompt).toContain('And now?');
  });
});
