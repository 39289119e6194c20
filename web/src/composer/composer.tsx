/** Where the person writes. One button that is Send or Stop; a message sent while a run goes on waits its turn. */
import { useCallback } from 'react';
import type { Mode } from '../../../src/core/policy/modes.ts';
import { useApp, useSnapshot } from '../app-context.tsx';
import type { SendOptions } from '../shell/use-sending.ts';
import { ActivityLine } from './activity-line.tsx';
import { AttachmentList } from './attachment-list.tsx';
import type { contentOf } from './attachments.ts';
import { AttachButton, DictationButton, SendButtons } from './composer/buttons.tsx';
import { MessageField } from './composer/message-field.tsx';
import { useContextLength } from './composer/use-context-length.ts';
import { useDictation } from './composer/use-dictation.ts';
import { type Suggestion, useDraft } from './composer/use-draft.ts';
import { useFileDrop } from './composer/use-file-drop.ts';
import { useSubmit } from './composer/use-submit.ts';
import { useTypedCommand } from './composer/use-typed-command.ts';
import { Meters } from './meters.tsx';
import { ModePicker } from './mode-picker.tsx';
import { ModelPicker } from './model-picker.tsx';

type Props = {
  onSend(content: ReturnType<typeof contentOf>, options?: SendOptions): Promise<boolean>;
  onStop(): void;
  onEditLast(): void;
  /** Shows the changes of files. */
  onReview(): void;
  chosenModel: string | undefined;
  onChooseModel(model: string): void;
  /** Opens the list of models. */
  onModels(): void;
  /** Of a session that begins now. */
  chosenMode: Mode;
  onChooseMode(mode: Mode): void;
  suggestion: Suggestion | undefined;
};

export const Composer = (props: Props) => {
  const { sessionId, documents, say } = useApp();
  const { view } = useSnapshot();
  const draft = useDraft();
  useFileDrop(draft.attach);
  const contextLength = useContextLength();
  const perform = useTypedCommand(props);
  const { setText } = draft;
  const onWords = useCallback(
    (words: string) => setText((now) => (now === '' || /\s$/.test(now) ? now + words : `${now} ${words}`)),
    [setText],
  );
  const dictation = useDictation(onWords, say);
  const { canSend, submit } = useSubmit(draft, { onSend: props.onSend, perform });
  // What is asked needs the room: where there is little, the field is one row until it is answered.
  const isAsked = view.activity.type === 'asking' || view.questions.length > 0;
  const whenAsked = (classes: string): string => (isAsked ? classes : '');
  return (
    <div className="mx-auto w-full max-w-[48rem] min-w-0 shrink-0 px-4 pb-3 max-sm:px-2 short:pb-1">
      <div className={whenAsked('short:h-1 short:overflow-hidden')}>
        <ActivityLine meters={<Meters contextLength={contextLength} />} />
      </div>
      <form
        className={`relative rounded border border-edge bg-raised focus-within:border-blue ${whenAsked('short:grid short:grid-cols-[minmax(0,1fr)_auto] short:items-end')}`}
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
        <div className={`flex min-w-0 items-center gap-1 px-1.5 pb-1.5 ${whenAsked('short:py-0.5')}`}>
          <div className={`flex min-w-0 items-center gap-1 ${whenAsked('short:hidden')}`}>
            <AttachButton onFiles={(files) => void draft.attach(files)} />
            <DictationButton {...dictation} />
            <ModelPicker chosen={props.chosenModel} onOpen={props.onModels} />
            <ModePicker mode={sessionId === undefined ? props.chosenMode : view.mode} onChoose={props.onChooseMode} />
          </div>
          <SendButtons running={view.running} canSend={canSend} onStop={props.onStop} />
        </div>
      </form>
    </div>
  );
};
