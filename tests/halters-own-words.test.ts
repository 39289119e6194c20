/** Where a model gave no answer, halter lists what the tools returned. Who reads the conversation can tell that from the model's words. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLOSING } from '../src/core/closing.ts';
import type { Event, EventBody } from '../src/core/events.ts';
import { exportSession } from '../src/core/export-session.ts';
import { BY_HALTER } from '../src/core/message.ts';
import { statisticsOf } from '../src/core/statistics.ts';
import { spoken, transcriptOf } from '../src/core/transcript.ts';
import { exchangesIn } from '../src/core/window/exchanges.ts';
import { createRetainer } from '../src/core/window/retained.ts';
import { saidTo } from '../src/core/window/said-to.ts';
import { createHarness } from '../src/index.ts';
import { createTheme } from '../src/terminal/theme.ts';
import { Transcript } from '../src/terminal/transcript.ts';
import { scriptedProvider, startScriptedServer } from '../src/testing/index.ts';
import { reduce } from '../web/src/state/reduce.ts';
import { EMPTY_VIEW } from '../web/src/state/view.ts';
import { verifies } from './requirements.ts';
import { said } from './support/event-bodies.ts';
import { runHalter } from './support/halter-process.ts';
import { scratchFolder } from './support/scratch.ts';

const LIST =
  '[The model gave no answer. halter lists what the tools returned:]\n- [get_time] results: 12:00. Shall I go on?';

/** The same words, once of halter and once of the model. */
const logOf = (isByHalter: boolean): Event[] => {
  const bodies: EventBody[] = [
    said('What time is it?'),
    {
      type: 'assistant_message_added',
      message: {
        role: 'assistant',
        content: LIST,
        tool_calls: [],
        finish: 'stop',
        ...(isByHalter ? { by_halter: true } : {}),
      },
    },
    said('Yes, do.'),
  ];
  return bodies.map((body, index) => ({ seq: index + 1, at: 0, ...body }));
};

const inTerminal = (log: readonly Event[]): string => {
  const theme = createTheme({ NO_COLOR: '1' }, 'dark', 'plain');
  const transcript = new Transcript(theme, []);
  for (const event of log) transcript.apply(event, event.seq);
  transcript.endPast();
  const view = { width: 80, theme, now: 9, frame: 0 };
  const lines = transcript.take(view);
  return [...lines, ...transcript.live(view, 40, lines)].join('\n');
};

const retained = (log: readonly Event[]): string =>
  createRetainer(log, () => undefined)(log.length + 1, { trace: () => undefined, tasks: [], maxCharacters: 5_000 })
    .text;

/** What tells the model's words on a surface; halter's do not have it, or have something else. */
const SURFACES: readonly (readonly [name: string, isModels: (log: readonly Event[]) => boolean])[] = [
  ['the Markdown export', (log) => exportSession(log, 'markdown').includes('## Assistant')],
  ['the HTML export', (log) => exportSession(log, 'html').includes('<h2>Assistant</h2>')],
  ['a search', (log) => spoken(transcriptOf(log)).some(({ role }) => role === 'assistant')],
  ['the terminal', (log) => !inTerminal(log).includes(BY_HALTER)],
  ['the page', (log) => !JSON.stringify(reduce(EMPTY_VIEW, log, 0).items).includes('"byHalter":true')],
  ['the figures of a model', (log) => statisticsOf(log, () => 'today').some(({ answers }) => answers > 0)],
  [
    'what a short message was said to',
    (log) => saidTo(exchangesIn(log)).some((text) => text.includes('after you said')),
  ],
  ['what stands for turns that are left out', (log) => retained(log).includes('Your last answer')],
];

describe.each(SURFACES)('whose words an answer is, in %s', (_name, isModels) => {
  it.each([true, false])('is told: by halter %s', (isByHalter) => {
    verifies('Z14');
    expect(isModels(logOf(isByHalter))).toBe(!isByHalter);
  });
});

const called = (number: number) => ({ calls: [{ name: 'get_current_time', arguments: { number } }] });

it('is told by the messages of the library, those that it gets back, and to the model', async () => {
  verifies('Z14');
  const provider = scriptedProvider((request, number) => {
    if (JSON.stringify(request.messages).includes('And now?')) return { text: 'It is noon.' };
    return JSON.stringify(request.messages).includes(CLOSING) ? { text: '' } : called(number);
  });
  const options = { provider, model: 'm', limits: { iterations: 2 } };
  const harness = createHarness(options);
  onTestFinished(() => harness.close());
  await expect(harness.chat('What time is it?')).rejects.toMatchObject({ name: 'ToolLoopLimitReached' });
  await harness.chat('And now?');
  const messages = await harness.messages();
  const answers = messages.filter(({ role, content }) => role === 'assistant' && content !== '');
  expect(answers.map((message) => 'by_halter' in message)).toEqual([true, false]);
  expect(JSON.stringify(provider.requests.at(-1)?.messages)).toContain('halter lists what the tools returned');
  const again = createHarness({ ...options, messages });
  onTestFinished(() => again.close());
  expect((await again.messages()).map((message) => 'by_halter' in message)).toContain(true);
});

it('is told by `halter sessions show`', async () => {
  verifies('Z14');
  const server = await startScriptedServer({
    turns: ({ number, text }) => (text.includes(CLOSING) ? { text: '' } : called(number)),
  });
  onTestFinished(() => server.close());
  const at = { cwd: scratchFolder(), home: scratchFolder() };
  const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'];
  await runHalter(['run', 'How busy?', ...reach, '--max-iterations', '2', '--session', 'kept'], at);
  const { out } = await runHalter(['sessions', 'show', 'kept'], at);
  expect(out).toMatch(/\nhalter: #\d+\n\[The model gave no answer\./);
});
