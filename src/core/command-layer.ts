/** What a log says of the layers that a call's command ran in. */
import type { Event } from './events.ts';

export type CommandLayer = {
  stage: 'not applied' | 'being applied' | 'applied' | 'nothing changed';
  layers: readonly { folder: string; name: string }[];
  /** Writable folders without a layer. */
  beside: readonly string[];
  network: boolean;
};

/** Undefined where the command ran in none, or did not run. */
export const commandLayer = (events: readonly Event[], callId: string): CommandLayer | undefined => {
  let found: CommandLayer | undefined;
  for (const event of events) {
    if (event.type !== 'layer_changed' || event.tool_call_id !== callId) continue;
    if (event.state === 'opened') {
      const { layers, beside = [], network = false } = event;
      found = { stage: 'not applied', layers, beside, network };
    } else if (found !== undefined) {
      const isNothing = event.state === 'applied' && found.stage === 'not applied';
      const stage = isNothing ? 'nothing changed' : event.state === 'applied' ? 'applied' : 'being applied';
      found = { ...found, stage };
    }
  }
  return found;
};

/** As the end of a sentence about the command. */
export const layerText = ({ stage }: CommandLayer): string =>
  ({
    'not applied': 'what it changed in files was not applied',
    'being applied': 'what it changed in files was being applied, and not all of it may be',
    applied: 'what it had changed in files was applied',
    'nothing changed': 'it had changed no files',
  })[stage];
