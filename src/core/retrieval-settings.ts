/** What tools need to know of the person's settings about the index. Made in the runtime, handed to tools in their config. */
import type { ToolConfig } from './ports.ts';

/** `auto`: an index that was made once is used and kept up to date; `on`: a session makes one by itself. */
export const GRAPH_RAG_MODES = ['off', 'auto', 'on'] as const;
export type GraphRagMode = (typeof GRAPH_RAG_MODES)[number];

/** `model`: where the text alone does not decide which parts of a long file matter, the model is asked. */
export const CURATOR_MODES = ['off', 'deterministic', 'model'] as const;
export type CuratorMode = (typeof CURATOR_MODES)[number];

/** Under this name it stands in a tool's config, as true where the index is in use. */
export const RETRIEVAL_SETTING = 'graph_rag';

/** True where files can be put into a chat: it can then be searched without an index of the folder. */
export const DOCUMENTS_SETTING = 'chat_documents';

/** Why nothing can be searched, and what to do. */
export const withoutSearch = (config: ToolConfig): string | undefined =>
  config[DOCUMENTS_SETTING] === true ? undefined : withoutIndex(config);

/** Why the tools of the index cannot be used, and what to do. */
export const withoutIndex = (config: ToolConfig): string | undefined =>
  config[RETRIEVAL_SETTING] === true
    ? undefined
    : "No index of this folder is in use: there is none, or graph RAG is off. `halter index` makes one; search: { graphRag: 'on' } in a program and `halter config set graph_rag on` make and use one.";
