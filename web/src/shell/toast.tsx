import { useEffect } from 'react';
import { wholeSentences } from '../parts/format.ts';
import { readable } from '../parts/visible.ts';
import { WithCode } from '../parts/with-code.tsx';

/** One thing, in a few words: what is longer stands where it belongs. */
const TEXT_CHARACTERS = 240;
const shortened = (text: string): string => wholeSentences(text.split('\n')[0] ?? '', TEXT_CHARACTERS);

const SHOWN_MS = 6_000;

/** A word to the person that goes away by itself. Where it stands it covers nothing that is decided on. */
export const Toast = ({ word, onDone }: { word: { text: string; at: number } | undefined; onDone(): void }) => {
  useEffect(() => {
    if (!word) return;
    const timer = setTimeout(onDone, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [word, onDone]);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 top-3 z-40 flex justify-center px-4">
      {word && (
        <p className="pointer-events-auto max-w-xl animate-open rounded border border-line bg-raised px-4 py-2 text-sm shadow-float">
          <WithCode text={readable(shortened(word.text))} />
        </p>
      )}
    </div>
  );
};
