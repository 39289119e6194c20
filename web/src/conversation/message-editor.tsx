import { useEffect, useLayoutEffect, useRef } from 'react';
import { useApp } from '../app-context.tsx';
import { carryEdited } from '../composer/carry-draft.ts';
import { useWritten } from '../parts/use-written.ts';

type Props = {
  text: string;
  /** What is edited, and what the button says; a message of the person by default. */
  label?: string;
  action?: string;
  /** Where what was changed is kept while it is neither sent nor taken back. */
  draftKey: string;
  onSave(text: string): void;
  onCancel(): void;
};

/** Nobody comes back to a session that is gone, so who leaves it takes along what stands here, unless it was taken back. */
const useWayOut = (draftKey: string, isGone: boolean): void => {
  const gone = useRef(isGone);
  gone.current = isGone;
  useLayoutEffect(
    () => () => {
      if (gone.current) carryEdited(draftKey);
    },
    [draftKey],
  );
};

export const MessageEditor = ({ text, label = 'Edit message', action = 'Send', draftKey, onSave, onCancel }: Props) => {
  const { value, set: setValue, forget } = useWritten(draftKey, text);
  // What is read alone has no editor, but for one that was open.
  const { readOnly: isGone = false } = useApp();
  useWayOut(draftKey, isGone);
  const cancel = (): void => {
    if (isGone) forget();
    onCancel();
  };
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = field.current;
    element?.focus();
    element?.setSelectionRange(element.value.length, element.value.length);
  }, []);
  return (
    <form
      className="rounded border border-edge bg-raised p-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (value.trim() !== '' && !isGone) onSave(value);
      }}
    >
      <textarea
        ref={field}
        aria-label={label}
        dir="auto"
        className="block w-full resize-none bg-transparent px-1 outline-none field-sizing-content pointer-coarse:min-h-10 max-sm:min-h-10"
        rows={2}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation();
            cancel();
          }
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }
        }}
      />
      <div className="mt-2 flex items-center justify-end gap-2">
        <span className="mr-auto text-xs text-soft">
          {isGone ? 'It goes along to a new session.' : 'What was said before stays as another branch.'}
        </span>
        <button type="button" className="button" onClick={cancel}>
          Cancel
        </button>
        {!isGone && (
          <button type="submit" className="button-main" disabled={value.trim() === ''}>
            {action}
          </button>
        )}
      </div>
    </form>
  );
};
