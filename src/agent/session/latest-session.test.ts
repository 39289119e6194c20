import { expect, it } from 'vitest';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import { scriptedProvider } from '../../testing/index.ts';

it('passes over a latest session that is open elsewhere, and says so', async () => {
  const [folder, home] = [scratchFolder(), scratchFolder()];
  const warnings: string[] = [];
  const agent = (text: string) =>
    assembled({
      folder,
      environment: { HOME: home },
      modelProvider: scriptedProvider([{ text }]),
      onWarning: (code, message) => warnings.push(`${code}: ${message}`),
    });
  const older = await openedSession(await agent('one'));
  await say(older, 'The older one');
  await older.close();
  const newer = await openedSession(await agent('two'));
  await say(newer, 'The newer one');
  expect((await openedSession(await agent(''), { continueLast: true })).id).toBe(older.id);
  expect(warnings).toEqual([expect.stringMatching(/^session_open_elsewhere: .*The older one\.$/)]);
  const last = await agent('');
  // None is left; and one that is named is meant.
  for (const asked of [{ continueLast: true }, { id: newer.id }])
    expect(await last.openSession(asked)).toMatchObject({ ok: false, error: { reason: 'in_use' } });
});
