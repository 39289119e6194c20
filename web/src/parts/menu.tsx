/** A button with a list of things to do, for pointer and keyboard alike. */
import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from './icons.tsx';
import { placeMenu } from './place-menu.ts';

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

const seenWindow = () => {
  const { offsetLeft = 0, offsetTop = 0, width, height } = window.visualViewport ?? {};
  return {
    left: offsetLeft,
    top: offsetTop,
    right: offsetLeft + (width ?? window.innerWidth),
    bottom: offsetTop + (height ?? window.innerHeight),
  };
};

/** The list is drawn above everything, whatever scrolls or cuts around its button, and goes where the button goes. */
const usePlace = (
  open: boolean,
  opener: RefObject<HTMLElement | null>,
  floating: RefObject<HTMLElement | null>,
  { side, align }: Pick<Props, 'side' | 'align'>,
): void => {
  useLayoutEffect(() => {
    const list = floating.current;
    if (!open || !list) return;
    list.showPopover();
    const place = (): void => {
      if (!opener.current) return;
      const size = { width: list.offsetWidth, height: list.offsetHeight };
      const { left, top } = placeMenu(opener.current.getBoundingClientRect(), size, seenWindow(), { side, align });
      Object.assign(list.style, { left: `${left}px`, top: `${top}px` });
    };
    place();
    const observer = new ResizeObserver(place);
    observer.observe(list);
    // What scrolls does not tell those around it.
    document.addEventListener('scroll', place, { capture: true, passive: true });
    window.addEventListener('resize', place);
    return () => {
      observer.disconnect();
      document.removeEventListener('scroll', place, { capture: true });
      window.removeEventListener('resize', place);
    };
  }, [open, opener, floating, side, align]);
};

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
  usePlace(open, opener, floating, { side, align });
  const items = (): HTMLElement[] => [...(root.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
  const to = (place: number): void => items().at(place)?.focus();
  const move = (step: number): void => {
    const all = items();
    to((all.indexOf(document.activeElement as HTMLElement) + step) % all.length);
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
          popover="manual"
          className="fixed inset-auto m-0 w-max min-w-44 max-w-[calc(100vw-2rem)] animate-open overflow-visible rounded border border-line bg-raised p-1 text-ink shadow-float"
        >
          <div
            id={id}
            role="menu"
            tabIndex={-1}
            aria-label={label}
            className="menu-scroll max-h-[min(32rem,var(--seen-height,100dvh)-3rem)]"
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown') move(1);
              else if (event.key === 'ArrowUp') move(-1);
              else if (event.key === 'Home') to(0);
              else if (event.key === 'End') to(-1);
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
