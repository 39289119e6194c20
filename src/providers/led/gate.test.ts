import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ToolSchema } from '../../core/tool.ts';
import { ls } from '../../tools/ls.ts';
import { gateFeatures, gateScore, shortlist } from './gate.ts';
import { contentWords, meaningWords, stem } from './words.ts';

const tool = (
  name: string,
  description: string,
  properties: Record<string, { type: string; description?: string }> = {},
): ToolSchema => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required: Object.keys(properties) } },
});
const weather = tool('get_weather', 'Get the weather of a city.', { city: { type: 'string' } });
const area = tool('triangle_area', 'Calculate the area of a triangle.', {
  base: { type: 'number' },
  height: { type: 'number' },
});
const open = tool('open_document', 'Open a document.', { file_path: { type: 'string' } });
const ALL = [weather, area, open];
const first = (request: string): string | undefined => shortlist(request, ALL)[0]?.tool.function.name;
const passes = (request: string, candidate: ToolSchema): boolean => gateScore(gateFeatures(request, candidate)) > 0;

describe('the shortlist', () => {
  it('puts the tool first that the request is about', () => {
    expect(first('What is the weather in Oslo?')).toBe('get_weather');
    expect(first('Area of a triangle with base 3 and height 4')).toBe('triangle_area');
    expect(first('display notes.md')).toBe('open_document');
    expect(first('nothing of the kind')).toBeUndefined();
  });

  it('takes no tool for pictures where the file is none, and nobody speaks of a picture', () => {
    const view = tool('view_image', 'View a local image file from the filesystem.', { path: { type: 'string' } });
    const named = (request: string) => shortlist(request, [view, weather]).map((entry) => entry.tool.function.name);
    expect(named('Read the file hello.txt')).toEqual([]);
    expect(named('View the file cat.png')).toEqual(['view_image']);
    expect(named('Turn the file hello.txt into an image file')).toEqual(['view_image']);
  });

  it('goes by the beginning of a description that fills pages, and gives the tool back whole', () => {
    const pages = tool('workflow', `Run a workflow. ${'Then it tells you the weather of a city. '.repeat(500)}`);
    const late = tool('workflow', `Run a workflow. ${'It runs. '.repeat(500)} It tells you the weather of a city.`);
    expect(shortlist('What is the weather in Oslo?', [late])).toEqual([]);
    expect(shortlist('Run the workflow', [weather, pages])[0]?.tool).toBe(pages);
  });
});

describe('the gate', () => {
  it('opens for what a tool is for and stays shut for small talk', () => {
    verifies('K8');
    expect(passes('What is the weather in Oslo?', weather)).toBe(true);
    expect(passes('Write a poem about the sea', open)).toBe(false);
    expect(passes('Hello, how are you?', weather)).toBe(false);
  });

  it('opens for a tool whose arguments may all be left out, where they could take up what is said', () => {
    const optional = (properties: JsonObject): ToolSchema => ({
      type: 'function',
      function: {
        name: 'find_books',
        description: 'Find books by author and shelf.',
        parameters: { type: 'object', properties, required: [] },
      },
    });
    const open = optional({ author: { type: 'string' }, shelf: { type: 'string' } });
    const request = 'I would love to borrow some good books of Tarjei Vesaas for the long evenings by the fire';
    expect(gateFeatures(request, open).wholly).toBe(0);
    expect(gateFeatures(request, optional({ loud: { type: 'boolean' } })).wholly).toBeLessThan(-0.3);
    expect(gateFeatures(request, optional({ path: { type: 'string' } })).wholly).toBeLessThan(-0.3);
  });

  it('counts a value that an argument lists', () => {
    const player = (values: string[]): ToolSchema => ({
      type: 'function',
      function: {
        name: 'start_media',
        description: 'Start media of a kind.',
        parameters: { type: 'object', properties: { kind: { type: 'string', enum: values } }, required: ['kind'] },
      },
    });
    const [named, other] = [player(['jazz', 'folk']), player(['jazz', 'no'])].map((each) =>
      gateFeatures('no quiet folk this evening', each),
    );
    expect(named?.listed).toBe(1);
    // "no" is a word of any request.
    expect(other?.listed).toBe(0);
  });

  it('opens for ls alone when somebody asks for files, in the words that people use', () => {
    const { name, description, parameters } = ls;
    const listing: ToolSchema = { type: 'function', function: { name, description, parameters } };
    for (const request of ['What files are here?', 'Which files are in this folder?', 'List the files'])
      expect(passes(request, listing), request).toBe(true);
    for (const request of ['Write a poem about files', 'What is the capital of France?', 'Thank you'])
      expect(passes(request, listing), request).toBe(false);
  });

  it('stays shut for a request for words, although a tool has the same verb', () => {
    verifies('K8');
    const typing = tool('write_job', 'Type text into a background job.', {
      job_id: { type: 'string' },
      text: { type: 'string' },
    });
    const tasks = tool('list_tasks', 'List the tasks.');
    for (const request of ['Write a poem about the sea', 'Write a letter to my landlord', 'Write a song about work'])
      expect(passes(request, typing), request).toBe(false);
    expect(passes('List three colours', tasks)).toBe(false);
    expect(passes('List my tasks', tasks)).toBe(true);
    expect(passes('Type yes into the background job job_1', typing)).toBe(true);
  });

  it('asks for the identifier of a thing that has one', () => {
    const order = tool('get_order', 'Get an order.', { order_id: { type: 'string' } });
    expect(gateFeatures('Get the order of last week', order).missingTexts).toBe(1);
    expect(gateFeatures('Get the order A113', order).missingTexts).toBe(0);
    expect(gateFeatures('Get the order "spring"', order).missingTexts).toBe(0);
  });

  it('asks that the request holds what the call would need', () => {
    expect(passes('Area of a triangle with base 3 and height 4', area)).toBe(true);
    const score = (request: string): number => gateScore(gateFeatures(request, area));
    expect(score('What is the area of a triangle?')).toBeLessThan(score('Area of a triangle with base 3') - 1);
    expect(gateFeatures('Open the document', open).missingTexts).toBe(1);
    expect(gateFeatures('Open letters/may.txt', open).missingTexts).toBe(0);
  });
});

describe('words', () => {
  it.each([
    ['listing', 'lists'],
    ['files', 'file'],
    ['directories', 'directory'],
    ['calculation', 'calculate'],
    ['triangles', 'triangle'],
  ])('%s and %s meet', (a, b) => {
    expect(stem(a)).toBe(stem(b));
  });

  it('are split where names are joined, and freed of grammar', () => {
    expect(contentWords('getUserName of the user_id')).toEqual(contentWords('user name user id'));
  });

  it('meet by their meaning too', () => {
    expect(meaningWords('folder')).toEqual(meaningWords('directories'));
  });
});
