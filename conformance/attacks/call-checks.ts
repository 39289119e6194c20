/** Checks what must hold after a call. A word that is not known is a failure with its name. */

import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import type { ToolResult } from '../../src/core/tool-result.ts';
import { asList, asObject, hold, Unmet } from './attack-case.ts';
import { accepts, type Decision } from './names.ts';
import { filesBelow, NEIGHBOUR_FILE, type Scene } from './scene.ts';

export type Told = {
  result: ToolResult;
  decision: Decision;
  args: JsonObject;
  milliseconds: number;
  rssGrowth: number;
  leaks?: number;
  reads?: number;
  /** What several callers wrote at once. */
  written?: readonly string[];
  /** Processes that the call began and that still run. */
  childrenLeft?: number;
  /** Where the call was made in a child that saw other files: their bytes in hex, and all names there. */
  files?: Record<string, string>;
  names?: string[];
};

const message = (result: ToolResult): string => `${result.error_message ?? ''} ${result.data ?? ''}`;
const short = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200);

const same = (what: string, actual: unknown, expected: unknown): void =>
  hold(isDeepStrictEqual(actual, expected), () => `${what} is ${short(actual)}, not ${short(expected)}`);
const atMost = (what: string, actual: number, expected: JsonValue): void =>
  hold(actual <= Number(expected), () => `${what} is ${Math.round(actual)}, more than ${short(expected)}`);

const fileHex = (scene: Scene, told: Told): string => {
  const name = String(told.args['path']);
  return told.files?.[name] ?? fs.readFileSync(path.join(scene.root, name), 'hex');
};
/** The entries of a listing: of `ls` without its heading and its sum, of a tree all paths. */
const rowsOf = (result: ToolResult): string[] => {
  const data = result.data ?? '';
  if (data.startsWith('[')) return asList(JSON.parse(data) as JsonValue).map(String);
  return data.split('\n').filter((line) => /^(?:FILE|DIR|LINK|OTHER)\b/.test(line));
};
const placed = (scene: Scene, name: string): string => path.resolve(scene.root, name);
const has = (text: string, parts: JsonValue): void => {
  for (const part of asList(parts).map(String)) {
    hold(text.includes(part), () => `${short(part)} is not in ${short(text)}`);
  }
};
const hasNot = (text: string, parts: JsonValue): void => {
  for (const part of asList(parts).map(String)) {
    hold(!text.includes(part), () => `${short(part)} is in ${short(text)}`);
  }
};

type Check = (expected: JsonValue, told: Told, scene: Scene) => void;

