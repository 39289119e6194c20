/** BFCL's questions, read out of the PyPI package `bfcl-eval` at run time. Nothing of it is kept in this repository. */
import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject, JsonSchema, JsonValue } from '../src/core/json.ts';
import type { ToolSchema } from '../src/core/tool.ts';
import { readZipEntry } from '../src/providers/embedded/model-store/zip.ts';

/** Those whose questions are one message of a person. The questions of `live_` were asked by people. */
export const ALL_CATEGORIES = [
  'simple_python',
  'multiple',
  'parallel',
  'parallel_multiple',
  'irrelevance',
  'live_simple',
  'live_multiple',
  'live_parallel',
  'live_parallel_multiple',
  'live_irrelevance',
  'live_relevance',
] as const;
export type Category = (typeof ALL_CATEGORIES)[number];
export const CATEGORIES: readonly Category[] = ['simple_python', 'multiple', 'irrelevance'];

/** Right is no call. */
export const wantsNoCall = (category: Category): boolean => category.endsWith('irrelevance');
/** Right is any call. */
export const wantsAnyCall = (category: Category): boolean => category === 'live_relevance';

/** A value as Python's `json` reads it: whole numbers are bigint, fractions number. */
export type PythonValue = string | number | bigint | boolean | null | PythonValue[] | { [key: string]: PythonValue };
export type PythonObject = { [key: string]: PythonValue };

export const parsePython = (text: string): PythonValue =>
  JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && /^-?\d+$/.test(context.source)
      ? BigInt(context.source)
      : value,
  ) as PythonValue;

export type BfclFunction = {
  name: string;
  description: string;
  parameters: { properties: Record<string, JsonObject>; required: string[] };
};
/** Function name → parameter → values that count as right. */
export type WantedCall = Record<string, Record<string, PythonValue[]>>;
export type BfclItem = {
  id: string;
  category: Category;
  question: string;
  functions: BfclFunction[];
  tools: ToolSchema[];
  /** The right calls, in any order. Empty where nothing should be called. */
  answers: readonly WantedCall[];
};

/** The package's own mapping of its type names to those of JSON Schema. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  integer: 'integer',
  number: 'number',
  float: 'number',
  string: 'string',
  boolean: 'boolean',
  bool: 'boolean',
  array: 'array',
  list: 'array',
  dict: 'object',
  object: 'object',
  tuple: 'array',
  any: 'string',
};

const mapTypes = (value: JsonValue, isProperties = false): JsonValue => {
  if (Array.isArray(value)) return value.map((entry) => mapTypes(entry));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]): [string, JsonValue] => {
    if (!isProperties && key === 'type' && typeof entry === 'string') return [key, JSON_TYPES[entry] ?? 'string'];
    if (!isProperties && (key === 'enum' || key === 'default' || key === 'required')) return [key, entry];
    return [key, mapTypes(entry, !isProperties && key === 'properties')];
  });
  // `optional: true` and the like are not JSON Schema and say nothing that `required` does not.
  return Object.fromEntries(isProperties ? entries : entries.filter(([key]) => key !== 'optional'));
};

export const toToolSchema = (item: BfclFunction): ToolSchema => ({
  type: 'function',
  function: {
    name: item.name,
    description: item.description,
    parameters: mapTypes(item.parameters as unknown as JsonValue) as JsonSchema,
  },
});

/** The package as a wheel in `folder`, downloaded by pip where it is not there yet. */
export const fetchPackage = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  const find = async (): Promise<string | undefined> =>
    (await readdir(folder)).find((name) => /^bfcl_eval-.*\.whl$/.test(name));
  if ((await find()) === undefined) {
    await promisify(execFile)('python3', ['-m', 'pip', 'download', '--no-deps', '-q', '-d', folder, 'bfcl-eval']);
  }
  const name = await find();
  if (name === undefined) throw new Error('pip downloaded no wheel of bfcl-eval');
  return path.join(folder, name);
};

export const defaultCacheFolder = (): string =>
  path.join(process.env['XDG_CACHE_HOME'] ?? path.join(process.env['HOME'] ?? tmpdir(), '.cache'), 'halter', 'evals');

const lines = (bytes: Buffer): string[] =>
  bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim().length > 0);

export const loadCategory = async (wheel: string, category: Category): Promise<BfclItem[]> => {
  const read = async (name: string): Promise<string[]> => lines(await readZipEntry(wheel, (entry) => entry === name));
  const questions = await read(`bfcl_eval/data/BFCL_v4_${category}.json`);
  const answers = new Map<string, readonly WantedCall[]>();
  if (!wantsNoCall(category) && !wantsAnyCall(category)) {
    for (const line of await read(`bfcl_eval/data/possible_answer/BFCL_v4_${category}.json`)) {
      const entry = parsePython(line) as { id: string; ground_truth: WantedCall[] };
      answers.set(entry.id, entry.ground_truth);
    }
  }
  return questions.map((line) => {
    const entry = JSON.parse(line) as {
      id: string;
      question: { role: string; content: string }[][];
      function: BfclFunction[];
    };
    return {
      id: entry.id,
      category,
      question: (entry.question[0] ?? []).map((message) => message.content).join('\n'),
      functions: entry.function,
      tools: entry.function.map(toToolSchema),
      answers: answers.get(entry.id) ?? [],
    };
  });
};

/** A seeded half, the same for everyone: tuned on `tune`, reported on `report`. */
export const halfOf = (id: string, seed: number): 'tune' | 'report' => {
  let hash = 2_166_136_261 ^ seed;
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  hash ^= hash >>> 15;
  return (hash >>> 0) % 2 === 0 ? 'tune' : 'report';
};
