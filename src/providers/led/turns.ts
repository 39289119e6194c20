/** For models whose template knows no tools: calls and results are told in words, by the roles every template has. */
import { argumentsText } from '../../core/call-arguments.ts';
import type { LedTurn } from '../../core/led-port.ts';
import { type ModelMessage, messageText } from '../../core/message.ts';
import { LED_LIMITS } from './limits.ts';

export const toPlainTurns = (messages: readonly ModelMessage[]): LedTurn[] => {
  const turns: LedTurn[] = [];
  const add = (turn: LedTurn): void => {
    const last = turns.at(-1);
    if (last !== undefined && last.role === turn.role && turn.role !== 'system') last.content += `\n${turn.content}`;
    else turns.push({ ...turn });
  };
  for (const message of messages) {
    if (message.role === 'tool') {
      const data = message.result.success
        ? (message.result.data ?? '')
        : `failed: ${message.result.error_message ?? ''}`;
      add({
        role: 'user',
        content: `Result of ${message.name}:\n${data.slice(0, LED_LIMITS.ledResultCharacters)}`,
      });
    } else if (message.role === 'assistant') {
      const calls = message.tool_calls.map((call) => `${call.name}(${argumentsText(call)})`);
      add({ role: 'assistant', content: [message.content, ...calls].filter((part) => part !== '').join('\n') });
    } else add({ role: message.role, content: messageText(message.content) });
  }
  return turns;
};
