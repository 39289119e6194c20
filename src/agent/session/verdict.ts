/** What is known of a call whose run was ended in its middle: from its journal, and from what the files hold now. */
import { type CommandLayer, commandLayer, layerText } from '../../core/command-layer.ts';
import type { Event, EventOf } from '../../core/events.ts';
import type { CallEntry } from '../../core/executor.ts';
import { counted } from '../../core/number-text.ts';
import type { Workspace } from '../../core/ports.ts';
import { onlyReads } from '../../core/tool.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { ToolRegistry } from '../loop/run-tool/tool-registry.ts';
import { isAsFound, isAsLeft, standing } from '../undo/stand.ts';
import { RESTORED, type RunEnded } from './ended.ts';

export type VerdictPorts = {
  workspace: Workspace;
  registry: ToolRegistry;
  log(): readonly Event[];
  /** Where what was written into a layer is kept. */
  keptLayer?: ((name: string) => string | undefined) | undefined;
  /** Up to this event the log came with a backup. */
  copiedTo?: number | undefined;
};

/** One sentence for the model and the person; nothing is run again. */
export const verdictOf = async (ports: VerdictPorts, entry: CallEntry, ended: RunEnded): Promise<string> => {
  const { name } = entry.call;
  const isCopied = isFromCopy(ports.log(), entry, ports.copiedTo);
  const { what } = isCopied ? RESTORED : ended;
  const tool = ports.registry.get(name);
  // Built-in tools write through the journal alone; what a tool of somebody else's did besides is not known.
  const isOurs = tool?.effects === 'write' && BUILT_IN_TOOLS.some((own) => own === tool || own.name === name);
  if (entry.status !== 'running') return isCopied ? notKnown(entry, what) : unknownVerdict(entry, { what });
  const began = `${what} while this ran.`;
  const changes = ports
    .log()
    .flatMap((event) => (event.type === 'change_recorded' && event.tool_call_id === entry.call.id ? [event] : []));
  const told = await Promise.all(changes.map((change) => fileVerdict(ports.workspace, change)));
  const found = commandLayer(ports.log(), entry.call.id);
  const isOpen = found?.stage === 'not applied' || found?.stage === 'being applied';
  const layer: CommandLayer | undefined = found && isCopied && isOpen ? { ...found, stage: 'unknown' } : found;
  if (layer !== undefined) return `${began} ${name}: ${layerVerdict(layer, told, ports.keptLayer)}`;
  if (changes.length > 0) return `${began} ${name} ${told.map(({ text }) => text).join('; ')}.`;
  if (isOurs && changedTask(ports.log(), entry)) return `${began} ${name}: applied; the task is in the list.`;
  // What a server's tool did is known to the server alone.
  const isReader = tool?.reads_only === true && tool.identity === undefined;
  // Of a function that says nothing of itself it is taken for granted, which is not to know it.
  if (isReader || (tool !== undefined && onlyReads(tool) && tool.effects_implied !== true))
    return `${began} ${name} only reads, so nothing was changed.`;
  if (isOurs && !isCopied) {
    return `${began} ${name}: not applied; it was ended before it wrote.`;
  }
  return unknownVerdict(entry, { what });
};

/** Where nothing but the log is known. */
export const unknownVerdict = (entry: CallEntry, { what }: RunEnded): string =>
  entry.status === 'running' ? notKnown(entry, what) : `${what} before this ran. ${entry.call.name}: not applied.`;

const notKnown = ({ status, call: { name } }: CallEntry, what: string): string =>
  `${what} ${status === 'running' ? 'while' : 'before'} this ran. ${name}: whether it took effect cannot be known. Look before you do it again.`;

/** What went on in the log when the backup was made may have ended since, elsewhere. */
export const isFromCopy = (log: readonly Event[], { status, call }: CallEntry, copiedTo = 0): boolean => {
  if (copiedTo === 0) return false;
  const since = log.findLast((event) =>
    status === 'running'
      ? event.type === 'tool_started' && event.tool_call_id === call.id
      : event.type === 'assistant_message_added' && event.message.tool_calls.some(({ id }) => id === call.id),
  );
  return since !== undefined && since.seq <= copiedTo;
};

/** What counts of a command that ran in layers, and where the rest is. */
const layerVerdict = (
  layer: CommandLayer,
  files: readonly FileVerdict[],
  keptLayer: VerdictPorts['keptLayer'],
): string => {
  // Where all of it was put in place, a file is named that holds something else by now.
  const told = files.filter(({ isApplied }) => layer.stage !== 'applied' || !isApplied);
  const named = told.slice(0, AGENT_LIMITS.verdictFiles).map(({ text }) => text);
  const more = told.length - named.length;
  const sentences = [layerText(layer), ...(named.length > 0 ? [named.join('; ')] : [])];
  if (more > 0) sentences.push(`There are ${counted(more, 'further file')}`);
  const kept = keptText(layer, keptLayer);
  if (kept !== undefined) sentences.push(kept);
  if (layer.stage === 'unknown') sentences.push('Look before you do it again');
  if (layer.beside.length > 0)
    sentences.push(`What it changed in ${layer.beside.join(' and ')} counted at once and cannot be known`);
  if (layer.network) sentences.push('What it did over the network cannot be known');
  return `${sentences.join('. ')}.`;
};

const keptText = ({ layers, stage }: CommandLayer, keptLayer: VerdictPorts['keptLayer']): string | undefined => {
  if (stage === 'applied' || stage === 'nothing changed') return undefined;
  const kept = layers.flatMap(({ name }) => keptLayer?.(name) ?? []);
  const [it, rest] = stage === 'not applied' ? ['What it had written', 'it'] : ['What may be missing', 'the rest'];
  if (kept.length > 0) return `${it} is kept in ${kept.join(' and ')}`;
  return stage === 'unknown' ? undefined : `Nothing of ${rest} is left`;
};

/** A tool that writes runs by itself, so what changed in the list since it began is its work. */
const changedTask = (log: readonly Event[], { call }: CallEntry): boolean => {
  const began = log.findLastIndex((event) => event.type === 'tool_started' && event.tool_call_id === call.id);
  return log.slice(began + 1).some(({ type }) => type === 'task_changed');
};

type FileVerdict = { isApplied: boolean; text: string };

const fileVerdict = async (workspace: Workspace, change: EventOf<'change_recorded'>): Promise<FileVerdict> => {
  const now = await standing(workspace, change);
  const stand = now.ok ? now.value : undefined;
  if (stand !== undefined && isAsLeft(stand, change)) {
    const text = `${change.path}: applied; it ${stand.hash === null ? 'is removed' : 'holds what was to be written'}`;
    return { isApplied: true, text };
  }
  if (stand !== undefined && isAsFound(stand, change)) {
    const text = `${change.path}: not applied; ${stand.hash === null ? 'it is not there' : 'it is as it was before'}`;
    return { isApplied: false, text };
  }
  const why = now.ok ? 'it holds something else by now' : now.error.message;
  return { isApplied: false, text: `${change.path}: cannot be known; ${why}` };
};
