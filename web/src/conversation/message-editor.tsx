import { useEffect, useRef } from 'react';
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

export const MessageEditor = ({ text, label = 'Edit message', action = 'Send', draftKey, onSave, onCancel }: Props) => {
  const { value, set: setValue } = useWritten(draftKey, text);
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
        if (value.trim() !== '') onSave(value);
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
            onCancel();
          }
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }
        }}
      />
      <div className="mt-2 flex items-center justify-end gap-2">
        <span className="mr-auto text-xs text-soft">What was said before stays as another branch.</span>
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" className="button-main" disabled={value.trim() === ''}>
          {action}
        </button>
      </div>
    </form>
  );
};
