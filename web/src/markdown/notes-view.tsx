/** Where a text refers to a note, and its notes: small, at its end, with ways there and back. */
import { createContext, type ReactNode, type RefObject, useContext, useMemo, useRef } from 'react';
import type { Note } from './notes.ts';

type Notes = {
  labels: readonly string[];
  list: RefObject<HTMLOListElement | null>;
  /** The mark from which a note was gone to. */
  came: Map<string, HTMLElement>;
};

const NoNotes: Notes = { labels: [], list: { current: null }, came: new Map() };
export const NotesContext = createContext(NoNotes);

/** The same object as long as the notes are the same. */
export const useNotes = (notes: readonly Note[]): Notes => {
  const list = useRef<HTMLOListElement>(null);
  const key = notes.map(({ label }) => label).join(' ');
  return useMemo(() => ({ labels: key === '' ? [] : key.split(' '), list, came: new Map() }), [key]);
};

const goTo = (element: Element | null | undefined): void => {
  if (!(element instanceof HTMLElement)) return;
  element.scrollIntoView({ block: 'nearest' });
  element.focus({ preventScroll: true });
};

export const NoteMark = ({ label }: { label: string }) => {
  const { labels, list, came } = useContext(NotesContext);
  const number = labels.indexOf(label) + 1;
  return (
    <button
      type="button"
      className="note-mark"
      aria-label={`Note ${number}`}
      data-mark={label}
      onClick={(event) => {
        came.set(label, event.currentTarget);
        goTo(list.current?.children[number - 1]);
      }}
    >
      {number}
    </button>
  );
};

export const NotesView = ({ notes, children }: { notes: readonly Note[]; children(note: Note): ReactNode }) => {
  const { list, came } = useContext(NotesContext);
  const goBack = (label: string): void => {
    const mark = came.get(label);
    const first = `[data-mark="${CSS.escape(label)}"]`;
    goTo(mark?.isConnected ? mark : list.current?.parentElement?.querySelector(first));
  };
  return (
    <ol ref={list} aria-label="Notes" className="notes">
      {notes.map((note, index) => (
        <li key={note.label} tabIndex={-1}>
          {children(note)}
          {note.isReferred && (
            <button
              type="button"
              className="note-back"
              aria-label={`Back from note ${index + 1}`}
              title="Back to the text"
              onClick={() => goBack(note.label)}
            >
              ↩
            </button>
          )}
        </li>
      ))}
    </ol>
  );
};
