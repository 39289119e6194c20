import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { plainShellWords } from './policy/shell-words.ts';
import { suggestedRules } from './policy/suggested-rules.ts';
import {
  evaluatePolicy,
  judgeCall,
  NO_RULES,
  type PolicyTool,
  parseRule,
  ruleMatches,
  type SourcedRule,
  suggestedRule,
} from './policy.ts';

const bash: PolicyTool = { name: 'bash', risk: 'high', effects: 'process', main_argument: 'command' };
const write: PolicyTool = { name: 'write_file', risk: 'high', effects: 'write', main_argument: 'path' };
const read: PolicyTool = { name: 'read_file', risk: 'medium', effects: 'read', main_argument: 'path' };
const fetch: PolicyTool = { name: 'web_fetch', risk: 'medium', effects: 'network', main_argument: 'url' };
const time: PolicyTool = { name: 'get_current_time', risk: 'safe', effects: 'none' };
const rule = (text: string): SourcedRule => {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return { ...parsed.value, source: 'command line' };
};
const allows = (text: string, tool: PolicyTool, value: string): boolean =>
  ruleMatches(rule(text), tool, { [tool.main_argument ?? '']: value }, 'allow');

describe('policy', () => {
  test('safe runs, medium and high ask', () => {
    verifies('Z7');
    expect(evaluatePolicy(NO_RULES, time, {}).verdict).toBe('allow');
    expect(evaluatePolicy(NO_RULES, read, { path: 'a' }).verdict).toBe('ask');
    expect(evaluatePolicy(NO_RULES, write, { path: 'a' }).verdict).toBe('ask');
  });

  test('deny comes before allow, and --yolo does not lift it', () => {
    verifies('Z8');
    const rules = { allow: [rule('bash')], deny: [rule('bash(git push *)')], mode: 'yolo' as const };
    expect(evaluatePolicy(rules, bash, { command: 'git push -f' }).verdict).toBe('deny');
    expect(evaluatePolicy(rules, bash, { command: 'ls; git push -f' }).verdict).toBe('deny');
    expect(evaluatePolicy(rules, bash, { command: 'git log' }).verdict).toBe('allow');
  });

  test('plan mode refuses whatever is not read-only, allowed or not', () => {
    const rules = { ...NO_RULES, allow: [rule('write_file')], mode: 'plan' as const };
    expect(evaluatePolicy(rules, write, { path: 'a' }).verdict).toBe('deny');
    const here = { reach: { inFolder: true } };
    expect(judgeCall(rules, read, { path: 'a' }, here).verdict).toBe('allow');
    expect(judgeCall(rules, read, { path: '/etc/passwd' }, {}).verdict).toBe('ask');
  });

  test('says which rule decided', () => {
    const rules = { ...NO_RULES, allow: [rule('read_file(src/**)')] };
    expect(evaluatePolicy(rules, read, { path: 'src/a/b.ts' })).toEqual({
      verdict: 'allow',
      because: 'read_file(src/**) is allowed (command line)',
    });
    expect(evaluatePolicy(rules, read, { path: 'lib/a.ts' }).verdict).toBe('ask');
  });

  test.each([
    ['bash(git log *)', 'git log', true],
    ['bash(git log *)', 'git log --oneline -3', true],
    ['bash(git log *)', 'git  log  "a b"', true],
    ['bash(git log *)', 'git logs', false],
    ['bash(git log *)', 'git log; rm -rf .', false],
    ['bash(git log *)', 'git log $(rm x)', false],
    ['bash(git log *)', 'git log `rm x`', false],
    ['bash(git log *)', 'git log > x', false],
    ['bash(git log *)', 'git log\nrm x', false],
    ['bash(git log *)', 'git log & rm x', false],
    ['bash(git log *)', 'git log "$(rm x)"', false],
    ['bash(git log *)', 'GIT_PAGER=x git log', false],
    ['bash(git log *)', 'git log \u202e', false],
    ['bash(ls)', 'ls', true],
    ['bash(ls)', 'ls -la', false],
    ['bash(npm run *)', 'npm run build', true],
    ['bash(=echo a | wc)', 'echo a | wc', true],
    ['bash(=rm *)', 'rm *', true],
    ['bash(=rm *)', 'rm x', false],
    ['bash(echo a | wc)', 'echo a | wc', false],
  ])('%s and "%s": %s', (text, command, expected) => {
    verifies('L1');
    expect(allows(text, bash, command)).toBe(expected);
  });

  test.each([
    ['write_file(src/**)', 'src/a.ts', true],
    ['write_file(src/**)', './src/a/b.ts', true],
    ['write_file(src/*)', 'src/a/b.ts', false],
    ['write_file(*.md)', 'README.md', true],
    ['write_file(**/*.md)', 'docs/a/b.md', true],
    ['write_file(**/*.md)', 'b.md', true],
    ['write_file(src/**)', 'lib/src/a.ts', false],
  ])('%s and "%s": %s', (text, path, expected) => {
    expect(allows(text, write, path)).toBe(expected);
  });

  test.each([
    'https://host.test/a',
    'https://host.test',
    'https://host.test./a',
    'https://host.test../a',
    'https://host。test。/a',
    'https://HOST.test/a',
    'HTTPS://host.test:443/a',
    'https:/host.test/a',
    'https:host.test/a',
    'https:\\\\host.test\\a',
    ' https://host.test/a ',
    'ht\ntps://ho\tst.test/a',
    'https://name:word@host.test/a',
    'https://ｈｏｓｔ.test/a',
    'https://h%6Fst.test/a',
    'https://host.test/x/../a?b#c',
  ])('what is denied of a host is denied however %j is spelled', (url) => {
    verifies('Z8', 'S32', 'S35');
    const denied = (text: string): boolean => ruleMatches(rule(text), fetch, { url }, 'deny');
    expect(denied('web_fetch(https://host.test/**)')).toBe(true);
    expect(denied('web_fetch(https://HOST.test:443/**)')).toBe(true);
    expect(denied('web_fetch(https://*.test./**)')).toBe(true);
    expect(denied('web_fetch(https://other.test/**)')).toBe(false);
    expect(denied('web_fetch(http://host.test/**)')).toBe(false);
  });

  test.each([
    ['web_fetch(https://bücher.test/ü/**)', 'https://xn--bcher-kva.test/%C3%BC/x', true],
    ['web_fetch(https://xn--bcher-kva.test/**)', 'https://BÜCHER.test/', true],
    ['web_fetch(https://host.test/admin/**)', 'https://host.test/%61dm%69n/x', true],
    ['web_fetch(https://host.test)', 'https://host.test./', true],
    ['web_fetch(=https://host.test/a)', 'https://HOST.test/a#b', true],
    ['web_fetch(https://127.0.0.1/**)', 'https://0x7f.1/', true],
    ['web_fetch(https://host.test:8443/**)', 'https://host.test/', false],
    ['web_fetch(https://host.test/**)', 'https://host.test.evil.test/', false],
    ['web_fetch(https://host.test/**)', 'https://evil.test/https://host.test/', false],
    ['web_fetch(host.test)', 'https://host.test/x', true],
    ['web_fetch(HOST.test.)', 'http://host.test:8080/', true],
    ['web_fetch(host.test:8443)', 'https://host.test:8443/x', true],
    ['web_fetch(host.test:8443)', 'https://host.test/x', false],
    ['web_fetch(host.test/**)', 'https://host.test/x/y?q', true],
    ['web_fetch(host.test/admin/**)', 'https://host.test/admin/x', true],
    ['web_fetch(host.test/admin/**)', 'https://host.test/other', false],
    ['web_fetch(*.host.test)', 'https://a.b.host.test/x', true],
    ['web_fetch(https://host.test)', 'https://host.test/x', true],
    ['web_fetch(https://host.test/)', 'https://host.test/x?y', true],
    ['web_fetch(https://*.host.test)', 'https://a.host.test/x', true],
    ['web_fetch(bücher.test)', 'https://xn--bcher-kva.test/x', true],
    ['web_fetch(localhost)', 'http://localhost:3000/', true],
    ['web_fetch([::1])', 'http://[::1]:3000/', true],
    ['web_fetch(127.0.0.1)', 'http://0x7f.1/', true],
    ['web_fetch(host.test)', 'https://host.test.evil.test/', false],
    ['web_fetch(host.test)', 'https://evil.test/host.test', false],
    ['web_fetch(https://host.test)', 'http://host.test/x', false],
  ])('denied by %s: %s %s', (text, url, expected) => {
    verifies('Z8');
    expect(ruleMatches(rule(text), fetch, { url }, 'deny')).toBe(expected);
  });

  test('an address with a name before its host is covered by no rule that allows its host', () => {
    verifies('Z8');
    expect(allows('web_fetch(https://host.test/**)', fetch, 'https://host.test./a')).toBe(true);
    expect(allows('web_fetch(https://host.test/**)', fetch, 'https://x@host.test/a')).toBe(false);
    expect(allows('web_fetch(https://host.test/**)', fetch, 'https://host.test@evil.test/a')).toBe(false);
    expect(allows('web_fetch(=https://host.test/a)', fetch, 'https://host.test./a')).toBe(false);
  });

  test('a path is a path, whatever it looks like, and a file that is denied is so by each way to it', () => {
    verifies('Z8', 'H10');
    const denied = (text: string, path: string): boolean => ruleMatches(rule(text), read, { path }, 'deny');
    expect(denied('read_file(.env)', 'http://x/../../.env')).toBe(true);
    expect(denied('read_file(=a.txt)', './src/../a.txt')).toBe(true);
    expect(denied('read_file(=a.txt)', 'b/a.txt')).toBe(false);
  });

  test('what Remember would store covers the call it was asked about', () => {
    verifies('Z8', 'Z10', 'S28');
    const commands = fc.oneof(
      fc.constantFrom('git log -3', 'ls', 'ls -la', 'npm run build', 'a | b', 'rm *'),
      fc.string(),
    );
    fc.assert(
      fc.property(commands, (command) => {
        expect(ruleMatches(suggestedRule(bash, { command }), bash, { command }, 'allow')).toBe(true);
      }),
    );
    expect(suggestedRule(bash, { command: 'git log -3' })).toEqual({ tool: 'bash', pattern: 'git log *' });
    expect(suggestedRule(bash, { command: 'rm a b' })).toEqual({ tool: 'bash', pattern: '=rm a b' });
    expect(suggestedRule(bash, { command: 'rm -rf x' })).toEqual({ tool: 'bash', pattern: '=rm -rf x' });
  });

  test('what Remember would store for a page is its host, whatever the address is, and no other host', () => {
    verifies('Z8', 'Z10', 'S29');
    const stored = (url: string) => suggestedRule(fetch, { url }).pattern;
    expect(stored('https://docs.example/a/b?q#x')).toBe('https://docs.example/**');
    expect(stored(' HTTP://Docs.Example.:8080/a')).toBe('http://docs.example:8080/**');
    expect(stored('https://bücher.example')).toBe('https://xn--bcher-kva.example/**');
    expect(stored('https://[::1]/a')).toBe('https://[::1]/**');
    for (const url of ['https://*/', 'https://me:pw@docs.example/a', 'https://docs.example@evil.example/', 'https://'])
      expect([url, stored(url)]).toEqual([url, `=${url}`]);
    expect(stored('what is https?')).toBeUndefined();
    const addresses = fc
      .tuple(fc.constantFrom('http:', 'https://', ' HTTPS://a.example/', 'http:/\\', 'https://x.example:'), fc.string())
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(addresses, (url) => {
        const offered = [suggestedRule(fetch, { url }), ...suggestedRules(fetch, { url }, [])];
        for (const each of offered) expect(ruleMatches(each, fetch, { url }, 'allow')).toBe(true);
        expect(ruleMatches(suggestedRule(fetch, { url }), fetch, { url: 'https://other.test/' }, 'allow')).toBe(false);
      }),
    );
  });

  test('a rule never allows a line with an operator, an expansion or a control character', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom(...'|&;<>()$`\\\n\r\0*?[]{}!~#'),
        fc.string(),
        (before, special, after) => {
          const words = plainShellWords(`git log ${before}${special}${after}`);
          if (words !== undefined) expect(/['"]/.test(before)).toBe(true);
        },
      ),
    );
  });

  test('says what is wrong with a rule that is none', () => {
    expect(parseRule('bash(')).toMatchObject({ ok: false, error: { error_type: 'validation_failed' } });
    expect(parseRule('')).toMatchObject({ ok: false });
  });
});
