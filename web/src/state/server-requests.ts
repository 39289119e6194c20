/** Requests to the server. What goes wrong is a value with words for the person. */

import { inPage } from '../../../src/core/page-words.ts';
import { saveFile } from '../parts/save-file.ts';

export type Answer<T> = { ok: true; value: T } | { ok: false; status: number; message: string };

const NO_ANSWER = {
  ok: false,
  status: 0,
  message: 'halter does not answer. Is halter serve still running?',
} as const;

const JSON_HEADERS = { 'content-type': 'application/json' };

export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** What the server says of a request that it refused. */
const refusal = (status: number, body: string): { ok: false; status: number; message: string } => {
  const error = (parsed(body) as { error?: { message?: unknown } } | undefined)?.error;
  const message = typeof error?.message === 'string' ? inPage(error.message) : `halter answered ${status}.`;
  return { ok: false, status, message };
};

/** Each method can be handed on alone. */
export class ServerRequests {
  readonly send: typeof fetch;

  constructor(send: typeof fetch) {
    this.send = send;
  }

  /** A body's fields that are undefined are left out. */
  readonly json = <T>(method: string, path: string, body?: unknown): Promise<Answer<T>> => {
    const init = body === undefined ? { method } : { method, headers: JSON_HEADERS, body: JSON.stringify(body) };
    return this.#ask(path, init, async (response) => parsed(await response.text()) as T);
  };

  readonly text = (path: string): Promise<Answer<string>> => this.#ask(path, {}, (response) => response.text());

  /** A picture of the web or of the folder, or why there is none. */
  readonly picture = (from: { url: string } | { path: string }): Promise<Answer<Blob>> => {
    const read = (response: Response): Promise<Blob> => response.blob();
    return 'path' in from
      ? this.#ask(`/api/pictures?path=${encodeURIComponent(from.path)}`, {}, read)
      : this.#ask('/api/pictures', { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(from) }, read);
  };

  /** A file of the server, handed to the person under its own name. */
  readonly download = (path: string): Promise<Answer<undefined>> =>
    this.#ask(path, {}, async (response) => {
      const [, name = 'halter'] = /filename="([^"]*)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
      saveFile(name, await response.blob());
      return undefined;
    });

  async #ask<T>(path: string, init: RequestInit, read: (response: Response) => Promise<T>): Promise<Answer<T>> {
    try {
      const response = await this.send(path, init);
      if (response.ok) return { ok: true, value: await read(response) };
      return refusal(response.status, await response.text());
    } catch {
      return NO_ANSWER;
    }
  }
}
