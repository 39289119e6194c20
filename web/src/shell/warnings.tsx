/** What halter noticed and is no part of the conversation: whole sentences, and more where it is wanted. */
import { useState } from 'react';
import { useApp, useSnapshot } from '../app-context.tsx';
import { whyBroken } from '../conversation/go-on.ts';
import { counted, wholeSentences } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { WithCode } from '../parts/with-code.tsx';

/** What stands there before the rest is asked for. */
const SHORT_CHARACTERS = 160;

export const Warnings = () => {
  const { store } = useApp();
  const { view } = useSnapshot();
  const [isOpen, setOpen] = useState(false);
  const told = whyBroken(view.items);
  const messages = [...new Set(view.warnings.map(({ message }) => message))].filter((message) => message !== told);
  if (messages.length === 0) return null;
  // What is asked needs the room.
  const isAsking = view.activity.type === 'asking';
  const short = isAsking
    ? [counted(messages.length, 'warning')]
    : messages.map((message) => wholeSentences(message, SHORT_CHARACTERS));
  const hasMore = isAsking || short.some((text, index) => text !== messages[index]);
  const shown = isOpen ? messages : short;
  return (
    <div
      role="status"
      className="mx-auto my-1 flex w-[calc(100%-2rem)] max-w-[46rem] shrink-0 items-start gap-2 rounded border border-warn bg-warn-soft px-3 py-1.5 text-sm max-sm:w-[calc(100%-1rem)] max-sm:flex-wrap"
    >
      <span aria-hidden="true">!</span>
      <ul
        className={`min-w-0 flex-1 [overflow-wrap:anywhere] max-sm:basis-60 ${isOpen ? `scroll-area ${isAsking ? 'max-h-[5lh]' : 'max-h-[12lh]'}` : ''}`}
        // What scrolls must be reachable with the keyboard.
        tabIndex={isOpen ? 0 : undefined}
        aria-label="Warnings"
      >
        {shown.map((message) => (
          <li key={message}>
            <WithCode text={message} />
          </li>
        ))}
      </ul>
      <span className="ml-auto flex shrink-0 items-start gap-1">
        {hasMore && (
          <button type="button" className="quiet-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Less' : 'More'}
          </button>
        )}
        <button
          type="button"
          className="quiet-button"
          aria-label="Hide warnings"
          onClick={() => store?.dismissWarnings()}
        >
          <Icon name="close" size={12} />
        </button>
      </span>
    </div>
  );
};
