/** Plays the cases in which a tool of a plugin breaks its contract, or the clock of the system is set while a call runs. */
import fs from 'node:fs';
import path from 'node:path';
import type { Event } from '../../src/core/events.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { ToolResult } from '../../src/core/tool-result.ts';
import { SessionFiles } from '../../src/storage/session-files.ts';
import { hold, onlyKnown, Unmet } from './attack-case.ts';
import { answer } from './model-server.ts';
import { openPty } from './pty.ts';
import type { Scene } from './scene.ts';

const NAME = 'odd_tool';
const THEN = [
  'error_type',
  'harness_alive',
  'terminal_restored',
  'unhandledRejection',
  'execution_time_ms_min',
  'execution_time_ms_max',
  'max_ms',
];

/** What the tool does, in the words of a case: the body of its `run`. */
const WAYS: readonly { words: RegExp; body: string; timeoutMs?: number }[] = [
  { words: /^throws$/, body: "throw new Error('thrown by the tool');" },
  { words: /^rejects$/, body: "return Promise.reject(new Error('rejected by the tool'));" },
  { words: /^throws (?:a )?(?:string|no error)$/, body: "throw 'thrown by the tool';" },
  {
    words: /^throws later$/,
    body: "setTimeout(() => { throw new Error('thrown later'); }, 50); return new Promise(() => {});",
    timeoutMs: 1_000,
  },
  {
    words: /^late$/,
    body: "return new Promise((_done, fail) => setTimeout(() => fail(new Error('too late')), 600));",
    timeoutMs: 200,
  },
  { words: /^never$/, body: 'return new Promise(() => {});', timeoutMs: 300 },
  { words: /^gives back (?:a )?(?:string|nothing|no result)$/, body: "return 'no result';" },
  {
    words: /^any$/,
    body: "fs.writeFileSync(MARK, ''); return new Promise((done) => setTimeout(() => done({ success: true, data: 'done' }), 300));",
  },
];

const plugin = (scene: Scene, way: (typeof WAYS)[number]): void => {
  const folder = path.join(scene.config, 'plugins');
  fs.mkdirSync(folder, { recursive: true });
  const text = `import fs from 'node:fs';
const MARK = ${JSON.stringify(markOf(scene))};
export const plugin = { name: 'odd', tools: [{
  name: '${NAME}', description: 'Does something odd.', risk: 'safe', effects: 'none',
  parameters: { type: 'object', properties: {} }, ${way.timeoutMs === undefined ? '' : `timeout_ms: ${way.timeoutMs},`}
  run: () => { ${way.body} },
}] };`;
  fs.writeFileSync(path.join(folder, 'odd.mjs'), text);
};

const markOf = (scene: Scene): string => path.join(scene.scratch, 'called');

/** `Date` is another one from the moment on at which the tool runs. */
const clockStep = (scene: Scene): string[] => {
  const words = scene.attack.given['clock'];
  if (words === undefined) return [];
  const [, direction, count, unit] = /^jumps (back|forward) (\d+) (h|min|s|d) during a call$/.exec(String(words)) ?? [];
  if (count === undefined) throw new Unmet(`a clock that ${JSON.stringify(words)} is not known`);
  const milliseconds = Number(count) * ({ h: 3_600_000, min: 60_000, s: 1_000, d: 86_400_000 }[unit as 'h'] ?? 0);
  const source = `
import fs from 'node:fs';
const { now } = Date;
const shift = () => (fs.existsSync(${JSON.stringify(markOf(scene))}) ? ${direction === 'back' ? -milliseconds : milliseconds} : 0);
globalThis.Date = class extends Date {
  constructor(...words) { if (words.length === 0) super(now() + shift()); else super(...words); }
  static now() { return now() + shift(); }
};`;
  return ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
};

/** Counts what nobody caught, without keeping it from ending the program. */
const watch = (scene: Scene): string[] => {
  const file = JSON.stringify(path.join(scene.scratch, 'uncaught'));
  const source = `import fs from 'node:fs';
process.on('uncaughtExceptionMonitor', (error, origin) => fs.appendFileSync(${file}, origin + '\\n'));`;
  return ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
};

const eventsOf = async (scene: Scene): Promise<readonly Event[]> => {
  const files = new SessionFiles({ folder: path.join(scene.home, '.local/share/halter/sessions') });
  const ids = await files.ids();
  const [id] = ids.ok ? ids.value : [];
  const read = id === undefined ? undefined : await files.read(id);
  return read?.ok ? read.value.events : [];
};

const wayOf = ({ given, when }: { given: JsonObject; when: JsonObject }): (typeof WAYS)[number] => {
  const found = WAYS.find(({ words }) => words.test(String(when['tool'])));
  if (found === undefined) throw new Unmet(`a tool that ${JSON.stringify(when['tool'])} is not known`);
  const operation = given['op'];
  const known = operation === undefined || /^(?:uncaughtException|tool )/.test(String(operation));
  hold(known, `the operation ${JSON.stringify(operation)} is not known`);
  return found;
};

export const withOddTool = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('given', given, ['op', 'clock']);
  onlyKnown('when', when, ['tool']);
  onlyKnown('then', then, THEN);
  plugin(scene, wayOf(scene.attack));
  const call = answer([], [{ id: 'c1', name: NAME, arguments: '{}' }]);
  const script = (number: number) => (number === 0 ? call : answer([`That was number ${number}.`]));
  const app = await openPty(scene, { script, node: [...clockStep(scene), ...watch(scene)], words: ['--allow', NAME] });
  app.type('go\r');
  const started = performance.now();
  await app.until(() => app.shows('That was number 1.') || app.ended(), 'the call does not end');
  const milliseconds = performance.now() - started;
  // What comes late has come by then.
  await new Promise((resolve) => setTimeout(resolve, LATE_MS));
  app.type('again\r');
  await app.until(() => app.shows('That was number 2.') || app.ended(), 'it does not go on').catch(() => {});
  const isAlive = app.shows('That was number 2.') && !app.ended();
  app.type('\x04');
  await app.end(END_MS);
  const uncaught = path.join(scene.scratch, 'uncaught');
  const origins = fs.existsSync(uncaught) ? fs.readFileSync(uncaught, 'utf8').trim().split('\n') : [];
  const results = (await eventsOf(scene)).flatMap((event): ToolResult[] =>
    event.type === 'tool_finished' ? [event.result] : [],
  );
  const [result] = results;
  hold(result !== undefined, 'the call has no result');
  const took = result?.metadata.execution_time_ms ?? Number.NaN;
  const holds = (word: string, fits: (expected: unknown) => boolean, what: string): void => {
    if (then[word] !== undefined) hold(fits(then[word]), what);
  };
  holds('error_type', (expected) => result?.error_type === expected, `the error is ${result?.error_type}`);
  holds('harness_alive', (expected) => isAlive === expected, 'the program does not go on');
  holds('unhandledRejection', (expected) => origins.length === expected, `${origins.join(', ')} came up`);
  holds('execution_time_ms_min', (expected) => took >= Number(expected), `the call took ${took} ms`);
  holds('execution_time_ms_max', (expected) => took <= Number(expected), `the call took ${took} ms`);
  holds('max_ms', (expected) => milliseconds <= Number(expected), `it took ${Math.round(milliseconds)} ms`);
  const wrong = app.restored();
  holds('terminal_restored', (expected) => (wrong === undefined) === expected, `the terminal: ${wrong}`);
};
const LATE_MS = 800;
const END_MS = 5_000;
