import { useRef, useState } from 'react';
import { onEscape } from '../parts/on-escape.ts';
import { useWritten } from '../parts/use-written.ts';

/** As much as a session takes. */
const NAME_CHARACTERS = 80;

type Props = {
  sessionId: string;
  title: string;
  /** What is wrong with it, where it was not taken. */
  onSave(title: string): Promise<string | undefined>;
  onOver(): void;
};

export const writtenNameOf = (sessionId: string): string => `name of ${sessionId}`;

/**
 * In the place of the name. What was written counts when the person goes elsewhere; Escape leaves the old name. What is not
 * taken stays in the field.
 */
export const RenameField = ({ sessionId, title, onSave, onOver }: Props) => {
  const { value, set, forget } = useWritten(writtenNameOf(sessionId), title);
  const [problem, setProblem] = useState<string>();
  const isOver = useRef(false);
  const end = async (save: boolean): Promise<void> => {
    if (isOver.current) return;
    const name = value.trim();
    if (save && name.length > NAME_CHARACTERS) {
      setProblem(`At most ${NAME_CHARACTERS} characters; these are ${name.length}.`);
      return;
    }
    isOver.current = true;
    const refused = save && name !== '' && name !== title ? await onSave(name) : undefined;
    if (refused === undefined) {
      forget();
      onOver();
    } else {
      isOver.current = false;
      setProblem(refused);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void end(true);
      }}
    >
      <input
        className="field"
        aria-label="Name of the session"
        aria-invalid={problem !== undefined}
        ref={(element) => {
          // Once, when it appears.
          if (element && !element.dataset['shown']) {
            element.dataset['shown'] = 'yes';
            element.select();
          }
        }}
        value={value}
        onChange={(event) => {
          set(event.target.value);
          setProblem(undefined);
        }}
        onKeyDown={onEscape(() => void end(false))}
        onBlur={() => void end(true)}
      />
      {problem !== undefined && (
        <p role="alert" className="mt-1 text-xs text-bad">
          {problem}
        </p>
      )}
    </form>
  );
};
