/** What a log says of the layers that a call's command ran in. */
import type { Event, EventOf } from './events.ts';
import { counted } from './number-text.ts';
import type { ChangedNames } from './ports.ts';

export type CommandLayer = {
  stage: 'not applied' | 'being applied' | 'applied' | 'nothing changed' | 'unknown';
  layers: readonly { folder: string; name: string }[];
  /** Writable folders without a layer. */
  beside: readonly string[];
  network: boolean;
  changed?: ChangedNames | undefined;
  /** It was ended before its own end. */
  isStopped?: boolean;
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
      found = { ...found, ...stageOf(event, found) };
    }
  }
  return found;
};

/** Of a state that this version does not know it takes nothing for granted. */
const stageOf = (event: EventOf<'layer_changed'>, { stage }: CommandLayer): Partial<CommandLayer> => {
  switch (event.state) {
    case 'applying':
      return { stage: 'being applied' };
    case 'applied': {
      const { changed, stopped } = event;
      return { stage: stage === 'not applied' ? 'nothing changed' : 'applied', changed, isStopped: stopped === true };
    }
    default:
      return { stage: 'unknown' };
  }
};

/** As the end of a sentence about the command. */
export const layerText = (layer: CommandLayer): string =>
  `${layer.isStopped ? 'it was stopped in the middle; ' : ''}${stageText(layer)}`;

const stageText = ({ stage, changed }: CommandLayer): string => {
  switch (stage) {
    case 'not applied':
      return 'what it changed in files was not applied';
    case 'being applied':
      return 'what it changed in files was being applied, and not all of it may be';
    case 'applied':
      return changed === undefined ? 'what it had changed in files was applied' : changedByThen(changed);
    case 'nothing changed':
      return 'it had changed no files';
    case 'unknown':
      return 'whether what it changed in files was applied cannot be known';
  }
};

/** What a command that was stopped had done: `it had changed a.txt and b.txt by then`. */
export const changedByThen = ({ names, more }: ChangedNames): string => {
  const all = more > 0 ? [...names, counted(more, 'further file')] : names;
  const last = all.at(-1) ?? '';
  return `it had changed ${all.length > 1 ? `${all.slice(0, -1).join(', ')} and ` : ''}${last} by then`;
};

/** Of a command that somebody stopped: its call has ended before its changes were put in place. */
export const stoppedText = (event: EventOf<'layer_changed'>, tool: string): string | undefined =>
  event.state !== 'applied' || !event.stopped || event.changed === undefined
    ? undefined
    : `${tool} was stopped in the middle; ${changedByThen(event.changed)}.`;
