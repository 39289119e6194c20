/** The protocol's permission question, and the one reader of what an editor answers to it. */
import { type AgentContext, methods, type RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { unknownDecision } from '../core/permission-decision.ts';

/** Neither where the question was closed or could not be put; `problem` where the answer is none. */
export type Chosen = { optionId?: string; problem?: string };

/** Only an option that this very question offered is chosen. The protocol's client checks requests and no answers. */
export const askEditor = async (client: AgentContext, request: RequestPermissionRequest): Promise<Chosen> => {
  let answer: unknown;
  try {
    answer = await client.request(methods.client.session.requestPermission, request);
  } catch {
    return {};
  }
  const outcome = fieldOf(answer, 'outcome');
  const kind = fieldOf(outcome, 'outcome');
  if (kind === 'cancelled') return {};
  const named = kind === 'selected' ? fieldOf(outcome, 'optionId') : (outcome ?? answer);
  const offered = request.options.map(({ optionId }) => optionId);
  const optionId = kind === 'selected' ? offered.find((option) => option === named) : undefined;
  return optionId === undefined ? { problem: unknownDecision(named, offered) } : { optionId };
};

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
