/**
 * A server asks for words of the model: only where a rule or the person says so, and without any tools. A person sees what
 * is asked, and then what the model said, before the server gets it.
 */

import type { ModelError } from '../../core/model-port.ts';
import type { Outcome } from '../../core/outcome.ts';
import { judgeCall, type PolicyRules } from '../../core/policy.ts';
import { asRequester } from '../../io/requester.ts';
import { samplingName } from '../../mcp/server-definition.ts';
import type { SampleRequest, ServerQuestions } from '../../mcp/server-requests.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { ChosenModel } from '../models/choose-model.ts';
import { answerText } from './server-questions.ts';

export type SamplePorts = {
  rules(): PolicyRules;
  model(): Promise<Outcome<Pick<ChosenModel, 'provider' | 'model'>, ModelError>>;
};

export const createSample = (
  ports: SamplePorts & Pick<ServerQuestions, 'ask'>,
): NonNullable<ServerQuestions['sample']> => {
  return async (request) => {
    const { server, system, text, maxTokens, from, signal } = request;
    if (text.length + (system?.length ?? 0) > AGENT_LIMITS.mcpSampleCharacters) return undefined;
    const call = { name: samplingName(server), risk: 'medium', effects: 'network' } as const;
    const { verdict } = judgeCall(forSampling(ports.rules(), call.name), call, {}, {});
    if (verdict === 'deny') return undefined;
    if (verdict === 'ask') {
      const message = 'It wants the model to answer this.';
      const prompt = { prompt: text, system, max_tokens: maxTokens };
      const allowed = await ports.ask({ kind: 'sampling', server, message, ...prompt }, from, signal);
      if (allowed.action !== 'accept') return undefined;
    }
    const said = await answerOf(ports, request);
    if (said === undefined || verdict !== 'ask') return said;
    const message = 'The model said this. It goes to the server only if you send it.';
    const question = { kind: 'sampling_answer', server, message, answer: said.text, model: said.model } as const;
    const sent = await ports.ask(question, from, signal);
    return sent.action === 'accept' ? { ...said, text: answerText(sent, said.text) } : undefined;
  };
};

/** A rule for all tools of a server grants no words of the model: only a rule with the very name does. */
const forSampling = (rules: PolicyRules, name: string): PolicyRules => ({
  ...rules,
  allow: rules.allow.filter(({ tool }) => tool === name),
});

const answerOf = async (
  { model }: SamplePorts,
  { server, system, text, maxTokens, signal }: SampleRequest,
): Promise<{ text: string; model: string } | undefined> => {
  const chosen = await model();
  if (!chosen.ok) return undefined;
  const { provider, model: name } = chosen.value;
  let said = '';
  const outcome = await asRequester({ who: samplingName(server) }, () =>
    provider.stream(
      {
        model: name,
        messages: [
          ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
          { role: 'user', content: text },
        ],
        tools: [],
        sampling: { max_tokens: maxTokens },
      },
      (part) => {
        if (part.type === 'text_delta') said += part.delta;
      },
      signal,
    ),
  );
  return outcome.ok ? { text: said, model: name } : undefined;
};
