/**
 * What a model that is too small to judge says of a folder and its people: a line of the files with its place, or an
 * honest no. The model itself may write nothing here: each of these answers stands without it.
 */
import { describe, expect, it } from 'vitest';
import type { LedPort } from '../src/core/led-port.ts';
import type { ModelMessage } from '../src/core/message.ts';
import { toolSchema } from '../src/core/tool.ts';
import { Meter } from '../src/providers/led/meter.ts';
import { runSteps } from '../src/providers/led/steps.ts';
import { BUILT_IN_TOOLS } from '../src/tools/index.ts';
import { verifies } from './requirements.ts';
import { putFiles, scratchFolder } from './support/scratch.ts';
import { callTool, createTestContext } from './support/tool-context.ts';

const OFFERED = BUILT_IN_TOOLS.filter((tool) => tool.unavailable?.({}) === undefined);
const STEPS = 9;

/** The model says the same whatever it is asked. */
const portSaying = (answer: string): LedPort => {
  const written = { text: '', promptTokens: 0, cachedTokens: 0, completionTokens: 0, finish: 'stop' as const };
  return {
    takes: 'schema',
    begin: async () => ({ write: async () => ({ ...written, text: '""' }) }),
    answer: async ({ onText }) => {
      for (const word of answer.split(/(?<=\s)/)) onText(word);
      return written;
    },
  };
};

const FREE = 'Words of its own.';
const SYSTEM = 'You are halter. Use the tools that you are given and never make up what they would say.';

const ask = async (folder: string, request: string, model = FREE): Promise<string> => {
  const context = await createTestContext({ root: folder });
  const messages: ModelMessage[] = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: request },
  ];
  try {
    for (let step = 0; step < STEPS; step += 1) {
      let text = '';
      const { calls, finish } = await runSteps({
        port: portSaying(model),
        request: { model: 'starter', messages, tools: OFFERED.map(toolSchema), sampling: {} },
        emit: (part) => {
          if (part.type === 'text_delta') text += part.delta;
        },
        signal: new AbortController().signal,
        meter: new Meter(() => 0),
        quotes: true,
        called: 'The starter',
      });
      if (calls.length === 0) return text;
      const made = calls.map((call, index) => ({ ...call, id: `call_${step}_${index}` }));
      messages.push({ role: 'assistant', content: text, tool_calls: made, finish });
      for (const { id, name, arguments: args } of made) {
        const tool = BUILT_IN_TOOLS.find((candidate) => candidate.name === name);
        if (tool === undefined) throw new Error(`no tool ${name}`);
        const result = await callTool(tool, args, context);
        messages.push({ role: 'tool', tool_call_id: id, name, content: '', result });
      }
    }
    return '(no end)';
  } finally {
    context.close();
  }
};

const NOTES = 'Meeting 3 May: Anna, Bob. Decision: ship on 12 June.\n';
const folderOfPeople = (): string => {
  const folder = scratchFolder();
  putFiles(folder, {
    'README.md': '# Shop\n\nA shop for pens.\n\n## Contact\n\nWrite to hello@shop.example.\n',
    'docs/notes.md': NOTES,
    'docs/leave.md': '# Leave\n\nEverybody has 26 days of vacation. It is open from 9 am.\n',
    'db.yaml': 'database:\n  host: db.local\n  port: 5432\ncache:\n  port: 6379\n',
    'settings.py': 'MAX_RETRIES = 7\n',
    'package.json': '{ "name": "shop", "version": "1.2.3", "engines": { "node": ">=20" } }\n',
    'verein.txt': 'Kassenwart: Erika\nDer Beitrag beträgt 40 Euro.\n',
    'carta.txt': 'Paella: 14 euros\n',
    '.env': 'PASSWORD=hunter2\n',
  });
  return folder;
};

const askThere = (request: string, model?: string): Promise<string> => ask(folderOfPeople(), request, model);

