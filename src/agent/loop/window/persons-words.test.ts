/** What the person said in a long conversation, whatever its words, its language, the window and the tokenizer. */
import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { seededRandom } from '../../../../tests/support/seeded-random.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';
import type { ModelProvider, ModelRequest } from '../../../core/model-port.ts';
import { scriptedProvider } from '../../../testing/index.ts';
import { limitOf } from './plan-facts.ts';

type Language = { filler: readonly string[]; stop: string; fact(key: string, number: number): string };

const LANGUAGES: Record<string, Language> = {
  english: {
    filler: 'the build deploy report invoice parser branch review table column cache header footer meeting team'.split(
      ' ',
    ),
    stop: '. ',
    fact: (key, number) =>
      [`The staging port is ${key}.`, `Call the new function do${key}.`, `The report goes to Mister ${key}.`][
        number % 3
      ] as string,
  },
  german: {
    filler: 'der Bericht wird heute geprüft und danach noch einmal gelesen weil die Zahlen nicht stimmen'.split(' '),
    stop: '. ',
    fact: (key) => `Die Kennung dafür lautet ${key}.`,
  },
  chinese: {
    filler: [...'请再看一遍这个部分然后告诉我它做什么我们明天开会讨论结果'],
    stop: '。',
    fact: (key) => `暗号是${key}。`,
  },
  hindi: {
    filler: 'कृपया यह भाग फिर से देखो और बताओ कि यह क्या करता है'.split(' '),
    stop: '। ',
    fact: (key) => `इसका नाम ${key} है।`,
  },
};
const SYLLABLES = 'ba ko ri tu men sal vor dim pek lun'.split(' ');

type Case = { language: string; window: number; charactersAToken: number; messages: number };
const CASES: Case[] = [
  { language: 'english', window: 2_048, charactersAToken: 4, messages: 30 },
  { language: 'english', window: 4_096, charactersAToken: 4, messages: 60 },
  { language: 'english', window: 4_096, charactersAToken: 2.2, messages: 40 },
  { language: 'german', window: 8_192, charactersAToken: 3, messages: 60 },
  { language: 'chinese', window: 4_096, charactersAToken: 1, messages: 50 },
  { language: 'chinese', window: 8_192, charactersAToken: 0.8, messages: 60 },
  { language: 'hindi', window: 4_096, charactersAToken: 1, messages: 40 },
  { language: 'english', window: 32_768, charactersAToken: 1, messages: 60 },
];

const textOf = ({ messages }: ModelRequest): string => messages.map(({ content }) => content).join('\n');

it.each(CASES)('the newest of it stays, a third stays free, and all other room is used: %j', async (given) => {
  verifies('B7');
  const { language, window, charactersAToken, messages } = given;
  const random = seededRandom();
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const { filler, stop, fact } = LANGUAGES[language] as Language;
  const sentence = (): string => Array.from({ length: 9 }, () => pick(filler)).join(stop === '。' ? '' : ' ') + stop;
  const tokensOf = (request: ModelRequest): number =>
    request.messages.reduce((sum, { content }) => sum + 4 + Math.ceil(String(content).length / charactersAToken), 0);
  let refused = 0;
  const provider = scriptedProvider(
    (request) => {
      const prompt_tokens = tokensOf(request);
      if (prompt_tokens > window) refused += 1;
      return { text: sentence(), usage: { prompt_tokens, completion_tokens: 20 } };
    },
    { models: [{ id: 'test-model', context_length: window }] },
  );
  const agent = await assembled({
    modelProvider: provider,
    tools: [],
    systemPrompt: 'Help.',
    compaction: 'rules',
  });
  const session = await openedSession(agent);
  const keys: string[] = [];
  for (let at = 0; at < messages; at += 1) {
    const key = `${at}${pick(SYLLABLES)}${pick(SYLLABLES)}${at * 7}`;
    keys.push(key);
    const before = session.log().length;
    await say(session, `${sentence()}${sentence()}${fact(key, at)} ${sentence()}${sentence()}`);
    if (
      !session
        .log()
        .slice(before)
        .some(({ type }) => type === 'context_compacted')
    )
      continue;
    const request = provider.requests.at(-1) as ModelRequest;
    const text = textOf(request);
    const kept = keys.filter((known) => text.includes(known));
    const newest = keys.slice(-Math.max(3, Math.ceil(kept.length / 2)));
    expect(newest.filter((known) => !kept.includes(known))).toEqual([]);
    const tokens = tokensOf(request);
    expect(tokens).toBeLessThanOrEqual(limitOf(window, 20) * 1.04);
    if (kept.length < keys.length && window <= 8_192) expect(tokens).toBeGreaterThan(window * 0.5);
  }
  expect(refused).toBe(0);
  expect(session.log().filter(({ type }) => type === 'run_completed')).toHaveLength(messages);
});

it.each([3_000, 4_500, 6_000])('stays beside a paste of %i characters that the window holds', async (length) => {
  verifies('B7');
  const provider = scriptedProvider(
    (request) => ({
      text: 'Yes, I will keep that in mind, and I will tell you.',
      usage: { prompt_tokens: wireSize(request), completion_tokens: 20 },
    }),
    { models: [{ id: 'test-model', context_length: 4_096 }] },
  );
  const countTokens: ModelProvider['countTokens'] = async (request) => wireSize(request as ModelRequest);
  const session = await openedSession(await assembled({ modelProvider: { ...provider, countTokens }, mode: 'yolo' }));
  const facts = Array.from({ length: 12 }, (_, at) => `Machine ${at * 7} stands in hall ${at * 13}.`);
  for (const fact of facts) await say(session, `${fact} Please keep that in mind for later, since I forget it.`);
  const lines = Array.from({ length: 200 }, (_, at) => `10:${at % 60}:07 INFO worker-${at % 7} took ${at * 977} ms\n`);
  const missing = (): string[] => {
    const text = textOf(provider.requests.at(-1) as ModelRequest);
    return facts.filter((fact) => !text.includes(fact));
  };
  await say(session, `What is wrong here?\n${lines.join('').slice(0, length)}`);
  const isFull = wireSize(provider.requests.at(-1) as ModelRequest) > 3_584;
  if (!isFull) expect(missing()).toEqual([]);
  await say(session, 'And what of the second line?');
  expect(missing()).toEqual([]);
});
