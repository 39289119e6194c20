import { useRef } from 'react';
import { Icon } from '../../parts/icons.tsx';
import { focusMessageField } from './message-field.tsx';
import type { Dictation } from './use-dictation.ts';

/** Send or Stop: one of them, or both while a run goes on and the next message is written. */
export const SendButtons = ({ running, canSend, onStop }: { running: boolean; canSend: boolean; onStop(): void }) => (
  <div className="ml-auto flex shrink-0 items-center gap-1">
    {running && (
      <button
        type="button"
        className={canSend ? 'button' : 'button-main w-20'}
        onClick={() => {
          onStop();
          // The button goes away with the run. On a phone the keys of the screen stay where they are.
          if (window.matchMedia('(pointer: fine)').matches) focusMessageField();
        }}
        aria-keyshortcuts="Escape"
        title="Stop (Esc)"
      >
        <Icon name="stop" /> Stop
      </button>
    )}
    {(!running || canSend) && (
      <button type="submit" className="button-main w-20" disabled={!canSend}>
        <Icon name="send" /> Send
      </button>
    )}
  </div>
);

export const DictationButton = ({ isOffered, isListening, toggle }: Dictation) =>
  isOffered && (
    <button
      type="button"
      className={`icon-button ${isListening ? 'text-bad' : ''}`}
      aria-label="Dictate"
      aria-pressed={isListening}
      title={isListening ? 'Stop dictating' : 'Dictate: it is recognised on this machine'}
      onClick={toggle}
    >
      <Icon name="microphone" />
    </button>
  );

export const AttachButton = ({ onFiles }: { onFiles(files: readonly File[]): void }) => {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <button
        type="button"
        className="icon-button"
        aria-label="Attach files"
        title="Attach files, or drop them anywhere"
        onClick={() => picker.current?.click()}
      >
        <Icon name="attach" />
      </button>
    </>
  );
};
