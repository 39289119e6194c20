import { useEffect, useRef } from 'react';

type Pressed = Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'shiftKey' | 'key'>;

/** `Control+k`, `Control+Shift+O`, `Escape`; on a Mac Command stands for Control. With Caps Lock a letter comes in the other case. */
export const nameOf = ({ ctrlKey, metaKey, shiftKey, key }: Pressed): string => {
  const isLetter = /^\p{L}$/u.test(key) && (ctrlKey || metaKey);
  const name = isLetter ? (shiftKey ? key.toUpperCase() : key.toLowerCase()) : key;
  return [ctrlKey || metaKey ? 'Control' : '', shiftKey && key.length === 1 ? 'Shift' : '', name]
    .filter((part) => part !== '')
    .join('+');
};

/** A letter by itself belongs to the field that is being written in. */
const isWriting = ({ target, ctrlKey, metaKey, key }: KeyboardEvent): boolean =>
  !ctrlKey &&
  !metaKey &&
  key.length === 1 &&
  target instanceof HTMLElement &&
  target.matches('input, textarea, select, [contenteditable]');

/** What is handled further inside, such as closing a menu, does not come here. */
export const useShortcuts = (shortcuts: Readonly<Record<string, () => void>>): void => {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const action = current.current[nameOf(event)];
      if (!action || event.defaultPrevented || isWriting(event) || document.querySelector('dialog[open]')) return;
      if (event.key !== 'Escape') event.preventDefault();
      action();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
};
