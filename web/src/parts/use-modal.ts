import { type RefObject, useEffect } from 'react';

/**
 * Opens a dialog over the page while it is drawn. Where it had a field of its own, Chromium gives the focus back to the
 * field of before without the place to write at, and what is typed is lost: it is focused once more.
 */
export const useModal = (dialog: RefObject<HTMLDialogElement | null>): void => {
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (!(before instanceof HTMLElement) || document.activeElement !== before) return;
      before.blur();
      before.focus({ preventScroll: true });
    };
  }, [dialog]);
};
