/** Programs in a project that the packed package was installed into, which knows nothing of the checkout. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, type TestContext } from 'vitest';
import { cleanEnvironment } from './halter-process.ts';
import { type InstalledPackage, installPackage } from './installed-package.ts';
import { scratchFolder } from './scratch.ts';

const run = promisify(execFile);
const PREPARE_MS = 300_000;
const RUN_MS = 120_000;

/** The folder of the project, for each test of a file; a test is skipped where npm reaches no registry. */
export const installedProject = (): ((context: TestContext) => string) => {
  let built: InstalledPackage | undefined;
  beforeAll(async () => {
    built = await installPackage();
  }, PREPARE_MS);
  afterAll(() => built?.remove());
  return (context) => built?.folder ?? context.skip(built?.whyNot ?? 'it was not packed');
};

/** What a program of the project prints. `program`: another one than the Node that runs the tests. */
export const printedBy = async (
  folder: string,
  code: string,
  { name = `program-${crypto.randomUUID()}.mjs`, args = [], program = process.execPath }: PrintOptions = {},
): Promise<string> => {
  fs.writeFileSync(path.join(folder, name), code);
  const options = { cwd: folder, env: cleanEnvironment(scratchFolder()), timeout: RUN_MS };
  const { stdout } = await run(program, [path.join(folder, name), ...args], options);
  return stdout;
};
type PrintOptions = { name?: string; args?: readonly string[]; program?: string };

/** Most programs of these tests begin so. */
export const PROGRAM_HEAD = `
import { createHarness, defineTool, ModelFailure } from 'halter';
import { scriptedProvider } from 'halter/testing';
const add = defineTool({
  name: 'add', description: 'Add', risk: 'safe',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  run: ({ a, b }) => a + b,
});
const harness = (turns, options = {}) => createHarness({ model: 'm', provider: scriptedProvider(turns), ...options });
const call = { calls: [{ name: 'add', arguments: { a: 42, b: 58 } }] };
`;
