import { onEscape } from '../parts/on-escape.ts';
import { useWritten } from '../parts/use-written.ts';

/** As much as a session takes. */
const FOCUS_CHARACTERS = 1_000;

/** Older turns make room; what matters of them may be said, and is told to the model when it writes its notes. */
type Props = { sessionId: string; onMake(focus: string): void; onCancel(): void };

export const MakeRoom = ({ sessionId, onMake, onCancel }: Props) => {
  const { value: focus, set: setFocus, forget } = useWritten(`what matters in ${sessionId}`, '');
  return (
    <form
      className="my-0.5 rounded border border-line p-2 text-sm"
      onSubmit={(event) => {
        event.preventDefault();
        forget();
        onMake(focus.trim());
      }}
      onKeyDown={onEscape(onCancel)}
    >
      <label className="mb-2 block">
        What matters (optional)
        <input
          className="field mt-1"
          maxLength={FOCUS_CHARACTERS}
          ref={(element) => {
            if (element && document.activeElement !== element) element.focus();
          }}
          value={focus}
          onChange={(event) => setFocus(event.target.value)}
        />
      </label>
      <div className="flex gap-2">
        <button type="submit" className="button">
          Make room
        </button>
        <button
          type="button"
          className="button"
          onClick={() => {
            forget();
            onCancel();
          }}
        >
          Cancel
        </button>
      </div>
    </form>
  );
};
