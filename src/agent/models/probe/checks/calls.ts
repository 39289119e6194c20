/** Does it call tools at all: by the server's own field, and as text? */
import { detectDialect } from '../../../../dialects/index.ts';
import type { Answer, Asker, Question } from '../ask.ts';
import { type Check, expectCall, judged, type Verdict } from '../check.ts';
import { asks, CLOCK, FEW, WEATHER } from './questions.ts';

const DEFAULT_DIALECT = 'hermes';
/** The format that the model was trained on, by its template or its name. */
export const dialectOf = ({ info }: Pick<Asker, 'info'>): string =>
  detectDialect({ model: info.id, ...(info.chat_template ? { template: info.chat_template } : {}) }) ?? DEFAULT_DIALECT;

type Basic = { id: string; title: string; question: Question; judge(answer: Answer): Verdict };
const BASICS: readonly Basic[] = [
  {
    id: 'call',
    title: 'calls the one tool there is',
    question: asks([WEATHER], 'What is the weather in Paris?'),
    judge: (answer) => expectCall(answer, 'get_weather', { city: 'Paris' }),
  },
  {
    id: 'choice',
    title: 'chooses among five tools',
    question: asks(FEW, 'Read the file src/main.ts.'),
    judge: (answer) => expectCall(answer, 'read_file', { path: 'src/main.ts' }),
  },
  {
    id: 'no_arguments',
    title: 'calls a tool without arguments',
    question: asks([CLOCK, WEATHER], 'What is the current time?'),
    judge: (answer) => expectCall(answer, 'get_time'),
  },
];

const decodesItself = ({ provider }: Asker): boolean => provider.decodeToolCall !== undefined;

const nativeBasics = BASICS.map(
  ({ id, title, question, judge }): Check => ({
    id: `native_${id}`,
    group: 'tools',
    title,
    run: (asker, findings) =>
      judged(asker, question, (answer) => {
        if (answer.dialect !== undefined) findings.dialect = answer.dialect;
        return judge(answer);
      }),
  }),
);

const textBasics = BASICS.map(
  ({ id, title, question, judge }): Check => ({
    id: `text_${id}`,
    group: 'calls as text',
    title,
    skip: (asker) => (decodesItself(asker) ? 'this engine decodes calls by itself' : undefined),
    run: (asker, findings) =>
      judged(asker, { ...question, injected: dialectOf(asker) }, (answer) => {
        if (answer.dialect !== undefined) findings.dialect ??= answer.dialect;
        return judge(answer);
      }),
  }),
);

export const BASIC_CHECKS: readonly Check[] = [...nativeBasics, ...textBasics];
