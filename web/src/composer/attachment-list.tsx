/** What goes with the next message: pictures, and documents with how far they are. */
import { bytes, counted, percent } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import type { DocumentView } from '../shell/use-documents.ts';
import type { Attachment } from './attachments.ts';

type Props = {
  attachments: readonly Attachment[];
  documents: readonly DocumentView[];
  onRemove(key: string): void;
  onRemoveDocument(name: string): void;
};

export const AttachmentList = ({ attachments, documents, onRemove, onRemoveDocument }: Props) =>
  attachments.length + documents.length === 0 ? null : (
    <ul
      className="col-span-full flex max-h-52 flex-wrap gap-2 overflow-y-auto px-2 pt-2 short:max-h-16"
      aria-label="Attached files"
    >
      {inOrder(documents).map((document) => (
        <DocumentChip key={document.name} document={document} onRemove={() => onRemoveDocument(document.name)} />
      ))}
      {attachments.map(({ key, name, size, preview }) => (
        <li key={key} className="chip">
          {preview === undefined ? (
            <Icon name="file" />
          ) : (
            <img src={preview} alt="" className="size-8 rounded object-cover" />
          )}
          <span className="max-w-48 truncate">{name}</span>
          <span className="text-xs text-soft">{bytes(size)}</span>
          <button type="button" className="quiet-button" aria-label={`Remove ${name}`} onClick={() => onRemove(key)}>
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
    </ul>
  );

/** What was refused stands last: it is to be read, and not to hide what was taken. */
const inOrder = (documents: readonly DocumentView[]): DocumentView[] => [
  ...documents.filter(({ state }) => state !== 'failed'),
  ...documents.filter(({ state }) => state === 'failed'),
];

const PHASES = { sending: 'sending', looking: 'reading', reading: 'reading', embedding: 'making vectors' } as const;

const progressWords = ({ progress }: DocumentView): string => {
  if (progress === undefined || progress.share === 1) return 'reading';
  return progress.share === undefined ? PHASES[progress.phase] : `${PHASES[progress.phase]} ${percent(progress.share)}`;
};

const DocumentChip = ({ document, onRemove }: { document: DocumentView; onRemove(): void }) => {
  const { name, size, lines, text, state, problem } = document;
  return (
    <li className={`chip ${state === 'failed' ? 'border-bad bg-bad-soft' : ''}`} data-document={state}>
      {state === 'coming' ? (
        <span className="spinner" aria-hidden="true" />
      ) : state === 'failed' ? (
        <span aria-hidden="true" className="text-bad">
          ✕
        </span>
      ) : (
        <Icon name="file" />
      )}
      {state === 'failed' ? (
        <span role="alert" className="min-w-0 text-xs [overflow-wrap:anywhere]">
          {problem}
        </span>
      ) : (
        <>
          <span className="max-w-48 truncate" title={name}>
            {name}
          </span>
          <span className="text-xs text-soft" role="status">
            {state === 'coming'
              ? progressWords(document)
              : `${bytes(size)} · ${text === undefined ? `${counted(lines ?? 0, 'line')} to search` : 'goes along whole'}`}
          </span>
        </>
      )}
      <button type="button" className="quiet-button" aria-label={`Remove ${name}`} onClick={onRemove}>
        <Icon name="close" size={12} />
      </button>
    </li>
  );
};
