/** What each client reads of its own settings decides whether they can be written. */
import { describe, expect, it } from 'vitest';
import { CONNECTED_CLIENTS } from './clients.ts';
import { withoutSettings, withSettings } from './settings-file.ts';

const PATH = '/home/me/settings';
const FILES: readonly (readonly [title: string, text: string, takenBy: readonly string[], said: RegExp])[] = [
  ['JSON', '{\n  "theme": "dark // no comment, }"\n}\n', ['claude', 'opencode', 'qwen', 'pi'], /^$/],
  ['nothing', ' \n', ['claude', 'opencode', 'qwen', 'pi'], /^$/],
  ['a comment of a line', '{\n  // mine\n  "theme": "dark"\n}\n', ['opencode', 'qwen', 'pi'], /line 2 has a \/\//],
  ['a comment before all', '/* mine */ {}', ['opencode', 'qwen'], /line 1 has a \/\*/],
  ['a comment behind all', '{}\n// mine', ['opencode', 'qwen', 'pi'], /line 2 has a \/\//],
  ['a comma behind the last entry', '{\n"theme": "dark",\n}', ['opencode', 'pi'], /line 2 has a comma/],
  ['such a comma in a list', '{"a": [1, 2,\n]}', ['opencode', 'pi'], /line 1 has a comma/],
  ['such a comma before a comment', '{"a": 1, // mine\n}', ['opencode', 'pi'], /line 1 has a/],
];
const inJson = Object.entries(CONNECTED_CLIENTS).filter(([name]) => name !== 'codex');

describe.each(inJson)('the settings of %s', (name, client) => {
  it.each(FILES)('hold %s: written only where the client reads them then', (_title, text, takenBy, said) => {
    const settings = client.settings({ url: 'http://127.0.0.1:7411', token: 't', model: 'default' });
    const after = withSettings(PATH, text, settings, client);
    expect(after.ok).toBe(takenBy.includes(name));
    if (after.ok) return expect(after.value).toContain('127.0.0.1:7411');
    expect(after.error.message).toMatch(said);
    expect(after.error.message).toMatch(new RegExp(`${client.title} does not read.*Nothing was written`));
  });
});

const GATEWAY = { url: 'http://127.0.0.1:7411', token: 't'.repeat(43), model: 'default' };

describe.each(Object.entries(CONNECTED_CLIENTS))('a byte order mark before the settings of %s', (name, client) => {
  it.each(name === 'codex' ? ['', 'theme = 1\r\n'] : ['', '{"env": {"mine": 1}}'])('stays before %j', (text) => {
    const settings = client.settings(GATEWAY);
    const after = withSettings(PATH, `\ufeff${text}`, settings, client);
    expect(after).toMatchObject({ ok: true, value: expect.stringMatching(/^\ufeff[^\ufeff]*7411/) });
    const rest = withoutSettings(after.ok ? after.value : '', `\ufeff${text}`, settings);
    expect(rest).toMatchObject({ ok: true, value: { kept: [], text: expect.stringMatching(/^\ufeff[^\ufeff]*$/) } });
  });
});

describe('settings of Codex', () => {
  const settings = CONNECTED_CLIENTS['codex']?.settings(GATEWAY) ?? { edits: [] };
  it.each([
    '# first\n\nmodel = "mine" # why\n[a.b]\nx = """\n[model_providers.halter]\n"""\n',
    '[[list]]\nmodel = 1\n[[list]]\nmodel = { a = [1, "]"] }',
    '[model_providers.halter]\nname="mine"\nretries = 2\n\n[last]\n',
    "'model' = '''a\n\n[b]'''\nother.name = 2024-01-01\r\n",
  ])('are the same bytes when what was written is taken out: %j', (text) => {
    const after = withSettings(PATH, text, settings);
    expect(after).toMatchObject({ ok: true, value: expect.stringContaining('7411') });
    const rest = withoutSettings(after.ok ? after.value : '', text, settings);
    expect(rest.ok && rest.value.text.trimEnd()).toBe(text.trimEnd());
  });

  it.each([
    ['{}\n', /is not TOML \(line 1\)/],
    ['a = 1\nb = [\n', /line 2/],
    ['a = """\n', /line 1/],
    ['model_providers = { halter = {} }\n', /another form/],
    ['[model_providers]\nhalter.name = "x"\n', /another form/],
  ])('that say %j are left alone', (text, said) => {
    const after = withSettings(PATH, text, settings);
    expect(after).toMatchObject({ ok: false, error: { message: expect.stringMatching(said) } });
  });
});