const FILES: Readonly<Record<string, Check>> = {
  executed: (expected, _told, scene) => {
    if (expected !== false) return;
    const after = filesBelow(scene.scratch);
    hold(isDeepStrictEqual(after, scene.before), () => 'files were changed, though nothing may run');
  },
  unchanged: (expected, told, scene) => {
    for (const name of asList(expected).map(String)) {
      const file = placed(scene, name);
      const elsewhere = told.files?.[name];
      const given = asObject(scene.attack.given['file'])[name];
      const before = elsewhere === undefined ? scene.before.get(file) : Buffer.from(String(given));
      const now = elsewhere ?? (fs.existsSync(file) ? fs.readFileSync(file, 'hex') : undefined);
      hold(now === before?.toString('hex'), () => `${name} has changed`);
    }
  },
  absent: (expected, _told, scene) => {
    for (const name of asList(expected).map(String)) {
      hold(!fs.existsSync(placed(scene, name)), () => `${name} is there`);
    }
  },
  tmp_left: (expected, told, scene) => {
    const names = told.names ?? fs.readdirSync(scene.root);
    same('the number of temporary files', names.filter((name) => name.endsWith('.tmp')).length, expected);
  },
  file_equals: (expected, told, scene) => {
    if (typeof expected === 'string') same('the file', Buffer.from(fileHex(scene, told), 'hex').toString(), expected);
    for (const [name, content] of Object.entries(asObject(expected))) {
      same(name, fs.readFileSync(placed(scene, name), 'utf8'), content);
    }
  },
  file_hex: (expected, told, scene) => same('the file', fileHex(scene, told), expected),
  file_hex_in: (expected, told, scene) => {
    const original = scene.before.get(path.join(scene.root, String(told.args['path'])))?.toString('hex') ?? '';
    const refused = scene.attack.then['or'] === 'refused unchanged' && !told.result.success ? [original] : [];
    const hex = fileHex(scene, told);
    hold([...asList(expected), ...refused].includes(hex), () => `the file is ${hex}`);
  },
  file_equals_in: (expected, told, scene) => {
    const text = Buffer.from(fileHex(scene, told), 'hex').toString();
    hold(asList(expected).includes(text), () => `the file is ${short(text)}`);
  },
  still_symlink: (expected, _told, scene) => {
    for (const name of asList(expected).map(String))
      hold(fs.lstatSync(placed(scene, name)).isSymbolicLink(), () => `${name} is a link no more`);
  },
  file_equals_one_of_the_two: (expected, told, scene) => {
    const now = fs.readFileSync(placed(scene, String(told.args['path'])), 'utf8');
    same('one of what was written, whole', told.written?.includes(now), expected);
  },
  or: (expected) => hold(expected === 'refused unchanged', () => `"or" is ${short(expected)}, which is not known`),
  mode: (expected, told, scene) => {
    const { mode } = fs.statSync(path.join(scene.root, String(told.args['path'])));
    same('the mode', (mode & 0o7777).toString(8).padStart(4, '0'), expected);
  },
};

const ANSWER: Readonly<Record<string, Check>> = {
  decision: (expected, { decision, result }) =>
    hold(
      accepts(expected, decision),
      () => `the decision is ${decision.word}, not ${short(expected)}: ${message(result)}`,
    ),
  success: (expected, { result }) => same('success', result.success, expected),
  valid: (expected, { result }) => same('success', result.success, expected),
  error_type: (expected, { result }) => same('error_type', result.error_type, expected),
  error_type_in: (expected, { result }) => {
    if (result.success) return;
    hold(asList(expected).includes(result.error_type), () => `error_type is ${result.error_type}`);
  },
  message_contains: (expected, { result }) => has(message(result), expected),
  content_contains: (expected, { result }) => has(result.data ?? '', expected),
  data_contains: (expected, { result }) => has(result.data ?? '', expected),
  output_contains: (expected, { result }) => has(message(result), expected),
  output_must_not_contain: (expected, { result }) => hasNot(message(result), expected),
  matches: (expected, { result }) => {
    // A row of a match is `path:line: text`.
    const rows = (result.data ?? '').split('\n').filter((line) => /^[^\s:]+:\d+[:-]/.test(line));
    same('the number of matches', rows.length, expected);
  },
  lines: (expected, { result }) => same('the number of lines', result.data?.split('\n').length, expected),
  truncated: (expected, { result }) => same('truncated', result.metadata.truncated !== undefined, expected),
  data: (expected, { result }) => same('the data', result.data, expected),
  rows: (expected, { result }) => same('the rows', rowsOf(result).length, expected),
  shown_as: (expected, { result }) =>
    hold(
      rowsOf(result).some((row) => row.includes(String(expected))),
      () => `${short(expected)} is not in ${short(result.data)}`,
    ),
  max_entries: (expected, { result }) => atMost('the number of entries', rowsOf(result).length, expected),
  lists_others: (expected, { result }) =>
    same('what stands beside is listed', (result.data ?? '').includes(NEIGHBOUR_FILE), expected),
  notes_skipped: (expected, { result }) => {
    const notes = `${message(result)}\n${result.metadata.truncated ?? ''}`
      .split('\n')
      .filter((line) => /not readable|cannot be read|skipped|no permission|unreadable/i.test(line));
    same('the notes of what was left out', notes.length, expected);
  },
  min_writes: (expected, told) =>
    hold((told.reads ?? 0) >= Number(expected), () => `there were only ${told.reads ?? 0} writes`),
  max_bytes: (expected, { result }) => atMost('the size', Buffer.byteLength(result.data ?? ''), expected),
  leaks: (expected, told) => same('the number of leaks', told.leaks, expected),
  min_reads: (expected, told) =>
    hold((told.reads ?? 0) >= Number(expected), () => `there were only ${told.reads ?? 0} reads`),
};

