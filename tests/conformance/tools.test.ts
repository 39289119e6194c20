/**
 * What every tool of the list keeps to. A new tool is covered by being in the list: nothing here names one, except
 * where a document fixes it.
 */

import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonSchema, JsonValue } from '../../src/core/json.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { shownSources } from '../../src/core/summarize.ts';
import { type Tool, toolSchema } from '../../src/core/tool.ts';
import { TOOL_ERROR_TYPES } from '../../src/core/tool-result.ts';
import { validateArguments } from '../../src/core/validate-arguments.ts';
import { mayChoose } from '../../src/providers/led/everyday.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';
import { verifies } from '../requirements.ts';
import { expectWithin } from '../support/budget.ts';
import { rounds } from '../support/long.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { callTool, createTestContext } from '../support/tool-context.ts';

const properties = (tool: Tool): Record<string, JsonSchema> =>
  (tool.parameters.properties ?? {}) as Record<string, JsonSchema>;
const required = (tool: Tool): string[] => (tool.parameters.required ?? []) as string[];

/** Harmless words, so that a shell or a search that is handed them does nothing worth mentioning. */
const word = fc.constantFrom(
  'a.txt',
  'src',
  '.',
  'true',
  'none',
  'x',
  '..',
  '/etc/passwd',
  '',
  '\0',
  '\ud800',
  'a\nb',
  '__proto__',
  '🙂'.repeat(50),
);

const fitting = (schema: JsonSchema): fc.Arbitrary<JsonValue> => {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (schema.type === 'integer' || schema.type === 'number') {
    return fc.integer({ min: Number(schema.minimum ?? -5), max: Math.min(Number(schema.maximum ?? 50), 1_000) });
  }
  if (schema.type === 'boolean') return fc.boolean();
  return word;
};

const validArguments = (tool: Tool): fc.Arbitrary<JsonObject> =>
  fc.record(Object.fromEntries(Object.entries(properties(tool)).map(([name, schema]) => [name, fitting(schema)])), {
    requiredKeys: required(tool),
  }) as fc.Arbitrary<JsonObject>;

const anything = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;

/** Half of what a test may take. */
const TRYING_MS = 60_000;

/** Names, kinds, bytes and times of everything in a folder. */
const snapshot = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stat = fs.lstatSync(path.join(folder, name));
      return `${name} ${stat.mode} ${stat.size} ${stat.mtimeMs} ${stat.isFile() ? fs.readFileSync(path.join(folder, name), 'hex') : ''}`;
    });

const workplace = async () => {
  const scratch = scratchFolder();
  putFiles(scratch, { 'ws/a.txt': 'one\ntwo\n', 'ws/src/b.ts': 'export {};\n', 'outside.txt': 'TOPSECRET' });
  const context = await createTestContext({ root: path.join(scratch, 'ws') });
  onTestFinished(() => context.close());
  return { scratch, context };
};

