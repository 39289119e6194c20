/** Whether a request of `POST /api/chat` may use tools (E13): its flag, else its mode, else its own words. */
export type ChatMode = 'chat' | 'agent' | 'work';

export const decideTools = (request: {
  message: string;
  mode?: ChatMode | undefined;
  tools_allowed?: boolean | null | undefined;
}): boolean => {
  if (typeof request.tools_allowed === 'boolean') return request.tools_allowed;
  if (request.mode !== undefined) return request.mode !== 'chat';
  return asksForWork(request.message);
};

/** Verbs of work at the beginning of a sentence, or behind a "please" or a "can you". */
const WORK =
  /(?:^|[.!?;:,]\s+|\b(?:please|kindly|and|then|to|you|bitte)\s+)(?:search|look\s+(?:up|for|at|into)|find|list|show|read|open|run|execute|start|write|create|make|add|edit|change|fix|replace|rename|delete|remove|install|build|test|check|fetch|download|browse|draw|generate|grep|summari[sz]e|review|refactor|commit|suche?|finde|zeige?|lies|öffne|starte|schreibe?|erstelle|ändere)\b/i;
/** Things that only a tool can know. */
const THINGS =
  /\b(?:files?|folders?|director(?:y|ies)|repo(?:sitory)?|codebase|workspace|readme|web\s?page|internet|online|web|website|news|latest|current(?:ly)?|today|right now|what time|weather|cpu|memory|disk|tasks?|to-?dos?|git|npm|dateien?|ordner)\b/i;
const PATH_OR_URL =
  /(?:https?:\/\/|(?:^|\s)[\w.-]*\/[\w./-]+|\b[\w-]+\.(?:[cm]?[jt]sx?|py|rs|go|c|h|cpp|java|md|json|ya?ml|toml|txt|sh|css|html)\b)/i;

export const asksForWork = (message: string): boolean =>
  WORK.test(message) || THINGS.test(message) || PATH_OR_URL.test(message);

/** With tools off, what is known of the files is looked up for questions, and for requests that would have used tools. */
export const asksForKnowledge = (message: string): boolean =>
  message.includes('?') ||
  /^\s*(?:who|what|where|when|why|how|which|explain|describe|tell|wer|was|wo|wann|warum|wie|welche)\b/i.test(message) ||
  asksForWork(message);
