/** Sends a file to a session and hears how far it is. Not `fetch`: that does not tell how much was sent. */
import type { Answer, DocumentRow } from './api.ts';
import { pageKey } from './page-key.ts';

/** How far a file is: on its way, being read, or being made into vectors. */
export type UploadProgress = { phase: 'sending' | 'looking' | 'reading' | 'embedding'; share?: number };

type Told = { type: string; data: unknown };

/** The whole events of what has come so far. */
export const eventsIn = (text: string): Told[] =>
  text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((block) => {
      const [, type] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (type === undefined || data === undefined) return [];
      return [{ type, data: JSON.parse(data) as unknown }];
    });

const progressOf = (told: readonly Told[]): UploadProgress | undefined => {
  const last = told.findLast(({ type }) => type === 'progress')?.data as
    | { phase: UploadProgress['phase']; done: number; total: number }
    | undefined;
  if (last === undefined) return undefined;
  // One file is read in one go; only vectors come little by little.
  return last.phase === 'embedding' && last.total > 0
    ? { phase: last.phase, share: last.done / last.total }
    : { phase: last.phase };
};

const messageIn = (text: string): string | undefined => {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message;
  } catch {
    return undefined;
  }
};

export const uploadDocument = (
  path: string,
  file: File,
  { signal, onProgress }: { signal: AbortSignal; onProgress(progress: UploadProgress): void },
): Promise<Answer<DocumentRow>> =>
  new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const failed = (message: string): void => resolve({ ok: false, status: request.status, message });
    request.open('POST', `${path}?name=${encodeURIComponent(file.name)}`);
    const key = pageKey();
    if (key !== undefined) request.setRequestHeader('authorization', `Bearer ${key}`);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.setRequestHeader('accept', 'text/event-stream');
    request.upload.onprogress = ({ loaded, total }) => onProgress({ phase: 'sending', share: loaded / total });
    request.onprogress = () => {
      const progress = request.status === 200 ? progressOf(eventsIn(request.responseText)) : undefined;
      if (progress) onProgress(progress);
    };
    request.onload = () => {
      const last = request.status === 200 ? eventsIn(request.responseText).at(-1) : undefined;
      if (last?.type === 'document') resolve({ ok: true, value: last.data as DocumentRow });
      else if (last?.type === 'error') failed((last.data as { message: string }).message);
      else failed(messageIn(request.responseText) ?? `halter answered ${request.status}.`);
    };
    request.onerror = () => failed('halter does not answer. Is halter serve still running?');
    request.onabort = () => failed('given up');
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