describe.each(BUILT_IN_TOOLS.map((tool) => [tool.name, tool] as const))('%s', (_name, tool) => {
  it('has a name, a description and a schema that servers accept', () => {
    verifies('K3');
    expect(tool.name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
    expect(tool.description).toMatch(/\S/);
    expect(tool.parameters.type).toBe('object');
    const ajv = new Ajv2020({ strict: true, strictRequired: true });
    expect(() => ajv.compile(tool.parameters)).not.toThrow();
    for (const [name, schema] of Object.entries(properties(tool))) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      // A default is a promise that the call works without the argument.
      if (schema.default === undefined) continue;
      expect(required(tool)).not.toContain(name);
      expect(ajv.validate(schema, schema.default)).toBe(true);
    }
    if (tool.main_argument !== undefined) expect(properties(tool)).toHaveProperty(tool.main_argument);
  });

  it('declares which of its arguments are paths', () => {
    const advice = `Add path_arguments to ${tool.name}: the names of the arguments that hold paths, [] where none does.`;
    if (['read', 'write', 'network'].includes(tool.effects)) expect(tool.path_arguments, advice).toBeDefined();
    for (const name of tool.path_arguments ?? []) expect(properties(tool), advice).toHaveProperty(name);
    for (const name of Object.keys(properties(tool)).filter((each) => /path|file|folder|dir/.test(each))) {
      if (tool.path_arguments !== undefined) expect(tool.path_arguments, advice).toContain(name);
    }
  });

  it('asks before it changes anything', () => {
    verifies('Z7');
    const advice = `${tool.name} runs processes or changes files: it needs risk: 'high', and a preview where it changes files.`;
    if (tool.effects === 'process') expect(tool.risk, advice).toBe('high');
    const touchesFiles = tool.effects === 'write' && properties(tool).path !== undefined;
    if (touchesFiles) expect([tool.risk, typeof tool.preview], advice).toEqual(['high', 'function']);
  });

  it('is not chosen by the smallest models where it changes files, runs things or leaves the machine', () => {
    const acts = tool.risk !== 'safe' && tool.effects !== 'read' && tool.effects !== 'none';
    // A page whose address stands in the request.
    const isNamed = tool.name === 'web_fetch';
    const advice = `Add ${tool.name} to NOT_CHOSEN in src/providers/led/everyday.ts.`;
    if (acts && !isNamed) expect(mayChoose(toolSchema(tool)), advice).toBe(false);
  });

  it('leaves a file that was read a source of the answer where it only looks', () => {
    const advice = `Add ${tool.name} to LOOKING_TOOLS in src/core/summarize.ts.`;
    if (tool.effects === 'read') expect(shownSources(['read_file', tool.name]), advice).toContain('read_file');
  });

  const couldBeBad = Object.keys(properties(tool)).length > 0;
  it.each(couldBeBad ? [tool.name] : [])('%s refuses bad arguments without touching anything', async () => {
    verifies('E5', 'Z6');
    const { scratch, context } = await workplace();
    const before = snapshot(scratch);
    const argument = fc.constantFrom('path', 'nothing', ...Object.keys(properties(tool)));
    const bad = fc
      .dictionary(argument, anything)
      .filter((args) => !validateArguments(tool.parameters, args, 'strict').ok);
    await fc.assert(
      fc.asyncProperty(bad, async (args) => {
        const result = await callTool(tool, args, context);
        expect(result).toMatchObject({ success: false, error_type: 'validation_failed' });
      }),
      { numRuns: rounds(30, 1_000) },
    );
    expect(snapshot(scratch)).toEqual(before);
    expect(context.changedTasks).toEqual([]);
  });

  it('answers whatever fits its schema with a result, never with an exception', async () => {
    verifies('Z5', 'H10');
    const { scratch, context } = await workplace();
    const numRuns = tool.effects === 'process' || tool.effects === 'network' ? rounds(2, 20) : rounds(8, 500);
    await fc.assert(
      fc.asyncProperty(validArguments(tool), async (args) => {
        const full = { context, signal: new AbortController().signal };
        if (tool.preview !== undefined) await tool.preview(args, { ...full.context, signal: full.signal });
        const result = await callTool(tool, args, context);
        expect(TOOL_ERROR_TYPES).toContain(result.error_type);
        expect(result.error_type).not.toBe('internal_error');
        expect(result.success).toBe(result.error_type === 'none');
        expect(result.success ? typeof result.data : result.error_message).toEqual(
          result.success ? 'string' : expect.stringMatching(/\S/),
        );
        expect(result.data ?? '').not.toContain('TOPSECRET');
        expect(JSON.parse(JSON.stringify(result))).toEqual(result);
      }),
      // A slow tool is tried as often as there is time for.
      { numRuns, interruptAfterTimeLimit: TRYING_MS },
    );
    expect(fs.readFileSync(path.join(scratch, 'outside.txt'), 'utf8')).toBe('TOPSECRET');
    expect(fs.readdirSync(scratch).sort()).toEqual(['outside.txt', 'ws']);
  });

  const isSafe = tool.risk === 'safe';
  it.each(isSafe ? [tool.name] : [])('%s opens no file unasked, not even secrets: it is safe', async () => {
    verifies('Z7');
    const { scratch, context } = await workplace();
    putFiles(path.join(scratch, 'ws'), { '.env': 'KEY=value' });
    const opened: string[] = [];
    const workspace = new Proxy(context.workspace, {
      get: (target, name) =>
        name !== 'readFile'
          ? Reflect.get(target, name)
          : (...given: Parameters<typeof target.readFile>) => {
              opened.push(given[0]);
              return target.readFile(...given);
            },
    });
    for (const [name, schema] of Object.entries(properties(tool))) {
      if (schema.type !== 'string' || schema.enum !== undefined) continue;
      const others = fc.sample(validArguments(tool), { numRuns: 1, seed: 7 })[0];
      await callTool(tool, { ...others, [name]: '.env' }, { ...context, workspace });
      const advice = `${tool.name} opens the file that ${name} names, and nobody is asked about a safe tool: its risk is medium`;
      expect(opened, advice).toEqual([]);
    }
  });

  it('does nothing once cancelled, and lets go when cancelled on the way', async () => {
    verifies('E11');
    const { scratch, context } = await workplace();
    const before = snapshot(scratch);
    const [args] = fc.sample(validArguments(tool), { numRuns: 1, seed: 7 });
    const late = await callTool(tool, args as JsonObject, context, AbortSignal.abort());
    expect(late).toMatchObject({ success: false, error_type: 'io_error', metadata: { reason: 'cancelled' } });
    const direct = await tool.run(args as JsonObject, { ...context, signal: AbortSignal.abort() });
    expect(['string', 'boolean']).toContain(typeof direct.success);
    if (tool.effects === 'write' && properties(tool).path !== undefined) expect(snapshot(scratch)).toEqual(before);
    const controller = new AbortController();
    const running = callTool(tool, args as JsonObject, context, controller.signal);
    controller.abort();
    await running;
  });

  it('keeps its result within the limit, in whole pieces', async () => {
    const { scratch, context } = await workplace();
    const long = 'line of a rather long file that is repeated many times\n';
    putFiles(path.join(scratch, 'ws'), { 'a.txt': long.repeat(20_000), x: '🙂'.repeat(100_000) });
    for (let index = 0; index < 600; index += 1) {
      fs.writeFileSync(path.join(scratch, 'ws', `${String(index).padStart(4, '0')}-${'n'.repeat(120)}.txt`), 'x');
    }
    const samples = fc.sample(validArguments(tool), { numRuns: 8, seed: 11 });
    for (const args of samples) {
      const result = await callTool(tool, { ...args, ...('full' in properties(tool) ? { full: true } : {}) }, context);
      expect((result.data ?? '').length).toBeLessThanOrEqual(
        (tool.result_characters ?? LIMITS.toolResultCharacters) + 200,
      );
      expect((result.data ?? '').isWellFormed()).toBe(true);
      if (result.data?.startsWith('[') && result.data.endsWith(']'))
        expect(() => JSON.parse(result.data as string)).not.toThrow();
    }
  });
});

