/** The documents of all chats, each opened when somebody asks for them; and how a chat's tools come to them. */

import { DOCUMENTS_FOLDER, documentNamed } from '../../core/document-names.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { PolicyRules } from '../../core/policy.ts';
import type { FileBytes, Workspace } from '../../core/ports.ts';
import type { Embedder, Retrieval, SearchHit } from '../../core/retrieval-port.ts';
import { DOCUMENTS_SETTING } from '../../core/retrieval-settings.ts';
import { hashOf } from '../../io/workspace/read.ts';
import { SEARCH_LIMITS } from '../../search/limits.ts';
import { lazyParser } from '../../search/open-retrieval.ts';
import type { DocumentFiles } from '../../storage/document-files.ts';
import { checkSessionId } from '../../storage/session-format.ts';
import type { ToolPorts } from '../loop/run-tool/tool-ports.ts';
import { type ChatDocuments, openChatDocuments } from './chat-documents.ts';

export type ChatDocumentStore = {
  /** Those of one chat, the same for everybody who asks. */
  of(sessionId: string): Promise<Outcome<ChatDocuments>>;
  /** The same for as long as a session is open: they stay what they are until `release`. */
  hold(sessionId: string): Promise<Outcome<{ documents: ChatDocuments; release(): void }>>;
  /** A chat that is deleted takes its documents along. */
  forget(sessionId: string): Promise<void>;
  close(): Promise<void>;
};

const NOT_KEPT = failure(
  'not_found',
  'Documents are kept where sessions are kept, in files or in a database; here nothing is.',
  'no_documents',
);

/** With what others put there meanwhile. */
const bringUp = async (documents: ChatDocuments): Promise<Outcome<ChatDocuments>> => {
  const done = await documents.bringUp();
  return done.ok ? succeed(documents) : done;
};

type Entry = { documents: Promise<ChatDocuments>; holders: number };

/** Where nothing is kept there are none, which `of` and `hold` say. */
export const createChatDocumentStore = (
  filesOf: ((session: string) => DocumentFiles) | undefined,
  embedder: Embedder | undefined,
): ChatDocumentStore => {
  /** In order of use, the one that was asked for last at the end. */
  const opened = new Map<string, Entry>();

  /** What no open session holds is opened again when somebody asks. */
  const tidy = (): void => {
    for (const [id, entry] of opened) {
      if (opened.size <= SEARCH_LIMITS.chatDocumentsOpen) return;
      if (entry.holders > 0) continue;
      opened.delete(id);
      void entry.documents.then((documents) => documents.close());
    }
  };
  const entryOf = (id: string): Outcome<Entry> => {
    const checked = checkSessionId(id);
    if (!checked.ok) return checked;
    if (filesOf === undefined) return NOT_KEPT;
    const known = opened.get(id);
    const entry = known ?? { documents: openChatDocuments(filesOf(id), embedder), holders: 0 };
    opened.delete(id);
    opened.set(id, entry);
    return succeed(entry);
  };
  return {
    async of(id) {
      const found = entryOf(id);
      if (!found.ok) return found;
      tidy();
      return bringUp(await found.value.documents);
    },
    async hold(id) {
      const found = entryOf(id);
      if (!found.ok) return found;
      const entry = found.value;
      entry.holders += 1;
      tidy();
      const release = (): void => {
        entry.holders -= 1;
        tidy();
      };
      const documents = await bringUp(await entry.documents);
      if (!documents.ok) release();
      return documents.ok ? succeed({ documents: documents.value, release }) : documents;
    },
    async forget(id) {
      const entry = opened.get(id);
      opened.delete(id);
      await (await entry?.documents)?.close();
    },
    async close() {
      for (const { documents } of opened.values()) await (await documents).close();
    },
  };
};

/** The workspace, with the chat's documents beside it, to be read. */
export const withDocuments = (workspace: Workspace, documents: ChatDocuments): Workspace => ({
  ...workspace,
  resolve: (path) => (documentNamed(path) === undefined ? workspace.resolve(path) : succeed(path)),
  async readFile(path, settings): Promise<Outcome<FileBytes>> {
    const name = documentNamed(path);
    if (name === undefined) return workspace.readFile(path, settings);
    const read = await documents.read(name);
    if (!read.ok) return read;
    const bytes = read.value;
    if (bytes.length > settings.maxBytes) return failure('validation_failed', `${path} is too large`, 'too_large');
    const stat = { kind: 'file' as const, size: bytes.length, modified_ms: 0 };
    return succeed({ path, bytes, hash: hashOf(bytes), stat });
  },
});

/** The person put them there for the model to read, so nobody is asked again. */
export const withDocumentRules = (rules: PolicyRules, documents: ChatDocuments): PolicyRules => ({
  ...rules,
  allow: [
    ...rules.allow,
    ...documents.list().map(({ name }) => ({
      tool: 'read_file',
      pattern: `=${DOCUMENTS_FOLDER}${name}`,
      source: 'this session' as const,
    })),
  ],
});

const NO_INDEX = failure(
  'not_found',
  "There is no index of this folder, and no document in this chat. `halter index` makes an index; in a program search: { graphRag: 'on' } does.",
  'no_index',
);

/** One search over the folder, where there is an index of it, and over the chat's documents. */
export const searchBoth = (folder: Retrieval | undefined, documents: ChatDocuments): Retrieval => ({
  graph: { ask: async () => NO_INDEX },
  vectors: { coverage: async () => ({ model: undefined, vectors: 0, chunks: 0 }) },
  parser: lazyParser(),
  ...folder,
  documents: () => documents.list().map(({ name }) => DOCUMENTS_FOLDER + name),
  async search(query, options) {
    const { paths } = options;
    const named = paths?.flatMap((path) => documentNamed(path) ?? []) ?? documents.list().map(({ name }) => name);
    const others = paths?.filter((path) => documentNamed(path) === undefined);
    const inFolder = folder !== undefined && others?.length !== 0;
    if (!inFolder && named.length === 0) return others?.length === 0 ? succeed([]) : NO_INDEX;
    const [own, rest] = await Promise.all([
      named.length > 0 ? documents.search(query, { ...options, paths: named }) : succeed([]),
      inFolder ? folder.search(query, { ...options, ...(others ? { paths: others } : {}) }) : succeed([]),
    ]);
    if (!own.ok) return rest.ok && inFolder ? rest : own;
    const hits = own.value.map((hit) => ({ ...hit, path: DOCUMENTS_FOLDER + hit.path }));
    return succeed(inTurns(hits, rest.ok ? rest.value : []).slice(0, options.limit));
  },
});

/** Their scores say nothing of each other, so the best of each stand beside each other. */
const inTurns = (first: readonly SearchHit[], second: readonly SearchHit[]): SearchHit[] =>
  Array.from({ length: Math.max(first.length, second.length) }, (_, at) => [first[at], second[at]])
    .flat()
    .filter((hit) => hit !== undefined);

/** What a session's tools work with where documents can be put into it. */
export const withChatDocuments = (ports: ToolPorts, documents: ChatDocuments): ToolPorts => ({
  ...ports,
  config: { ...ports.config, [DOCUMENTS_SETTING]: true },
  workspace: withDocuments(ports.workspace, documents),
  rules: () => withDocumentRules(ports.rules(), documents),
  retrieval: searchBoth(ports.retrieval, documents),
});
