/** A model for many conversations at once: what it says depends on the message that it is asked. */
import { UNANSWERED } from '../../../src/core/alternating.ts';
import type { JsonValue } from '../../../src/core/json.ts';
import {
  type ScriptedServer,
  type ScriptedServerOptions,
  type ScriptedServerTurn,
  startScriptedServer,
} from '../../../src/testing/index.ts';

export type ScriptedModelServer = {
  server: ScriptedServer;
  /** The turns that follow a message which holds this text, in their order; past the last one, the last one again. */
  on(text: string, turns: readonly ScriptedServerTurn[]): void;
  /** The same with a turn that is made when it is asked for; rounds count from 0. */
  onAsked(text: string, make: (round: number) => ScriptedServerTurn): void;
};

type Message = { role: string; content?: JsonValue };

/** What was said last: messages of before that nobody answered are sent in front of it. */
const wordsOf = ({ content = '' }: Message): string =>
  (typeof content === 'string' ? content : JSON.stringify(content)).split(UNANSWERED).at(-1) ?? '';

export const startScriptedModel = async (pulls?: ScriptedServerOptions['pulls']): Promise<ScriptedModelServer> => {
  const scripts = new Map<string, (round: number) => ScriptedServerTurn>();
  const server = await startScriptedServer({
    ...(pulls ? { pulls } : {}),
    models: [
      { id: 'test-model', context_length: 32_768, tools: true, vision: true },
      { id: 'other-model', context_length: 8_192 },
      { id: 'a-model-whose-name-is-very-long-instruct-2507-Q4_K_M', context_length: 8_192 },
    ],
    turns(request) {
      const messages = (request.body['messages'] ?? []) as Message[];
      const asked = messages.findLastIndex(({ role }) => role === 'user');
      const said = asked < 0 ? '' : wordsOf(messages[asked] as Message);
      const round = messages.slice(asked + 1).filter(({ role }) => role === 'assistant').length;
      const found = [...scripts].find(([text]) => said.includes(text));
      if (!found) return { text: `Nothing is scripted for: ${said.slice(0, 200)}` };
      return found[1](round);
    },
  });
  return {
    server,
    on: (text, turns) =>
      void scripts.set(text, (round) => turns[Math.min(round, turns.length - 1)] as ScriptedServerTurn),
    onAsked: (text, make) => void scripts.set(text, make),
  };
};
