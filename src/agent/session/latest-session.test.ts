import { expect, it } from 'vitest';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import { scriptedProvider } from '../../testing/index.ts';

it('refuses a latest session that is open elsewhere, and offers a copy', async () => {
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
  const last = await agent('');
  expect(await last.openSession({ continueLast: true })).toMatchObject({
    ok: false,
    error: { reason: 'in_use', message: expect.stringMatching(/"The newer one".*--fork/s) },
  });
  expect(await last.openSession({ id: newer.id })).toMatchObject({ ok: false, error: { reason: 'in_use' } });
  const copy = await openedSession(await agent(''), { continueLast: true, fork: true });
  expect(copy.log().some((event) => event.type === 'user_message_added' && event.content === 'The newer one')).toBe(
    true,
  );
  expect((await openedSession(await agent(''), { id: older.id })).id).toBe(older.id);
  expect(warnings).toEqual([]);
});
