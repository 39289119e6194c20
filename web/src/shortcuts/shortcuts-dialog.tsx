/** `?`: every key that the page takes. */
import { useRef } from 'react';
import { Icon } from '../parts/icons.tsx';
import { useModal } from '../parts/use-modal.ts';

type Shortcut = { keys: readonly string[]; does: string };
type Group = { title: string; shortcuts: readonly Shortcut[] };

const MAC = /Mac|iP(?:hone|ad)/.test(navigator.userAgent);
const CTRL = MAC ? '⌘' : 'Ctrl';

const GROUPS: readonly Group[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: [CTRL, 'K'], does: 'search the sessions' },
      { keys: [CTRL, 'B'], does: 'show and hide the sessions' },
      { keys: [CTRL, 'Shift', 'O'], does: 'begin a session' },
      { keys: ['Esc'], does: 'close what is open, else stop the run' },
      { keys: [CTRL, '/'], does: 'show these keys; outside of a field ? does too' },
    ],
  },
  {
    title: 'In the field',
    shortcuts: [
      { keys: ['Enter'], does: 'send' },
      { keys: ['Shift', 'Enter'], does: 'begin a line' },
      { keys: ['↑'], does: 'edit the last message, where the field is empty' },
      { keys: ['/'], does: 'choose a command or a prompt' },
      { keys: ['@'], does: 'choose a file' },
      { keys: ['Tab'], does: 'take the suggestion' },
    ],
  },
  {
    title: 'When halter asks',
    shortcuts: [
      { keys: ['1'], does: 'allow once' },
      { keys: ['2'], does: 'allow for the session' },
      { keys: ['3'], does: 'allow and remember' },
      { keys: ['4'], does: 'deny' },
    ],
  },
  { title: 'In the list of sessions', shortcuts: [{ keys: ['F2'], does: 'rename' }] },
];

export const ShortcutsDialog = ({ onClose }: { onClose(): void }) => {
  const dialog = useRef<HTMLDialogElement>(null);
  useModal(dialog);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it with Escape.
    <dialog
      ref={dialog}
      aria-label="Keyboard shortcuts"
      className="m-auto max-h-[88dvh] w-[30rem] max-w-[calc(100vw-1rem)] overflow-hidden rounded border border-line bg-raised p-0 text-ink shadow-float backdrop:bg-black/30 open:flex open:flex-col"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="flex min-h-12 shrink-0 items-center gap-2 border-b border-line pl-4 pr-2">
        <h2 className="min-w-0 flex-1 font-semibold">Keyboard shortcuts</h2>
        <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <section
        className="min-h-0 overflow-y-auto px-4 pb-4"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        tabIndex={0}
        aria-label="All shortcuts"
      >
        {GROUPS.map(({ title, shortcuts }) => (
          <section key={title} aria-label={title}>
            <h3 className="label mt-4 mb-1">{title}</h3>
            <dl className="text-sm">
              {shortcuts.map(({ keys, does }) => (
                <div key={does} className="flex items-baseline gap-3 py-1">
                  <dt className="w-32 shrink-0">
                    {keys.map((key) => (
                      <kbd key={key} className="mono mr-1 rounded border border-line bg-sunken px-1.5 text-xs">
                        {key}
                      </kbd>
                    ))}
                  </dt>
                  <dd className="min-w-0">{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </section>
    </dialog>
  );
};
