import { useEffect, useState } from 'react';
import { PRESSES, Presses } from './presses.ts';

/** Whoever is writing something keeps their place. */
export const isWriting = (element: Element | null): boolean =>
  element instanceof HTMLInputElement || (element instanceof HTMLTextAreaElement && element.value !== '');

const seen = new Presses();
for (const name of PRESSES) window.addEventListener(name, () => seen.note(name, performance.now()), true);

/** False until a key or a tap of the person can only be meant for this question. */
export const useArmed = (question: string): boolean => {
  const [armed, setArmed] = useState<string | undefined>(undefined);
  useEffect(() => {
    const since = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      const rest = seen.restMs(since, performance.now());
      if (rest > 0) timer = setTimeout(look, rest);
      else setArmed(question);
    };
    look();
    return () => clearTimeout(timer);
  }, [question]);
  return armed === question;
};
