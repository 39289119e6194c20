/** Messages that wait for the one before: each gets its own answer, whichever of them are aborted, and when. */
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';

const NAMES = ['A', 'B', 'C', 'D'];
/** Every choice of the messages that are aborted. */
const CHOICES = Array.from({ length: 2 ** NAMES.length }, (_, bits) => NAMES.filter((_name, at) => (bits >> at) & 1));

/** A model whose answer to the first message comes when the test says so; the others are answered at once. */
const open = () => {
  const asked = Promise.withResolvers<void>();
  const answers = Promise.withResolvers<void>();
  const provider = scriptedProvider(
    async ({ messages }, number) => {
      if (number === 0) {
        asked.resolve();
        await answers.promise;
      }
      const usage = { prompt_tokens: 100, completion_tokens: 1, seconds: 0 };
      return { text: `re:${String(messages.at(-1)?.content)}`, usage };
    },
    { models: [{ id: 'm' }] },
  );
  const harness = createHarness({ model: 'm', provider, workspace: scratchFolder() });
  onTestFinished(() => harness.close());
  return { harness, asked: asked.promise, answer: answers.resolve };
};

const MOMENTS = ['at once', 'while the first is answered'] as const;
const rows = MOMENTS.flatMap((moment) => CHOICES.map((aborted) => [aborted.join(' and ') || 'none', moment] as const));

test.each(rows)('each has its own answer: %s aborted %s', async (aborted, moment) => {
  const { harness, asked, answer } = open();
  const isAborted = (name: string): boolean => aborted.includes(name);
  const controllers = NAMES.map(() => new AbortController());
  const chats = NAMES.map((name, at) => harness.chat(name, { signal: controllers[at]?.signal }));
  const abort = (): void => NAMES.forEach((name, at) => void (isAborted(name) && controllers[at]?.abort()));
  const results = Promise.allSettled(chats.map((chat) => chat.result()));
  if (moment !== 'at once') await asked;
  abort();
  answer();
  const told = (await results).map((result) =>
    result.status === 'fulfilled' ? [result.value.answer, result.value.usage.prompt_tokens] : result.reason.name,
  );
  expect(told).toEqual(NAMES.map((name) => (isAborted(name) ? 'AbortError' : [`re:${name}`, 100])));
});
