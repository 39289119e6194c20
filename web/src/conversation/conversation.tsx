/** The conversation: the newest part of it, its end in view as long as the person stays there. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useApp, useSnapshot } from '../app-context.tsx';
import { CallCard, DraftCard } from '../calls/call-card.tsx';
import { DrawnAtOnce } from '../markdown/late-markdown.tsx';
import { PASSAGE } from '../markdown/passages.ts';
import { ShowSource } from '../markdown/show-source.ts';
import { Icon } from '../parts/icons.tsx';
import type { EndItem, Item, NoticeItem, View } from '../state/view.ts';
import { AnswerEnd, AnswerText, Notice } from './answer.tsx';
import { BranchSwitch } from './branch-switch.tsx';
import { copyAsWritten } from './copy-as-written.ts';
import { closedAnswer, isGoOn, isNewest, isStopTold, waysOn, whyBroken } from './go-on.ts';
import { OnItsWay, useOnItsWay } from './on-its-way.tsx';
import { Reasoning } from './reasoning.tsx';
import { UserMessage } from './user-message.tsx';
import { drawnAtOnce, earlierFrom, settledFrom } from './window.ts';

const END_PIXELS = 60;

/** Nothing runs, and nothing was said or done after this. */
const isOver = ({ items, running }: View, index: number): boolean =>
  !running && items.slice(index + 1).every(({ kind }) => kind === 'end' || kind === 'notice');

type EndRowProps = { view: View; index: number; onEdit(key: string | undefined): void };

/** Under the words that an end closes; an answer that called tools after them stays as it is. */
const EndRow = ({ view: { items, running }, index, item, onEdit }: EndRowProps & { item: EndItem | undefined }) => {
  const { text, last } = closedAnswer(items, index);
  return (
    <AnswerEnd
      item={item}
      text={text}
      edited={last?.edited === true}
      last={isNewest(items, index)}
      onEdit={running || last?.seq === undefined ? undefined : () => onEdit(last.key)}
    />
  );
};

const NoticeRow = ({ view, index, item, onEdit }: EndRowProps & { item: NoticeItem }) => {
  const { readOnly = false } = useApp();
  const isLast = !view.running && isNewest(view.items, index) && !readOnly;
  const { goesOn, again } = waysOn(view.items, index);
  return (
    <>
      <Notice
        item={item}
        why={whyBroken(view.items, index)}
        goesOn={isLast ? goesOn : undefined}
        again={isLast && again}
      />
      {item.stopped !== undefined && closedAnswer(view.items, index).text !== '' && (
        <div className="mt-3">
          <EndRow view={view} index={index} item={undefined} onEdit={onEdit} />
        </div>
      )}
    </>
  );
};

const textsAtOnce = (items: readonly Item[]): ReadonlyMap<string, number> => {
  const texts = items.filter((item) => item.kind === 'text');
  const shares = drawnAtOnce(
    texts.map(({ text }) => text.length),
    PASSAGE.atOnce,
  );
  return new Map(texts.map(({ key }, index) => [key, shares[index] ?? 0]));
};

type RowProps = { view: View; index: number; editing: boolean; onEdit(key: string | undefined): void };

const Row = ({ view, index, editing, onEdit }: RowProps) => {
  const item = view.items[index] as Item;
  switch (item.kind) {
    case 'user':
      if (isGoOn(item.content)) return <p className="text-xs text-soft">Continued</p>;
      return (
        <UserMessage itemKey={item.key} content={item.content} after={item.after} editing={editing} onEdit={onEdit} />
      );
    case 'reasoning':
      return <Reasoning item={item} />;
    case 'text':
      return (
        <AnswerText
          item={item}
          editing={editing}
          onEdit={onEdit}
          told={isStopTold(view.items, index)}
          canGoOn={item.cut !== undefined && isOver(view, index)}
        />
      );
    case 'call':
      return <CallCard call={item.call} />;
    case 'draft':
      return <DraftCard draft={item.draft} />;
    case 'notice':
      return <NoticeRow view={view} index={index} item={item} onEdit={onEdit} />;
    case 'end':
      return <EndRow view={view} index={index} item={item} onEdit={onEdit} />;
  }
};

/** Things of one kind of work stand closer together than messages. */
const gapAbove = (item: Item, before: Item | undefined): string => {
  if (before === undefined) return '';
  if (item.kind === 'user') return isGoOn(item.content) ? 'mt-3' : 'mt-8';
  const isCall = (each: Item): boolean => each.kind === 'call' || each.kind === 'draft';
  return isCall(item) && isCall(before) ? 'mt-1' : 'mt-3';
};