const MODEL: Readonly<Record<string, Check>> = {
  to_model_bytes_max: (expected, { result }) => atMost('the text', Buffer.byteLength(result.data ?? ''), expected),
  to_model_contains: (expected, { result }) => has(result.data ?? '', expected),
  to_model_not_contains: (expected, { result }) => hasNot(message(result), expected),
  to_model_line_max_bytes: (expected, { result }) =>
    atMost('a line', Math.max(...(result.data ?? '').split('\n').map((line) => Buffer.byteLength(line))), expected),
  contains: (expected, { result }) => has(result.data ?? '', expected),
  not_contains: (expected, { result }) => hasNot(result.data ?? '', expected),
  marker: (expected, { result }) => has(result.data ?? '', expected),
  marked_binary: (expected, { result }) => same('marked as binary', /\bbinary\b/i.test(message(result)), expected),
  valid_utf8: (expected, { result }) => same('well-formed', (result.data ?? '').isWellFormed(), expected),
  well_formed: (expected, { result }) =>
    same('well-formed', JSON.stringify(result.data ?? '').isWellFormed(), expected),
  valid_utf16: (expected, { result }) => same('well-formed', (result.data ?? '').isWellFormed(), expected),
  status: (expected, { result }) => {
    const status = result.success ? 'completed' : (result.metadata.reason ?? result.error_type);
    same('the status', status, expected);
  },
  children_left: (expected, told) => same('the processes that are left', told.childrenLeft, expected),
  children_left_in_sandbox: (expected, told) => same('the processes that are left', told.childrenLeft, expected),
  valid_json: (expected, { result }) =>
    same('the same after JSON', isDeepStrictEqual(JSON.parse(JSON.stringify(result)), result), expected),
  data_not_null: (expected, { result }) => same('data is there', result.data !== null, expected),
  head_and_tail_kept: (expected, { result }, scene) => {
    const [whole, data] = [String(scene.attack.given['stdout']), result.data ?? ''];
    const kept = data.startsWith(whole.slice(0, ENDS)) && data.trimEnd().endsWith(whole.trimEnd().slice(-ENDS));
    same('head and tail kept', kept, expected);
  },
  total_bytes_reported: (expected, { result }) => {
    const told = `${result.metadata.truncated ?? ''} ${result.data ?? ''}`.replaceAll(/(?<=\d)[,. _](?=\d{3})/g, '');
    hold(new RegExp(`\\b${String(expected)}\\b`).test(told), () => `the total of ${String(expected)} is not said`);
  },
};
const ENDS = 100;

const LIMITS_HELD: Readonly<Record<string, Check>> = {
  max_ms: (expected, told) => atMost('the time in ms', told.milliseconds, expected),
  rss_growth_mb_max: (expected, told) => atMost('the growth in MB', told.rssGrowth / 1024 ** 2, expected),
  // That the checks are run says so.
  harness_alive: (expected) => same('alive', true, expected),
  /** For readers. */
  note: () => {},
  /** What the process had in its environment. */
  env: () => {},
};

const CHECKS: Readonly<Record<string, Check>> = { ...FILES, ...ANSWER, ...MODEL, ...LIMITS_HELD };
export const CALL_WORDS: readonly string[] = Object.keys(CHECKS);

export const checkCall = (told: Told, scene: Scene, skipped: readonly string[] = []): void => {
  for (const [word, expected] of Object.entries(scene.attack.then)) {
    if (skipped.includes(word)) continue;
    const check = Object.hasOwn(CHECKS, word) ? CHECKS[word] : undefined;
    if (check === undefined) throw new Unmet(`"then" has "${word}", which is not known`);
    check(expected, told, scene);
  }
};
