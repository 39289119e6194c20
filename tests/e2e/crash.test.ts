/** kill -9, for real: on each store of halter's, and on the whole program in the middle of a write. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { killLoop } from '../../conformance/crash/kill-loop.ts';
import { CRASH_STORES } from '../../conformance/crash/stores.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { rounds } from '../support/long.ts';
import { MAIN } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';
import { seededRandom } from '../support/seeded-random.ts';

describe('kill -9 at a random moment', () => {
  it.each(Object.keys(CRASH_STORES))(
    'leaves the %s whole, with everything in it that was acknowledged',
    async (name) => {
      verifies('B5', 'B6', 'S7', 'S8');
      const kills = Number(process.env['HALTER_CRASH_KILLS'] ?? rounds(2, 3));
      const report = await killLoop(name, path.join(scratchFolder(), name), {
        kills,
        maxDelayMs: 60,
        random: seededRandom(),
      });
      expect(report).toMatchObject({ kills, lost: 0, corrupt: 0, temporariesKept: 0 });
      expect(report.unreadable).toBeLessThanOrEqual(1);
    },
    60_000,
  );
});

describe('kill -9 while a tool writes', () => {
  /** Ends the program before or after the new file takes the place of the old one. */
  const killing = (when: 'before' | 'after'): string => {
    const kill = "process.kill(process.pid, 'SIGKILL')";
    const source = `
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const rename = fs.rename;
fs.rename = async (from, to) => {
  const isFile = /\\.halter-\\d+-[0-9a-f]+\\.tmp$/.test(String(from));
  if (isFile && ${when === 'before'}) ${kill};
  await rename(from, to);
  if (isFile) ${kill};
};
syncBuiltinESMExports();`;
    return `data:text/javascript,${encodeURIComponent(source)}`;
  };

  it.each([
    ['before', 'old\n', 'a.txt: not applied'],
    ['after', 'new\n', 'a.txt: applied'],
  ] as const)('%s the new content is in place, and the next start says which', async (when, content, verdict) => {
    verifies('B5');
    const args = { path: 'a.txt', content: 'new\n' };
    const server = await startScriptedServer({
      turns: [{ calls: [{ name: 'write_file', arguments: args }] }, { text: 'I see.' }],
    });
    onTestFinished(() => server.close());
    const [home, cwd] = [scratchFolder(), scratchFolder()];
    writeFileSync(path.join(cwd, 'a.txt'), 'old\n');
    const flags = [
      '--session',
      'work',
      '--allow',
      'write_file',
      '--provider',
      'openai',
      '--base-url',
      server.openaiUrl,
    ];
    const command = [process.execPath, '--import', killing(when), MAIN];
    const killed = await runHalter(['run', 'Write it', ...flags], { home, cwd, command });
    expect(killed.signal).toBe('SIGKILL');
    expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe(content);

    const next = await runHalter(['run', 'And now?', ...flags], { home, cwd });
    expect(next).toMatchObject({ code: 0, out: 'I see.\n' });
    expect(next.err).toContain(verdict);
    // The model is told the same, and nothing ran a second time.
    expect(server.requests[1]?.text).toContain(verdict);
    expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe(content);
    if (when === 'before') return;
    expect((await runHalter(['sessions', 'undo', 'work'], { home, cwd })).code).toBe(0);
    expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe('old\n');
  });
});
