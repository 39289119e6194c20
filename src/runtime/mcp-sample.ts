/** A server asks for words of the model: only where a rule or the person says so, and without any tools. */
import { LIMITS } from '../core/limits.ts';
import type { ModelError } from '../core/model-port.ts';
import type { Outcome } from '../core/outcome.ts';
import { judgeCall, type PolicyRules } from '../core/policy.ts';
import type { ServerQuestions } from '../mcp/connection.ts';
import type { ChosenModel } from './choose-model.ts';
import type { McpChoices } from './mcp.ts';
import { asRequester } from './requester.ts';

export type SamplePorts = {
  rules(): PolicyRules;
  model(): Promise<Outcome<ChosenModel, ModelError>>;
  allowSample: McpChoices['allowSample'];
};

/** The name by which rules speak of it: `mcp__files__sampling`. */
export const samplingName = (server: string): string => `mcp__${server}__sampling`;

export const createSample =
  ({ rules, model, allowSample }: SamplePorts): NonNullable<ServerQuestions['sample']> =>
  async ({ server, system, text, maxTokens, signal }) => {
    const prompt = `${system === undefined ? '' : `${system}\n\n`}${text}`;
    if (prompt.length > LIMITS.mcpSampleCharacters) return undefined;
    const call = { name: samplingName(server), risk: 'medium', effects: 'network' } as const;
    const { verdict } = judgeCall(rules(), call, {}, {});
    if (verdict === 'deny') return undefined;
    if (verdict === 'ask' && (await allowSample?.({ server, text: prompt })) !== true) return undefined;
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
