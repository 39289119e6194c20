/** The program opencode, as it comes from npm, pointed at halter and a model that writes its calls as text (B2). */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/server/index.ts';
import { verifies } from '../requirements.ts';
import { ROOT } from '../source-files.ts';
import { cleanEnvironment } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { TOKEN, testServer } from '../support/test-server.ts';

const run = promisify(execFile);
const PROGRAM = 'opencode-ai@1.18.33';
const INSTALL_MS = 120_000;
const RUN_MS = 90_000;

/** Outside the lock file: it is large, and only this test wants it. Kept between runs of the tests. */
const opencode = async (): Promise<string> => {
  const folder = path.join(ROOT, 'node_modules', '.cache', PROGRAM);
  if (!fs.existsSync(path.join(folder, 'node_modules'))) {
    fs.mkdirSync(folder, { recursive: true });
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-save', '--prefix', folder, PROGRAM];
    await run('npm', args, { cwd: folder, timeout: INSTALL_MS });
  }
  // The program itself lies in the package of the platform; a script of the main package would only link it.
  const packages = fs.readdirSync(path.join(folder, 'node_modules'));
  for (const name of packages.filter((entry) => entry.startsWith(`opencode-${process.platform}-${process.arch}`))) {
    const program = path.join(folder, 'node_modules', name, 'bin', 'opencode');
    const env = cleanEnvironment(scratchFolder());
    const works = await run(program, ['--version'], { timeout: 30_000, env }).catch(() => undefined);
    if (works) return program;
  }
  throw new Error('there is no program for this platform');
};

it('opencode reads a file with a tool that the model asked for in text', {
  timeout: INSTALL_MS + RUN_MS,
}, async (context) => {
  verifies('B2');
  let program = '';
  try {
    program = await opencode();
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    context.skip(`${PROGRAM} cannot be had or does not run here: ${reason}. Try: npm install ${PROGRAM}`);
  }
  const folder = scratchFolder();
  const server = await testServer((request) => {
    const last = request.messages.at(-1);
    if (last?.role === 'tool') return { text: `It says: ${/forty-\w+/.exec(last.content)?.[0] ?? 'nothing'}.` };
    if (request.tools.length === 0) return { text: 'A title' };
    const call = JSON.stringify({ name: 'read', arguments: { filePath: path.join(folder, 'a.txt') } });
    // A trailing comma, as small models write it.
    return { text: `<tool_call>\n${call.replace('}}', ',}}')}\n</tool_call>` };
  });
  const listening = await listen(server.app, { host: '127.0.0.1', port: 0 });
  if (!listening.ok) throw new Error(listening.error.message);
  onTestFinished(() => listening.value.close());
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    name: 'halter',
    options: { baseURL: `http://127.0.0.1:${listening.value.port}/v1`, apiKey: TOKEN },
    models: { m: { name: 'm', tool_call: true, limit: { context: 32_768, output: 4_096 } } },
  };
  const config = {
    model: 'halter/m',
    small_model: 'halter/m',
    autoupdate: false,
    share: 'disabled',
    provider: { halter: provider },
  };
  putFiles(folder, { 'a.txt': 'The answer is forty-two.\n', 'opencode.json': JSON.stringify(config) });
  const home = scratchFolder();
  const running = run(program, ['run', 'What does a.txt say?', '-m', 'halter/m'], {
    cwd: folder,
    timeout: RUN_MS,
    env: { ...cleanEnvironment(home), OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
  });
  running.child.stdin?.end();
  const { stdout } = await running;
  expect(stdout).toContain('It says: forty-two.');
  expect(server.provider.requests.some(({ tools }) => tools.some((tool) => tool.function.name === 'read'))).toBe(true);
});
