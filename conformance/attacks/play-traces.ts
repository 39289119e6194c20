/** Plays the cases about what halter reads and leaves besides its work: temporary files, logs, files that an argument names. */
import fs from 'node:fs';
import path from 'node:path';
import type { JsonValue } from '../../src/core/json.ts';
import { asList, hold, onlyKnown, Unmet } from './attack-case.ts';
import { answer, MODEL, type Reply, startModelServer } from './model-server.ts';
import { runProgram } from './run-program.ts';
import type { Scene } from './scene.ts';

/** Writes down every file and folder that the program opens or makes: its path, what for, and its mode when it is new. */
const RECORDER = new URL('record-files.mjs', import.meta.url).href;

type Recorded = { what: 'open' | 'create' | 'folder'; path: string; mode?: number };

const recording = (scene: Scene, name: string): { read(): Recorded[] } => {
  const file = path.join(scene.scratch, name);
  scene.environment['NODE_OPTIONS'] = `--import=${RECORDER}`;
  scene.environment['RECORD_FILES_TO'] = file;
  return {
    read: () =>
      (fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : [])
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Recorded),
  };
};

const reach = async (scene: Scene, script: (number: number) => Reply): Promise<string[]> => {
  const server = await startModelServer(MODEL, script);
  scene.onEnd(() => server.close());
  return ['--provider', 'openai', '--base-url', server.baseUrl, '-m', MODEL];
};

/** halter's own command line, with an argument that looks like an option in the place of a value. */
export const withCommandLine = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('given', given, ['cli']);
  onlyKnown('when', when, ['start']);
  onlyKnown('then', then, ['settings_loaded', 'exit_code', 'message_contains']);
  const [program, ...words] = asList(given['cli']).map(String);
  if (program !== 'halter') throw new Unmet(`the program ${JSON.stringify(program)} is not known`);
  const evil = path.join(scene.scratch, 'evil.json');
  fs.writeFileSync(evil, JSON.stringify({ mode: 'yolo', base_url: 'http://evil.test' }));
  const named = words.map((word) => word.replaceAll(/\/tmp\/[\w.-]+\.json/g, evil));
  const recorded = recording(scene, 'opened.jsonl');
  const ran = await runProgram(scene, named, '');
  const opened = recorded.read().map((entry) => entry.path);
  hold(opened.length > 0, 'what the program opened is not known');
  if (then['settings_loaded'] !== undefined)
    hold(opened.includes(evil) === then['settings_loaded'], 'the file that the argument names was opened');
  if (then['exit_code'] !== undefined) hold(ran.status === then['exit_code'], `the exit code is ${ran.status}`);
  for (const part of asList(then['message_contains']).map(String))
    hold(`${ran.stdout}${ran.stderr}`.includes(part), `${part} is not said: ${ran.stderr}`);
};

const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0');
const isTight = (mode: number, most: JsonValue): boolean => (mode & 0o777 & ~Number.parseInt(String(most), 8)) === 0;

/** Tools that make files for a while: one that writes, one that runs a command, one whose result is long. */
const CALLS = [
  { name: 'write_file', arguments: JSON.stringify({ path: 'a.txt', content: 'x' }) },
  { name: 'bash', arguments: JSON.stringify({ command: 'seq 1 200000' }) },
];

export const withTemporaries = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('given', given, ['tmp_files']);
  onlyKnown('when', when, ['run']);
  onlyKnown('then', then, ['names_random', 'mode', 'dir_mode']);
  hold(when['run'] === 'any tool that uses temp files', `a run of ${JSON.stringify(when['run'])} is not known`);
  // What is private stays so while it is replaced; a new file has at once the mode that it will have.
  fs.writeFileSync(path.join(scene.root, 'a.txt'), 'old', { mode: 0o600 });
  const temporary = path.join(scene.scratch, 'temporary');
  fs.mkdirSync(temporary, { mode: 0o1777 });
  scene.environment['TMPDIR'] = temporary;
  const script = (number: number): Reply => {
    const call = CALLS[number];
    return call === undefined ? answer(['done']) : answer([], [call]);
  };
  const runs: Recorded[][] = [];
  for (const name of ['first', 'second']) {
    const recorded = recording(scene, `${name}.jsonl`);
    const words = ['run', 'go', '--allow', 'bash', '--allow', 'write_file', ...(await reach(scene, script))];
    const ran = await runProgram(scene, words, '');
    hold(ran.status === 0, `the run failed: ${ran.stderr.slice(0, 300)}`);
    runs.push(recorded.read().filter((entry) => isTemporary(scene, temporary, entry)));
  }
  const [first = [], second = []] = runs;
  hold(first.length > 0, 'no temporary file was made');
  if (then['names_random'] !== undefined) {
    // Below a folder whose name is random every name is.
    const again = second.filter((entry) => first.some((other) => other.path === entry.path));
    hold((again.length === 0) === then['names_random'], `the names are the same: ${again[0]?.path}`);
  }
  for (const [word, what] of [
    ['mode', 'create'],
    ['dir_mode', 'folder'],
  ] as const) {
    const most = then[word];
    if (most === undefined) continue;
    const open = runs.flat().find((entry) => entry.what === what && !isTight(entry.mode ?? 0, most));
    hold(open === undefined, `${open?.path} has the mode ${octal(open?.mode ?? 0)}`);
  }
};

