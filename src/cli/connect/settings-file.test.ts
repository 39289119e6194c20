/** What each client reads of its own settings decides whether they can be written. */
import { describe, expect, it } from 'vitest';
import { CONNECTED_CLIENTS } from './clients.ts';
import { withSettings } from './settings-file.ts';

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
