import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useSnapshot } from '../../app-context.tsx';
import { PASTED_CHARACTERS, pastedFile } from '../attachments.ts';
import { CompletionList } from '../completion/completion-list.tsx';
import { withCompletion } from '../completion/token.ts';
import { type Option, useCompletion } from '../completion/use-completion.ts';
import type { Draft, Suggestion } from './use-draft.ts';

const LABEL = 'Message';
/** For who has left what they did, and goes on to write. */
export const focusMessageField = (): void =>
  document.querySelector<HTMLTextAreaElement>(`textarea[aria-label="${LABEL}"]`)?.focus();

type Props = {
  draft: Draft;
  suggestion: Suggestion | undefined;
  onSubmit(): Promise<void>;
  onEditLast(): void;
};

export const MessageField = ({ draft, suggestion, onSubmit, onEditLast }: Props) => {
  const { text, setText, putBack, attach } = draft;
  const { running } = useSnapshot().view;
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(text.length);
  const completion = useCompletion(text, caret);
  const listId = useId();
  const { options, at } = completion;
  /** Where the caret goes once the text is drawn. */
  const caretTo = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (caretTo.current === undefined) return;
    field.current?.setSelectionRange(caretTo.current, caretTo.current);
    caretTo.current = undefined;
  });
  /** What was put here last, which may be replaced by the next; what a person wrote may not. */
  const put = useRef('');
  useEffect(() => {
    if (!suggestion) return;
    const before = put.current;
    put.current = suggestion.text;
    setText((now) => (now.trim() === '' || now === before ? suggestion.text : `${suggestion.text}\n\n${now}`.trim()));
    putBack(suggestion.parts ?? []);
    field.current?.focus();
  }, [suggestion, setText, putBack]);
  useEffect(() => {
    field.current?.focus();
    // Whoever was typing goes on where they were.
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  }, []);

  const take = (option: Option | undefined): void => {
    if (option === undefined || completion.token === undefined) return;
    const next = withCompletion(text, completion.token, option.inserted);
    caretTo.current = next.caret;
    setText(next.text);
    setCaret(next.caret);
  };
  /** Whether the list of suggestions took the key. */
  const tookKey = (event: React.KeyboardEvent): boolean => {
    if (options.length === 0 || event.shiftKey) return false;
    if (event.key === 'ArrowDown') completion.move(1);
    else if (event.key === 'ArrowUp') completion.move(-1);
    else if (event.key === 'Escape') completion.dismiss();
    else if (event.key === 'Enter' || event.key === 'Tab') take(options[at]);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing || tookKey(event)) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void onSubmit();
    } else if (event.key === 'ArrowUp' && text === '') {
      event.preventDefault();
      onEditLast();
    }
  };
  /** A long text becomes a file. */
  const onPaste = (event: React.ClipboardEvent<HTMLTextAreaElement>): void => {
    const files = [...event.clipboardData.files];
    const words = event.clipboardData.getData('text/plain');
    if (files.length === 0 && words.length <= PASTED_CHARACTERS) return;
    event.preventDefault();
    void attach(files.length > 0 ? files : [pastedFile(words)]);
  };
  return (
    <>
      <CompletionList id={listId} options={options} at={at} onChoose={completion.choose} onTake={take} />
      <textarea
        ref={field}
        aria-label={LABEL}
        aria-autocomplete="list"
        aria-controls={options.length > 0 ? listId : undefined}
        aria-activedescendant={options.length > 0 ? `${listId}-${at}` : undefined}
        dir="auto"
        placeholder={running ? 'Write the next message' : 'Message, / for commands, @ for files'}
        className="block max-h-[calc(10lh+16px)] w-full min-w-0 resize-none bg-transparent px-3 py-2 outline-none field-sizing-content short:max-h-[calc(2lh+16px)]"
        rows={1}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setCaret(event.target.selectionStart);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onBlur={completion.dismiss}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
    </>
  );
};
