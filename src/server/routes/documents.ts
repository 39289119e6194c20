/** Documents of a chat: files that a person puts into it, which rag_search then looks into (E2). */

import type { ChatDocument, ChatDocuments } from '../../agent/knowledge/chat-documents.ts';
import { DOCUMENTS_FOLDER, documentName } from '../../core/document-names.ts';
import { LIMITS } from '../../core/limits.ts';
import { counted } from '../../core/number-text.ts';
import type { Failure, Outcome } from '../../core/outcome.ts';
import { SEARCH_LIMITS } from '../../search/limits.ts';
import { ApiError, fromFailure } from '../api-error.ts';
import { readBytes } from '../read-body.ts';
import { defineRoute, json, type Route } from '../route.ts';
import type { ServerContext } from '../server-context.ts';
import { sseResponse } from '../sse.ts';

const DOCUMENT = {
  type: 'object',
  required: ['name', 'size_bytes', 'lines', 'added_at', 'note'],
  properties: {
    name: { type: 'string', description: 'As the file was called, without its folders.' },
    size_bytes: { type: 'integer' },
    lines: { type: 'integer', description: 'Lines of text that can be searched.' },
    added_at: { type: 'integer', description: 'Milliseconds since 1970.' },
    note: { type: 'string', description: 'What a message may say of it to the model.' },
  },
} as const;

const DOCUMENT_BODY = { type: 'object', required: ['document'], properties: { document: DOCUMENT } } as const;

export const DOCUMENT_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/documents',
    summary: 'The documents of a session',
    tag: 'sessions',
    responses: {
      200: {
        description: 'The documents, in the order in which they came.',
        schema: {
          type: 'object',
          required: ['documents'],
          properties: { documents: { type: 'array', items: DOCUMENT } },
        },
      },
    },
    async handle({ params, server }) {
      return json({ documents: (await documentsOf(server, params['id'])).list().map(withNote) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/documents',
    summary: 'Put a file into a session, to be searched there',
    description:
      'The body is the file. It is read and indexed, and `rag_search` finds what it says in this session and in no other; `read_file` shows it as `@documents/NAME`. A file of the same name takes the place of the one before. Where `text/event-stream` is accepted, `progress` events say how far it is, and the last event is `document` or `error`.',
    tag: 'sessions',
    query: {
      name: { description: 'What the file is called; its ending says what it is.', schema: { type: 'string' } },
    },
    file: {
      description: `Text, Markdown or code of at most ${SEARCH_LIMITS.indexFileBytes} bytes; PDF, .docx, .pptx, .xlsx, .odt, .odp or .ods of at most ${LIMITS.indexDocumentBytes}.`,
    },
    responses: {
      201: { description: 'It can be searched.', schema: DOCUMENT_BODY },
      400: { description: 'It has no name, or no text, or is named like a file of secrets.' },
      409: { description: 'The session holds as many documents as it may.' },
      413: { description: 'It is too large.' },
      415: { description: 'It is of no kind that can be searched.' },
    },
    async handle({ request, params, query, server, signal }) {
      const documents = await documentsOf(server, params['id']);
      const name = query.get('name') ?? '';
      const named = documentName(name);
      if (!named.ok) throw fromDocumentFailure(named.error);
      const bytes = await readBytes(request, LIMITS.indexDocumentBytes, 'application/octet-stream');
      if ((request.headers.get('accept') ?? '').includes('text/event-stream')) {
        return streamed(documents, { name, bytes }, server);
      }
      return json({ document: withNote(taken(await documents.add({ name, bytes }, { signal }))) }, 201);
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/sessions/:id/documents/:name',
    summary: 'Take a document out of a session',
    tag: 'sessions',
    responses: {
      200: {
        description: 'It is gone.',
        schema: { type: 'object', required: ['ok'], properties: { ok: { const: true } } },
      },
      404: { description: 'There is no such document.' },
    },
    async handle({ params, server }) {
      const removed = await (await documentsOf(server, params['id'])).remove(params['name'] ?? '');
      if (!removed.ok) throw fromFailure(removed.error);
      return json({ ok: true });
    },
  }),
];

/** Of a session that is there. */
const documentsOf = async (server: ServerContext, id = ''): Promise<ChatDocuments> => {
  await server.sessions.get(id);
  const found = await server.halter.documents.of(id);
  if (!found.ok) throw fromFailure(found.error);
  return found.value;
};

/** The model learns that there is something to look for, and with what; the page knows no tool by its name. */
const withNote = (document: ChatDocument): ChatDocument & { note: string } => ({
  ...document,
  note: `Put into this chat: ${DOCUMENTS_FOLDER}${document.name}, ${counted(document.lines, 'line')}. rag_search finds what it says, read_file shows it.`,
});

const taken = (added: Outcome<ChatDocument>): ChatDocument => {
  if (added.ok) return added.value;
  throw fromDocumentFailure(added.error);
};

const STATUS: Readonly<Record<string, number>> = { too_large: 413, unsupported: 415, full: 409 };
const fromDocumentFailure = (failure: Failure): ApiError => {
  const status = STATUS[failure.reason ?? ''];
  return status === undefined ? fromFailure(failure) : new ApiError(status, failure.reason ?? '', failure.message);
};

const encoder = new TextEncoder();

/** How far it is while it is read. Whoever leaves gives it up. */
const streamed = (
  documents: ChatDocuments,
  file: { name: string; bytes: Uint8Array },
  server: ServerContext,
): Response => {
  const gone = new AbortController();
  return sseResponse((reader) => {
    const send = (event: string, data: object): void =>
      reader.send(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
    documents
      .add(file, {
        signal: gone.signal,
        onProgress: ({ phase, done, total }) => send('progress', { phase, done, total }),
      })
      .then(
        (added) => {
          if (added.ok) send('document', withNote(added.value));
          else send('error', fromDocumentFailure(added.error).body().error);
        },
        (error: unknown) => {
          server.onDefect(error);
          send('error', { code: 'internal_error', message: 'This is a defect of halter.' });
        },
      )
      .finally(() => reader.end());
    return () => gone.abort();
  }, server.signal);
};
