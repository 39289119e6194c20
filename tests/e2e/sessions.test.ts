/** Sessions by the command line: named, searched, forked, exported, imported, and changes of files taken back. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedTurn, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { scratchFolder } from '../support/scratch.ts';

const HOSTILE = '<script>alert(1)</script><img src="https://example.org/x">\u202egnp';
const write = (name: string, content: string) => ({
  calls: [{ name: 'write_file', arguments: { path: name, content } }],
});

const open = async (turns: ScriptedTurn[]) => {
  const server = await startScriptedServer({ turns });
  onTestFinished(() => server.close());
  const [home, cwd] = [scratchFolder(), scratchFolder()];
  const halter = (...args: string[]) => runHalter(args, { home, cwd });
  const say = (...args: string[]) =>
    halter('run', ...args, '--allow', 'write_file', '--provider', 'openai', '--base-url', server.openaiUrl);
  const list = async () =>
    ((await halter('sessions', 'list', '--json')).json() as { sessions: { id: string; title: string }[] }).sessions;
  return { server, home, cwd, halter, say, list };
};

describe('a name that no session can have', () => {
  it.each(['a/b c', '../up', ''])('is a wrong command line: --session %j', async (name) => {
    const { say } = await open([{ text: 'one' }]);
    expect(await say('hello', '--session', name)).toMatchObject({ code: 2, out: '' });
  });
});

describe('halter sessions', () => {
  it('finds a session by the beginning of its id and by its name, and says what may have been meant', async () => {
    verifies('B5', 'U1');
    const { halter, say, list } = await open([{ text: 'one' }]);
    await say('Hello there');
    const [session] = await list();
    const id = session?.id ?? '';
    expect((await halter('sessions', 'rename', id.slice(0, 8), 'My', 'work')).code).toBe(0);
    expect(await list()).toMatchObject([{ id, title: 'My work' }]);
    expect((await halter('sessions', 'show', 'my work')).out).toContain('Hello there');
    const mistyped = await halter('sessions', 'show', 'my wrok');
    expect(mistyped).toMatchObject({ code: 1, out: '' });
    expect(mistyped.err).toContain(`Did you mean ${id} (My work)?`);
    await halter('sessions', 'rename', id);
    expect(await list()).toMatchObject([{ title: 'Hello there' }]);
  });

  it('forks at any event into a session that goes on from there, and leaves the first as it was', async () => {
    verifies('B5');
    const { server, halter, say, list } = await open([{ text: 'A' }, { text: 'B' }, { text: 'C' }, { text: 'D' }]);
    await say('a', '--session', 'first');
    await say('b', '--session', 'first');
    const before = (await halter('sessions', 'show', 'first', '--json')).out;
    const forked = await halter('sessions', 'fork', 'first', '--at', '4', '--json');
    const { id } = forked.json() as { id: string };
    await say('c', '--session', id);
    const asked = server.requests.at(-1)?.body as { messages: { content: string }[] };
    expect(asked.messages.slice(1).map(({ content }) => content)).toEqual(['a', 'A', 'c']);
    await say('d', '--session', 'first', '--fork');
    const second = server.requests.at(-1)?.body as { messages: { content: string }[] };
    expect(second.messages.slice(1).map(({ content }) => content)).toEqual(['a', 'A', 'b', 'B', 'd']);
    expect((await halter('sessions', 'show', 'first', '--json')).out).toBe(before);
    expect(await list()).toHaveLength(3);
    expect((await halter('sessions', 'fork', 'first', '--at', '99')).err).toContain('has no event 99');
    expect((await say('x', '--fork')).code).toBe(2);
  });

  it.each([
    [['--session', 'first-o'], /first-o/],
    [['--session', 'first-o', '--fork'], /first-o/],
  ])('says which session %j is, and with --quiet nothing', async (flags, said) => {
    const { say } = await open([{ text: 'A' }, { text: 'B' }, { text: 'C' }]);
    await say('a', '--session', 'first-one');
    expect((await say('b', ...flags)).err).toMatch(said);
    expect(await say('c', ...flags, '--quiet')).toMatchObject({ code: 0, err: '' });
  });

  it('says what is wrong with the name of a session before it looks for a model', async () => {
    verifies('B5');
    const { halter, server } = await open([]);
    const model = ['--provider', 'openai', '--base-url', server.openaiUrl];
    const nothing = await halter('run', 'x', '--session', 'nope', '--fork', ...model);
    expect(nothing).toMatchObject({ code: 1, out: '' });
    expect(nothing.err).toContain('There is no session "nope".');
    expect((await halter('run', 'x', '--continue', '--fork', ...model)).err).toContain(
      'no session that could be copied',
    );
    expect((await halter('run', 'x', '--session', '../nope', ...model)).err).toContain('Not a session id');
    expect((await halter('context', '--session', 'nope', ...model)).err).toContain('There is no session "nope".');
    expect(server.requests).toEqual([]);
  });

  it('exports documents in which nothing that was said is more than text', async () => {
    verifies('B5');
    const { halter, say, cwd } = await open([write('a.txt', HOSTILE), { text: `${HOSTILE}\n\`\`\`\nfence` }]);
    await say(HOSTILE, '--session', 's');
    await halter('sessions', 'export', 's', '-o', 'session.html');
    const html = readFileSync(path.join(cwd, 'session.html'), 'utf8');
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toMatch(/<script|<img src="http|\u202e|<link|url\(|@import/);
    expect(html).toContain("default-src 'none'");
    const markdown = (await halter('sessions', 'export', 's')).out;
    expect(markdown).toContain('## Assistant');
    expect(markdown).toMatch(/\*\*\[Tool: write_file\]\*\*[\s\S]*Status: ✅ SUCCESS[\s\S]*Execution Time: \d+ms/);
    expect((await halter('sessions', 'export', 's', '--format', 'text')).code).toBe(2);
  });

  it('imports what it exported, without what was allowed elsewhere, and runs nothing', async () => {
    verifies('B5', 'S23');
    const { halter, say, cwd, server } = await open([write('a.txt', 'x'), { text: 'done' }, { text: 'well' }]);
    await say('go', '--session', 's');
    const shownOf = async (id: string): Promise<string> =>
      (await halter('sessions', 'show', id)).out.replaceAll(/#\d+/g, '');
    const before = await shownOf('s');
    for (const format of ['json', 'jsonl']) {
      await halter('sessions', 'export', 's', '-o', `s.${format}`);
      // While it is here, it is named, and nothing is added.
      const own = await halter('sessions', 'import', `s.${format}`, '--json');
      expect(own.json()).toMatchObject({ id: 's', known: true });
    }
    expect((await halter('sessions', 'delete', 's')).code).toBe(0);
    for (const format of ['json', 'jsonl']) {
      const { id } = (await halter('sessions', 'import', `s.${format}`, '--json')).json() as { id: string };
      expect(await shownOf(id)).toBe(before);
      expect((await halter('sessions', 'undo', id)).err).toContain('no change');
    }
    // As if it had been ended while a call that was allowed for the session was about to run.
    const lines = readFileSync(path.join(cwd, 's.jsonl'), 'utf8').trimEnd().split('\n');
    const until = lines.findIndex((line) => line.includes('"policy_evaluated"')) + 1;
    const events = lines.slice(0, until).map((line) => JSON.parse(line) as Record<string, unknown>);
    const call = String(events.at(-1)?.['tool_call_id']);
    Object.assign(events.at(-1) as object, { verdict: 'ask' });
    const rule = { tool: 'write_file' };
    events.push({ seq: until + 1, at: 1, type: 'permission_requested', tool_call_id: call, risk: 'high', rule });
    events.push({ seq: until + 2, at: 1, type: 'permission_resolved', tool_call_id: call, decision: 'session', rule });
    writeFileSync(path.join(cwd, 'pending.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    const { id } = (await halter('sessions', 'import', 'pending.jsonl', '--json')).json() as { id: string };
    const shown = (await halter('sessions', 'show', id, '--json')).lines();
    expect(
      shown.some(
        ({ type, decision, rule: granted }) => type === 'permission_resolved' && (decision === 'session' || granted),
      ),
    ).toBe(false);
    writeFileSync(path.join(cwd, 'a.txt'), 'mine');
    const resumed = await halter('run', 'on', '--session', id, '--provider', 'openai', '--base-url', server.openaiUrl);
    expect(resumed.code).toBe(0);
    expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe('mine');
  });

  it('refuses a damaged or forged file whole, and says where it is wrong and why', async () => {
    verifies('B5');
    const { halter, say, cwd, list } = await open([write('a.txt', 'x'), { text: 'done' }]);
    await say('go', '--session', 's');
    await halter('sessions', 'export', 's', '-o', 's.jsonl');
    const lines = readFileSync(path.join(cwd, 's.jsonl'), 'utf8').trimEnd().split('\n');
    const lineOf = (type: string): number => lines.findIndex((line) => line.includes(`"${type}"`));
    const without = (index: number) => lines.filter((_, at) => at !== index);
    const changed = (index: number, from: string, to: string) =>
      lines.map((line, at) => (at === index ? line.replace(from, to) : line));
    const cases: [string, string[], RegExp][] = [
      ['cut', [...lines.slice(0, 3), lines[3]?.slice(0, 20) ?? ''], /line 4: it is not JSON/],
      ['gap', without(2), /line 3: it is number 4 where 3 is due/],
      [
        'forged run',
        changed(lineOf('policy_evaluated'), '"verdict":"allow"', '"verdict":"ask"'),
        /tool_started could not have happened/,
      ],
      [
        'type',
        changed(1, 'user_message_added', 'user_shouted'),
        /line 2: this version knows no event of the type "user_shouted"/,
      ],
      ['field', changed(1, '"content":"go"', '"content":7'), /line 2: user_message_added at \/content/],
      [
        'newer',
        ['{"type":"halter_session","version":999,"id":"x","created_at":1}', ...lines],
        /newer than this halter knows/,
      ],
      ['empty', [], /no events/],
      ['other', ['{"format":"halter-session","version":1}'], /no session that halter exported/],
    ];
    for (const [name, content, said] of cases) {
      writeFileSync(path.join(cwd, 'bad.jsonl'), content.join('\n'));
      const refused = await halter('sessions', 'import', 'bad.jsonl');
      expect([name, refused.code, refused.out]).toEqual([name, 1, '']);
      expect(refused.err, name).toMatch(said);
    }
    expect(await list()).toHaveLength(1);
  });

  it('takes changes of files back, also by another process, and asks where a file changed since', async () => {
    verifies('B6');
    const { halter, say, cwd } = await open([write('a.txt', 'one'), write('a.txt', 'two'), { text: 'done' }]);
    await say('go');
    const listed = (await halter('sessions', 'undo', '--list', '--json')).json() as { changes: { path: string }[] };
    expect(listed.changes.map((change) => change.path)).toEqual(['a.txt', 'a.txt']);
    const first = await halter('sessions', 'undo');
    expect(first.out).toContain('a.txt is again as it was before write_file');
    expect(first.out).toContain('1 earlier change of this answer remains (a.txt). The same again');
    expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe('one');
    writeFileSync(path.join(cwd, 'a.txt'), 'mine');
    const refused = await halter('sessions', 'undo');
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/changed since.*keep.*force/);
    expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe('mine');
    expect((await halter('sessions', 'undo', '--on-change', 'force')).code).toBe(0);
    expect(existsSync(path.join(cwd, 'a.txt'))).toBe(false);
  });
});
