/** Making room on request: the same command over the command line, HTTP and the list of sessions. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter, startHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { scratchFolder } from '../support/scratch.ts';
import { testServer } from '../support/test-server.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';

describe('halter run --compact', () => {
  it.each([
    ...['text', 'json', 'stream-json'].map((format) => [['--session', 'nosuch', '--compact', '--format', format]]),
    [['--session', 'nosuch', '--compact=the names']],
    [['-c', '--compact']],
    [['-c', '--compact', '--format', 'json']],
  ])('%j fails where there is no such session, and makes none', async (args) => {
    verifies('B7');
    const server = await startScriptedServer({ turns: [{ text: 'never asked' }] });
    onTestFinished(() => server.close());
    const options = { home: scratchFolder(), cwd: scratchFolder() };
    const made = await runHalter(['run', ...args, '--provider', 'openai', '--base-url', server.openaiUrl], options);
    expect([made.code, `${made.out}${made.err}`]).toEqual([
      1,
      expect.stringMatching(/There is no session|has no session yet/),
    ]);
    const listed = await runHalter(['sessions', 'list', '--all', '--json'], options);
    expect(listed.json()).toEqual({ sessions: [] });
  });

  it('makes room in the session that is named, alone or before a message, and the session shows it', async () => {
    verifies('B7');
    const notes = '{"goal": "count foxes", "decisions": [], "facts": ["the quick fox jumps over the dog"], "open": []}';
    const server = await startScriptedServer({
      turns: (request) => ({ text: request.text.includes('Write notes for yourself') ? notes : WORDS.repeat(60) }),
      models: [{ id: 'test-model', context_length: 32_768, loaded_context_length: 32_768 }],
    });
    onTestFinished(() => server.close());
    const options = { home: scratchFolder(), cwd: scratchFolder() };
    const flags = ['--provider', 'openai', '--base-url', server.openaiUrl];
    for (const text of ['My dog is called Rex.', 'two', 'three', 'four']) {
      expect((await runHalter(['run', text, '--session', 'work', ...flags], options)).code).toBe(0);
    }
    const made = await runHalter(['run', '--session', 'work', '--compact', '--format', 'json', ...flags], options);
    expect(made.code).toBe(0);
    expect(made.json()).toMatchObject({ session_id: 'work', compacted: true });
    const after = /Room was made in the window: about [\d,]+ tokens became ([\d,]+)\..*The model wrote notes/.exec(
      made.err,
    );
    const shown = await runHalter(['sessions', 'show', 'work'], options);
    expect(shown.err).toContain(`for the model this conversation is about ${after?.[1]} tokens now`);
    expect(shown.out).toMatch(/Room was made[\s\S]*noted: the quick fox jumps over the dog/);
    await runHalter(['run', 'What is my dog called?', '--session', 'work', ...flags], options);
    expect(server.requests.at(-1)?.text).toContain('My dog is called Rex.');
    expect(server.requests.at(-1)?.text).toContain('the quick fox jumps over the dog');

    const streamed = await runHalter(
      ['run', '--session', 'work', '--compact', '--format', 'stream-json', ...flags],
      options,
    );
    const types = streamed.lines().map(({ type }) => type);
    expect([types[0], types.at(-1)]).toEqual(['session', 'turn_end']);
    expect(types).toEqual(expect.arrayContaining(['compaction', 'warning']));
    expect(streamed.lines().at(-1)).toMatchObject({ exit_reason: 'answered' });

    // What is written behind `=` is kept, whatever the notes say.
    const focused = await runHalter(['run', '--session', 'work', '--compact=the port is 4711', ...flags], options);
    expect(focused).toMatchObject({
      code: 0,
      err: expect.stringContaining('The model is told to keep in mind: the port is 4711.'),
    });
    const asked = await runHalter(['run', 'Which port?', '--session', 'work', ...flags], options);
    expect(asked.code).toBe(0);
    expect(server.requests.at(-1)?.text).toContain('the port is 4711');
    const now = await runHalter(['sessions', 'show', 'work'], options);
    expect(now.err).toMatch(/for the model this conversation is [\d,]+ tokens now/);

    // Each time gently, until only the last turn is left.
    for (let time = 0; time < 2; time += 1)
      await runHalter(['run', '--session', 'work', '--compact', ...flags], options);
    const again = await runHalter(['run', '--session', 'work', '--compact', ...flags], options);
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining('too little to drop') });
    expect((await runHalter(['run', '--compact', ...flags], options)).code).toBe(2);
    // Typed as in the terminal app it does not go to the model.
    const requests = server.requests.length;
    const typed = await runHalter(['run', '--session', 'work', '/compact the port', ...flags], options);
    expect(typed).toMatchObject({ code: 2, err: expect.stringContaining('halter run -c --compact') });
    expect(server.requests).toHaveLength(requests);
    const other = await runHalter(['run', '--session', 'work', '/compcat the port', ...flags], options);
    expect(other).toMatchObject({ code: 0, err: expect.stringContaining('There is no command /compcat') });
  });
});

describe('Ctrl+C while room is made', () => {
  const CASES = [
    ['alone', [], 'SIGINT'],
    ['before a message', ['What now?'], 'SIGINT'],
    ['by another signal', ['What now?'], 'SIGTERM'],
  ] as const;
  it.each(everyNth(CASES, 2))(
    '%s: leaves nothing out, sends nothing, and is 130',
    async (_case, prompt, signal) => {
      verifies('B7');
      const asked = Promise.withResolvers<void>();
      const server = await startScriptedServer({
        turns: (request) => {
          if (!request.text.includes('Write notes for yourself')) return { text: WORDS.repeat(60) };
          asked.resolve();
          return { text: '{}', headersGate: new Promise<void>(() => {}) };
        },
        models: [{ id: 'test-model', context_length: 32_768, loaded_context_length: 32_768 }],
      });
      onTestFinished(() => server.close());
      const options = { home: scratchFolder(), cwd: scratchFolder() };
      const flags = ['--session', 'work', '--provider', 'openai', '--base-url', server.openaiUrl];
      for (const text of ['one', 'two', 'three', 'four']) await runHalter(['run', text, ...flags], options);
      const running = startHalter(['run', ...prompt, '--compact', '--format', 'stream-json', ...flags], options);
      await asked.promise;
      running.child.kill(signal);
      const ended = await running.finished;
      expect(ended).toMatchObject({ code: 130, err: expect.stringContaining('nothing was left out') });
      expect(ended.lines().map(({ type }) => type)).toEqual(
        expect.arrayContaining(['session', 'compaction', 'turn_end']),
      );
      expect(ended.lines().at(-1)).toMatchObject({ type: 'turn_end', exit_reason: 'interrupted', session_id: 'work' });
      const exported = await runHalter(['sessions', 'export', 'work', '--format', 'jsonl'], options);
      expect(exported.out).not.toContain('context_compacted');
      expect(exported.out).not.toContain('What now?');
    },
    120_000,
  );
});

describe('a compaction that is killed in the middle', () => {
  it('leaves the session as it was; it goes on, makes room then, and is the same to a replay', async () => {
    verifies('B7', 'B5');
    const never = new Promise<void>(() => {});
    let isHeld = true;
    const asked = Promise.withResolvers<void>();
    const server = await startScriptedServer({
      turns: (request) => {
        if (!request.text.includes('Write notes for yourself')) return { text: WORDS.repeat(60) };
        asked.resolve();
        return isHeld ? { text: '{}', headersGate: never } : { text: '{"goal": "a dog called Rex"}' };
      },
      models: [{ id: 'test-model', context_length: 32_768, loaded_context_length: 32_768 }, { id: 'other-model' }],
    });
    onTestFinished(() => server.close());
    const options = { home: scratchFolder(), cwd: scratchFolder() };
    const flags = ['--session', 'work', '--provider', 'openai', '--base-url', server.openaiUrl];
    for (const text of ['My dog is called Rex.', 'two', 'three', 'four']) {
      expect((await runHalter(['run', text, ...flags], options)).code).toBe(0);
    }
    const killed = startHalter(['run', '--compact', ...flags], options);
    await asked.promise;
    killed.child.kill('SIGKILL');
    await killed.finished;
    isHeld = false;
    const made = await runHalter(['run', '--compact', ...flags], options);
    expect(made).toMatchObject({ code: 0, err: expect.stringMatching(/Room was made[\s\S]*wrote notes/) });
    const other = await runHalter(['run', 'What is my dog called?', '-m', 'other-model', ...flags], options);
    expect(other.code).toBe(0);
    expect(server.requests.at(-1)?.text).toContain('My dog is called Rex.');
    const replayed = await runHalter(['replay', 'work'], options);
    expect(replayed).toMatchObject({ code: 0 });
  });
});

describe('POST …/commands', () => {
  it('takes what matters along, and refuses what is no text', async () => {
    verifies('B7');
    const server = await testServer(async (request) => ({
      text: JSON.stringify(request.messages.at(-1)).includes('Write notes') ? '{"goal": "x"}' : WORDS.repeat(60),
    }));
    const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
    for (let at = 0; at < 6; at += 1) {
      await server.json('POST', '/api/chat', { chat_id: id, message: `Question ${at}` });
    }
    const command = (body: object) => server.call('POST', `/api/sessions/${id}/commands`, body);
    expect((await command({ type: 'compact', focus: 7 })).status).toBe(400);
    expect((await command({ type: 'compact', focus: 'the foxes' })).status).toBe(200);
    const asked = server.provider.requests.find(({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('Write notes'),
    );
    expect(JSON.stringify(asked?.messages.at(-1))).toContain('What matters most: the foxes');
  });
});