export const Conversation = ({
  editing,
  onEdit,
}: {
  editing: string | undefined;
  onEdit(key: string | undefined): void;
}) => {
  const { sessionId, readOnly = false } = useApp();
  const { view } = useSnapshot();
  const { items } = view;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const [away, setAway] = useState(false);
  const [{ first, count }, setShown] = useState({ first: 0, count: 0 });
  const shownFirst = settledFrom(first, items.length, count, atEnd.current);
  if (shownFirst !== first || count !== items.length) setShown({ first: shownFirst, count: items.length });

  const toEnd = useCallback((): void => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);
  // A session that is opened is looked at from its end, and so is what the person sends.
  const lastMessage = items.findLast((item) => item.kind === 'user')?.key;
  const onItsWay = useOnItsWay().length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: they say when, and are not used.
  useLayoutEffect(() => {
    atEnd.current = true;
    setAway(false);
    toEnd();
  }, [sessionId, lastMessage, onItsWay, toEnd]);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (atEnd.current) toEnd();
    });
    if (content.current) observer.observe(content.current);
    if (scroller.current) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [toEnd]);

  // What comes in above must not move what is looked at.
  const lookedAt = useRef<{ row: Element; top: number }>(undefined);
  useLayoutEffect(() => {
    const { row, top } = lookedAt.current ?? {};
    if (scroller.current && row?.isConnected && top !== undefined)
      scroller.current.scrollTop += row.getBoundingClientRect().top - top;
    lookedAt.current = undefined;
  });
  const showEarlier = (): void => {
    const row = content.current?.querySelector('[data-row]');
    if (row) lookedAt.current = { row, top: row.getBoundingClientRect().top };
    atEnd.current = false;
    setShown({ first: earlierFrom(first), count });
  };
  const onScroll = (): void => {
    const element = scroller.current;
    if (!element) return;
    atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < END_PIXELS;
    setAway(!atEnd.current);
    if (element.scrollTop < END_PIXELS && first > 0) showEarlier();
  };
  const showSource = useCallback((tool: string): void => {
    const calls = [...(content.current?.querySelectorAll<HTMLElement>('[data-call]') ?? [])];
    const found = calls.findLast((each) => each.getAttribute('aria-label') === `Tool call ${tool}`);
    const button = found?.querySelector('button');
    if (button?.getAttribute('aria-expanded') === 'false') button.click();
    found?.scrollIntoView({ block: 'center' });
    button?.focus();
  }, []);
  const branchAt = useMemo(() => {
    const places = new Map<number, View['branches'][number]>();
    for (const point of view.branches) {
      const current = point.alternatives.find((each) => each.current);
      if (current) places.set(current.seq, point);
    }
    return places;
  }, [view.branches]);

  const atOnce = useRef<ReadonlyMap<string, number>>(new Map());
  atOnce.current = textsAtOnce(items.slice(shownFirst));
  const switched = new Set<number>();
  const rows = items.slice(shownFirst).map((item, offset) => {
    const index = shownFirst + offset;
    const seq = 'seq' in item ? item.seq : undefined;
    const point = seq === undefined || switched.has(seq) ? undefined : branchAt.get(seq);
    if (seq !== undefined && point) switched.add(seq);
    return (
      <div key={item.key} className={gapAbove(item, items[index - 1])} data-row={item.kind}>
        <Row view={view} index={index} editing={editing === item.key} onEdit={onEdit} />
        {point && !readOnly && <BranchSwitch point={point} />}
      </div>
    );
  });

  return (
    <ShowSource value={showSource}>
      <DrawnAtOnce value={atOnce}>
        <div className="relative min-h-0 flex-1">
          <div
            ref={scroller}
            onScroll={onScroll}
            onCopy={copyAsWritten}
            // Away from the end, what is drawn above must not move what is looked at.
            className={`h-full overflow-y-auto px-4 ${away ? '' : '[overflow-anchor:none]'}`}
            data-scroller
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
            tabIndex={0}
            role="log"
            aria-label="Conversation"
            aria-busy={view.running}
          >
            <div ref={content} className="mx-auto w-full max-w-[46rem] py-6">
              {shownFirst > 0 && (
                <div className="mb-4 text-center">
                  <button type="button" className="quiet-button print:hidden" onClick={showEarlier}>
                    Show earlier messages
                  </button>
                  <p className="hidden text-xs text-soft print:block">
                    What was said before this is not printed. An export of the session holds all of it.
                  </p>
                </div>
              )}
              {rows}
              <OnItsWay />
            </div>
          </div>
          {away && (
            <button
              type="button"
              className="icon-button absolute right-4 bottom-3 border border-line bg-raised"
              aria-label="Go to the end"
              title="Go to the end"
              onClick={() => {
                atEnd.current = true;
                toEnd();
              }}
            >
              <Icon name="down" />
            </button>
          )}
        </div>
      </DrawnAtOnce>
    </ShowSource>
  );
};
