import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { JsonObject } from '../../core/json.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { createTheme } from '../theme.ts';
import type { PermissionQuestion } from './permission-body.ts';
import { PermissionPrompt } from './permission-prompt.ts';

const theme = createTheme({ LANG: 'C.UTF-8', NO_COLOR: '1' });
const question = (name: string, args: JsonObject, rest: Partial<PermissionQuestion> = {}): PermissionQuestion => ({
  callId: 'c1',
  name,
  arguments: args,
  risk: 'high',
  rule: { tool: name },
  mainArgument: 'command',
  sandbox: { text: 'sandboxed', confined: true },
  ...rest,
});
const screenOf = (prompt: PermissionPrompt, rows = 2_000, width = 100, now = 0): string =>
  prompt
    .lines(width, rows, now)
    .map((line) => line.replaceAll(/\x1b\[[0-9;]*m/g, ''))
    .join('\n');
/** Without the edge and the breaks that wrapping made. */
const unwrapped = (screen: string): string => screen.replaceAll(/\n┃ +/g, '');

type Spoof = {
  id: string;
  when: { tool: string; args: JsonObject & { $raw_json?: string } };
  then: { prompt_must_include?: string[]; prompt_must_not_include_raw?: string[] };
};
const spoofs = JSON.parse(
  readFileSync(new URL('../../../tests/e2e/terminal-attacks/prompt-spoof.json', import.meta.url), 'utf8'),
) as Spoof[];

const shownAndArmed = (prompt: PermissionPrompt, rows = 2_000): number => {
  screenOf(prompt, rows);
  prompt.shown(0);
  return TERMINAL_LIMITS.questionArmMs;
};

describe('permission question', () => {
  it('fits a small window for a reading call, and shows the rest behind ?', () => {
    const rule = { tool: 'folder:read' };
    const read = question(
      'read_file',
      { path: 'README.md' },
      { risk: 'medium', rule, mode: 'ask', because: 'it asks', mainArgument: 'path' },
    );
    const prompt = new PermissionPrompt(read, theme);
    const small = screenOf(prompt, 16, 39);
    expect(small).not.toContain('more lines');
    expect(small).toContain('Read files here? Secrets still ask.');
    expect(small).not.toContain('Asked because');
    const armed = shownAndArmed(prompt, 16);
    prompt.key('?', armed);
    const all = screenOf(prompt);
    for (const word of [
      'Sandbox: sandboxed',
      'Asked because: it asks',
      'Remember would store: allow folder:read',
      'Mode: ask',
    ])
      expect(all).toContain(word);
  });

  it.each([39, 100])('says in %i columns what the key for the rest does next', (width) => {
    const prompt = new PermissionPrompt(question('bash', { command: 'make' }, { risk: 'high' }), theme);
    const armed = shownAndArmed(prompt, 40);
    const words = [0, 1, 2].map(() => {
      const hint = /\?:? ?(?:shows )?(more|less)/.exec(screenOf(prompt, 40, width, armed))?.[1];
      prompt.key('?', armed);
      return hint;
    });
    expect(words).toEqual(['more', 'less', 'more']);
  });

  it.each([39, 100])('says in %i columns that a command only reads, and what a lasting yes opens', (width) => {
    const rule = { tool: 'folder:read' };
    const asked = question('bash', { command: 'cat a.ts' }, { rule, risk: 'high', mainArgument: 'command' });
    const screen = screenOf(new PermissionPrompt(asked, theme), 24, width).replaceAll(/[\s┃]+/g, ' ');
    expect(screen).toContain('Run a command that only reads files here?');
    expect(screen).toContain('only reads');
    expect(screen).not.toContain('changes files');
    expect(screen).toContain('allow folder:read here');
    if (width === 100) expect(screen).toContain('all files of this folder, no secrets');
  });

  it.each([39, 100])('says in %i columns what a command that only prints does', (width) => {
    const rule = { tool: 'bash', pattern: '=echo one' };
    const facts = { rule, risk: 'high', mainArgument: 'command', onlyReads: true } as const;
    const asked = question('bash', { command: 'echo one' }, facts);
    const screen = screenOf(new PermissionPrompt(asked, theme), 24, width).replaceAll(/[\s┃]+/g, ' ');
    expect(screen).toContain(width === 39 ? 'only prints' : 'runs a command that only reads or prints');
    expect(screen).not.toMatch(/HIGH|changes files|read it/);
  });

  it.each([39, 100])('says in %i columns what Remember stores before it is pressed', (width) => {
    const rule = { tool: 'bash', pattern: 'npm test *' };
    const screen = (rest: Partial<PermissionQuestion>): string =>
      screenOf(new PermissionPrompt(question('bash', { command: 'npm test' }, { rule, ...rest }), theme), 16, width);
    expect(screen({})).toContain('Remember: allow bash(npm test *) here');
    expect(screen({ asksEachTime: true })).toContain('Remember would store: nothing');
  });

  it('writes a command once, and again only where everything is shown', () => {
    const command = 'echo one && echo two';
    const rule = { tool: 'bash', pattern: `=${command}` };
    const prompt = new PermissionPrompt(question('bash', { command }, { rule, mainArgument: 'command' }), theme);
    const times = (): number => screenOf(prompt, 30, 100).split(command).length - 1;
    const armed = shownAndArmed(prompt);
    expect(times()).toBe(1);
    expect(screenOf(prompt, 30, 100)).toContain('Remember: allow this very command here');
    prompt.key('?', armed);
    expect(times()).toBe(2);
  });

  it.each<[string, JsonObject, Partial<PermissionQuestion>, RegExp[]]>([
    ['bash', { command: 'npm test' }, {}, [/^. *Run "npm test"\?$/m]],
    ['bash', { command: 'npm test', background: true }, {}, [/Run "npm test"\?/, /Arguments: \{"background": true\}/]],
    ['bash', { command: 'a\nb' }, {}, [/Run this command\?/, /whole below/]],
    ['bash', { command: 'echo "x"' }, {}, [/Run this command\?/, /Arguments/]],
    ['bash', { command: 'x'.repeat(300) }, {}, [/Run this command\?/, /Arguments/]],
    ['read_file', { path: 'a' }, { risk: 'medium', mainArgument: 'path' }, [/MEDIUM[^a-z]*reads your files$/m]],
    [
      'web_fetch',
      { url: 'https://a.b' },
      { risk: 'medium', mainArgument: 'url' },
      [/MEDIUM[^a-z]*reaches the network$/m],
    ],
  ])('names what %s does: %j', (name, args, rest, expected) => {
    const screen = screenOf(new PermissionPrompt(question(name, args, rest), theme));
    for (const words of expected) expect(screen).toMatch(words);
    expect(screen).not.toContain('Run bash?');
  });

  it('takes a choice by arrows and Enter, and nothing by Enter alone', () => {
    const prompt = new PermissionPrompt(question('bash', { command: 'ls' }), theme);
    const armed = shownAndArmed(prompt);
    expect(prompt.key('\r', armed)).toEqual({ type: 'redraw' });
    prompt.key('\x1b[C', armed);
    prompt.key('\x1b[C', armed);
    expect(prompt.key('\r', armed)).toEqual({ type: 'decide', decision: 'session' });
  });

  it.each([
    ['\r', true, 'Answer first; your text stays.'],
    ['\r', false, 'Press 1 to 4, or choose by arrows.'],
    ['\x1b[Z', true, 'Answer first, then change the mode.'],
    ['\x1b[Z', false, 'Answer first, then change the mode.'],
  ])('says of %j with a message (%s) what it does not do, also in 40 columns', (key, isDrafted, words) => {
    const prompt = new PermissionPrompt(question('bash', { command: 'ls' }), theme);
    prompt.lines(39, 20, 0, isDrafted);
    prompt.shown(0);
    const now = TERMINAL_LIMITS.questionArmMs;
    expect(prompt.key(key, now, isDrafted)).toEqual({ type: 'redraw' });
    expect(prompt.lines(39, 20, now, isDrafted).join('\n')).toContain(words);
    expect(prompt.key('1', now)).toEqual({ type: 'decide', decision: 'allow_once' });
  });

  it('allows all edits of the session at an edit, and at nothing else', () => {
    const preview = { summary: 'write a.txt', diff: '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n' };
    const edit = new PermissionPrompt(question('edit_file', { path: 'a.txt' }, { preview, isEdit: true }), theme);
    const armed = shownAndArmed(edit);
    expect(edit.key('a', armed)).toEqual({ type: 'decide', decision: 'allow_once', mode: 'edit' });
    const command = new PermissionPrompt(question('bash', { command: 'ls' }), theme);
    expect(command.key('a', shownAndArmed(command))).toEqual({ type: 'redraw' });
  });

  it('warns of a missing sandbox by the fact and not by its words', () => {
    const coloured = createTheme({ LANG: 'C.UTF-8' });
    const line = (confined: boolean): string =>
      new PermissionPrompt(question('bash', {}, { sandbox: { text: 'ohne Netz', confined } }), coloured)
        .lines(100, 2_000, 0)
        .find((each) => each.includes('Sandbox')) ?? '';
    const [warned = ''] = coloured.warn('x').split('x');
    expect(line(false)).toContain(warned);
    expect(line(true).slice(coloured.warn('┃').length)).not.toContain(warned);
  });

  it('has the words of the document', () => {
    verifies('Z9');
    const screen = screenOf(
      new PermissionPrompt(question('read_file', { path: 'README.md' }, { risk: 'medium' }), theme),
    );
    expect(screen).toMatch(/^⚠ {2}Permission Request$/m);
    expect(screen).toMatch(/^┃ Tool: read_file$/m);
    expect(screen).toMatch(/^┃ Arguments: \{"path": "README\.md"\}$/m);
    expect(screen).toMatch(/^┃ Risk: MEDIUM/m);
    expect(screen).toMatch(/^┃ \[1\] Allow Once {2}\[2\] Session {2}\[3\] Remember {2}\[4\] Deny$/m);
  });

  it.each(spoofs.filter((each) => each.then.prompt_must_include))('is not deceived by $id', (spoof) => {
    verifies('Z9', 'S6');
    const args = spoof.when.args.$raw_json ? (JSON.parse(spoof.when.args.$raw_json) as JsonObject) : spoof.when.args;
    const screen = screenOf(new PermissionPrompt(question(spoof.when.tool, args), theme));
    for (const wanted of spoof.then.prompt_must_include ?? []) expect(unwrapped(screen)).toContain(wanted);
    for (const raw of spoof.then.prompt_must_not_include_raw ?? []) expect(screen).not.toContain(raw);
    const [title, ...rest] = screen.split('\n');
    expect(title).toBe('⚠  Permission Request');
    for (const line of rest) expect(line.startsWith('┃ ')).toBe(true);
  });

  it('shows the change line for line and does not print it twice', () => {
    verifies('H7');
    const diff = '--- a/n.md\n+++ b/n.md\n@@ -1 +1,2 @@\n-old\n+new\n+more\n';
    const preview = { summary: 'write n.md, 2 lines added, 1 removed', diff };
    const screen = screenOf(
      new PermissionPrompt(question('write_file', { path: 'n.md', content: 'new\nmore' }, { preview }), theme),
    );
    expect(screen).toContain('┃ Write n.md, 2 lines added, 1 removed.');
    expect(screen).toContain('┃ -old\n┃ +new\n┃ +more');
    expect(screen).toContain('8 characters in 2 lines, whole in the diff below');
    const hidden = screenOf(
      new PermissionPrompt(question('write_file', { path: 'n.md', content: 'new\nsecret' }, { preview }), theme),
    );
    expect(hidden).toContain('secret');
  });

  it('takes no key before it was shown for a while, and starts the wait again with every key', () => {
    const prompt = new PermissionPrompt(question('bash', { command: 'ls' }), theme);
    expect(prompt.key('1', 0)).toEqual({ type: 'redraw' });
    const armed = shownAndArmed(prompt);
    expect(prompt.key('1', armed - 1)).toEqual({ type: 'redraw' });
    expect(prompt.key('1', armed + 10)).toEqual({ type: 'redraw' });
    expect(prompt.key('1', armed + 10 + armed)).toEqual({ type: 'decide', decision: 'allow_once' });
  });

  it('grants nothing by Enter, and nothing that was not seen whole', () => {
    verifies('S6');
    const prompt = new PermissionPrompt(
      question('bash', { command: Array.from({ length: 50 }, (_, i) => `echo ${i}`).join('\n') }),
      theme,
    );
    const armed = shownAndArmed(prompt, 14);
    expect(prompt.key('\r', armed)).toEqual({ type: 'redraw' });
    for (const key of ['1', '2', '3']) expect(prompt.key(key, armed)).toEqual({ type: 'redraw' });
    for (let page = 0; page < 30; page += 1) {
      prompt.key(' ', armed);
      screenOf(prompt, 14);
    }
    expect(prompt.key('2', armed)).toEqual({ type: 'decide', decision: 'session' });
  });

  it('sends a reason with a denial where one is given', () => {
    const prompt = new PermissionPrompt(question('bash', { command: 'ls' }), theme);
    const armed = shownAndArmed(prompt);
    prompt.key('4', armed);
    for (const character of 'no\u202e!') prompt.key(character, armed);
    expect(prompt.key('\r', armed)).toEqual({ type: 'decide', decision: 'deny', reason: 'no\u202e!' });
  });

  it('says why it is asked, and where a yes counts once', () => {
    const because = '".bashrc" is run or read by other programs automatically';
    const screen = screenOf(
      new PermissionPrompt(question('write_file', { path: '.bashrc' }, { because, asksEachTime: true }), theme),
    );
    expect(screen).toContain(`┃ Asked because: ${because}`);
    expect(screen).toContain('┃ Remember would store: nothing: a yes counts once here, whichever it is');
  });

  it.each([
    ['auto', true],
    ['ask', false],
  ] as const)('in mode %s says why it is asked: %s', (mode, isSaid) => {
    const because = '"~/.ssh/id_rsa" may hold secrets';
    const asked = question('bash', { command: 'cat ~/.ssh/id_rsa' }, { because, mode });
    expect(screenOf(new PermissionPrompt(asked, theme)).includes(because)).toBe(isSaid);
  });

  it('lets the person choose and write the rule, which then stands in the question', () => {
    verifies('Z8');
    const suggestions = [
      { tool: 'bash', pattern: '=git log -3' },
      { tool: 'bash', pattern: 'git log *' },
    ];
    const prompt = new PermissionPrompt(
      question('bash', { command: 'git log -3' }, { rule: { tool: 'bash', pattern: 'git log *' }, suggestions }),
      theme,
    );
    const armed = shownAndArmed(prompt);
    const press = (...keys: string[]): void => {
      for (const key of keys) prompt.key(key, armed);
    };
    press('r', '\t');
    expect(screenOf(prompt, 2_000, 100, armed)).toContain('Allow bash(=git log -3 )');
    press('\x15', ...'git log -3\u202e', '\x7f');
    press('\x1b');
    expect(prompt.question.rule.pattern).toBe('git log *');
    press('r', '\x15', ...'git log -3', '\r');
    expect(prompt.question.rule).toEqual({ tool: 'bash', pattern: 'git log -3' });
    expect(screenOf(prompt)).toContain('Remember would store: allow bash(git log -3) in this folder');
    expect(prompt.key('3', armed)).toEqual({ type: 'decide', decision: 'remember' });
    // Every command is never offered, and no answer may say it.
    press('r', '\x15', '\r');
    expect(prompt.question.rule).toEqual({ tool: 'bash', pattern: 'git log -3' });
  });
});
