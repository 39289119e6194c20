/** Checks what must hold after a case of the catalogue. A word that is not known is an error. */
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { JsonValue } from '../../src/core/json.ts';
import type { ToolResult } from '../../src/core/tool-result.ts';
import type { AttackCase } from './attack-cases.ts';
import { asList, asObject, filesBelow, type Scene } from './attack-scene.ts';

export type Told = {
  result: ToolResult;
  milliseconds: number;
  rssGrowth: number;
  leaks?: number;
  reads?: number;
  /** Where the call was made in a child that saw other files: their bytes in hex, and all names there. */
  files?: Record<string, string>;
  names?: string[];
};

const message = (result: ToolResult): string => `${result.error_message ?? ''} ${result.data ?? ''}`;

const fileHex = (scene: Scene, told: Told): string => {
  const name = String(scene.args.path);
  return told.files?.[name] ?? fs.readFileSync(path.join(scene.root, name), 'hex');
};

const placed = (scene: Scene, name: string): string =>
  name.startsWith('$S/') ? name.replace('$S', scene.scratch) : path.join(scene.root, name);

type Check = (expected: JsonValue, told: Told, scene: Scene, attack: AttackCase) => void;
const ACCEPTED: Record<string, (result: ToolResult) => boolean> = {
  allow: (result) => result.success,
  deny: (result) => !result.success,
  allow_or_deny: () => true,
  deny_or_allow_inside: () => true,
  deny_or_empty: () => true,
  // Somebody who is asked may say yes, so only refusing proves it.
  deny_or_prompt_high: (result) => !result.success,
};

const THEN: Record<string, Check> = {
  decision: (expected, { result }) => {
    const accepted = ACCEPTED[String(expected)];
    if (accepted === undefined) throw new Error(`the decision "${String(expected)}" is not known`);
    expect(accepted(result), message(result)).toBe(true);
  },
  success: (expected, { result }) => expect(result.success, message(result)).toBe(expected),
  valid: (expected, { result }) => expect(result.success, message(result)).toBe(expected),
  executed: (expected, _told, scene) => {
    if (expected === false) expect(filesBelow(scene.scratch)).toEqual(scene.before);
  },
  error_type: (expected, { result }) => expect(result.error_type, message(result)).toBe(expected),
  error_type_in: (expected, { result }) => {
    if (!result.success) expect(asList(expected)).toContain(result.error_type);
  },
  message_contains: (expected, { result }) => {
    for (const part of asList(expected)) expect(message(result)).toContain(part);
  },
  content_contains: (expected, { result }) => expect(result.data).toContain(expected),
  data_contains: (expected, { result }) => expect(result.data).toContain(expected),
  output_must_not_contain: (expected, { result }) => {
    for (const part of asList(expected)) expect(message(result)).not.toContain(part);
  },
  matches: (expected, { result }) => {
    // A row of a match is `path:line: text`.
    const rows = (result.data ?? '').split('\n').filter((line) => /^[^\s:]+:\d+[:-]/.test(line));
    expect(rows.length).toBe(expected);
  },
  unchanged: (expected, told, scene, attack) => {
    for (const name of asList(expected).map(String)) {
      const file = placed(scene, name);
      const elsewhere = told.files?.[name];
      const given = asObject(attack.given.file)[name];
      const before = elsewhere === undefined ? scene.before.get(file) : Buffer.from(String(given));
      expect(elsewhere ?? fs.readFileSync(file, 'hex')).toBe(before?.toString('hex'));
    }
  },
  absent: (expected, _told, scene) => {
    for (const name of asList(expected)) expect(fs.existsSync(placed(scene, String(name)))).toBe(false);
  },
  tmp_left: (expected, told) => expect(told.names?.filter((name) => name.endsWith('.tmp')).length).toBe(expected),
  file_equals: (expected, told, scene) => {
    if (typeof expected === 'string') expect(Buffer.from(fileHex(scene, told), 'hex').toString()).toBe(expected);
    for (const [name, content] of Object.entries(asObject(expected))) {
      expect(fs.readFileSync(placed(scene, name), 'utf8')).toBe(content);
    }
  },
  file_hex: (expected, told, scene) => expect(fileHex(scene, told)).toBe(expected),
  file_hex_in: (expected, told, scene, attack) => {
    const original = scene.before.get(path.join(scene.root, String(scene.args.path)))?.toString('hex');
    const refused = attack.then.or === 'refused unchanged' && !told.result.success ? [original] : [];
    expect([...asList(expected), ...refused]).toContain(fileHex(scene, told));
  },
  or: () => {},
  note: () => {},
  mode: (expected, _told, scene) => {
    const { mode } = fs.statSync(path.join(scene.root, String(scene.args.path)));
    expect((mode & 0o7777).toString(8).padStart(4, '0')).toBe(expected);
  },
  lines: (expected, { result }) => expect(result.data?.split('\n').length).toBe(expected),
  truncated: (expected, { result }) => expect(result.metadata.truncated !== undefined).toBe(expected),
  max_ms: (expected, told) => expect(told.milliseconds).toBeLessThan(Number(expected)),
  max_bytes: (expected, { result }) =>
    expect(Buffer.byteLength(result.data ?? '')).toBeLessThanOrEqual(Number(expected)),
  rss_growth_mb_max: (expected, told) => expect(told.rssGrowth / 1024 ** 2).toBeLessThan(Number(expected)),
  harness_alive: (expected) => expect(expected).toBe(true),
  leaks: (expected, told) => expect(told.leaks).toBe(expected),
  min_reads: (expected, told) => expect(told.reads).toBeGreaterThanOrEqual(Number(expected)),
};

export const checkAttack = (attack: AttackCase, told: Told, scene: Scene): void => {
  for (const [word, expected] of Object.entries(attack.then)) {
    const check = THEN[word];
    if (check === undefined) throw new Error(`"then" has "${word}", which is not known`);
    check(expected, told, scene, attack);
  }
};
