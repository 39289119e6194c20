/** What is no file of a model is said at once, whoever looks at it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { runHalter } from '../../../tests/support/halter-process.ts';
import { inTurn } from '../../../tests/support/long.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';

/** Each way to name a model file on the command line. */
const COMMANDS: Readonly<Record<string, (file: string) => string[]>> = {
  'models advise': (file) => ['models', 'advise', file],
  'run -m': (file) => ['run', '-m', file, 'hello'],
  'run --lora': (file) => ['run', '-m', 'starter', '--lora', file, 'hello'],
};
const NO_FILES: Readonly<Record<string, (file: string) => void>> = {
  'a named pipe': (file) => {
    execFileSync('mkfifo', [file]);
  },
  'a folder': (file) => {
    mkdirSync(file);
  },
  'an empty file': (file) => {
    writeFileSync(file, '');
  },
};

const COMMAND_ROWS = Object.entries(COMMANDS).map(([name, args], index) => [name, args, index] as const);
describe.skipIf(process.platform === 'win32').each(COMMAND_ROWS)('halter %s', (_, args, index) => {
  it.each(inTurn(Object.entries(NO_FILES), index, COMMAND_ROWS.length))(
    'says at once that %s is no model',
    async (__, make) => {
      verifies('B11');
      const file = path.join(scratchFolder(), 'odd.gguf');
      make(file);
      const ran = await runHalter(args(file), { asProgram: true });
      expect([ran.code === 0, ran.err]).toEqual([false, expect.stringContaining('odd.gguf')]);
    },
    30_000,
  );
});
