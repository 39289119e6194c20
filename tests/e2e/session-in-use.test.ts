/** A session that another halter has open: what a command advises is something that the command can do. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { SessionFiles } from '../../src/storage/session-files.ts';
import { runHalter } from '../support/halter-process.ts';
import { scratchFolder } from '../support/scratch.ts';

const WORDS: Readonly<Record<string, readonly string[]>> = {
  'sessions rename': ['held', 'another'],
  'tools call': ['get_current_time', '{}', '--session', 'held'],
};
const TAKING = COMMANDS.filter(
  ({ name, usage, flags }) =>
    (/^sessions /.test(name) && /\bID\b/.test(usage)) ||
    /\bSESSION\b/.test(usage) ||
    (name === 'tools call' && flags.includes('session')),
).filter(({ name }) => !name.startsWith('worker '));

it.each(TAKING.map(({ name, flags }) => [name, flags] as const))('halter %s', async (name, flags) => {
  const [home, cwd] = [scratchFolder(), scratchFolder()];
  const made = await runHalter(['tools', 'call', 'get_current_time', '{}', '--session', 'held'], { home, cwd });
  expect(made.code, made.err).toBe(0);
  const open = await new SessionFiles({ folder: join(home, '.local/share/halter/sessions') }).open('held');
  if (!open.ok) throw new Error(open.error.message);
  onTestFinished(() => open.value.log.close());
  const ran = await runHalter([...name.split(' '), ...(WORDS[name] ?? ['held'])], { home, cwd });
  const said = `${ran.out}${ran.err}`;
  if (!flags.includes('fork')) expect(said).not.toContain('--fork');
  const changes = ['sessions rename', 'sessions undo', 'sessions delete', 'tools call'].includes(name);
  expect(ran.code === 0, said).toBe(!changes);
  if (changes) expect(said).toContain('The session held is open in another halter; close it there');
});
