/** A schema that a person gives for an answer is refused before anything is asked, in the same words on every surface. */
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../src/cli/command-line.ts';
import type { JsonObject, JsonSchema } from '../src/core/json.ts';
import { outputFormat } from '../src/harness/structured-output.ts';
import { verifies } from './requirements.ts';
import { fakeIo } from './support/fake-io.ts';
import { inTurn } from './support/long.ts';
import { scratchFolder } from './support/scratch.ts';
import { testServer } from './support/test-server.ts';
import { WIRES } from './support/wire-cases.ts';

const inProperty = (part: unknown): JsonObject => ({ type: 'object', properties: { a: part } }) as JsonObject;

/** What is wrong, and what has to be said of it: where, and what was probably meant. */
const WRONG: readonly [schema: unknown, where: string, said: RegExp][] = [
  [{ type: 'strng' }, '/type', /Did you mean string/],
  [{ type: ['string', 'nul'] }, '/type/1', /Did you mean null/],
  [inProperty({ type: 'int' }), '/properties/a/type', /Did you mean integer/],
  [inProperty({ type: 'String' }), '/properties/a/type', /Did you mean string/],
  [{ type: 'float' }, '/type', /must be one of .*"number"/],
  [{ type: null }, '/type', /must be one of/],
  [{ typ: 'object' }, '/typ', /Did you mean type/],
  [{ typ: 'object', required: 'files' }, '/required', /must be array/],
  [{ type: 'object', required: 'x' }, '/required', /must be array/],
  [inProperty({ type: 'string', required: true }), '/properties/a/required', /must be array/],
  [inProperty({ type: 'string', requird: true }), '/properties/a/requird', /Did you mean required/],
  [{ type: 'object', properties: [] }, '/properties', /must be object/],
  [inProperty('string'), '/properties/a', /must be object/],
  [{ type: 'object', properites: { a: {} } }, '/properites', /Did you mean properties/],
  [{ type: 'array', item: { type: 'string' } }, '/item', /Did you mean items/],
  [{ anyof: [{ type: 'string' }] }, '/anyof', /Did you mean anyOf/],
  [{ any_of: [{ type: 'string' }] }, '/any_of', /Did you mean anyOf/],
  [{ type: 'string', minLenght: 3 }, '/minLenght', /Did you mean minLength/],
  [{ type: 'number', minimum: '3' }, '/minimum', /must be number/],
  [{ enum: 'a' }, '/enum', /must be array/],
  [inProperty({ enum: [] }), '/properties/a/enum', /is empty/],
  [{ anyOf: [] }, '/anyOf', /is empty/],
  [{ $ref: '#/$defs/missing' }, '/$ref', /leads nowhere: #\/\$defs\/missing/],
  [{ $ref: 'https://example.com/x.json' }, '/$ref', /leads nowhere/],
  [{ type: 'string', pattern: '(' }, '/pattern', /is no regular expression/],
  [{ type: 'object', patternProperties: { '[': {} } }, '/patternProperties', /is no regular expression|no regular/],
  [{ extends: { type: 'string' } }, '/extends', /use allOf/],
  [{ type: 'integer', divisibleBy: 2 }, '/divisibleBy', /use multipleOf/],
  [{ name: 'string', age: 'number' }, '', /no word of JSON Schema.*name, age.*properties/],
  [inProperty({ kind: 'string' }), '/properties/a', /no word of JSON Schema.*kind/],
];

/** As others write them. */
const RIGHT: readonly unknown[] = [
  {},
  { description: 'anything' },
  { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://example.com/a', title: 'A', type: 'object' },
  { $schema: 'http://json-schema.org/draft-04/schema#', id: 'a', type: 'number', minimum: 1, exclusiveMinimum: true },
  inProperty({ type: 'string', 'x-order': 1, examples: ['a'], example: 'a', deprecated: true, readOnly: true }),
  { ...inProperty({ $ref: '#/definitions/a' }), definitions: { a: {} } },
  { type: 'object', properties: { typ: { type: 'string' }, requird: { type: 'string' } }, required: ['typ'] },
  { type: 'array', items: [{ type: 'string' }], additionalItems: false },
  { type: 'object', propertyOrdering: ['a'], properties: { a: { type: 'string', nullable: true } } },
  { type: 'string', pattern: '^(?!x)\\p{L}+$', contentEncoding: 'base64', contentMediaType: 'text/plain' },
];

type Surface = { name: string; refusal(schema: unknown): Promise<string | undefined> };

const libraryRefusal = async (schema: unknown): Promise<string | undefined> => {
  try {
    outputFormat(schema as JsonSchema);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as Error).message;
  }
};

/** No server is there: a schema that is taken ends in another way. */
const commandLineRefusal = async (schema: unknown): Promise<string | undefined> => {
  const home = scratchFolder();
  const env = { HOME: home, XDG_CONFIG_HOME: `${home}/c`, XDG_DATA_HOME: `${home}/d`, PATH: process.env['PATH'] ?? '' };
  const io = fakeIo({ cwd: scratchFolder(), env });
  const model = ['--provider', 'openai', '--base-url', 'http://127.0.0.1:9/v1', '-m', 'm'];
  const code = await runCommandLine(['run', 'x', '--json-schema', JSON.stringify(schema), ...model], io);
  return code === 2 && io.err().includes('--json-schema') ? io.err() : undefined;
};

const SURFACES: readonly Surface[] = [
  { name: 'the library', refusal: libraryRefusal },
  { name: 'the command line', refusal: commandLineRefusal },
  ...WIRES.map((wire) => ({
    name: wire.name,
    async refusal(schema: unknown): Promise<string | undefined> {
      const { call, provider } = await testServer({ text: '{"a":"b"}' });
      const response = await call('POST', wire.path, wire.body({ schema: schema as JsonObject }));
      // What is taken is answered, or not met by the answer (502).
      if (response.status !== 400) return undefined;
      expect(provider.requests).toHaveLength(0);
      return wire.errorOf((await response.json()) as JsonObject);
    },
  })),
];

/** Usually each schema is refused by every third surface. */
const THIRDS = 3;
const inTurns = SURFACES.map((surface, index) => ({ ...surface, turn: index % THIRDS }));

describe.each(inTurns)('$name', ({ refusal, turn }) => {
  it.each(inTurn(WRONG, turn, THIRDS).map((row) => [JSON.stringify(row[0]), ...row] as const))(
    'refuses %s',
    async (_text, schema, where, said) => {
      verifies('K4');
      const words = await refusal(schema);
      expect(words?.replaceAll(/\s+/g, ' ')).toMatch(said);
      expect(words).toContain(where);
    },
  );

  it('takes what is right', async () => {
    for (const schema of RIGHT) expect(await refusal(schema), JSON.stringify(schema)).toBeUndefined();
  });
});
