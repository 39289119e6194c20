/** What a request weighs for a server that is played: its messages with their calls, and its tools, in estimated tokens. */
import type { ModelRequest } from '../../src/core/model-port.ts';
import { estimateTokens } from '../../src/core/window/tokens.ts';

export const wireSize = ({ messages, tools }: ModelRequest): number => {
  const sent = messages.map(({ role, content, ...rest }) => [
    role,
    content,
    'tool_calls' in rest ? rest.tool_calls : [],
  ]);
  return estimateTokens(JSON.stringify(sent) + JSON.stringify(tools));
};
