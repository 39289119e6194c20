/** Where the person writes. One button that is Send or Stop; a message sent while a run goes on waits its turn. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Mode } from '../../../src/core/policy/modes.ts';
import { useApp, useSnapshot } from '../app-context.tsx';
import { Icon } from '../parts/icons.tsx';
import { keep, recall } from '../state/kept.ts';
import { sameModel } from '../state/model-name.ts';
import { ActivityLine } from './activity-line.tsx';
import { AttachmentList } from './attachment-list.tsx';
import { type Attachment, contentOf, isPicture, PASTED_CHARACTERS, pastedFile, readPicture } from './attachments.ts';
import { Meters } from './meters.tsx';
import { ModePicker } from './mode-picker.tsx';
import { ModelPicker } from './model-picker.tsx';

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

/** Pictures stay through a reload, as the words do. */
const useKeptPictures = (sessionId: string | undefined) => {
  const [pictures, setPictures] = useState<readonly Attachment[]>([]);
  const isKnown = useRef(false);
  const name = `pictures ${sessionId ?? 'new'}`;
  useEffect(() => {
    void recall(name).then((found) => {
      isKnown.current = true;
      if (found !== undefined) setPictures((known) => [...(found as Attachment[]), ...known]);
    });
  }, [name]);
  useEffect(() => {
    if (isKnown.current) void keep(name, pictures.length > 0 ? pictures : undefined);
  }, [name, pictures]);
  return [pictures, setPictures] as const;
};

const draftKey = (id: string | undefined): string => `halter draft ${id ?? 'new'}`;

export const Composer = ({
  onSend,
  onStop,
  onEditLast,
  chosenModel,
  onChooseModel,
  chosenMode,
  onChooseMode,
  suggestion,
}: Props) => {
  const { api, sessionId, say, status, models, documents, refreshModels } = useApp();
  const { view } = useSnapshot();
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey(sessionId)) ?? '');
  const [attachments, setAttachments] = useKeptPictures(sessionId);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const { running } = view;

  useEffect(() => sessionStorage.setItem(draftKey(sessionId), text), [sessionId, text]);
  useEffect(() => {
    if (!suggestion) return;
    setText(suggestion.text);
    field.current?.focus();
  }, [suggestion]);
  useEffect(() => field.current?.focus(), []);

  const { add: addDocuments } = documents;
  const attach = useCallback(
    async (files: readonly File[]): Promise<void> => {
      addDocuments(files.filter((file) => !isPicture(file)));
      for (const file of files.filter(isPicture)) {
        const read = await readPicture(file);
        if (read.ok)
          setAttachments((known) => [...known.filter(({ key }) => key !== read.attachment.key), read.attachment]);
        else say(read.message);
      }
    },
    [say, addDocuments, setAttachments],
  );
  // A file may be dropped anywhere on the page.
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      void attach(files);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('drop', drop);
    };
  }, [attach]);

  // A list of models does not always say how long their windows are.
  const [described, setDescribed] = useState<number>();
  const chosenHere = view.model;
  useEffect(() => {
    setDescribed(undefined);
    if (chosenHere === '') return;
    let over = false;
    void api.describeModel(chosenHere).then((answer) => {
      if (!over && answer.ok) setDescribed(answer.value.model.context_length);
    });
    return () => {
      over = true;
    };
  }, [api, chosenHere]);

  const fresh = documents.list.filter((document) => document.fresh);
  const taken = fresh.filter(({ state }) => state === 'ready');
  const coming = fresh.find(({ state }) => state === 'coming');
  const canSend = text.trim() !== '' || attachments.length + taken.length > 0;
  const submit = async (): Promise<void> => {
    if (!canSend) return;
    if (coming) {
      say(`${coming.name} is still being read. Send the message when it is done, or take the file out.`);
      return;
    }
    const kept = { text, attachments };
    setText('');
    setAttachments([]);
    if (await onSend(contentOf(text, attachments, taken))) {
      documents.sent();
      return;
    }
    setText(kept.text);
    setAttachments(kept.attachments);
  };
  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void submit();
    } else if (event.key === 'ArrowUp' && text === '') {
      event.preventDefault();
      onEditLast();
    }
  };
  const current = view.model || status?.model.id || '';
  const isDefault = sameModel(current, status?.model.id ?? '');
  const known =
    (isDefault ? status?.model.context_length : undefined) ??
    models.find(({ id }) => sameModel(id, current))?.context_length;
  const contextLength = known ?? described;

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
          attachments={attachments}
          documents={fresh}
          onRemoveDocument={documents.remove}
          onRemove={(key) => setAttachments((known) => known.filter((each) => each.key !== key))}
        />
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
          onPaste={(event) => {
            const files = [...event.clipboardData.files];
            const words = event.clipboardData.getData('text/plain');
            if (files.length === 0 && words.length <= PASTED_CHARACTERS) return;
            event.preventDefault();
            void attach(files.length > 0 ? files : [pastedFile(words)]);
          }}
        />
        <div className="flex min-w-0 items-center gap-1 px-1.5 pb-1.5">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              void attach([...(event.target.files ?? [])]);
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
          <ModelPicker chosen={chosenModel} onChoose={onChooseModel} onOpen={refreshModels} />
          <ModePicker mode={sessionId === undefined ? chosenMode : view.mode} onChoose={onChooseMode} />
          <div className="ml-auto flex shrink-0 items-center gap-1">
            {running && (
              <button
                type="button"
                className={canSend ? 'button' : 'button-main w-20'}
                onClick={onStop}
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
        </div>
      </form>
    </div>
  );
};
