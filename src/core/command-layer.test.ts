import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { openChanges } from './changes.ts';
import { commandLayer, layerText } from './command-layer.ts';
import type { Event } from './events.ts';

const opened = { state: 'opened', layers: [{ folder: '/w', name: 'l' }], beside: ['/x'], network: true };
const APPLYING = { state: 'applying' };
/** Of a version that is newer than this one. */
const NEWER = { state: 'taken_back', changed: { names: ['a'], more: 0 } };
const applied = { state: 'applied', changed: { names: ['a'], more: 0 }, stopped: true };

const eventsOf = (states: readonly object[]): Event[] =>
  [
    ...states.map((state) => ({ type: 'layer_changed', tool_call_id: 'c', ...state })),
    { type: 'change_recorded', tool_call_id: 'c', path: 'a', before: null, after: 'x', kept: false },
  ].map((event, index) => ({ ...event, seq: index + 1, at: 0 }) as unknown as Event);

test.each<[string, object[], RegExp, string[]]>([
  ['a command that is under way', [opened], /was not applied/, ['a']],
  ['its changes being put in place', [opened, APPLYING], /was being applied, and not all of it may be/, ['a']],
  ['all of them in place', [opened, APPLYING, applied], /stopped in the middle; it had changed a by then/, ['a']],
  ['none to put in place', [opened, { state: 'applied' }], /had changed no files/, ['a']],
  ['what was dropped', [opened, APPLYING, { ...opened, dropped: true }], /was not applied/, []],
  ['a state that only a newer version knows', [opened, NEWER], /applied cannot be known/, ['a']],
  ['such a state while they are put in place', [opened, APPLYING, NEWER], /applied cannot be known/, ['a']],
  ['such a state before all of them are', [opened, NEWER, applied], /it had changed a by then/, ['a']],
])('%s is told as what it is', (_, states, said, changes) => {
  verifies('B5');
  const events = eventsOf(states);
  const layer = commandLayer(events, 'c');
  if (layer === undefined) throw new Error('It ran in a layer.');
  expect(layerText(layer)).toMatch(said);
  // What counted at once, and what it reached, is known whatever came of its files.
  expect(layer).toMatchObject({ beside: ['/x'], network: true });
  expect(openChanges(events).map(({ path }) => path)).toEqual(changes);
});
