/**
 * A run whose log another process took over, since this one was frozen for a while, or whose log cannot be written: nothing
 * that it had in hand is done to the files.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { Agent } from '../src/agent/create-agent.ts';
import type { Event } from '../src/core/events.ts';
import type { JsonObject } from '../src/core/json.ts';
import { failure } from '../src/core/outcome.ts';
import { detectSandbox } from '../src/sandbox/index.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { assembled, openedSession, say } from './support/assembled.ts';
import { scratchFolder } from './support/scratch.ts';

/** From the first event that `isLost` on, another process has every log of it. */
const loseLogs = ({ sessions }: Agent, isLost: (event: Event) => boolean): void => {
  let lost = false;
  const open = sessions.open.bind(sessions);
  vi.spyOn(sessions, 'open').mockImplementation(async (id) => {
    const opened = await open(id);
    if (!opened.ok) return opened;
    const { log } = opened.value;
    const append: typeof log.append = async (event) => {
      lost ||= isLost(event);
      return lost ? failure('io_error', 'taken over by another halter', 'lost') : log.append(event);
    };
    return { ...opened, value: { ...opened.value, log: { append, close: () => log.close() } } };
  });
};

type Row = { tool: string; args: JsonObject; sandboxed?: boolean };
const EFFECTS: Record<string, Row> = {
  'a command in a layer': { tool: 'bash', args: { command: 'echo new > a; echo new > b' }, sandboxed: true },
  'a command that removes': { tool: 'bash', args: { command: 'rm a; mkdir d' }, sandboxed: true },
  write_file: { tool: 'write_file', args: { path: 'b', content: 'new' } },
  'write_file over a file': { tool: 'write_file', args: { path: 'a', content: 'new' } },
  edit_file: { tool: 'edit_file', args: { path: 'a', old_text: 'old', new_text: 'new' } },
};
const MOMENTS: Record<string, (event: Event) => boolean> = {
  'before it is to be put in place': (event) =>
    event.type === 'layer_changed' ? event.state === 'applying' : event.type === 'change_recorded',
  'before its change is noted': (event) => event.type === 'change_recorded',
};

describe('what a run that was taken over had in hand', () => {
  for (const [moment, isLost] of Object.entries(MOMENTS))
    for (const [name, { tool, args, sandboxed = false }] of Object.entries(EFFECTS))
      test(`is not done: ${name}, taken over ${moment}`, { timeout: 60_000 }, async (context) => {
        verifies('B12');
        if (sandboxed && (await detectSandbox()).kind !== 'bubblewrap') context.skip('bubblewrap does not work here');
        const folder = scratchFolder();
        writeFileSync(join(folder, 'a'), 'old\n');
        const halter = await assembled({
          folder,
          modelProvider: scriptedProvider([{ calls: [{ name: tool, arguments: args }] }, { text: 'done' }]),
          mode: 'yolo',
          sandbox: true,
        });
        loseLogs(halter, isLost);
        const session = await openedSession(halter);
        await say(session);
        expect(session.log().some(isLost)).toBe(true);
        const stopped = session.log().find(({ type }) => type === 'run_stopped');
        expect(stopped).toMatchObject({ name: 'SessionNotWritten', message: expect.stringContaining('taken over by') });
        expect(stopped).not.toMatchObject({ message: expect.stringContaining('space') });
        // Layers are put in place one after another, so the one before is done with.
        expect(await halter.executeTool('bash', { command: 'echo end > end' })).toMatchObject({ success: true });
        expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('old\n');
        expect(existsSync(join(folder, 'b'))).toBe(false);
        expect(readdirSync(folder)).toEqual(['a', 'end']);
        expect(session.log().some((event) => event.type === 'layer_changed' && event.state === 'applied')).toBe(false);
      });
});
