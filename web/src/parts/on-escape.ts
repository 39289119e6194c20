import type { KeyboardEvent } from 'react';

/** For what closes by itself: the key goes no further, where it would stop a run. */
export const onEscape =
  (close: () => void) =>
  (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    event.preventDefault();
    close();
  };
