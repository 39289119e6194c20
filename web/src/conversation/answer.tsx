/** What the model says: its thoughts folded, its words as Markdown, and what one can do with an answer. */

import { memo, useContext } from 'react';
import { BY_HALTER } from '../../../src/core/message.ts';
import { useApp, useSnapshot } from '../app-context.tsx';
import { DrawnAtOnce, Markdown } from '../markdown/late-markdown.tsx';
import { ShowSource } from '../markdown/show-source.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import { forgetWritten } from '../parts/use-written.ts';
import { WithCode } from '../parts/with-code.tsx';
import { rowOf } from '../state/model-name.ts';
import type { EndItem, NoticeItem, TextItem } from '../state/view.ts';
import { answerFigures } from './answer-figures.ts';
import { answerSources } from './answer-sources.ts';
import { GO_ON } from './go-on.ts';
import { MessageEditor } from './message-editor.tsx';

const CUT_WORDS = {
  length: 'Cut off: the limit of tokens for one answer was reached.',
  cancelled: 'Stopped here.',
  disconnected: 'The connection to the model broke off here.',
} as const;

type TextProps = {
  item: TextItem;
  editing: boolean;
  onEdit(key: string | undefined): void;
  /** A notice below says why the run ended; once is enough. */
  told: boolean;
  /** Nothing was said since, and nothing runs. */
  canGoOn: boolean;
};

export const AnswerText = memo(({ item, editing, onEdit, told, canGoOn }: TextProps) => {
  const { send, readOnly, sessionId = '' } = useApp();
  const { cut, seq } = item;
  const share = useContext(DrawnAtOnce).current.get(item.key);
  if (editing && seq !== undefined) {
    const draftKey = `halter edit ${sessionId} ${item.key}`;
    const save = async (content: string): Promise<void> => {
      if (content !== item.text && !(await send({ type: 'edit_answer', seq, content }))) return;
      forgetWritten(draftKey);
      onEdit(undefined);
    };
    return (
      <MessageEditor
        text={item.text}
        label="Edit answer"
        action="Save"
        draftKey={draftKey}
        onSave={(text) => void save(text)}
        onCancel={() => onEdit(undefined)}
      />
    );
  }
  return (
    <div data-answer={item.key}>
      <Markdown text={item.text} live={item.live} {...(share === undefined ? {} : { atOnce: share })} />
      {item.edited && (
        <p className="-mt-2 mb-3 text-xs text-soft">In your words; what the model said is another branch.</p>
      )}
      {item.byHalter && <p className="-mt-2 mb-3 text-xs text-soft">{BY_HALTER}</p>}
      {cut && !(told && cut !== 'length') && <Cut words={CUT_WORDS[cut]} canGoOn={canGoOn && !readOnly} />}
    </div>
  );
});

/** That an answer is not whole, and the way on. */
const Cut = ({ words, canGoOn }: { words: string; canGoOn: boolean }) => (
  <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
    {words}
    {canGoOn && <GoOn words={GO_ON} />}
  </p>
);

const GoOn = ({ words }: { words: string }) => {
  const { send } = useApp();
  return (
    <button
      type="button"
      className="button shrink-0"
      onClick={() => void send({ type: 'send_message', content: words })}
    >
      {words === GO_ON ? 'Continue' : 'Go on'}
    </button>
  );
};

type EndProps = {
  /** Absent where the answer was stopped. */
  item: EndItem | undefined;
  text: string;
  /** By the person: what the model took says nothing of these words. */
  edited: boolean;
  last: boolean;
  /** Absent where the answer cannot be edited. */
  onEdit: (() => void) | undefined;
};

