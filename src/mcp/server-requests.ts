/** What a server asks of its client: where the work is, words of the model, something of the person. */
import { type Client, type ClientCapabilities, ProtocolError } from '@modelcontextprotocol/client';
import type { NewServerQuestion, QuestionPlace, ServerAnswer } from '../core/server-question.ts';
import { shownText } from './clean-text.ts';
import { MCP_LIMITS } from './limits.ts';
import { toolParameters } from './server-tools/tool-schema.ts';

export type ServerQuestions = {
  /** Put to the person, wherever they are; declined where there is nobody. */
  ask(question: NewServerQuestion, from: QuestionPlace | undefined, signal: AbortSignal): Promise<ServerAnswer>;
  /** Words of the model for a server's prompt; undefined where the rules or the person do not want that. */
  sample?(request: SampleRequest): Promise<{ text: string; model: string } | undefined>;
};

export type SampleRequest = {
  server: string;
  system?: string;
  text: string;
  maxTokens: number;
  from: QuestionPlace | undefined;
  signal: AbortSignal;
};

export const CLIENT_CAPABILITIES: ClientCapabilities = {
  roots: {},
  sampling: {},
  elicitation: { form: { applyDefaults: true }, url: {} },
};

/** The protocol's own number for a person's no. */
const REFUSED = -1;

export type ServerRequestOptions = {
  server: string;
  /** What a server may take for the place of the work. */
  root: string;
  questions: ServerQuestions;
  place(): QuestionPlace | undefined;
  onToolsChanged(): void;
};

/** An address that a browser can be sent to; others are not even shown. */
export const webAddress = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && href.length <= MCP_LIMITS.mcpAddressCharacters ? href : undefined;
};

export type ServerRequests = {
  /** No clock runs while a person thinks. */
  isAsking(): boolean;
  /** An address that a server wants opened before it goes on. */
  askToOpen(url: string, message: string, signal: AbortSignal): Promise<ServerAnswer>;
  attach(client: Client): void;
};

export const serverRequests = (options: ServerRequestOptions): ServerRequests => {
  const { server, root, questions, place, onToolsChanged } = options;
  let asking = 0;

  const whileAsking = async <T>(work: () => Promise<T>): Promise<T> => {
    asking += 1;
    try {
      return await work();
    } finally {
      asking -= 1;
    }
  };
  const ask = (question: NewServerQuestion, signal: AbortSignal): Promise<ServerAnswer> =>
    whileAsking(() => questions.ask(question, place(), signal));

  return {
    isAsking: () => asking > 0,
    askToOpen: (url, message, signal) =>
      ask({ kind: 'url', server, message: shownText(message, MCP_LIMITS.mcpQuestionCharacters), url }, signal),
    attach(client) {
      client.setRequestHandler('roots/list', () => ({ roots: [{ uri: folderUrl(root) }] }));
      client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq: { signal } }) => {
        const message = shownText(params.message, MCP_LIMITS.mcpQuestionCharacters);
        if (!('requestedSchema' in params)) {
          const url = webAddress(params.url);
          if (url === undefined) return { action: 'decline' };
          return { action: (await ask({ kind: 'url', server, message, url }, signal)).action };
        }
        const fields = toolParameters(params.requestedSchema);
        const answer = await ask({ kind: 'form', server, message, fields }, signal);
        if (answer.action !== 'accept') return { action: answer.action };
        const content = (answer.content ?? {}) as Record<string, string | number | boolean | string[]>;
        return { action: 'accept', content };
      });
      client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq: { signal } }) => {
        const answer = await whileAsking(
          async () =>
            await questions.sample?.({
              server,
              ...(params.systemPrompt === undefined ? {} : { system: params.systemPrompt }),
              text: params.messages.map(({ role, content }) => `${role}: ${messageText(content)}`).join('\n\n'),
              maxTokens: Math.min(params.maxTokens, MCP_LIMITS.mcpSampleTokens),
              from: place(),
              signal,
            }),
        );
        if (answer === undefined) throw new ProtocolError(REFUSED, 'The person did not let the model answer this.');
        return { role: 'assistant', model: answer.model, content: { type: 'text', text: answer.text } };
      });
      client.setNotificationHandler('notifications/tools/list_changed', () => onToolsChanged());
    },
  };
};

const messageText = (content: unknown): string => {
  const blocks = (Array.isArray(content) ? content : [content]) as { type?: string; text?: unknown }[];
  return blocks.map(({ type, text }) => (typeof text === 'string' ? text : `[${type ?? 'content'}]`)).join('\n');
};

const folderUrl = (path: string): string => {
  const slashed = path.replaceAll('\\', '/');
  return `file://${slashed.startsWith('/') ? '' : '/'}${slashed.split('/').map(encodeURIComponent).join('/')}`;
};
