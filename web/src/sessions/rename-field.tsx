import { useRef, useState } from 'react';
import { onEscape } from '../parts/on-escape.ts';

type Props = { title: string; onSave(title: string): void; onCancel(): void };

/** In the place of the name. What was written counts when the person goes elsewhere; Escape leaves the old name. */
export const RenameField = ({ title, onSave, onCancel }: Props) => {
  const [value, setValue] = useState(title);
  const isOver = useRef(false);
  const end = (save: boolean): void => {
    if (isOver.current) return;
    isOver.current = true;
    const name = value.trim();
    if (save && name !== '' && name !== title) onSave(name);
    else onCancel();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        end(true);
      }}
    >
      <input
        className="field"
        aria-label="Name of the session"
        ref={(element) => {
          if (element && document.activeElement !== element) element.select();
        }}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={onEscape(() => end(false))}
        onBlur={() => end(true)}
      />
    </form>
  );
};
