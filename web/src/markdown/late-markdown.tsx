/** Markdown, whose reader is a third of the page and comes right after the first view. Until then the words stand as they are. */
import { type ComponentType, memo, useSyncExternalStore } from 'react';

type Props = { text: string; live: boolean };

let reader: ComponentType<Props> | undefined;
let isLoading = false;
const listeners = new Set<() => void>();

/** Asked for once the first view stands. */
export const loadMarkdown = (): void => {
  if (reader !== undefined || isLoading) return;
  isLoading = true;
  void import('./markdown.tsx').then(
    ({ Markdown: loaded }) => {
      reader = loaded;
      for (const listener of listeners) listener();
    },
    () => {
      isLoading = false;
    },
  );
};

const subscribe = (listener: () => void): (() => void) => {
  loadMarkdown();
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const Markdown = memo(({ text, live }: Props) => {
  const Reader = useSyncExternalStore(subscribe, () => reader);
  return Reader ? (
    <Reader text={text} live={live} />
  ) : (
    <div className="prose whitespace-pre-wrap" aria-busy="true">
      {text}
    </div>
  );
});