/** Under an answer: where it comes from, what it cost, and what one can do with it. That it was stopped has *Try again*. */
export const AnswerEnd = memo(({ item, text, edited, last, onEdit }: EndProps) => {
  const { send, readOnly } = useApp();
  const usage = item?.usage;
  const sources = item ? answerSources(item, text) : [];
  return (
    <footer className="-mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-soft">
      {text !== '' && <CopyButton text={() => text} label="Copy answer" />}
      {onEdit && !readOnly && (
        <button
          type="button"
          className="quiet-button"
          aria-label="Edit answer"
          title="Edit answer: the model reads your words from then on, in another branch"
          onClick={onEdit}
        >
          <Icon name="edit" size={14} />
        </button>
      )}
      {last && item && !readOnly && (
        <button
          type="button"
          className="quiet-button"
          aria-label="Answer again"
          title="Answer again: this answer stays as another branch"
          onClick={() => void send({ type: 'regenerate' })}
        >
          <Icon name="again" size={14} />
        </button>
      )}
      {last && !readOnly && <AnswerByAnother />}
      {sources.length > 0 && <Sources tools={sources} />}
      {usage && !edited && <span className="ml-auto tabular-nums">{answerFigures(usage)}</span>}
    </footer>
  );
});

/** The session goes on with the model that is chosen; the answer that is there stays as another branch. */
const AnswerByAnother = () => {
  const { models, send, say } = useApp();
  const { model } = useSnapshot().view;
  const now = rowOf(models, model)?.id;
  const others = models.filter(
    ({ id, unreachable, problem }) => unreachable !== true && problem === undefined && id !== now,
  );
  if (others.length === 0) return null;
  const answer = async (id: string): Promise<void> => {
    if (!(await send({ type: 'change_model', model: id }))) return;
    // What is sent takes the words away that stand there.
    if (await send({ type: 'regenerate' }))
      say(`This session goes on with ${id}. The list under the field changes it back.`);
  };
  return (
    <Menu
      label="Answer with another model"
      note="The session goes on with the one that you choose."
      side="up"
      align="left"
      buttonClass="quiet-button"
      button={
        <>
          with <Icon name="down" size={12} />
        </>
      }
      entries={others.map(({ id }) => ({ key: id, label: id, onSelect: () => void answer(id) }))}
    />
  );
};

const Sources = ({ tools }: { tools: readonly string[] }) => (
  <span className="inline-flex flex-wrap items-center gap-1">
    Sources:
    <ShowSource.Consumer>
      {(show) =>
        tools.map((tool) => (
          <button type="button" key={tool} className="source-mark" onClick={() => show(tool)}>
            <span>{tool}</span>
          </button>
        ))
      }
    </ShowSource.Consumer>
  </span>
);

const NOTICE_MARKS = { quiet: '·', warning: '!', error: '✕' } as const;
const NOTICE_COLOURS = {
  quiet: 'text-soft',
  warning: 'rounded border border-warn bg-warn-soft px-3 py-2',
  error: 'rounded border border-bad bg-bad-soft px-3 py-2',
} as const;

/** `goesOn`: what is sent to go on from there. */
type NoticeProps = { item: NoticeItem; why: string | undefined; goesOn: string | undefined; again: boolean };

export const Notice = memo(({ item, why, goesOn, again }: NoticeProps) => {
  const { send } = useApp();
  const hint = why ?? item.hint;
  return (
    <div
      role={item.severity === 'quiet' ? undefined : 'alert'}
      className={`flex items-baseline gap-2 text-sm ${NOTICE_COLOURS[item.severity]} ${item.severity === 'quiet' ? '' : 'max-sm:flex-wrap'}`}
      data-notice={item.stopped ?? item.severity}
    >
      <span aria-hidden="true">{NOTICE_MARKS[item.severity]}</span>
      <div className={`min-w-0 flex-1 [overflow-wrap:anywhere] ${item.severity === 'quiet' ? '' : 'max-sm:basis-60'}`}>
        <p>
          <WithCode text={item.text} />
        </p>
        {hint && (
          <p className="text-soft">
            <WithCode text={hint} />
          </p>
        )}
      </div>
      <span className="ml-auto flex shrink-0 gap-1">
        {goesOn !== undefined && <GoOn words={goesOn} />}
        {again && (
          <button
            type="button"
            className={item.severity === 'quiet' ? 'quiet-button' : 'button'}
            onClick={() => void send({ type: 'regenerate' })}
          >
            Try again
          </button>
        )}
      </span>
    </div>
  );
});
