import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { JsonObject } from '../json.ts';
import type { Repair } from '../message.ts';
import { type Tool, toolSchema } from '../tool.ts';
import { toolsTokens } from '../window.ts';
import { defineTool } from './define-tool.ts';
import { shortlistFor, shortlistText, splitTools, USE_TOOL, unwrapUse } from './tool-shortlist.ts';

const tool = (name: string, description: string, dispensable = false): Tool => ({
  ...defineTool({
    name,
    description,
    risk: 'medium',
    effects: 'network',
    parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    run: () => 'ok',
  }),
  dispensable,
});
/** What a few MCP servers bring. */
const THINGS =
  'issue branch commit invoice customer calendar contact database table container image song playlist ticket page'.split(
    ' ',
  );
const VERBS = ['create', 'close', 'list', 'delete'];
const MANY = THINGS.flatMap((thing) =>
  VERBS.map((verb) => tool(`${verb}_${thing}`, `${verb} a ${thing} on the server.`)),
);
const CORE = [
  tool('read_file', 'Read a file.'),
  tool('write_file', 'Write a file.'),
  tool('weather', 'Weather of a city.', true),
];
const ALL = [...CORE, ...MANY];
const split = (budget: number) => splitTools(ALL.map(toolSchema), ALL, budget);
const namesOf = (schemas: readonly { function: { name: string } }[]): string[] =>
  schemas.map((schema) => schema.function.name);

describe('more tools than a head has room for', () => {
  it.each('what does this do, please show me some of it where you can make that'.split(/[ ,]+/))(
    'are not named for a word that every request may hold: %s',
    (word) => {
      const tools = [tool('stats', `Please: what does this make, some of it, where can you show and do that to me.`)];
      expect(shortlistText(word, { head: [], behind: tools.map(toolSchema) })).toBeUndefined();
    },
  );

  it('stay within the budget, whatever it is, and each is either described or behind', () => {
    verifies('B8');
    fc.assert(
      fc.property(fc.integer({ min: 150, max: 4_000 }), (budget) => {
        const { head, behind } = split(budget);
        expect(toolsTokens(head)).toBeLessThanOrEqual(budget);
        expect([...namesOf(head), ...namesOf(behind)].sort()).toEqual(
          [...namesOf(ALL.map(toolSchema)), USE_TOOL].sort(),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('lose those first that can be done without, then the last ones', () => {
    const { head, behind } = split(800);
    expect(namesOf(head).slice(0, 2)).toEqual(['read_file', 'write_file']);
    expect(namesOf(behind)).toContain('weather');
    expect(namesOf(behind)).toContain('delete_page');
    expect(head.at(-1)?.function.description).toContain('create_');
  });
});

describe('a thousand tools', () => {
  it('are each looked at a few times, and not once for every other', () => {
    verifies('B8');
    let reads = 0;
    const counted = Array.from({ length: 1_000 }, (_, index) => {
      const schema = toolSchema(tool(`tool_${index}`, 'A tool.'));
      const { name } = schema.function;
      const watched = Object.defineProperty({ ...schema.function }, 'name', {
        enumerable: true,
        get: () => {
          reads += 1;
          return name;
        },
      });
      return { ...schema, function: watched };
    });
    splitTools(counted, [], 2_000);
    expect(reads / counted.length).toBeLessThan(100);
  });
});

describe('the shortlist of a message', () => {
  it.each([
    ['Please close the invoice 17', 'close_invoice'],
    ['Create a new song called test', 'create_song'],
    ['list all my playlists', 'list_playlist'],
    ['Delete the database table of last year', 'delete_table'],
  ])('for "%s" begins with %s', (request, name) => {
    verifies('B8');
    const chosen = namesOf(shortlistFor(request, split(500)));
    expect(chosen.slice(0, 2)).toContain(name);
    expect(chosen.length).toBeLessThanOrEqual(4);
  });

  it('is empty where nothing fits, or where a described tool fits best', () => {
    expect(shortlistText('Good morning!', split(500))).toBeUndefined();
    expect(shortlistText('What is this?', split(500))).toBeUndefined();
    expect(shortlistText('Read the file', split(500))).toBeUndefined();
    expect(shortlistText('close the invoice', { head: [], behind: [] })).toBeUndefined();
  });

  it('is the same for the same words', () => {
    fc.assert(
      fc.property(fc.string(), (request) => {
        expect(shortlistText(request, split(500))).toBe(shortlistText(request, split(500)));
      }),
      { numRuns: 30 },
    );
  });
});

describe('a call of use_tool', () => {
  const call = (args: JsonObject, name: string = USE_TOOL) => ({ name, arguments: args, repairs: [] as Repair[] });
  it.each([
    ['an object', { name: 'close_issue', arguments: { id: '7' } }],
    ['JSON text', { name: 'close_issue', arguments: '{"id": "7"}' }],
    ['fields beside the name', { name: 'close_issue', id: '7' }],
  ])('is one of the tool it names, with its arguments as %s', (_, args) => {
    verifies('B8');
    expect(unwrapUse(call(args))).toMatchObject({ name: 'close_issue', arguments: { id: '7' } });
  });

  it('stays what it is where no tool is named, and other calls are left alone', () => {
    const odd: JsonObject[] = [
      {},
      { name: 7 },
      { name: USE_TOOL, arguments: {} },
      { name: 'x', arguments: 'no JSON' },
      { name: 'x', arguments: [1] },
    ];
    for (const args of odd) {
      const made = call(args);
      expect(unwrapUse(made)).toBe(made);
    }
    const other = call({ name: 'close_issue' }, 'read_file');
    expect(unwrapUse(other)).toBe(other);
  });
});
