/** An answer that the model is asked about, as it stands in the conversation then. */
import { DIALECT_FOR_AUTO } from '../agent/loop/call-model/inject-tools.ts';
import { draftsOf } from '../agent/loop/call-model/remind.ts';
import type { AssistantMessage, ToolCall } from '../core/message.ts';
import { renderCall } from '../dialects/index.ts';
import type { Said } from './asking.ts';

/** Without its calls: they were never answered, and servers refuse such a conversation. */
export const saidMessages = ({ text, calls, held, damaged }: Said): AssistantMessage[] => {
  const said = held === undefined ? text : `${text}${damaged}`;
  if (held?.isThought && said.trim() === '')
    return [{ role: 'assistant', content: draftsOf(held), tool_calls: [], finish: 'stop' }];
  const content = [said, ...calls.map(asWritten)].filter((part) => part.trim() !== '').join('\n');
  return content === '' ? [] : [{ role: 'assistant', content, tool_calls: [], finish: 'stop' }];
};

/** A call of the text as the model wrote it, and one of the field for calls as it could be written. */
const asWritten = (call: ToolCall): string => {
  const { malformed, source, name } = call;
  if (malformed === undefined) return renderCall(DIALECT_FOR_AUTO, call);
  return source === 'parsed' ? malformed.text : `{"name": ${JSON.stringify(name)}, "arguments": ${malformed.text}}`;
};
