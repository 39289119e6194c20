/** A button with a list of things to do, for pointer and keyboard alike. */
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from './icons.tsx';

type MenuEntry = { key: string; label: ReactNode; onSelect(): void; danger?: boolean; checked?: boolean };

type Props = {
  label: string;
  button: ReactNode;
  buttonClass: string;
  /** Of what stands round the button and its list. */
  rootClass?: string;
  entries: readonly MenuEntry[];
  side: 'up' | 'down';
  align: 'left' | 'right';
  onOpen?(): void;
  note?: ReactNode;
};

/** Between a list and the edge of the window. */
const EDGE_PIXELS = 8;

export const Menu = ({ label, button, buttonClass, rootClass = '', entries, side, align, onOpen, note }: Props) => {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const floating = useRef<HTMLDivElement>(null);
  const id = useId();
  const isChoice = entries.some(({ checked }) => checked !== undefined);
  useEffect(() => {
    if (!open) return;
    const find = (selector: string) => root.current?.querySelector<HTMLElement>(selector);
    (find('[aria-checked="true"]') ?? find('[role^="menuitem"]'))?.focus();
    const onPointer = (event: PointerEvent): void => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPointer);
    return () => document.removeEventListener('pointerdown', onPointer);
  }, [open]);
  // A list that would leave the window is moved back into it.
  useLayoutEffect(() => {
    const list = floating.current;
    if (!open || !list) return;
    list.style.translate = '';
    const { left, right } = list.getBoundingClientRect();
    const shift = Math.max(EDGE_PIXELS - left, Math.min(0, window.innerWidth - EDGE_PIXELS - right));
    if (shift !== 0) list.style.translate = `${shift}px 0`;
  });
  const move = (step: number): void => {
    const items = [...(root.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + step + items.length) % items.length]?.focus();
  };
  const shut = (): void => {
    setOpen(false);
    opener.current?.focus();
  };
  return (
    <div ref={root} className={`relative ${rootClass}`}>
      <button
        ref={opener}
        type="button"
        className={buttonClass}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => {
          if (!open) onOpen?.();
          setOpen(!open);
        }}
      >
        {button}
      </button>
      {open && (
        <div
          ref={floating}
          className={`absolute z-20 w-max min-w-44 max-w-[calc(100vw-2rem)] animate-open rounded border border-line bg-raised p-1 shadow-float ${side === 'up' ? 'bottom-full mb-1' : 'top-full mt-1'} ${align === 'left' ? 'left-0' : 'right-0'}`}
        >
          <div
            id={id}
            role="menu"
            tabIndex={-1}
            aria-label={label}
            className="max-h-80 overflow-y-auto"
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown') move(1);
              else if (event.key === 'ArrowUp') move(-1);
              else if (event.key === 'Escape' || event.key === 'Tab') shut();
              else return;
              event.preventDefault();
              event.stopPropagation();
            }}
          >
            {entries.map(({ key, label: words, onSelect, danger, checked }) => (
              // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is one that can be checked where there is a choice.
              <button
                key={key}
                type="button"
                role={isChoice ? 'menuitemradio' : 'menuitem'}
                aria-checked={isChoice ? checked === true : undefined}
                tabIndex={-1}
                className={`flex w-full items-center gap-2 rounded px-2 py-1.5 text-left text-sm pointer-coarse:min-h-10 max-sm:min-h-10 hover:bg-hover focus:bg-hover ${danger ? 'text-bad' : ''}`}
                onClick={() => {
                  shut();
                  onSelect();
                }}
              >
                {isChoice && <span className="w-4 shrink-0">{checked === true && <Icon name="check" />}</span>}
                {words}
              </button>
            ))}
          </div>
          {note && <div className="border-t border-line px-2 py-1.5 text-xs text-soft">{note}</div>}
        </div>
      )}
    </div>
  );
};