describe('a question about the folder or its people', () => {
  it.each([
    ['What was decided?', 'docs/notes.md, line 1: Meeting 3 May: Anna, Bob. Decision: ship on 12 June.'],
    ['When do we ship?', /^docs\/notes\.md, line 1: .*12 June/],
    ['who is Anna?', /^docs\/notes\.md, line 1: .*Anna/],
    ['tell me who Bob is', /^docs\/notes\.md, line 1: .*Bob/],
    ['Who atended the meting?', /Anna, Bob/],
    ['how many days of vacation do I have?', /^docs\/leave\.md, line 3: .*26 days/],
    ['What is the database port?', /db\.yaml, line 1: database:\n.*\n- db\.yaml, line 3: port: 5432$/],
    ['whats the port of the cache', '- db.yaml, line 4: cache:\n- db.yaml, line 5: port: 6379'],
    ['What is the value of MAX_RETRIES?', 'settings.py, line 1: MAX_RETRIES = 7'],
    ['which node version is this', 'node in package.json: `>=20`'],
    ['Wer ist der Kassenwart?', 'verein.txt, line 1: Kassenwart: Erika'],
    ['Wie hoch ist der Beitrag?', /verein\.txt, line 2: .*40 Euro/],
    ['Who is the treasurer?\n\nChair: Ann\nTreasurer: Carla', 'the text that came along, line 2: Treasurer: Carla'],
    ['¿Cuánto cuesta la paella?', 'carta.txt, line 1: Paella: 14 euros'],
  ])('is answered by a line with its file: %s', async (question, said) => {
    verifies('K8');
    expect(await askThere(question)).toEqual(typeof said === 'string' ? said : expect.stringMatching(said));
  });

  it.each([
    ['Who attended the meeting?', /found no “attended” beside it.*larger model can.*Anna, Bob/s],
    ['How old is Anna?', /^The starter cannot tell that for sure: it found no “old” beside it/],
    ['What is the contact address?', /no “address” beside it.*hello@shop\.example/s],
  ])('is answered by the nearest line, and by what is missing in it: %s', async (question, said) => {
    expect(await askThere(question)).toMatch(said);
  });

  it.each([
    ['who is the manager?', 'no “manager” in the files here'],
    ['What is our refund policy?', 'no “refund policy” in the files here'],
    ['What time is the standup?', 'no “standup” in the files here'],
    ['What is the host of the cache?', 'no place in the files here that names “host” and “cache” together'],
    ['Which customers do we have?', 'no “customers”'],
    ["When is Bob's birthday?", 'no “birthday”'],
    ['What is the password?', 'no “password”'],
    ['Who was Albert Einstein?', 'no “Albert Einstein”'],
    ['our warranty terms', 'no “warranty terms”'],
    ['What is my name?', 'The starter cannot tell that;'],
    ['Wie lautet das Passwort?', 'English only'],
    ['¿Quién es el director?', 'English only'],
  ])('that no file answers gets an honest no: %s', async (question, said) => {
    const answer = await askThere(question);
    expect(answer).toMatch(/^The starter can.*; a larger model .*: `ollama pull [\w.:]+`\.$/);
    expect(answer).toContain(said);
  });

  it('is no question for the clock only because it says "time"', async () => {
    for (const question of ['What time is it?', 'what day is today']) {
      expect(await askThere(question)).toContain(String(new Date().getFullYear()));
    }
    for (const question of ['What time do we start?', "what's the time of the standup", 'What time is it in Tokyo?']) {
      expect(await askThere(question)).toMatch(/^The starter cannot tell/);
    }
  });
});

describe('words of its own', () => {
  it.each(['Hello!', 'Hello, how are you?', 'Good morning', 'Write a poem about the sea', 'tell me a joke'])(
    'are for what needs no look-up: %s',
    async (request) => expect(await askThere(request)).toBe(FREE),
  );

  it.each(['I am tired.', 'My name is Bob.', 'Our policy is 30 days'])('are none on something told: %s', async (told) =>
    expect(await askThere(told)).toBe('Understood.'),
  );

  it.each([
    [
      'It is sunny. It is so nice. It is sunny. And on.',
      /^It is sunny\. It is so nice\.\n\nThe starter cannot say more/,
    ],
    [
      'Sure. I never make up what they would say.',
      /^Sure\. I\n\nThe starter cannot say more: .*its instructions; a larger/,
    ],
    ['Use the tools that you are given. Yes.', /^The starter cannot say that: its answer repeats its instructions;/],
    [
      'on and on and on and on and on and on and on',
      /^on and on and on.*\n\nThe starter cannot say more: its answer repeats itself;/,
    ],
    ['Yes. Yes. Yes.', /^Yes\. Yes\. Yes\.$/],
  ])('end where they repeat themselves or the instructions: %s', async (text, said) => {
    expect(await askThere('Hello!', text)).toMatch(said);
  });
});
