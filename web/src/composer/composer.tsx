/** Where the person writes. One button that is Send or Stop; a message sent while a run goes on waits its turn. */
import { useEffect, useRef } from 'react';
import type { Mode } from '../../../src/core/policy/modes.ts';
import { useApp, useSnapshot } from '../app-context.tsx';
import { ActivityLine } from './activity-line.tsx';
import { AttachmentList } from './attachment-list.tsx';
import { contentOf, PASTED_CHARACTERS, pastedFile } from './attachments.ts';
import { AttachButton, SendButtons } from './composer/buttons.tsx';
import { useContextLength } from './composer/use-context-length.ts';
import { type Draft, useDraft } from './composer/use-draft.ts';
import { useFileDrop } from './composer/use-file-drop.ts';
import { useTypedCommand } from './composer/use-typed-command.ts';
import { Meters } from './meters.tsx';
import { ModePicker } from './mode-picker.tsx';
import { ModelPicker } from './model-picker.tsx';
import { readTyped } from './typed-command.ts';

type Props = {
  onSend(content: ReturnType<typeof contentOf>): Promise<boolean>;
  onStop(): void;
  onEditLast(): void;
  chosenModel: string | undefined;
  onChooseModel(model: string): void;
  /** Of a session that begins now. */
  chosenMode: Mode;
  onChooseMode(mode: Mode): void;
  /** A text that was chosen elsewhere. */
  suggestion: { text: string; at: number } | undefined;
};

export const Composer = (props: Props) => {
  const { sessionId, documents, refreshModels } = useApp();
  const { view } = useSnapshot();
  const draft = useDraft();
  useFileDrop(draft.attach);
  const contextLength = useContextLength();
  const { canSend, submit } = useSubmit(draft, props);
  return (
    <div className="mx-auto w-full max-w-[48rem] min-w-0 shrink-0 px-4 pb-3 max-sm:px-2">
      <ActivityLine meters={<Meters contextLength={contextLength} />} />
      <form
        className="rounded border border-edge bg-raised focus-within:border-blue"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <AttachmentList
          attachments={draft.pictures}
          documents={documents.list.filter(({ fresh }) => fresh)}
          onRemoveDocument={documents.remove}
          onRemove={(key) => draft.setPictures((known) => known.filter((each) => each.key !== key))}
        />
        <MessageField draft={draft} suggestion={props.suggestion} onSubmit={submit} onEditLast={props.onEditLast} />
        <div className="flex min-w-0 items-center gap-1 px-1.5 pb-1.5">
          <AttachButton onFiles={(files) => void draft.attach(files)} />
          <ModelPicker chosen={props.chosenModel} onChoose={props.onChooseModel} onOpen={refreshModels} />
          <ModePicker mode={sessionId === undefined ? props.chosenMode : view.mode} onChoose={props.onChooseMode} />
          <SendButtons running={view.running} canSend={canSend} onStop={props.onStop} />
        </div>
      </form>
    </div>
  );
};

/** A message that could not be sent is given back to the person. */
const useSubmit = (
  { text, setText, pictures, setPictures }: Draft,
  { onSend: send, ...props }: Props,
): { canSend: boolean; submit(): Promise<void> } => {
  const { say, documents } = useApp();
  const fresh = documents.list.filter((document) => document.fresh);
  const ready = fresh.filter(({ state }) => state === 'ready');
  const coming = fresh.find(({ state }) => state === 'coming');
  const canSend = text.trim() !== '' || pictures.length + ready.length > 0;
  const performCommand = useTypedCommand(props);
  const submit = async (): Promise<void> => {
    if (!canSend) return;
    const typed = readTyped(text);
    if (typed.type !== 'message') {
      // What is attached stays for the next message.
      setText('');
      if (!(await performCommand(typed))) setText(text);
      return;
    }
    if (coming) {
      say(`${coming.name} is still being read. Send the message when it is done, or take the file out.`);
      return;
    }
    setText('');
    setPictures(() => []);
    if (await send(contentOf(text, pictures, ready))) {
      documents.sent();
      return;
    }
    setText(text);
    setPictures(() => pictures);
  };
  return { canSend, submit };
};

type MessageFieldProps = Pick<Props, 'suggestion' | 'onEditLast'> & { draft: Draft; onSubmit(): Promise<void> };

const MessageField = ({ draft, suggestion, onSubmit, onEditLast }: MessageFieldProps) => {
  const { text, setText, attach } = draft;
  const { running } = useSnapshot().view;
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!suggestion) return;
    setText(suggestion.text);
    field.current?.focus();
  }, [suggestion, setText]);
  useEffect(() => field.current?.focus(), []);

  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return;
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
    <textarea
      ref={field}
      aria-label="Message"
      dir="auto"
      placeholder={running ? 'Write the next message' : 'Message halter'}
      className="block max-h-[calc(10lh+16px)] w-full resize-none bg-transparent px-3 py-2 outline-none field-sizing-content"
      rows={1}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
    />
  );
};
