/** Wrong arguments: a model reads the schema that they have to fit, a person what is wrong with them. */
import { expect, it } from 'vitest';
import { createTranslator } from '../src/acp/updates.ts';
import { createRunView } from '../src/cli/run/run-view.ts';
import type { SessionUpdate } from '../src/core/events.ts';
import { exportSession } from '../src/core/export-session.ts';
import { createTheme } from '../src/terminal/theme.ts';
import { Transcript } from '../src/terminal/transcript.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { BUILT_IN_TOOLS } from '../src/tools/index.ts';
import { assembled, openedSession, say } from './support/assembled.ts';
import { fakeIo } from './support/fake-io.ts';

const shown: Record<string, (updates: readonly SessionUpdate[]) => string> = {
  'the terminal app': (updates) => {
    const theme = createTheme({ NO_COLOR: '1' }, 'dark', 'plain');
    const transcript = new Transcript(theme, []);
    transcript.endPast();
    for (const update of updates) transcript.apply(update, 0);
    return transcript.take({ width: 200, theme, now: 0, frame: 0 }).join('\n');
  },
  'the command line': (updates) => {
    const io = fakeIo();
    const view = createRunView(io, { logLevel: 'warn', mainArgument: () => 'path' });
    for (const update of updates) view.add(update);
    view.end();
    return io.err();
  },
  'an editor': (updates) => {
    const translator = createTranslator({
      tools: BUILT_IN_TOOLS,
      root: '/work',
      sandbox: 'unsandboxed',
      contextTokens: undefined,
      replay: false,
    });
    const sent = updates.flatMap((update) => translator.translate(update));
    return JSON.stringify(sent.map((each) => ('content' in each ? each.content : '')));
  },
  'an export': (updates) =>
    exportSession(
      updates.flatMap((update) => (update.seq === undefined ? [] : update)),
      'markdown',
    ),
};

it('tells a person what is wrong with arguments, and the model the schema too', async () => {
  const provider = scriptedProvider([{ calls: [{ name: 'read_file', arguments: {} }] }, { text: 'ok' }]);
  const session = await openedSession(await assembled({ modelProvider: provider }));
  const updates: SessionUpdate[] = [];
  session.subscribe((update) => void updates.push(update));
  await say(session);
  expect(JSON.stringify(provider.requests[1]?.messages)).toContain('that fit this schema');
  for (const [surface, show] of Object.entries(shown)) {
    const text = show(updates);
    expect(text, surface).toContain('Invalid arguments');
    expect(text, surface).not.toContain('schema');
  }
});