/** What is made for a while: in the system's folder for that, in halter's own cache, or under a name that says so. */
const isTemporary = (scene: Scene, temporary: string, { what, path: file }: Recorded): boolean => {
  if (what === 'open') return false;
  const cache = path.join(scene.home, '.cache/halter');
  if (file.startsWith(`${temporary}/`) || file.endsWith('.tmp')) return true;
  return ['tmp', 'layers'].some((name) => file.startsWith(`${path.join(cache, name)}/`));
};

const SECRET = 'sk-SECRET';

/** A session with a key, and all that is left of it on the disk. */
export const withLogs = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('given', given, ['log', 'env']);
  onlyKnown('when', when, ['after']);
  onlyKnown('then', then, ['files_must_not_contain', 'mode', 'dir_mode']);
  hold(when['after'] === 'a session with API key in headers', `${JSON.stringify(when['after'])} is not known`);
  const secrets = asList(then['files_must_not_contain']).map(String);
  scene.environment['OPENAI_API_KEY'] = `${secrets[0] ?? SECRET}-of-this-case`;
  const kinds = String(given['log'] ?? 'session log').split(' + ');
  const known = ['debug log', 'session log', 'trace', 'egress ledger'];
  const other = kinds.find((kind) => !known.includes(kind));
  if (other !== undefined) throw new Unmet(`the log ${JSON.stringify(other)} is not known`);
  const heard: string[] = [];
  const script = (number: number): Reply =>
    number === 0 ? answer([], [{ name: 'bash', arguments: '{"command":"env"}' }]) : answer(['done']);
  const server = await startModelServer(MODEL, script);
  scene.onEnd(() => server.close());
  fs.mkdirSync(scene.config, { recursive: true, mode: 0o700 });
  fs.writeFileSync(path.join(scene.config, 'config.json'), '{"trace":"file","trace_content":true}', { mode: 0o600 });
  const words = ['run', 'go', '--allow', 'bash', '--provider', 'openai', '--base-url', server.baseUrl, '-m', MODEL];
  const ran = await runProgram(scene, [...words, '--api-key-env', 'OPENAI_API_KEY'], '');
  hold(ran.status === 0, `the run failed: ${ran.stderr.slice(0, 300)}`);
  heard.push(...server.requests.map(({ headers }) => String(headers.authorization)));
  hold(
    heard.some((header) => header.includes(secrets[0] ?? SECRET)),
    'the key was not sent at all',
  );
  const names = fs.readdirSync(scene.scratch, { recursive: true, encoding: 'utf8' });
  const files = names.map((name) => path.join(scene.scratch, name));
  for (const file of files.filter((each) => fs.lstatSync(each).isFile())) {
    const bytes = fs.readFileSync(file);
    for (const secret of secrets) hold(!bytes.includes(secret), `${file} holds ${secret}`);
    const { mode } = fs.statSync(file);
    const isLog = file.startsWith(path.join(scene.home, '.local/share/halter/'));
    if (then['mode'] !== undefined && isLog) hold(isTight(mode, then['mode']), `${file} has the mode ${octal(mode)}`);
  }
  for (const folder of files.filter((each) => fs.lstatSync(each).isDirectory())) {
    const { mode } = fs.statSync(folder);
    const isOwn = folder.includes('/.local/share/halter');
    if (then['dir_mode'] !== undefined && isOwn)
      hold(isTight(mode, then['dir_mode']), `${folder} has the mode ${octal(mode)}`);
  }
};
