/**
 * A model that can answer every question of `halter models probe`, less what a test takes away. It knows the questions by
 * their words; whether and how it calls is its ability.
 */
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import type { ScriptedCall, ScriptedTurn } from '../../src/testing/index.ts';

export type Abilities = {
  /** `native`: in the protocol's field; `text`: as <tool_call> in the text, where tools stand in the prompt; `never`. */
  calls: 'native' | 'text' | 'never';
  /** Only the first of several calls. */
  single?: boolean;
  /** Calls where none is due. */
  eager?: boolean;
  /** Every integer as something else. */
  wrongTypes?: boolean;
  /** Says what comes to its mind, whatever the schema. */
  ignoresSchema?: boolean;
  thinks?: 'field' | 'text';
  /** The window, in characters, that it really reads. */
  readsCharacters?: number;
};

export type Asked = {
  messages: readonly { role: string; content: string }[];
  tools: readonly JsonValue[];
  schema?: JsonObject;
  maxTokens?: number;
};

const CALLS: readonly [RegExp, readonly ScriptedCall[]][] = [
  [/Paris, and what is it in Rome/, [call('get_weather', { city: 'Paris' }), call('get_weather', { city: 'Rome' })]],
  [/weather in Oslo and get/, [call('get_weather', { city: 'Oslo' }), call('get_time', {})]],
  [/weather in Paris/, [call('get_weather', { city: 'Paris' })]],
  [/weather in Rome/, [call('get_weather', { city: 'Rome' })]],
  [/current time/, [call('get_time', {})]],
  [/Read the file src\/main/, [call('read_file', { path: 'src/main.ts' })]],
  [/whose name is in index/, [call('read_file', { path: 'chapter-two.md' })]],
  [/Read the file helo/, [call('read_file', { path: 'hello.txt' })]],
  [/volume to 35/, [call('set_volume', { percent: 35 })]],
  [/21\.5/, [call('set_temperature', { degrees: 21.5 })]],
  [/lamp on/, [call('set_lamp', { on: true })]],
  [/mode to eco/, [call('set_mode', { mode: 'eco' })]],
  [/minuend 90/, [call('subtract', { minuend: 90, subtrahend: 17 })]],
  [/Add the tags/, [call('add_tags', { tags: ['red', 'green', 'blue'] })]],
  [/Create the user Ann/, [call('create_user', { user: { name: 'Ann', age: 31 } })]],
  [/folder src/, [call('list_files', { path: 'src' })]],
  [/Save the note/, [call('save_note', { note: 'Grüße aus 東京' })]],
  [/Save this text exactly/, [call('save_text', { content: 'say "hi" to C:\\temp' })]],
  [/Open the file docs/, [call('open_file', { path: 'docs/how-to/start.md' })]],
  [
    /Save these lines/,
    [call('save_lines', { content: Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join('\n') })],
  ],
  [/height of Mount Everest/, [call('search_web', { query: 'height of Mount Everest' })]],
];
function call(name: string, args: JsonObject): ScriptedCall {
  return { name, arguments: args };
}

const WORDS: readonly [RegExp, string][] = [
  [/single word yes/, 'yes'],
  [/dog called/, 'Rufus'],
  [/Repeat exactly/, 'naïve 漢字 😀'],
  [/17 \+ 25/, '42'],
  [/code word/, 'KESTREL-47'],
  [/lighthouse|story/, 'Once there was a lighthouse by the sea, and its keeper wrote a letter each day to a friend.'],
];

const byQuestion = <T>(table: readonly [RegExp, T][], question: string): T | undefined =>
  table.find(([pattern]) => pattern.test(question))?.[1];

const SCHEMAS: readonly [string, JsonObject][] = [
  ['population', { city: 'Oslo', population: 700_000, coastal: true }],
  [
    'stops',
    {
      stops: [
        { name: 'Bern', kind: 'train' },
        { name: 'Basel', kind: 'bus' },
      ],
    },
  ],
  ['hour', { hour: 7, label: 'run' }],
];

const spoilt = (value: JsonValue): JsonValue => {
  if (typeof value === 'number') return `about ${value}`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'object' || value === null) return typeof value === 'boolean' ? 'maybe' : value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, spoilt(inner)]));
};

const callsFor = (asked: Asked, abilities: Abilities): readonly ScriptedCall[] => {
  const users = asked.messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const question = users.findLast((text) => !text.includes('tool_response')) ?? '';
  const last = asked.messages.at(-1);
  const answered = last?.role === 'tool' || (last?.content ?? '').includes('tool_response');
  // A result that holds the answer ends the turn; one that names the next step does not.
  if (answered && !/index\.txt|helo/.test(question)) return [];
  const found = byQuestion(CALLS, question);
  if (found === undefined) return abilities.eager ? [call('get_time', {})] : [];
  const made = abilities.wrongTypes
    ? found.map((entry) => ({ ...entry, arguments: spoilt(entry.arguments as JsonObject) as JsonObject }))
    : found;
  return abilities.single ? made.slice(0, 1) : made;
};

const plainText = (asked: Asked, abilities: Abilities): string => {
  const whole = asked.messages.map(({ content }) => content).join('\n');
  const question = asked.messages.findLast(({ role }) => role === 'user')?.content ?? '';
  if (/BANANA/.test(asked.messages[0]?.content ?? '')) return 'BANANA';
  if (/degrees and sunny/.test(whole)) return 'It is 19 degrees and sunny.';
  if (/code word/.test(question) && whole.length > (abilities.readsCharacters ?? Number.POSITIVE_INFINITY))
    return 'No idea.';
  return byQuestion(WORDS, question) ?? 'Hello, that is all there is to say.';
};

/** What the model says; a caller adds the usage of its own protocol. */
export const ableAnswer = (asked: Asked, abilities: Abilities): ScriptedTurn => {
  if (asked.maxTokens !== undefined && asked.maxTokens <= 8 && /story/.test(asked.messages.at(-1)?.content ?? '')) {
    return { text: 'Once upon a time', finish: 'length' };
  }
  if (asked.schema && !abilities.ignoresSchema) {
    const text = JSON.stringify(asked.schema);
    return { text: JSON.stringify(SCHEMAS.find(([word]) => text.includes(word))?.[1] ?? {}) };
  }
  const inPrompt = /<tools>/.test(asked.messages[0]?.content ?? '');
  const offered = abilities.calls === 'native' ? asked.tools.length > 0 : abilities.calls === 'text' && inPrompt;
  const calls = offered ? callsFor(asked, abilities) : [];
  if (calls.length > 0 && abilities.calls === 'native') return { calls };
  if (calls.length > 0) {
    return { text: calls.map((made) => `<tool_call>\n${JSON.stringify(made)}\n</tool_call>`).join('\n') };
  }
  const text = plainText(asked, abilities);
  if (abilities.thinks === 'field') return { reasoning: 'Let me see.', text };
  return { text: abilities.thinks === 'text' ? `<think>Let me see.</think>${text}` : text };
};
