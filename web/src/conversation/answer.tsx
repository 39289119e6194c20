/** What the model says: its thoughts folded, its words as Markdown, and what one can do with an answer. */
import { memo, useId, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { Markdown } from '../markdown/late-markdown.tsx';
import { ShowSource } from '../markdown/show-source.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { duration, tokens } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import type { EndItem, NoticeItem, ReasoningItem, TextItem } from '../state/view.ts';

export const Reasoning = memo(({ item }: { item: ReasoningItem }) => {
  const [open, setOpen] = useState(false);
  const body = useId();
  return (
    <div className="text-sm">
      <button
        type="button"
        className="-ml-1.5 inline-flex h-6 max-w-full items-center gap-1.5 rounded px-1.5 text-soft hover:bg-hover hover:text-ink"
        aria-expanded={open}
        aria-controls={body}
        onClick={() => setOpen(!open)}
      >
        <span className={open ? 'rotate-90' : ''}>
          <Icon name="right" size={12} />
        </span>
        {item.live ? 'Thinking' : 'Thought'}
        <span className="text-xs">· {item.text.length.toLocaleString('en')} characters</span>
      </button>
      <div id={body} hidden={!open} className="mt-1 animate-open border-l border-line pl-3 text-soft">
        {open && <Markdown text={item.text} live={item.live} />}
      </div>
    </div>
  );
});

const CUT_WORDS = {
  length: 'Cut off: the limit of tokens for one answer was reached.',
  cancelled: 'Stopped here.',
  disconnected: 'The connection to the model broke off here.',
} as const;

/** `told`: a notice below says why the run ended; once is enough. */
export const AnswerText = memo(({ item, told }: { item: TextItem; told: boolean }) => (
  <div data-answer={item.key}>
    <Markdown text={item.text} live={item.live} />
    {item.cut && !(told && item.cut !== 'length') && <p className="text-sm text-soft">{CUT_WORDS[item.cut]}</p>}
  </div>
));

/** Under a finished answer: where it comes from, what it cost, and what one can do with it. */
export const AnswerEnd = memo(({ item, text, last }: { item: EndItem; text: string; last: boolean }) => {
  const { send } = useApp();
  const { usage, sources } = item;
  return (
    <footer className="-mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-soft">
      {text !== '' && <CopyButton text={() => text} label="Copy answer" />}
      {last && (
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
      {sources.length > 0 && <Sources tools={sources} />}
      {usage && (
        <span className="ml-auto tabular-nums">
          {tokens(usage.completion_tokens)} {usage.completion_tokens === 1 ? 'token' : 'tokens'} ·{' '}
          {duration(usage.seconds * 1_000)}
        </span>
      )}
    </footer>
  );
});

const Sources = ({ tools }: { tools: readonly string[] }) => (
  <span className="inline-flex flex-wrap items-center gap-1">
    Sources:
    <ShowSource.Consumer>
      {(show) =>
        tools.map((tool) => (
          <button
            type="button"
            key={tool}
            className="rounded border border-tool-line bg-tool px-1.5 text-blue"
            onClick={() => show(tool)}
          >
            {tool}
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

export const Notice = memo(({ item, last }: { item: NoticeItem; last: boolean }) => {
  const { send } = useApp();
  const goesOn = last && (item.stopped === 'limit' || item.stopped === 'loop');
  const again = last && (item.stopped === 'model_unusable' || item.stopped === 'error');
  return (
    <div
      role={item.severity === 'quiet' ? undefined : 'alert'}
      className={`flex items-baseline gap-2 text-sm ${NOTICE_COLOURS[item.severity]}`}
      data-notice={item.stopped ?? item.severity}
    >
      <span aria-hidden="true">{NOTICE_MARKS[item.severity]}</span>
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <p>{item.text}</p>
        {item.hint && <p className="text-soft">{item.hint}</p>}
      </div>
      {goesOn && (
        <button
          type="button"
          className="button shrink-0"
          onClick={() => void send({ type: 'send_message', content: 'Go on.' })}
        >
          Go on
        </button>
      )}
      {again && (
        <button type="button" className="button shrink-0" onClick={() => void send({ type: 'regenerate' })}>
          Try again
        </button>
      )}
    </div>
  );
});
