/** `halter conformance` on attack cases of the test's own, as a process. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

type Report = { passed: number; failed: number; skipped: number; failures: { id: string; reason: string }[] };
type Case = { group: string; given: object; when: object; expected: object };

/** The catalogue's word for what is expected would make the case look like a promise. */
const attack = (id: string, over: Partial<Case>): object => {
  const { expected = { decision: 'allow', content_contains: 'in' }, ...rest } = over;
  return {
    id,
    group: 'path-confinement',
    given: { layout: [{ path: 'ws/a.txt', type: 'file', content: 'in\n' }] },
    when: { tool: 'read_file', args: { path: 'a.txt' } },
    ...rest,
    ...Object.fromEntries([['then', expected]]),
  };
};

const run = async (cases: readonly unknown[]): Promise<{ report: Report; code: number | null; err: string }> => {
  const folder = scratchFolder();
  putFiles(folder, { 'deep/down/cases.json': JSON.stringify(cases) });
  const ran = await runHalter(['conformance', folder, '--json']);
  return { report: ran.json() as Report, code: ran.code, err: ran.err };
};
const reasonsOf = (report: Report): Record<string, string> =>
  Object.fromEntries(report.failures.map(({ id, reason }) => [id, reason]));

describe('halter conformance with attack cases', () => {
  it('passes what holds and names what does not', async () => {
    verifies('H10');
    const { report, code, err } = await run([
      attack('held', {}),
      attack('wrong', { expected: { decision: 'deny' } }),
      attack('outside', {
        given: { layout: [{ path: 'secret', type: 'file', content: 'TOPSECRET' }] },
        when: { tool: 'read_file', args: { path: '$S/secret' } },
        expected: { decision: 'deny', output_must_not_contain: ['TOPSECRET'] },
      }),
    ]);
    expect(code).toBe(1);
    expect(report).toMatchObject({ passed: 2, failed: 1, skipped: 0 });
    expect(reasonsOf(report)['wrong']).toContain('the decision is allow');
    expect(err).toContain('path-confinement: 2 passed, 1 failed, 0 skipped');
  });

  it('fails, with its name, whatever it does not know', async () => {
    const { report } = await run([
      attack('group', { group: 'telepathy' }),
      attack('generator', { when: { tool: 'read_file', args: { path: { $fractal: 3 } } } }),
      attack('then', { expected: { levitates: true } }),
      attack('given', { given: { moon: 'full' } }),
      attack('when', { when: { tool: 'read_file', args: { path: 'a.txt' }, weather: 'wet' } }),
      attack('tool', { when: { tool: 'teleport', args: {} } }),
      attack('decision', { expected: { decision: 'perhaps' } }),
      attack('prototype', { group: 'constructor' }),
    ]);
    expect(report).toMatchObject({ passed: 0, failed: 8, skipped: 0 });
    const reasons = reasonsOf(report);
    expect(reasons['group']).toContain('telepathy');
    expect(reasons['generator']).toContain('$fractal');
    expect(reasons['then']).toContain('levitates');
    expect(reasons['given']).toContain('moon');
    expect(reasons['when']).toContain('weather');
    expect(reasons['tool']).toContain('no teleport yet');
    expect(reasons['decision']).toContain('perhaps');
  });

  it('skips, with the reason, what this system cannot show', async () => {
    const there = { disk_free_bytes: 65_536, file: { 'p.txt': 'old' } };
    const full = attack('full', {
      group: 'file-faults',
      given: there,
      when: { tool: 'write_file', args: { path: 'p.txt', content: { $repeat: ['a', 200_000] } } },
      expected: { error_type: 'io_error', unchanged: ['p.txt'] },
    });
    const folder = scratchFolder();
    putFiles(folder, { 'cases.json': JSON.stringify([full]), 'bin/none': '' });
    const ran = await runHalter(['conformance', path.join(folder, 'cases.json'), '--json'], {
      env: { PATH: path.join(folder, 'bin') },
    });
    expect(ran.json()).toEqual({ passed: 0, failed: 0, skipped: 1, disputed: 0, failures: [] });
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('skipped full: bubblewrap does not work here');
  });

  it('drives rules, arguments, the screen, the question and the model server as they are', async () => {
    verifies('L10', 'E5', 'Z9', 'Z10', 'Z19');
    const rules = [{ tool: 'bash', match: 'prefix', command: 'git log', action: 'allow' }];
    const title = '\u001b]0;PWNED\u0007';
    const { report } = await run([
      attack('shell', {
        group: 'shell-policy',
        given: { rules, mode: 'interactive' },
        when: { tool: 'bash', args: { command: 'git log; ./p.sh' } },
        expected: { decision: 'prompt' },
      }),
      attack('argument', {
        group: 'arg-validation',
        given: { registry: 'local-harness' },
        when: { raw_json: '{"tool":"read_file","args":{"path":true}}' },
        expected: { valid: false, error_type: 'validation_failed', executed: false, message_names_field: true },
      }),
      attack('title', {
        group: 'terminal-escape',
        given: { source: 'model_text', text: `a${title}b` },
        when: { render: 'tui', surface: 'transcript' },
        expected: { raw_output_must_not_contain: [title], same_text_still_available_escaped: true },
      }),
      attack('question', {
        group: 'prompt-spoof',
        given: { permission: 'ask' },
        when: { tool: 'bash', args: { command: 'ls #\u202e' } },
        expected: { prompt_must_include: ['\\u{202E}'], prompt_must_not_include_raw: ['\u202e'] },
      }),
      attack('never-there', {
        group: 'prompt-spoof',
        given: { permission: 'ask' },
        when: { tool: 'bash', args: { command: 'ls' } },
        expected: { prompt_must_include: ['rm -rf'] },
      }),
      attack('server', {
        group: 'provider-faults',
        given: { server: { status: 401, body: 'no' } },
        when: { user: 'hello' },
        expected: { requests: 1, message_contains: ['401'], answer_empty: true },
      }),
      attack('output', {
        group: 'tool-output',
        given: { stdout_hex: 'e29c93', split_at_byte: 1 },
        when: { tool: 'bash' },
        expected: { contains: ['✓'], not_contains: ['\ufffd'] },
      }),
    ]);
    expect(Object.keys(reasonsOf(report))).toEqual(['never-there']);
    expect(report.passed).toBe(6);
  }, 60_000);
});