describe('the list of tools', () => {
  it('has each name once', () => {
    const names = BUILT_IN_TOOLS.map((tool) => tool.name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('has the risks of the documents', () => {
    verifies('Z7', 'H1', 'H4', 'Z2');
    const risks: Record<Tool['risk'], string[]> = {
      safe: [
        'get_file_tree',
        'ls',
        'get_current_time',
        'get_working_directory',
        'add_task',
        'list_tasks',
        'update_task',
      ],
      medium: ['read_file'],
      high: ['write_file', 'replace_lines', 'insert_lines', 'edit_file'],
    };
    for (const [risk, names] of Object.entries(risks)) {
      for (const name of names) expect(BUILT_IN_TOOLS.find((tool) => tool.name === name)?.risk, name).toBe(risk);
    }
  });

  it('costs a small model few tokens', () => {
    const OFFERED_CHARACTERS = 4_850;
    // About four characters make a token of such JSON; the exact number is the tokenizer's.
    const described = BUILT_IN_TOOLS.filter(({ dispensable }) => !dispensable);
    const characters = JSON.stringify(described.map(toolSchema)).length;
    const advice =
      'Shorten a description, or mark the new tool `dispensable: true`, so that a small window leaves it out.';
    const what = 'The descriptions of the tools that are always offered';
    expectWithin({ what, most: OFFERED_CHARACTERS, unit: 'characters', advice }, characters);
  });
});
