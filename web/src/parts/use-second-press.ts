/** What there is no way back from takes two presses. */
import { useCallback, useEffect, useState } from 'react';

/** So long after the first press no other counts: a double click or tap, or a key pressed twice, is one answer. */
const APART_MS = 500;

export const useSecondPress = (onSure: () => void) => {
  const [state, setState] = useState<'none' | 'asked' | 'ready'>('none');
  useEffect(() => {
    if (state !== 'asked') return;
    const timer = setTimeout(() => setState('ready'), APART_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const ask = useCallback(() => setState((now) => (now === 'none' ? 'asked' : now)), []);
  const takeBack = useCallback(() => setState('none'), []);
  /** The second one. */
  const press = (): void => {
    if (state !== 'ready') return;
    setState('none');
    onSure();
  };
  return {
    isAsked: state !== 'none',
    ask,
    press,
    takeBack,
    waits: state === 'asked' ? ({ 'aria-disabled': true } as const) : {},
  };
};
