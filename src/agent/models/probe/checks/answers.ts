/** Does it answer, stop, stream, listen, and remember what was said? */
import type { Asker } from '../ask.ts';
import { type Check, failed, judged, passed, said, system, user, type Verdict } from '../check.ts';

const MARKERS = /<\/?think>|<\|[a-z_]+\|>|\[\/?INST\]|<\/?tool_call>|<(?:start|end)_of_turn>/i;

/** Asks the same twice; what it says has to be the same. */
const sameTwice = async (asker: Asker): Promise<Verdict> => {
  const question = { messages: [user('Name three rivers.')], maxTokens: 40 };
  const first = await asker.ask(question);
  const second = first.ok ? await asker.ask(question) : first;
  if (!first.ok || !second.ok) return failed(second.ok ? 'no answer' : second.error.message);
  return first.answer.text === second.answer.text ? passed() : failed('two answers with one seed differ');
};

export const ANSWER_CHECKS: readonly Check[] = [
  {
    id: 'answers',
    group: 'answers',
    title: 'answers a greeting',
    run: (asker) =>
      judged(asker, { messages: [user('Say hello.')] }, (answer) =>
        answer.text.trim() === '' ? failed(said(answer)) : passed(),
      ),
  },
  {
    id: 'stops',
    group: 'answers',
    title: 'stops by itself',
    run: (asker) =>
      judged(asker, { messages: [user('Answer with the single word yes.')] }, (answer) =>
        answer.finish === 'length' ? failed('it went on until its limit of tokens') : passed(),
      ),
  },
  {
    id: 'streams',
    group: 'answers',
    title: 'streams its answer',
    run: (asker) =>
      judged(asker, { messages: [user('Count from one to ten in words.')] }, (answer) =>
        answer.pieces > 1 ? passed(`${answer.pieces} pieces`) : failed('the answer came in one piece'),
      ),
  },
  {
    id: 'token_limit',
    group: 'answers',
    title: 'keeps to a limit of tokens, and says so',
    run: (asker) =>
      judged(asker, { messages: [user('Tell a long story about the sea.')], maxTokens: 8 }, (answer) =>
        answer.finish === 'length' ? passed() : failed(`it ended with "${answer.finish}"`),
      ),
  },
  {
    id: 'clean_text',
    group: 'answers',
    title: 'leaves no markers of its template in the text',
    run: (asker) =>
      judged(asker, { messages: [user('What is a cat? One sentence.')] }, (answer) => {
        const marker = MARKERS.exec(answer.text)?.[0];
        return marker === undefined ? passed() : failed(`${marker} stands in the text`);
      }),
  },
  {
    id: 'system_prompt',
    group: 'answers',
    title: 'heeds the system prompt',
    run: (asker) =>
      judged(
        asker,
        { messages: [system('Whatever the user says, answer with the single word BANANA.'), user('How are you?')] },
        (answer) => (/banana/i.test(answer.text) ? passed() : failed(said(answer))),
      ),
  },
  {
    id: 'history',
    group: 'answers',
    title: 'remembers an earlier turn',
    run: (asker) =>
      judged(
        asker,
        {
          messages: [
            user('My dog is called Rufus.'),
            { role: 'assistant', content: 'A good name.', tool_calls: [], finish: 'stop' },
            user('What is my dog called? Only the name.'),
          ],
        },
        (answer) => (/rufus/i.test(answer.text) ? passed() : failed(said(answer))),
      ),
  },
  {
    id: 'unicode_text',
    group: 'answers',
    title: 'writes other scripts whole',
    run: (asker) =>
      judged(asker, { messages: [user('Repeat exactly: naïve 漢字 😀')] }, (answer) =>
        answer.text.includes('\uFFFD')
          ? failed('characters came broken')
          : /漢字/.test(answer.text) && /naïve/.test(answer.text)
            ? passed()
            : failed(said(answer)),
      ),
  },
  { id: 'repeatable', group: 'answers', title: 'says the same again with the same seed', run: sameTwice },
  {
    id: 'reasoning',
    group: 'answers',
    title: 'keeps its thoughts apart from its answer',
    run: (asker, findings) =>
      judged(
        asker,
        { messages: [user('What is 17 + 25? Answer with the number.')], maxTokens: 512 },
        ({ text, reasoning }) => {
          const inText = /<think>/i.test(text);
          findings.reasoning = reasoning === '' ? (inText ? 'in_text' : 'none') : 'separate';
          if (inText) return passed('thoughts come in the text, and are told apart here');
          return passed(reasoning === '' ? 'it does not think aloud' : 'thoughts come in a field of their own');
        },
      ),
  },
  {
    id: 'no_think',
    group: 'answers',
    title: 'can be told not to think',
    skip: (_, { reasoning }) => (reasoning === 'none' ? 'it does not think aloud' : undefined),
    run: (asker) =>
      judged(asker, { messages: [user('What is 3 + 4?')], think: false, maxTokens: 512 }, (answer) =>
        answer.reasoning === '' ? passed() : failed('it thought all the same'),
      ),
  },
  {
    id: 'usage',
    group: 'answers',
    title: 'counts its tokens',
    run: (asker) =>
      judged(asker, { messages: [user('Say hello.')], maxTokens: 16 }, ({ usage }) =>
        usage && usage.prompt_tokens > 0
          ? passed(usage.cached_tokens === undefined ? 'without saying what was cached' : 'also what was cached')
          : failed('the server counts nothing, so sizes are estimated'),
      ),
  },
];
