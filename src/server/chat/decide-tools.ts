/** Whether a request of `POST /api/chat` may use tools (E13): its flag, else its mode, else its own words. */
export type ChatMode = 'chat' | 'agent' | 'work';

export const decideTools = (request: {
  message: string;
  mode?: ChatMode | undefined;
  tools_allowed?: boolean | null | undefined;
}): boolean => {
  if (typeof request.tools_allowed === 'boolean') return request.tools_allowed;
  if (request.mode !== undefined) return request.mode !== 'chat';
  // What another language asks for, nobody here can tell.
  return asksForWork(request.message) || !isEnglish(request.message);
};

/** Words that stand in hardly any other language. */
const ENGLISH = new Set(
  'about again and are bye can could does enough for from good goodbye hello help hey hi how hows its joke just know like more morning my nice not of ok okay our please right sorry sure tell thank thanks that the there they this think understand very want what whats when where which who why with would yes you your'.split(
    ' ',
  ),
);
/** Of the words of a message. */
const ENGLISH_SHARE = 0.25;

const isEnglish = (message: string): boolean => {
  const words = message.toLowerCase().match(/[\p{L}\p{M}'’]+/gu) ?? [];
  const known = words.filter((word) => ENGLISH.has(word.replaceAll(/['’]/g, '')));
  return known.length > 0 && known.length >= words.length * ENGLISH_SHARE;
};

/** Verbs of work at the beginning of a sentence, or behind a "please" or a "can you". */
const WORK =
  /(?:^|[.!?;:,]\s+|\b(?:please|kindly|and|then|to|you|bitte)\s+)(?:search|look\s+(?:up|for|at|into)|find|list|show|read|open|run|execute|start|write|create|make|add|edit|change|fix|replace|rename|delete|remove|install|build|test|check|fetch|download|browse|draw|generate|grep|summari[sz]e|review|refactor|commit|suche?|finde|zeige?|lies|öffne|starte|schreibe?|erstelle|ändere)\b/i;
/** Things that only a tool can know. */
const THINGS =
  /\b(?:files?|folders?|director(?:y|ies)|repo(?:sitory)?|codebase|workspace|readme|web\s?page|internet|online|web|website|news|latest|current(?:ly)?|today|right now|what time|weather|cpu|memory|disk|tasks?|to-?dos?|git|npm|dateien?|ordner)\b/i;
const PATH_OR_URL =
  /(?:https?:\/\/|(?:^|\s)[\w.-]*\/[\w./-]+|[\w-]\.(?:[cm]?[jt]sx?|py|rs|go|c|h|cpp|java|md|json|ya?ml|toml|txt|sh|css|html)\b)/i;

export const asksForWork = (message: string): boolean =>
  WORK.test(message) || THINGS.test(message) || PATH_OR_URL.test(message);

/** With tools off, what is known of the files is looked up for questions, and for requests that would have used tools. */
export const asksForKnowledge = (message: string): boolean =>
  message.includes('?') ||
  /^\s*(?:who|what|where|when|why|how|which|explain|describe|tell|wer|was|wo|wann|warum|wie|welche)\b/i.test(message) ||
  asksForWork(message);
