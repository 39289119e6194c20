/** Files that the person drops, pastes or picks, as parts of a message. */
import type { ContentPart } from '../../../src/core/message.ts';

export type Attachment = { key: string; name: string; size: number; part: ContentPart; preview?: string };
export type Read = { ok: true; attachment: Attachment } | { ok: false; message: string };

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const IMAGE_BYTES = 8_000_000;
const TEXT_BYTES = 256_000;

const base64 = (bytes: Uint8Array): string => {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
};

/** A fence that nothing in the text can close. */
const fenced = (name: string, text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `File ${name}:\n${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
};

export const readAttachment = async (file: File): Promise<Read> => {
  const key = `${file.name} ${file.size} ${file.lastModified}`;
  const shared = { key, name: file.name, size: file.size };
  if (IMAGE_TYPES.has(file.type)) {
    if (file.size > IMAGE_BYTES) return { ok: false, message: `${file.name} is larger than 8 MB.` };
    const data = base64(new Uint8Array(await file.arrayBuffer()));
    const part: ContentPart = { type: 'image', mime_type: file.type, data_base64: data };
    return { ok: true, attachment: { ...shared, part, preview: `data:${file.type};base64,${data}` } };
  }
  if (file.size > TEXT_BYTES) {
    return {
      ok: false,
      message: `${file.name} is larger than 256 kB: put it into the folder, and the model reads it there.`,
    };
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (text.includes('\0')) throw new TypeError('a zero byte');
    return { ok: true, attachment: { ...shared, part: { type: 'text', text: fenced(file.name, text) } } };
  } catch {
    return { ok: false, message: `${file.name} is neither text nor an image that a browser shows.` };
  }
};

/** One text stays one text; with attachments it is a list of parts. */
export const contentOf = (text: string, attachments: readonly Attachment[]): string | ContentPart[] =>
  attachments.length === 0
    ? text
    : [...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]), ...attachments.map(({ part }) => part)];
