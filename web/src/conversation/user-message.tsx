import { memo, useState } from 'react';
import type { ContentPart } from '../../../src/core/message.ts';
import { useApp } from '../app-context.tsx';
import { mayNameFiles, withCompanions } from '../composer/attachments.ts';
import { noMessage } from '../composer/typed-command.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icons.tsx';
import { forgetWritten } from '../parts/use-written.ts';
import { readable } from '../parts/visible.ts';
import { MessageEditor } from './message-editor.tsx';
import { attachedTo, companionsOf, wordsOf } from './message-words.ts';

const FOLDED_CHARACTERS = 4_000;
const TITLE_CHARACTERS = 500;
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

type Props = {
  itemKey: string;
  content: string | ContentPart[];
  /** The event that it follows. */
  after: number;
  editing: boolean;
  /** The same function every time, so that nothing is drawn again while an answer streams. */
  onEdit(key: string | undefined): void;
};

export const UserMessage = memo(({ itemKey, content, after, editing, onEdit }: Props) => {
  const { api, send, sendMessage, say, sessionId = '', readOnly } = useApp();
  const words = wordsOf(content);
  const rest = companionsOf(content);
  if (editing) {
    const draftKey = `halter edit ${sessionId} ${itemKey}`;
    const save = async (text: string): Promise<void> => {
      const problem = noMessage(text);
      if (problem !== undefined) {
        say(problem);
        return;
      }
      const named = mayNameFiles(text) ? await api.input(text) : undefined;
      if (named && !named.ok) {
        say(named.message);
        return;
      }
      const next = withCompanions(named?.value.content ?? text, attachedTo(content));
      // Where that is refused, the words stay in the editor.
      if (!(await send({ type: 'branch', at_seq: after }))) return;
      // The message is not on this branch any more, nor is its editor: until the new one is, its words are kept.
      const written = withCompanions(text, attachedTo(content));
      const sent = sendMessage(written, { isWithoutField: true, ...(named ? { read: async () => next } : {}) });
      forgetWritten(draftKey);
      onEdit(undefined);
      await sent;
    };
    return (
      <MessageEditor
        text={words}
        draftKey={draftKey}
        onSave={(text) => void save(text)}
        onCancel={() => onEdit(undefined)}
      />
    );
  }
  return (
    <div className="group/user flex flex-col items-end gap-1">
      <div className="max-w-[85%] rounded bg-hover px-3 py-2 [overflow-wrap:anywhere]">
        {words !== '' && <LongText text={words} />}
        {rest.length > 0 && (
          <ul className={`flex flex-wrap gap-2 ${words === '' ? '' : 'mt-2'}`} aria-label="Came with the message">
            {rest.map((part) => (
              <Companion key={keyOf(part)} part={part} />
            ))}
          </ul>
        )}
      </div>
      <div className="flex opacity-0 transition-opacity group-hover/user:opacity-100 focus-within:opacity-100 pointer-coarse:opacity-100">
        <CopyButton text={() => words} label="Copy message" />
        {!readOnly && (
          <button
            type="button"
            className="quiet-button"
            onClick={() => onEdit(itemKey)}
            aria-label="Edit message"
            title="Edit message: it begins another branch"
          >
            <Icon name="edit" size={14} />
          </button>
        )}
      </div>
    </div>
  );
});

const keyOf = (part: ContentPart): string =>
  part.type === 'image' ? part.data_base64.slice(0, 64) + part.data_base64.length : (part.shown ?? part.text);

const Companion = ({ part }: { part: ContentPart }) => {
  if (part.type === 'text') {
    return (
      <li className="chip pr-2" title={part.text.slice(0, TITLE_CHARACTERS)}>
        <Icon name="file" />
        <span className="max-w-64 truncate">{part.shown}</span>
      </li>
    );
  }
  return (
    <li>
      {IMAGE_TYPES.has(part.mime_type) ? (
        <img
          src={`data:${part.mime_type};base64,${part.data_base64}`}
          alt="Sent with the message"
          className="max-h-48 max-w-full rounded border border-line"
        />
      ) : (
        <span className="text-sm text-soft">{part.mime_type}</span>
      )}
    </li>
  );
};

const LongText = ({ text: written }: { text: string }) => {
  const text = readable(written);
  const [whole, setWhole] = useState(false);
  const isLong = text.length > FOLDED_CHARACTERS;
  return (
    <>
      <div dir="auto" className="whitespace-pre-wrap">
        {isLong && !whole ? `${text.slice(0, FOLDED_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…` : text}
      </div>
      {isLong && (
        <button type="button" className="quiet-button" data-tells onClick={() => setWhole(!whole)}>
          {whole ? 'Show less' : `Show all ${text.length.toLocaleString('en')} characters`}
        </button>
      )}
    </>
  );
};
