import { useSnapshot } from '../app-context.tsx';
import { wordsOf } from '../conversation/message-words.ts';
import type { View } from '../state/view.ts';

/** A message that was sent while a run went on; `after` is the newest fact of that moment. */
export type Queued = { text: string; after: number };

/** Those that have not become part of the conversation yet. A stop drops what waits. */
export const stillWaiting = (sent: readonly Queued[], view: View): readonly Queued[] => {
  const stopped = view.log.findLast(({ type }) => type === 'run_cancelled')?.seq ?? 0;
  const begun = view.items.flatMap((item) =>
    item.kind === 'user' ? [{ seq: item.seq, text: wordsOf(item.content) }] : [],
  );
  return sent.filter(
    ({ text, after }) => stopped <= after && !begun.some((message) => message.seq > after && message.text === text),
  );
};

export const Queue = ({ sent }: { sent: readonly Queued[] }) => {
  const { view } = useSnapshot();
  const waiting = stillWaiting(sent, view);
  if (waiting.length === 0) return null;
  return (
    <ul aria-label="Messages that wait" className="mx-auto w-full max-w-[48rem] shrink-0 px-4 max-sm:px-2">
      {waiting.map(({ text, after }) => (
        <li key={`${after} ${text}`} className="truncate text-right text-sm text-soft">
          Waits: {text}
        </li>
      ))}
    </ul>
  );
};
