/** Which program asks, by what it sends: its own name, and never a product's that is only inside of it. */
import { type ModelMessage, messageText } from '../core/message.ts';
import { isUnnamed } from './repeating-clients.ts';

export type ClientSigns = { header(name: string): string | null; messages: readonly ModelMessage[] };

/** `codex/0.169.0 (…)` → `codex`. A program that only names its library is known by the first words of its prompt. */
export const clientName = ({ header, messages }: ClientSigns): string => {
  const agent = header('user-agent') ?? '';
  const library = libraryIn(agent);
  const own = library === undefined ? NAME.exec(agent)?.[0] : undefined;
  return own ?? titleOf(header('x-title')) ?? promptName(messages) ?? library ?? NAME.exec(agent)?.[0] ?? 'unknown';
};

const NAME = /^[A-Za-z0-9@._-]{1,40}/;

/** Libraries that are called as their makers are, in words that nobody takes for a program. */
const MAKERS = /^(?:Async)?(OpenAI|Anthropic)\/(JS|Python|Go|Java|Ruby)\b/;
/** Languages, and libraries that only carry requests. */
const CARRIERS =
  /^(?:ai-sdk|aiohttp|ai|axios|Bun|Deno|Go-http-client|got|langchain\w*|node|node-fetch|okhttp|python|python-httpx|python-requests|undici)(?:[/ (]|$)/i;

const libraryIn = (agent: string): string | undefined => {
  const [, maker, language] = MAKERS.exec(agent) ?? [];
  if (maker !== undefined) return `${maker.toLowerCase()} library (${language})`;
  if (isUnnamed(agent)) return 'unnamed-js';
  return CARRIERS.test(agent) ? NAME.exec(agent)?.[0] : undefined;
};

/** What programs call themselves beside a library's name, as OpenRouter asks them to. */
const titleOf = (title: string | null): string | undefined => {
  const shown = title?.trim().slice(0, TITLE_CHARACTERS).trimEnd() ?? '';
  return /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u.test(shown) ? shown : undefined;
};
const TITLE_CHARACTERS = 40;

/** Whole sentences that these programs alone begin with. */
const PROMPTS: readonly (readonly [beginning: string, name: string])[] = [
  ['You are an expert coding assistant operating inside pi, a coding agent harness.', 'pi'],
  ['You are an agent in the Continue CLI.', 'continue'],
];

const promptName = (messages: readonly ModelMessage[]): string | undefined => {
  const first = messages.find(({ role }) => role === 'system');
  if (first === undefined) return undefined;
  const text = messageText(first.content).trimStart();
  return PROMPTS.find(([beginning]) => text.startsWith(beginning))?.[1];
};
