/**
 * What an MCP server asks of the person: a form, an address to open, words of the model. Nothing is sent before the person
 * says so.
 */

import { type ReactNode, useEffect, useId, useMemo, useState } from 'react';
import { formFields } from '../../../src/core/form-fields.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ServerQuestion } from '../../../src/core/server-question.ts';
import { useApp, useSnapshot } from '../app-context.tsx';
import { counted } from '../parts/format.ts';
import { useWritten } from '../parts/use-written.ts';
import { visible } from '../parts/visible.ts';
import { askedCalls } from '../state/reduce.ts';
import { formValues, startValues, type TypedValues } from './form-values.ts';
import { FormView } from './form-view.tsx';
import { Asked, QuestionBody, QuestionFrame, QuestionTitle, useAsking } from './question-frame.tsx';
import { ReadEnd } from './read-end.tsx';
import { READ_ON, type Reading, useReading } from './use-reading.ts';

/** One thing is asked at a time; what could run comes first. */
export const ServerPanel = () => {
  const { view } = useSnapshot();
  const [question] = view.questions;
  if (!question || askedCalls(view).length > 0) return null;
  return <Question key={question.question_id} question={question} waiting={view.questions.length} />;
};

const SENTENCES: Readonly<Record<ServerQuestion['kind'], string>> = {
  form: 'asks you for something',
  url: 'wants you to open an address',
  sampling: 'wants your model to answer something',
  sampling_answer: 'would get this answer of your model',
};

type Send = (action: 'accept' | 'decline' | 'cancel', content?: JsonObject) => Promise<void>;

const Question = ({ question, waiting }: { question: ServerQuestion; waiting: number }) => {
  const { send } = useApp();
  const [sent, setSent] = useState(false);
  const asking = useAsking(question.question_id);
  const { armed } = asking;
  const reading = useReading();
  const answer: Send = async (action, content) => {
    setSent(true);
    const taken = await send({
      type: 'answer_server',
      question_id: question.question_id,
      action,
      ...(content === undefined ? {} : { content }),
    });
    if (!taken) setSent(false);
  };
  const head = (
    <>
      <QuestionTitle asking={asking} waiting={waiting}>
        The MCP server “{visible(question.server)}” {SENTENCES[question.kind]}.
      </QuestionTitle>
      {question.message !== '' && (
        <p className="whitespace-pre-wrap text-sm [overflow-wrap:anywhere]">{visible(question.message)}</p>
      )}
    </>
  );
  const parts = { head, answer, armed, blocked: !armed || sent, reading };
  return (
    <QuestionFrame asking={asking} data-server-question={question.kind}>
      <Body question={question} {...parts} />
    </QuestionFrame>
  );
};

/** `head`: who asks, and what they say to it. */
type Parts = { head: ReactNode; answer: Send; armed: boolean; blocked: boolean; reading: Reading };

const Body = ({ question, ...parts }: { question: ServerQuestion } & Parts) => {
  switch (question.kind) {
    case 'form':
      return <FormQuestion question={question} {...parts} />;
    case 'url':
      return <AddressQuestion url={question.url} {...parts} />;
    case 'sampling':
      return <SamplingQuestion question={question} {...parts} />;
    case 'sampling_answer':
      return <AnswerQuestion question={question} {...parts} />;
  }
};

type LayoutProps = { head: ReactNode; children: ReactNode; actions: ReactNode; note: string; reading: Reading };

const Layout = ({ head, children, actions, note, reading }: LayoutProps) => (
  <>
    <QuestionBody>
      <Asked size={reading.isWhole ? 'whole' : 'usual'}>
        <div ref={reading.area} className="relative">
          {head}
          {children}
          <ReadEnd atBottom />
        </div>
      </Asked>
      {reading.isDue && (
        <p role="status" className="shrink-0 px-4 text-xs text-warn">
          {READ_ON}
        </p>
      )}
      <p className="shrink-0 px-4 pt-1 text-xs text-soft max-sm:px-2">{note}</p>
    </QuestionBody>
    <div className="flex shrink-0 flex-wrap items-center gap-2 px-4 py-2 max-sm:px-2">{actions}</div>
  </>
);

const Refusals = ({ answer, blocked }: Pick<Parts, 'answer' | 'blocked'>) => (
  <>
    <button
      type="button"
      className="button"
      disabled={blocked}
      title="The server is told no"
      onClick={() => void answer('decline')}
    >
      Decline
    </button>
    <button
      type="button"
      className="button"
      disabled={blocked}
      title="The server is told nothing"
      onClick={() => void answer('cancel')}
    >
      Cancel
    </button>
  </>
);

