/** How model families write turns, for models whose own template is not at hand. */
import { type ModelMessage, messageText } from '../core/message.ts';

type Turn = { role: string; text: string };

const turnsOf = (messages: readonly ModelMessage[]): Turn[] =>
  messages.map((message) => ({ role: message.role, text: messageText(message.content) }));

const chatml = (turns: readonly Turn[]): string =>
  `${turns.map(({ role, text }) => `<|im_start|>${role}\n${text}<|im_end|>\n`).join('')}<|im_start|>assistant\n`;

const llama3 = (turns: readonly Turn[]): string => {
  const head = (role: string): string => `<|start_header_id|>${role}<|end_header_id|>\n\n`;
  return `<|begin_of_text|>${turns.map(({ role, text }) => `${head(role)}${text}<|eot_id|>`).join('')}${head('assistant')}`;
};

const RESULTS = '[TOOL_RESULTS]';
const TOOLS = '[AVAILABLE_TOOLS]';

/** Results stand between turns and not inside one; the tools stand behind the system prompt. */
const mistral = (turns: readonly Turn[]): string => {
  const [first, ...rest] = turns;
  const system = first?.role === 'system' ? first.text : '';
  const at = system.indexOf(TOOLS);
  const words = (at < 0 ? system : system.slice(0, at)).trim();
  const tools = at < 0 ? '' : system.slice(at);
  const body = (first?.role === 'system' ? rest : turns).map(({ role, text }) => {
    if (role === 'assistant') return `${text}</s>`;
    return text.startsWith(RESULTS) ? text : `[INST]${text}[/INST]`;
  });
  return `<s>${words === '' ? '' : `[SYSTEM_PROMPT]${words}[/SYSTEM_PROMPT]`}${tools}${body.join('')}`;
};

/** ChatML is what most families use. */
export const renderTurns = (dialect: string, messages: readonly ModelMessage[]): string => {
  const turns = turnsOf(messages);
  if (dialect.startsWith('mistral')) return mistral(turns);
  return dialect.startsWith('llama3') ? llama3(turns) : chatml(turns);
};
