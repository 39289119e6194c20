/** A call of one tool that the engine makes under the tool's schema. */
import { constrainedCall, constrainedRequest } from '../agent/loop/call-model/repair-constrained.ts';
import type { ModelMessage } from '../core/message.ts';
import type { ProviderCall } from '../core/model-port.ts';
import { type Tool, toolSchema } from '../core/tool.ts';
import type { Asking } from './asking.ts';

/** Undefined where the engine cannot. */
export const decode = async (
  asking: Asking,
  messages: readonly ModelMessage[],
  tool: Tool,
): Promise<ProviderCall | undefined> => {
  const { chosen, usage, signal } = asking;
  const { model, profile } = chosen;
  const provider = asking.way?.provider ?? chosen.provider;
  if (provider.decodeToolCall) {
    const schema = toolSchema(tool);
    const decoded = await provider.decodeToolCall({ model, messages, tool: schema }, signal);
    usage.add({
      sent: { messages, tools: [schema] },
      outcome: decoded.ok ? { ok: true, usage: undefined } : decoded,
      written: () => (decoded.ok ? JSON.stringify(decoded.call.arguments) : ''),
    });
    return decoded.ok ? decoded.call : undefined;
  }
  if (!provider.constrains || profile?.constrained === 'never') return undefined;
  const parts: string[] = [];
  const request = constrainedRequest({ model, messages, tools: [], sampling: asking.sampling }, tool);
  const outcome = await provider.stream(
    request,
    (part) => {
      if (part.type === 'text_delta') parts.push(part.delta);
    },
    signal,
  );
  usage.add({
    sent: request,
    outcome: outcome.ok ? { ok: true, usage: outcome.answer.usage } : outcome,
    written: () => parts.join(''),
  });
  return outcome.ok ? constrainedCall(tool, parts.join('')) : undefined;
};
