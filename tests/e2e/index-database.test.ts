/** One index for all processes: what one machine indexed into the database, another one finds, without a file of its own. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { describePostgres, usePostgres } from '../support/postgres.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const postgres = usePostgres();

describePostgres('an index in the database', () => {
  it('is made by one halter and read by the others, in the terminal and in a conversation', async () => {
    verifies('Z20', 'B12', 'E2');
    const cwd = scratchFolder();
    putFiles(cwd, { 'notes.md': '# Walrus\n\nThe walrus pays on Fridays.\n' });
    const [one, other] = [scratchFolder(), scratchFolder()];
    const env = { HALTER_DATABASE_URL: await postgres().url('one_index') };
    const before = await runHalter(['index', '--status'], { cwd, home: other, env });
    expect(before.out).toContain('There is no index of this folder yet');
    const made = await runHalter(['index', '--json'], { cwd, home: one, env });
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.json()).toMatchObject({ exists: true, files: 1, indexed: 1 });
    expect((made.json() as { file: string }).file).toContain('PostgreSQL at');

    const found = await runHalter(['search', 'when does the walrus pay', '--json'], { cwd, home: other, env });
    expect(found.json()).toMatchObject({ results: [{ path: 'notes.md' }] });
    const again = await runHalter(['index', '--json'], { cwd, home: other, env });
    expect(again.json()).toMatchObject({ indexed: 0, unchanged: 1 });

    const server = await startScriptedServer({
      turns: [
        { calls: [{ name: 'rag_search', arguments: { query: 'walrus', global: true } }] },
        { text: 'On Fridays.' },
      ],
    });
    const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '--format', 'stream-json'];
    const ran = await runHalter(['run', 'When does it pay?', ...flags], { cwd, home: other, env });
    await server.close();
    expect(ran).toMatchObject({ code: 0, err: '' });
    const [result] = ran.lines().filter(({ type }) => type === 'tool_result');
    expect(JSON.stringify(result)).toContain('Fridays');
    expect((await runHalter(['doctor'], { cwd, home: other, env })).out).toMatch(/index\s+1 file/);
    for (const home of [one, other]) {
      expect(fs.existsSync(path.join(home, '.local/share/halter/index'))).toBe(false);
    }
  });
});