const FormQuestion = ({ question, ...parts }: { question: Extract<ServerQuestion, { kind: 'form' }> } & Parts) => {
  const fields = useMemo(() => formFields(question.fields), [question.fields]);
  // What is filled in is kept by nothing but this page.
  const {
    value: typed,
    set: setTyped,
    forget,
  } = useWritten<TypedValues>(
    `form ${question.question_id}`,
    useMemo(() => startValues(fields), [fields]),
    true,
  );
  // Once it is answered, however that was, nothing of it stays.
  useEffect(() => forget, [forget]);
  const [tried, setTried] = useState(false);
  const { values, problems } = formValues(fields, typed);
  return (
    <Layout
      head={parts.head}
      reading={parts.reading}
      note={`What you fill in goes to ${visible(question.server)} and is not kept here. No password belongs in it.`}
      actions={
        <>
          <button
            type="button"
            className="button-main"
            disabled={parts.blocked}
            aria-disabled={parts.reading.isFresh ? true : undefined}
            onClick={() => {
              setTried(true);
              if (problems.size === 0 && parts.reading.mayAllow()) void parts.answer('accept', values);
            }}
          >
            Send
          </button>
          <Refusals {...parts} />
        </>
      }
    >
      <FormView fields={fields} typed={typed} problems={tried ? problems : undefined} onChange={setTyped} />
    </Layout>
  );
};

const AddressQuestion = ({ url, ...parts }: { url: string } & Parts) => {
  const target = URL.parse(url);
  const [before = url, after = ''] = target ? target.href.split(target.host, 2) : [];
  return (
    <Layout
      head={parts.head}
      reading={parts.reading}
      note="It opens in a tab of its own, without this page's address. halter does not load it."
      actions={
        <>
          {target && (
            <a
              // It stays while the answer is on its way: the browser follows it after the click was heard.
              href={parts.armed ? target.href : undefined}
              aria-disabled={!parts.armed}
              target="_blank"
              rel="noreferrer noopener"
              className="button-main"
              onClick={(event) => {
                if (parts.reading.mayAllow()) {
                  if (!parts.blocked) void parts.answer('accept');
                } else event.preventDefault();
              }}
            >
              Open {target.host}
            </a>
          )}
          <Refusals {...parts} />
        </>
      }
    >
      <p className="mono mono-wrap text-soft">
        {before}
        {target && <strong className="text-ink">{target.host}</strong>}
        {after}
      </p>
    </Layout>
  );
};

const Quoted = ({ title, text }: { title: string; text: string }) => (
  <div className="mb-2">
    <h3 className="label mb-1">{title}</h3>
    <pre className="mono mono-wrap">{visible(text)}</pre>
  </div>
);

const SamplingQuestion = ({
  question,
  ...parts
}: { question: Extract<ServerQuestion, { kind: 'sampling' }> } & Parts) => (
  <Layout
    head={parts.head}
    reading={parts.reading}
    note="You see the answer before the server gets it."
    actions={
      <>
        <button
          type="button"
          className="button-main"
          disabled={parts.blocked}
          aria-disabled={parts.reading.isFresh ? true : undefined}
          onClick={() => parts.reading.mayAllow() && void parts.answer('accept')}
        >
          Let the model answer
        </button>
        <Refusals {...parts} />
      </>
    }
  >
    {question.system !== undefined && <Quoted title="Instructions" text={question.system} />}
    <Quoted title={`Question, for at most ${counted(question.max_tokens, 'token')}`} text={question.prompt} />
  </Layout>
);

const AnswerQuestion = ({
  question,
  ...parts
}: { question: Extract<ServerQuestion, { kind: 'sampling_answer' }> } & Parts) => {
  const { value: text, set: setText } = useWritten(`answer ${question.question_id}`, question.answer);
  const id = useId();
  const isChanged = text !== question.answer;
  return (
    <Layout
      head={parts.head}
      reading={parts.reading}
      note={
        isChanged ? 'Your words go out in place of the model’s.' : `By ${visible(question.model)}. You may change it.`
      }
      actions={
        <>
          <button
            type="button"
            className="button-main"
            disabled={parts.blocked}
            aria-disabled={parts.reading.isFresh ? true : undefined}
            onClick={() => parts.reading.mayAllow() && void parts.answer('accept', isChanged ? { text } : undefined)}
          >
            Send it
          </button>
          <Refusals {...parts} />
        </>
      }
    >
      <label className="label mb-1 block" htmlFor={id}>
        The answer
      </label>
      <textarea
        id={id}
        className="field field-sizing-content min-h-16"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </Layout>
  );
};
