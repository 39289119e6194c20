/** `halter policy test` and `explain`, with the exit codes that scripts go by. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { scratchFolder } from '../support/scratch.ts';

const policy = (words: readonly string[], more: { cwd?: string; home?: string } = {}) =>
  runHalter(['policy', ...words], { cwd: scratchFolder(), ...more });

describe('halter policy', () => {
  it('test says what would become of a call, and its exit code says whether it would run', async () => {
    verifies('Z8', 'Z10');
    const allowed = await policy(['test', 'bash', '{"command": "git log -3"}', '--allow', 'bash(git log *)', '--json']);
    expect(allowed.code).toBe(0);
    expect(allowed.json()).toMatchObject({
      tool: 'bash',
      verdict: 'allow',
      because: 'git log * is allowed (command line)',
    });
    const asked = await policy(['test', 'git push -f', '--allow', 'bash(git log *)']);
    expect([asked.code, asked.out]).toEqual([3, 'ask  no rule covers git push -f\n']);
    const denied = await policy(['test', 'ls; git push -f', '--yolo', '--deny', 'bash(git push *)', '--json']);
    expect([denied.code, denied.json()['verdict']]).toEqual([3, 'deny']);
    const wrong = await policy(['test', 'read_file', '{"path": 7}', '--json']);
    expect([wrong.code, wrong.json()['verdict']]).toEqual([1, 'invalid']);
    expect((await policy(['test', 'read_file', '{nonsense'])).code).toBe(2);
  });

  it('explain shows every voice: deny before ask before allow, what is set aside, and what would be stored', async () => {
    const conflict = await policy([
      'explain',
      'write_file',
      '{"path": ".vscode/x.json", "content": ""}',
      '--allow',
      'write_file',
      '--json',
    ]);
    expect(conflict.code).toBe(0);
    expect(conflict.json()).toMatchObject({
      verdict: 'ask',
      risk: 'high',
      asks_each_time: true,
      voices: [
        { says: 'ask' },
        { says: 'allow', rule: 'write_file', source: 'command line', set_aside: expect.any(String) },
      ],
      remember: { rule: null, others: [] },
    });
    const both = await policy(['explain', 'git push', '--allow', 'bash', '--deny', 'bash(git push *)', '--json']);
    expect(both.json()['voices']).toMatchObject([
      { says: 'deny', rule: 'bash(git push *)' },
      { says: 'allow', rule: 'bash' },
    ]);
    const plain = await policy(['explain', 'read_file', '{"path": "src/a.ts"}']);
    expect(plain.out).toContain('Remember would store: folder:read\n');
    expect(plain.out).toContain('or: read_file(=src/a.ts)\n');
    const secret = await policy(['explain', 'read_file', '{"path": ".env"}', '--json'], {
      cwd: (() => {
        const folder = scratchFolder();
        writeFileSync(path.join(folder, '.env'), 'A=1');
        return folder;
      })(),
    });
    expect(secret.json()['remember']).toEqual({ rule: 'read_file(=.env)', others: [] });
  });

  it('counts no remembered rule for a command without a sandbox', async () => {
    verifies('S16');
    const home = scratchFolder();
    const cwd = scratchFolder();
    mkdirSync(path.join(home, '.config/halter'), { recursive: true });
    const rule = { tool: 'bash', pattern: 'ls *', decision: 'allow', workspace: cwd, created_at: 1 };
    writeFileSync(path.join(home, '.config/halter/policies.json'), JSON.stringify({ version: 1, rules: [rule] }));
    const ran = await policy(['test', 'ls -l', '--no-sandbox', '--json'], { cwd, home });
    expect(ran.json()).toMatchObject({ verdict: 'ask', sandbox: 'unsandboxed' });
    expect(ran.json()['because']).toContain('unsandboxed');
  });
});
