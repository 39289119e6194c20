/** Pictures that the person drops, pastes or picks, as parts of a message; and what a message says of new documents. */
import type { ContentPart } from '../../../src/core/message.ts';

export type Attachment = {
  key: string;
  name: string;
  size: number;
  part: ContentPart;
  /** The address of the picture; absent for what is none. */
  preview?: string;
};
export type Read = { ok: true; attachment: Attachment } | { ok: false; message: string };

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const IMAGE_BYTES = 8_000_000;

/** A picture goes with the message; any other file becomes a document of the chat. */
export const isPicture = ({ type }: File): boolean => IMAGE_TYPES.has(type);

const base64 = (bytes: Uint8Array): string => {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
};

const isDrawn = async (file: File): Promise<boolean> => {
  try {
    (await createImageBitmap(file)).close();
    return true;
  } catch {
    return false;
  }
};

export const readPicture = async (file: File): Promise<Read> => {
  if (file.size > IMAGE_BYTES) return { ok: false, message: `${file.name} is larger than 8 MB.` };
  if (!(await isDrawn(file)))
    return { ok: false, message: `${file.name} is no picture that this browser can read. It was not attached.` };
  const data = base64(new Uint8Array(await file.arrayBuffer()));
  return {
    ok: true,
    attachment: {
      key: `${file.name} ${file.size} ${file.lastModified}`,
      name: file.name,
      size: file.size,
      part: { type: 'image', mime_type: file.type, data_base64: data },
      preview: `data:${file.type};base64,${data}`,
    },
  };
};

/** What stood beside a message, put beside the next one. */
export const attachmentOf = (part: ContentPart): Attachment =>
  part.type === 'image'
    ? {
        key: `${part.data_base64.length} ${part.data_base64.slice(0, 64)}`,
        name: 'Picture',
        size: Math.floor((part.data_base64.length * 3) / 4),
        part,
        preview: `data:${part.mime_type};base64,${part.data_base64}`,
      }
    : { key: part.shown ?? part.text, name: part.shown ?? 'Text', size: part.text.length, part };

/** A field is made for what a person writes; a longer text that is pasted becomes a document of the chat. */
export const PASTED_CHARACTERS = 10_000;
let pasted = 0;
export const pastedFile = (text: string): File => {
  pasted += 1;
  return new File([text], `pasted-${Date.now().toString(36)}-${pasted}.txt`, { type: 'text/plain' });
};

/** A fence that nothing in the text can close. */
const fenced = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
};

type NewDocument = { name: string; note?: string; text?: string };

/** The model is told what there is now; a short text comes whole, since a call would cost more than reading it. */
const documentPart = ({ name, note = name, text }: NewDocument): ContentPart => ({
  type: 'text',
  text: text === undefined ? note : `${note}\n${fenced(text)}`,
  shown: name,
});

/** One text stays one text; with something beside it, it is a list of parts. */
export const contentOf = (
  text: string,
  attachments: readonly Attachment[],
  documents: readonly NewDocument[],
): string | ContentPart[] =>
  attachments.length + documents.length === 0
    ? text
    : [
        ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
        ...documents.map(documentPart),
        ...attachments.map(({ part }) => part),
      ];

/** A message with what came along by name, and then what was put beside it. */
export const withCompanions = (
  content: string | ContentPart[],
  companions: string | ContentPart[],
): string | ContentPart[] => {
  if (typeof companions === 'string') return content;
  if (typeof content === 'string')
    return content.trim() === '' ? companions : [{ type: 'text', text: content }, ...companions];
  return [...content, ...companions];
};

const NAMED_FILE = /(?:^|\s)@\S/;

/** An `@` that begins a word; an address of mail has none. */
export const mayNameFiles = (text: string): boolean => NAMED_FILE.test(text);
