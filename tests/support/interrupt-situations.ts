/** What a person may be waiting for when they press Esc. */
import type { ScriptedServerTurn } from '../../src/testing/index.ts';

export type Situation = {
  name: string;
  /** What the model does; after it, it answers "Here again." */
  turn: ScriptedServerTurn;
  /** What the screen shows when it goes on. */
  shows: string;
};

const never = new Promise<never>(() => {});
/** Large pieces, so that it is not the server that has no time. */
const FLOOD = Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'.repeat(300));
const bash = (command: string): ScriptedServerTurn => ({ calls: [{ name: 'bash', arguments: { command } }] });
const call = (name: string, args: Record<string, string>): ScriptedServerTurn => ({
  calls: [{ name, arguments: args }],
});

export const situations = (silentUrl: string): readonly Situation[] => [
  { name: 'a command that waits', turn: bash('echo begun; sleep 100'), shows: 'begun' },
  { name: 'a command that floods', turn: bash('yes flood'), shows: 'flood' },
  {
    name: 'a command that does not listen',
    turn: bash("trap '' TERM INT HUP; echo begun; while :; do sleep 1; done"),
    shows: 'begun',
  },
  { name: 'a page that never comes', turn: call('web_fetch', { url: silentUrl }), shows: 'web_fetch' },
  { name: 'a question', turn: call('write_file', { path: 'a.txt', content: 'a' }), shows: 'Permission Request' },
  { name: 'a prompt that is being read', turn: { headersGate: never }, shows: 'Esc stops' },
  { name: 'a stream that says nothing more', turn: { text: 'One two three', hangAfterWrites: 3 }, shows: 'One' },
  {
    name: 'a model that floods',
    turn: { raw: Array.from({ length: 1_000 }, () => FLOOD), hangAfterWrites: 1_000 },
    shows: 'word',
  },
];
export const AGAIN: ScriptedServerTurn = { text: 'Here again.' };
