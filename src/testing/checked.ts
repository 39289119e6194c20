/** `halter/testing`: what `index.ts` has, and its functions look at their arguments first. */
import { checkedCall, options, valueWith } from '../core/checked-call.ts';
import {
  anything,
  callback,
  either,
  filled,
  flag,
  fromOne,
  fromZero,
  list,
  listOf,
  oneOf,
  record,
  recordOf,
  text,
  texts,
  wholeIn,
} from '../core/option-kinds.ts';
import * as testing from './index.ts';

const WORDS = either(text, texts);
const CALL = options({ name: text, arguments: either(text, record), 'id?': text });
const TURN = {
  'text?': WORDS,
  'reasoning?': WORDS,
  'calls?': listOf(CALL, 'a list of calls'),
  'finish?': text,
  'usage?': record,
  'pieceCharacters?': fromOne,
};
const PROVIDER_TURN = options({ ...TURN, 'parts?': list, 'error?': record, 'gate?': anything, 'endGate?': anything });
const SERVER_TURN = options({
  ...TURN,
  'argumentsAsObject?': flag,
  'sameIndex?': flag,
  'argumentsAsText?': flag,
  'omitIds?': flag,
  'omitDone?': flag,
  'plain?': flag,
  'raw?': list,
  'status?': wholeIn('a status of HTTP', 100, 599),
  'headers?': recordOf(text),
  'body?': text,
  'headersGate?': anything,
  'bodyGate?': anything,
  'gates?': record,
  'cutAfterWrites?': fromZero,
  'cutAtOnce?': flag,
  'hangAfterWrites?': fromZero,
  'writeBytes?': fromOne,
});
const turns = (turn: typeof SERVER_TURN) =>
  either(callback, listOf(either(callback, turn), 'a list of turns, or of functions that give one'));
const MODELS = listOf(valueWith('a model: { id }', { id: filled }), 'a list of models');
const PORT = wholeIn('a port: a whole number from 0 to 65535', 0, 65_535);

export const scriptedProvider = checkedCall(
  'scriptedProvider',
  { turns: turns(PROVIDER_TURN), 'options?': options({ 'name?': filled, 'models?': MODELS }) },
  testing.scriptedProvider,
);
export const scriptedNetwork = checkedCall('scriptedNetwork', { answer: callback }, testing.scriptedNetwork);
/** As it is asynchronous, it rejects. */
export const startScriptedServer = async (
  ...given: Parameters<typeof testing.startScriptedServer>
): Promise<testing.ScriptedServer> => start(...given);
const start = checkedCall(
  'startScriptedServer',
  {
    'options?': options({
      'turns?': turns(SERVER_TURN),
      'models?': MODELS,
      'strictModels?': flag,
      'serves?': listOf(oneOf('ollama', 'openai', 'llama-cpp', 'lm-studio'), 'a list of servers'),
      'pulls?': callback,
      'apiKey?': text,
      'port?': PORT,
    }),
  },
  testing.startScriptedServer,
);
