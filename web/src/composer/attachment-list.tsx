import { bytes } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import type { Attachment } from './attachments.ts';

type Props = { attachments: readonly Attachment[]; onRemove(key: string): void };

export const AttachmentList = ({ attachments, onRemove }: Props) =>
  attachments.length === 0 ? null : (
    <ul className="flex flex-wrap gap-2 px-2 pt-2" aria-label="Attached files">
      {attachments.map(({ key, name, size, preview }) => (
        <li key={key} className="flex items-center gap-2 rounded border border-line bg-sunken py-1 pl-2 pr-1 text-sm">
          {preview ? <img src={preview} alt="" className="size-8 rounded object-cover" /> : <Icon name="file" />}
          <span className="max-w-48 truncate">{name}</span>
          <span className="text-xs text-soft">{bytes(size)}</span>
          <button type="button" className="quiet-button" aria-label={`Remove ${name}`} onClick={() => onRemove(key)}>
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
    </ul>
  );
