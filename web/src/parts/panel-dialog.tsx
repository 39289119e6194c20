/** A dialog with a title, a part that stays and a part that scrolls. */
import { type ReactNode, useRef } from 'react';
import { Icon } from './icons.tsx';
import { useModal } from './use-modal.ts';

type Props = {
  title: string;
  onClose(): void;
  /** As wide as the window gives. */
  isWide?: boolean;
  /** As tall as the window gives, whatever is in it: for what comes late or changes. */
  isTall?: boolean;
  /** Under the title, above what scrolls. */
  top?: ReactNode;
  children: ReactNode;
  /** Under what scrolls. */
  bottom?: ReactNode;
};

export const PanelDialog = ({ title, onClose, isWide = false, isTall = false, top, children, bottom }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null);
  useModal(dialog);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it with Escape.
    <dialog
      ref={dialog}
      aria-label={title}
      className={`m-auto max-h-[88dvh] ${isTall ? 'h-[88dvh] sm:h-[min(84dvh,44rem)]' : ''} ${isWide ? 'w-[80rem]' : 'w-[44rem]'} max-w-[calc(100vw-1rem)] overflow-hidden rounded border border-line bg-raised p-0 text-ink shadow-float backdrop:bg-black/30 open:flex open:flex-col sm:mt-[8vh] sm:max-h-[84dvh]`}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="flex h-12 shrink-0 items-center gap-2 border-b border-line pl-4 pr-2">
        <h2 className="min-w-0 flex-1 font-semibold">{title}</h2>
        <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {top}
      <section
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        tabIndex={0}
        aria-label={`${title}, contents`}
      >
        {children}
      </section>
      {bottom}
    </dialog>
  );
};
