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

  const OWN = [
    tool('add_task', 'Add a task to the list. Its description may hold what has to be done by the end.'),
    tool('list_tasks', 'List all tasks with what is done and what is open.'),
    tool('bash', 'Run a command in the folder. It is not run where it would cost more than a minute.'),
    tool('grep_search', 'Find text in files; say src to look only there.'),
    tool('stop_job', 'Stop a job that was started. It ends at once.'),
    tool('web_search', 'Search the web. Costs may arise.'),
    tool('weather', 'Weather of a city today or next week.'),
    tool('generate_image', 'Draw a picture from words: colour, size and what it shows of people and buildings.'),
  ];
  const behind = { head: [], behind: OWN.map(toolSchema) };
  it.each([
    'Task 5 next',
    'Stop, cancel the paint of the barn.',
    'Rye bread costs 4.30, wheat 3.80, bagels 1.20 each.',
    'Bookings close 2 hours before the end of the day.',
    'No cookies.',
    'no',
    'tomorrow then',
    '1',
    'The list of guests: Ann Marlow, Ben Okri.',
    'My sister says that people from Oslo like it blue.',
    'src/cli.js please',
    'Mein Job beginnt am Montag in Kiel.',
    `Please read this letter: ${'In this paragraph the weather of the harbour is told, and how one may find words for it. '.repeat(4)}`,
  ])('is empty for a word by chance: %s', (request) => {
    verifies('B8');
    const named = namesOf(shortlistFor(request, behind));
    expect(named.filter((name) => name !== 'weather')).toEqual([]);
    expect(shortlistFor(request, behind).length).toBeLessThanOrEqual(request.includes('weather') ? 1 : 0);
  });

  it.each([
    ['What is the weather in Oslo?', 'weather'],
    ['Weather?', 'weather'],
    ['Run the tests', 'bash'],
    ['How much would this cost?', 'web_search'],
    ['Search the web for bread', 'web_search'],
    ['add a task: buy milk', 'add_task'],
    ['Stop the job', 'stop_job'],
    ['Which tasks are open and which are done?', 'list_tasks'],
    ['Draw a picture of a heron', 'generate_image'],
    ['Find the text "heron" in the files of src', 'grep_search'],
  ])('has the tool that is meant: %s', (request, name) => {
    verifies('B8');
    expect(namesOf(shortlistFor(request, behind))).toContain(name);
  });

  const USUAL = [
    tool('send_mail', 'Send an e-mail to a person.'),
    tool('create_event', 'Create an event in the calendar.'),
    tool('weather', 'The weather of a city.'),
    tool('jira_search', 'Search issues in Jira.'),
    tool('slack_post', 'Post a message in a Slack channel.'),
    tool('translate_text', 'Translate a text into another language.'),
  ];
  it.each([
    ['Mail Bo that I am late tomorrow morning because the train is delayed', 'send_mail'],
    ['Put lunch with Jonas on Friday in my calendar', 'create_event'],
    ['Any open bugs in Jira about the login page of the shop?', 'jira_search'],
    ['Tell #general on Slack that we ship today', 'slack_post'],
    ['What is "Guten Morgen" in French? Translate it please', 'translate_text'],
    ['Schick Bo eine Mail, dass ich später komme', 'send_mail'],
    ['Is it raining in Oslo? I want the weather', 'weather'],
    ['Schedule a calendar entry', 'create_event'],
  ])('has the tool that one word alone means: %s', (request, name) => {
    verifies('B8');
    for (const more of [[], OWN.filter((one) => one.name !== 'weather')]) {
      const chosen = shortlistFor(request, { head: [], behind: [...USUAL, ...more].map(toolSchema) });
      expect(namesOf(chosen)).toEqual([name]);
    }
  });

  it.each([
    'Task 5 next',
    'Rye bread costs 4.30, wheat 3.80, bagels 1.20 each.',
    'The text of the sign is blue.',
    'Ann is the person at the door.',
    'The message was that they stop at the third house.',
    'Event 5 of the summer was long.',
    'Note that the machine in the barn is out of paint.',
    'Die Kinder sind nun bei Oma in Bergen.',
    'My memory of Kiel is poor, she wrote.',
  ])('is empty for one word that people say of anything: %s', (request) => {
    verifies('B8');
    const more = [
      tool('termine', 'Zeigt die Termine und Orte der Woche.'),
      tool('note_step', 'Note a step of a longer job.'),
      tool('system_stats', 'Memory and disk of this machine, in percent.'),
    ];
    const all = { head: [], behind: [...USUAL, ...OWN, ...more].map(toolSchema) };
    expect(namesOf(shortlistFor(request, all))).toEqual([]);
  });

  it('needs more than one word that many of the tools share', () => {
    verifies('B8');
    const jira = THINGS.map((thing) => tool(`jira_${thing}`, `Look up a ${thing} in Jira.`));
    const offered = { head: [], behind: jira.map(toolSchema) };
    expect(shortlistFor('My sister worked with Jira in Oslo.', offered)).toEqual([]);
    expect(namesOf(shortlistFor('Which invoices of Jira came in Oslo?', offered))).toEqual(['jira_invoice']);
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
