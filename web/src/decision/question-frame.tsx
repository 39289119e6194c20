/**
 * The frame of everything that is asked of the person. It stands between the conversation and the composer, so that it
 * covers neither; it answers to no key that was pressed before it appeared.
 */
import { type ReactNode, type RefObject, useEffect, useId, useRef } from 'react';
import { PageOn } from './page-on.tsx';
import { isWriting, useArmed } from './use-armed.ts';

export type Asking = {
  panel: RefObject<HTMLElement | null>;
  titleId: string;
  /** A key that is pressed now can only be meant for this question. */
  armed: boolean;
};

/** Whoever is writing something keeps their place; else the question takes the keys, and none of its buttons does. */
export const useAsking = (question: string): Asking => {
  const panel = useRef<HTMLElement>(null);
  const titleId = useId();
  const armed = useArmed(question);
  useEffect(() => {
    if (armed && !isWriting(document.activeElement)) panel.current?.focus({ preventScroll: true });
  }, [armed]);
  // When it is answered, whoever was in it goes on writing.
  useEffect(() => {
    const left = panel.current;
    return () => {
      const focused = document.activeElement;
      if (focused === null || focused === document.body || left?.contains(focused)) toComposer();
    };
  }, []);
  return { panel, titleId, armed };
};

type FrameProps = { asking: Asking; children: ReactNode } & { [Mark in `data-${string}`]: string };

const toComposer = (): void =>
  document.querySelector<HTMLElement>('textarea[aria-label="Message"]')?.focus({ preventScroll: true });

export const QuestionFrame = ({ asking, children, ...marks }: FrameProps) => (
  <section
    ref={asking.panel}
    role="alertdialog"
    aria-labelledby={asking.titleId}
    tabIndex={-1}
    className="question"
    {...marks}
  >
    {children}
  </section>
);

export const QuestionTitle = ({
  asking,
  waiting,
  children,
}: {
  asking: Asking;
  waiting: number;
  children: ReactNode;
}) => (
  <div className="flex items-baseline justify-between gap-4">
    <h2 id={asking.titleId} className="font-semibold max-sm:text-sm [overflow-wrap:anywhere]">
      {children}
    </h2>
    {waiting > 1 && <span className="shrink-0 text-xs text-soft">1 of {waiting} questions</span>}
  </div>
);

/**
 * How much of the height what is asked takes. `short`: on a phone the conversation stays in sight too, beside as much of a
 * change as can be judged: all of the question takes half of the height at most. `whole`: it was opened to be read, so it
 * has the room of the conversation.
 */
export type AskedSize = 'short' | 'usual' | 'whole';
const HEIGHTS: Readonly<Record<AskedSize, string>> = {
  short: 'max-h-[38vh] max-sm:max-h-[max(calc(var(--seen-height,100dvh)*0.34),9rem)]',
  usual: 'max-h-[38vh] max-sm:max-h-[30vh]',
  whole: 'sm:max-h-[38vh] short:max-h-none',
};

/** What is asked scrolls, and says how much of it is out of sight; what decides stays. */
export const Asked = ({ children, size = 'usual' }: { children: ReactNode; size?: AskedSize }) => {
  const area = useRef<HTMLElement>(null);
  return (
    <div className={`flex min-h-[3lh] shrink flex-col ${HEIGHTS[size]}`}>
      <section
        ref={area}
        className="scroll-area min-h-0 px-4 pt-2 pb-1 max-sm:px-2"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        tabIndex={0}
        aria-label="What is asked"
        data-scrolls
      >
        <div>{children}</div>
      </section>
      <PageOn area={area} />
    </div>
  );
};

/** What grows when more is to be read stands here. What decides follows it, and stays where it is: in sight, under the finger. */
export const QuestionBody = ({ children }: { children: ReactNode }) => (
  <div className="flex min-h-0 shrink flex-col overflow-y-auto">{children}</div>
);
