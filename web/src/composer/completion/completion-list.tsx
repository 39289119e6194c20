import { useEffect, useLayoutEffect, useRef } from 'react';
import type { Option } from './use-completion.ts';

const MOST_PIXELS = 256;
/** Between the list and the edge of the window. */
const EDGE_PIXELS = 8;

type Props = {
  id: string;
  options: readonly Option[];
  at: number;
  onChoose(index: number): void;
  onTake(option: Option): void;
};

/** Above the field, which keeps the keys. */
export const CompletionList = ({ id, options, at, onChoose, onTake }: Props) => {
  const list = useRef<HTMLDivElement>(null);
  // No higher than the room above the field.
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const room = element.getBoundingClientRect().bottom - EDGE_PIXELS - (window.visualViewport?.offsetTop ?? 0);
    element.style.maxHeight = `${Math.min(MOST_PIXELS, room)}px`;
  });
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <>
      <p role="status" className="sr-only">
        {options.length === 0 ? '' : `${options.length} ${options.length === 1 ? 'suggestion' : 'suggestions'}`}
      </p>
      {options.length > 0 && (
        <div
          ref={list}
          id={id}
          role="listbox"
          aria-label="Suggestions"
          tabIndex={-1}
          className="absolute inset-x-0 bottom-full z-20 mb-1 animate-open overflow-y-auto rounded border border-line bg-raised p-1 shadow-float"
        >
          {options.map((option, index) => (
            <div
              key={option.label}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              className={`flex min-h-8 cursor-pointer items-center gap-3 rounded px-2 py-1 text-sm pointer-coarse:min-h-10 max-sm:min-h-10 ${index === at ? 'bg-hover' : ''}`}
              onPointerMove={() => onChoose(index)}
              // The field keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onTake(option)}
              onKeyDown={() => {}}
            >
              <span className="mono min-w-0 max-w-full shrink-0 truncate">
                {option.label}
                {option.argument && <span className="text-soft max-sm:hidden"> [{option.argument}]</span>}
              </span>
              {option.description !== '' && (
                <span className="min-w-0 flex-1 truncate text-right text-xs text-soft">{option.description}</span>
              )}
            </div>
          ))}
        </div>
      )}
    </>
  );
};
