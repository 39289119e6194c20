/** `halter/dialects/langchain` where bytes are cheap: what `../langchain.ts` has, and it looks at its arguments first. */
import { checkedCall, options } from '../../core/checked-call.ts';
import { flag, oneOf, withMethods } from '../../core/option-kinds.ts';
import * as langchain from '../langchain.ts';
import { DIALECT_ORDER } from '../order.ts';

const MODEL = withMethods('a chat model of LangChain', '_generate');
const READING = options({ 'dialect?': oneOf(...DIALECT_ORDER, 'auto'), 'startInReasoning?': flag });

export const readCalls = checkedCall(
  'readCalls',
  { model: MODEL, 'options?': READING },
  langchain.readCalls,
) as typeof langchain.readCalls;
