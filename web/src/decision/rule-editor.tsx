/** What Session and Remember would allow: said in a line, and opened to be changed before it is made. */
import { type RefObject, useId } from 'react';
import type { Rule } from '../../../src/core/events.ts';
import { wholeRule } from '../../../src/core/policy/whole-rule.ts';
import { visible } from '../parts/visible.ts';
import type { CallView } from '../state/view.ts';

const ruleWords = (rule: Rule | undefined, tool: string, pattern: string): string => {
  if (rule && isFolderRead(rule)) return 'reading the files of this folder; secrets still ask';
  // Exactly this one; the sign says so to the rules.
  if (pattern.startsWith('=')) return `${rule?.tool ?? tool}(${pattern.slice(1)})`;
  return pattern === '' ? `${rule?.tool ?? tool}, everything` : `${rule?.tool ?? tool}(${pattern})`;
};

/** In the field the sign is left out where it says nothing: without stars a value is itself. */
const SPECIAL = /[*?[\]{}]/;
const isExact = (pattern: string): boolean => pattern.startsWith('=') && !SPECIAL.test(pattern);
const inField = (pattern: string): string => (isExact(pattern) ? pattern.slice(1) : pattern);
/** `offered`: what was suggested; the same words mean the same rule again. */
const outOfField = (text: string, offered: readonly string[]): string =>
  offered.includes(`=${text}`) && isExact(`=${text}`) ? `=${text}` : text;

/** The one grant for all reading in the folder, as the rules write it. */
const FOLDER_READ = 'folder:read';
const isFolderRead = ({ tool }: Rule): boolean => tool === FOLDER_READ;

type Props = {
  call: CallView;
  pattern: string;
  open: boolean;
  /** All of what would be allowed is shown; a long one scrolls. */
  isWhole: boolean;
  /** Where its words end: in sight once it was read. */
  end: RefObject<HTMLElement | null>;
  onOpen(): void;
  onChange(pattern: string): void;
};

export const RuleEditor = ({ call, pattern, open, isWhole, end, onOpen, onChange }: Props) => {
  const list = useId();
  const others = (call.suggestions ?? []).flatMap((rule) => rule.pattern ?? []);
  // A command is never offered whole: an empty field stands for what was offered.
  const whole = wholeRule(call.rule ?? { tool: call.name }, call.suggestions).pattern ?? '';
  const words = visible(ruleWords(call.rule, call.name, pattern === '' ? whole : pattern));
  const isFixed = call.rule !== undefined && isFolderRead(call.rule);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 text-xs text-soft">
      <span
        className={`min-w-0 [overflow-wrap:anywhere] ${open || isWhole ? 'max-h-[6lh] overflow-y-auto' : 'line-clamp-2'}`}
        title={words}
        data-rule
        tabIndex={isWhole ? 0 : undefined}
      >
        Session and Remember allow <code className="mono text-xs text-ink">{words}</code>
        <span ref={end} data-rule-end />
      </span>
      {!isFixed && (
        <button type="button" className="quiet-button" aria-expanded={open} onClick={onOpen}>
          {open ? 'Done' : 'Change'}
        </button>
      )}
      {open && !isFixed && (
        <label className="flex min-w-0 basis-full items-center gap-1">
          <span className="mono">{call.rule?.tool ?? call.name}(</span>
          <input
            className="field mono min-w-12 flex-1"
            value={inField(pattern)}
            list={others.length > 0 ? list : undefined}
            aria-label={`Pattern of what Session and Remember allow; empty: ${whole === '' ? 'the whole tool' : 'what was offered'}`}
            placeholder={whole === '' ? 'everything' : inField(whole)}
            spellCheck={false}
            onChange={(event) => onChange(outOfField(event.target.value, [whole, ...others]))}
          />
          {others.length > 0 && (
            <datalist id={list}>
              {others.map((other) => (
                <option key={other} value={inField(other)} />
              ))}
            </datalist>
          )}
          <span className="mono">)</span>
        </label>
      )}
    </div>
  );
};
