import { useEffect, useState } from 'react';

/** So long must no key come, counted from when the question appeared, before a key may answer it. */
const ARM_MS = 300;

/** Whoever is writing something keeps their place. */
export const isWriting = (element: Element | null): boolean =>
  element instanceof HTMLInputElement || (element instanceof HTMLTextAreaElement && element.value !== '');

/** False until a key that the person presses can only be meant for this question. */
export const useArmed = (question: string): boolean => {
  const [armed, setArmed] = useState<string | undefined>(undefined);
  useEffect(() => {
    let timer = setTimeout(() => setArmed(question), ARM_MS);
    const again = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => setArmed(question), ARM_MS);
    };
    document.addEventListener('keydown', again, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('keydown', again, true);
    };
  }, [question]);
  return armed === question;
};
