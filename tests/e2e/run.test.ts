/** `halter run` as a process, against a scripted model server that speaks both protocols over real sockets. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedServer, type ScriptedServerOptions, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { OPEN, runHalter, startHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const start = async (
  turns: ScriptedServerOptions['turns'],
  more: ScriptedServerOptions = {},
): Promise<ScriptedServer> => {
  const server = await startScriptedServer({ ...more, ...(turns ? { turns } : {}) });
  onTestFinished(() => server.close());
  return server;
};
const openai = (server: ScriptedServer): string[] => ['--provider', 'openai', '--base-url', server.openaiUrl];
const ollama = (server: ScriptedServer): string[] => ['--provider', 'ollama', '--base-url', server.url];
const folderOfThree = (): string => {
  const folder = scratchFolder();
  putFiles(folder, { 'alpha.txt': 'first\n', 'beta.md': '# second\n', 'gamma.json': '{}' });
  return folder;
};
const looksAndAnswers: ScriptedServerOptions['turns'] = [
  { text: 'Let me look.', calls: [{ name: 'ls', arguments: { path: '.' } }] },
  { text: 'There are alpha.txt, beta.md and gamma.json.' },
];
const answer = 'There are alpha.txt, beta.md and gamma.json.';

describe('halter run', () => {
  it.each([
    ['the OpenAI form', openai],
    ['the Ollama form', ollama],
  ] as const)('calls a tool on the real folder and answers, against %s', async (_form, flags) => {
    verifies('B11', 'Z12', 'Z15');
    const server = await start(looksAndAnswers);
    const ran = await runHalter(['run', 'What files are here?', ...flags(server)], { cwd: folderOfThree() });
    expect(ran).toMatchObject({ code: 0, out: `${answer}\n`, err: expect.stringMatching(/^✓ ls \. {2}\d+ ms\n$/) });
    // The second request holds the result that the tool really had.
    const messages = server.requests[1]?.body['messages'] as { role: string; content: string }[];
    const result = messages.find(({ role }) => role === 'tool')?.content ?? '';
    for (const name of ['alpha.txt', 'beta.md', 'gamma.json']) expect(result).toContain(name);
  });

  it('understands calls that a model writes as text', async () => {
    verifies('K5', 'L1');
    const call = '<tool_call>\n{"name": "bash", "arguments": {"command": "cat alpha.txt"}}\n</tool_call>';
    const server = await start([{ text: call }, { text: 'It says first.' }]);
    const ran = await runHalter(['run', 'Read alpha', '--allow', 'bash', '--format', 'json', ...openai(server)], {
      cwd: folderOfThree(),
    });
    expect(ran.code).toBe(0);
    expect(ran.json()).toMatchObject({
      answer: 'It says first.',
      tools_used: ['bash'],
      tool_calls: [{ name: 'bash', arguments: { command: 'cat alpha.txt' }, result: { success: true } }],
    });
    expect(JSON.stringify(ran.json()['tool_calls'])).toContain('first');
  });

  it('writes stream-json line by line, in a fixed shape', async () => {
    verifies('B11', 'Z5');
    const server = await start(looksAndAnswers);
    const ran = await runHalter(['run', 'What files?', '--format', 'stream-json', ...openai(server)], {
      cwd: folderOfThree(),
    });
    const lines = ran.lines();
    expect(ran.out.endsWith('\n')).toBe(true);
    expect(ran.out).not.toContain('\r');
    for (const line of lines) expect(line).toMatchObject({ type: expect.any(String), at: expect.any(Number) });
    const types = lines.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    expect(types).toEqual([
      'session',
      'model_start',
      'text_delta',
      'usage',
      'tool_call',
      'tool_result',
      'model_start',
      'text_delta',
      'usage',
      'turn_end',
    ]);
    const byType = (type: string) => lines.find((line) => line['type'] === type) ?? {};
    expect(Object.keys(byType('tool_call')).sort()).toEqual(['arguments', 'at', 'id', 'name', 'repairs', 'type']);
    expect(Object.keys(byType('tool_result')).sort()).toEqual(['at', 'id', 'name', 'result', 'type']);
    expect(byType('tool_result')['id']).toBe(byType('tool_call')['id']);
    expect(Object.keys(byType('tool_result')['result'] as object)).toEqual([
      'success',
      'data',
      'error_message',
      'error_type',
      'metadata',
    ]);
    expect(byType('usage')).toMatchObject({
      prompt_tokens: expect.any(Number),
      completion_tokens: expect.any(Number),
      seconds: expect.any(Number),
    });
    expect(byType('turn_end')).toMatchObject({ exit_reason: 'answered', answer });
    const texts = lines.filter(({ type }) => type === 'text_delta').map((line) => line['delta']);
    expect(texts.join('')).toBe(`Let me look.${answer}`);
  });

  it('appends what is piped in to the prompt', async () => {
    const server = await start([{ text: 'ok' }]);
    await runHalter(['run', 'Review', 'this', ...openai(server)], { stdin: '+ one line\n' });
    const messages = server.requests[0]?.body['messages'] as { role: string; content: string }[];
    expect(messages.at(-1)?.role).toBe('user');
    // What a small window keeps behind the message are tools that the words may need.
    expect(messages.at(-1)?.content).toMatch(/^Review this\n\n\+ one line(?:\s+\[Tools for this|$)/);
  });

  it('goes on without standard input that a program left open with nothing in it', async () => {
    const server = await start([{ text: 'ok' }]);
    const running = startHalter(['run', 'hello', ...openai(server)], { stdin: OPEN });
    expect(await running.finished).toMatchObject({ code: 0, out: 'ok\n', err: '' });
  });

  it('writes the answer to a file as well, and names sources', async () => {
    verifies('B11');
    const folder = folderOfThree();
    const server = await start([
      { calls: [{ name: 'read_file', arguments: { path: 'alpha.txt' } }] },
      { text: 'first' },
    ]);
    const ran = await runHalter(['run', 'Read', '--allow', 'read_file', '-o', 'out.txt', ...openai(server)], {
      cwd: folder,
    });
    expect(ran).toMatchObject({ code: 0, out: 'first\n\nSources: read_file\n' });
    expect(fs.readFileSync(path.join(folder, 'out.txt'), 'utf8')).toBe(ran.out);
  });

  it('ends quietly when nobody reads what it streams any more', async () => {
    const folder = scratchFolder();
    const write = (name: string) => ({
      text: `${name}\n`,
      calls: [{ name: 'write_file', arguments: { path: name, content: '' } }],
    });
    const names = ['a', 'b', 'c', 'd'];
    const server = await start([...names.map(write), { text: 'done' }]);
    const running = startHalter(['run', 'Go', '--yolo', '--format', 'stream-json', ...openai(server)], { cwd: folder });
    running.child.stdout?.destroy();
    const ran = await running.finished;
    expect(ran, ran.err).toMatchObject({ code: 130 });
    expect(ran.err).not.toContain('interrupted');
    expect(fs.existsSync(path.join(folder, 'd'))).toBe(false);
    expect(server.requests.length).toBeLessThan(names.length);
  });

  describe('without an answer', () => {
    const failing: readonly [string, ScriptedServerOptions['turns'], number][] = [
      ['the server refuses', [{ status: 400 }], 5],
      ['a permission is missing', [{ calls: [{ name: 'write_file', arguments: { path: 'a', content: '' } }] }], 3],
    ];
    it.each(['text', 'json', 'stream-json'].flatMap((format) => failing.map((row) => [format, ...row] as const)))(
      'keeps an answer that the file of -o holds, and writes a report: %s, %s',
      async (format, _what, turns, code) => {
        const folder = scratchFolder();
        fs.writeFileSync(path.join(folder, 'out.txt'), 'of yesterday\n');
        const server = await start(turns);
        const ran = await runHalter(['run', 'Go', '-o', 'out.txt', '--format', format, ...openai(server)], {
          cwd: folder,
        });
        expect(ran.code, ran.err).toBe(code);
        const held = fs.readFileSync(path.join(folder, 'out.txt'), 'utf8');
        if (format === 'text') expect(held).toBe('of yesterday\n');
        else expect(JSON.parse(held)).toMatchObject({ error: {} });
        expect(ran.err.includes('"out.txt" was left as it was')).toBe(format === 'text');
      },
    );
  });

  describe('with a question and nobody there', () => {
    const wants: ScriptedServerOptions['turns'] = [
      { calls: [{ name: 'write_file', arguments: { path: 'new.txt', content: 'hello\n' } }] },
      { text: 'I could not write it.' },
    ];

    it('ends with exit code 3 and a request that a program can read', async () => {
      verifies('Z8', 'H12', 'B11', 'S3');
      const folder = scratchFolder();
      const server = await start(wants);
      const ran = await runHalter(['run', 'Write', '--format', 'json', ...openai(server)], { cwd: folder });
      expect(ran.code).toBe(3);
      expect(ran.json()).toMatchObject({
        exit_reason: 'permission_required',
        permission_request: {
          name: 'write_file',
          arguments: { path: 'new.txt', content: 'hello\n' },
          risk: 'high',
          rule: 'write_file(=new.txt)',
        },
      });
      expect((ran.json()['permission_request'] as { diff: string }).diff).toContain('+hello');
      expect(fs.existsSync(path.join(folder, 'new.txt'))).toBe(false);
      expect(server.requests).toHaveLength(1);
    });

    it('denies and goes on with --on-ask deny', async () => {
      verifies('Z8');
      const folder = scratchFolder();
      const server = await start(wants);
      const ran = await runHalter(['run', 'Write', '--on-ask', 'deny', ...openai(server)], { cwd: folder });
      expect(ran).toMatchObject({ code: 0, out: 'I could not write it.\n' });
      expect(fs.existsSync(path.join(folder, 'new.txt'))).toBe(false);
      expect(server.requests[1]?.text).toContain('permission_denied');
    });

    it.each([
      [['--deny', 'write_file', '--yolo'], 'permission_denied', false],
      [['--plan', '--allow', 'write_file'], 'permission_denied', false],
      [['--allow', 'write_file(new.*)'], 'Created new.txt with 1 line', true],
      [['--yolo'], 'Created new.txt with 1 line', true],
    ])('follows %j', async (rules, inRequest, written) => {
      verifies('Z7', 'H4');
      const folder = scratchFolder();
      const server = await start(wants);
      const ran = await runHalter(['run', 'Write', ...rules, ...openai(server)], { cwd: folder });
      expect(ran.code).toBe(0);
      expect(server.requests[1]?.text).toContain(inRequest);
      expect(fs.existsSync(path.join(folder, 'new.txt'))).toBe(written);
    });
  });

  describe('at its limits', () => {
    it('stops after the iterations of a message with 504 and exit code 4', async () => {
      verifies('Z14', 'K7', 'E8');
      let number = 0;
      const server = await start(() => ({ calls: [{ name: 'ls', arguments: { path: `d${number++}` } }] }));
      const ran = await runHalter(['run', 'x', '--format', 'stream-json', '--max-iterations', '3', ...openai(server)]);
      expect(ran.code).toBe(4);
      // And a last one, without tools.
      expect(server.requests).toHaveLength(4);
      expect(server.requests[3]?.body['tools']).toBeUndefined();
      expect(ran.lines().filter(({ type }) => type === 'tool_result')).toHaveLength(3);
      expect(ran.lines().find(({ type }) => type === 'limit')).toMatchObject({
        code: 504,
        name: 'ToolLoopLimitReached',
      });
      expect(ran.lines().at(-1)).toMatchObject({ type: 'turn_end', exit_reason: 'limit' });
    });

    it('gives up after repeated bad arguments with 503 and exit code 1', async () => {
      verifies('K4', 'K7');
      const server = await start(() => ({ calls: [{ name: 'read_file', arguments: { wrong: true } }] }));
      const ran = await runHalter(['run', 'x', '--format', 'stream-json', ...openai(server)]);
      expect(ran.code).toBe(1);
      expect(server.requests).toHaveLength(3);
      expect(ran.lines().find(({ type }) => type === 'error')).toMatchObject({
        code: 503,
        name: 'ToolRetriesExhausted',
      });
    });

    it('ends when --max-time is over, even if the server never answers', async () => {
      const server = await start([{ headersGate: new Promise(() => {}) }]);
      const ran = await runHalter(['run', 'x', '--format', 'json', '--max-time', '0.5', ...openai(server)]);
      expect(ran.code).toBe(4);
      expect(ran.json()).toMatchObject({ exit_reason: 'limit', error: { name: 'max_time' } });
    });
  });

  describe('with --json-schema', () => {
    const schema = { type: 'object', properties: { files: { type: 'integer' } }, required: ['files'] };
    const run = async (text: string, given = 'schema.json') => {
      const folder = scratchFolder();
      putFiles(folder, { 'schema.json': JSON.stringify(schema) });
      const server = await start([{ text }]);
      return runHalter(['run', 'Count', '--json-schema', given, ...openai(server)], { cwd: folder });
    };

    it('prints JSON that fits, out of a fence too', async () => {
      expect(await run('{"files": 3}')).toMatchObject({ code: 0, out: '{"files": 3}\n' });
      expect(await run('```json\n{"files": 3}\n```')).toMatchObject({ code: 0, out: '{"files": 3}\n' });
    });

    it('takes the schema itself in the place of a file', async () => {
      expect(await run('{"files": 3}', JSON.stringify(schema))).toMatchObject({ code: 0, out: '{"files": 3}\n' });
      expect(await run('{"files": 3}', '{"type":')).toMatchObject({
        code: 2,
        err: expect.stringContaining('is not JSON'),
      });
    });

    it.each(['length', 'content_filter'])('takes no bare number that may be half of one: %s', async (finish) => {
      const server = await start([{ text: '12', finish }]);
      const ran = await runHalter(['run', 'Count', '--json-schema', '{"type": "integer"}', ...openai(server)]);
      expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringContaining('cut before its JSON was complete') });
      expect(server.requests).toHaveLength(1);
    });

    it('asks once more for an answer that does not fit, with what is wrong with it', async () => {
      const folder = scratchFolder();
      putFiles(folder, { 'schema.json': JSON.stringify(schema) });
      const server = await start([{ text: '{"files": "three"}' }, { text: '{"files": 3}' }]);
      const ran = await runHalter(['run', 'Count', '--json-schema', 'schema.json', ...openai(server)], { cwd: folder });
      expect(ran).toMatchObject({
        code: 0,
        out: '{"files": 3}\n',
        err: expect.stringContaining('asked for once more'),
      });
      expect(server.requests).toHaveLength(2);
      expect(server.requests[1]?.text).toContain('The answer does not fit the schema');
    });

    it('fails where the answer does not fit', async () => {
      expect(await run('{"files": "three"}')).toMatchObject({ code: 1, err: expect.stringContaining('does not fit') });
      expect(await run('three files')).toMatchObject({ code: 1, err: expect.stringContaining('not JSON') });
    });
  });
});
