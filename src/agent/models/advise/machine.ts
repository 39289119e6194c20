/** What this machine has for a model: memory, cores, graphics. Nothing here fails; what cannot be asked is not known. */
import { availableParallelism, cpus, freemem, loadavg, totalmem } from 'node:os';
import type { Processes } from '../../../core/ports.ts';
import { AGENT_LIMITS } from '../../limits.ts';

export type GraphicsCard = {
  name: string;
  by: 'cuda' | 'metal' | 'vulkan' | 'rocm';
  /** Absent where it is not told. */
  memoryBytes?: number;
  /** It works in the machine's own memory. */
  shared?: true;
};

export type Machine = {
  /** What this process may have of it, where a container allows less than there is. */
  memoryBytes: number;
  freeBytes: number;
  cores: number;
  /** How many programs wanted a core at a time within the last minute; absent where the system does not say. */
  load?: number;
  processor: string;
  cards: GraphicsCard[];
};

export type SystemFacts = {
  platform: NodeJS.Platform;
  arch: string;
  totalBytes: number;
  freeBytes: number;
  cores: number;
  load?: number;
  processor: string;
};

/** Linux counts files in its cache as used, and gives them back at once: `availableMemory` does not. */
export const systemFacts = (): SystemFacts => {
  const limit = process.constrainedMemory();
  const total = totalmem();
  return {
    platform: process.platform,
    arch: process.arch,
    totalBytes: limit > 0 && limit < total ? limit : total,
    freeBytes: Math.max(freemem(), process.availableMemory()),
    cores: availableParallelism(),
    ...(process.platform === 'win32' ? {} : { load: loadavg()[0] ?? 0 }),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
  };
};

const MEGABYTE = 1024 * 1024;
/** Of the memory of an Apple machine, what Metal gives to one program. */
const METAL_SHARE = 0.7;

const ask = async (processes: Processes, command: readonly string[], signal: AbortSignal): Promise<string> => {
  const ran = await processes.run({
    command,
    timeoutMs: AGENT_LIMITS.graphicsQuestionMs,
    signal,
    maxOutputBytes: AGENT_LIMITS.graphicsAnswerBytes,
  });
  return ran.ok && ran.value.exitCode === 0 ? ran.value.stdout : '';
};

const cudaCards = (text: string): GraphicsCard[] =>
  text.split('\n').flatMap((line) => {
    const found = /^(.+),\s*(\d+)\s*$/.exec(line.trim());
    return found ? [{ name: found[1] as string, by: 'cuda' as const, memoryBytes: Number(found[2]) * MEGABYTE }] : [];
  });

const rocmCards = (text: string): GraphicsCard[] => {
  try {
    const cards = Object.entries(JSON.parse(text) as Record<string, Record<string, string>>);
    return cards.flatMap(([key, fields]) => {
      const bytes = Number(fields['VRAM Total Memory (B)']);
      return key.startsWith('card') && bytes > 0
        ? [{ name: fields['Card Series'] ?? fields['Card series'] ?? key, by: 'rocm' as const, memoryBytes: bytes }]
        : [];
    });
  } catch {
    return [];
  }
};

/** The renderer that computes on the processor is no card. */
const vulkanCards = (text: string): GraphicsCard[] =>
  text.split(/^GPU\d+:/m).flatMap((part) => {
    const name = /deviceName\s*=\s*(.+)/.exec(part)?.[1]?.trim();
    const type = /deviceType\s*=\s*PHYSICAL_DEVICE_TYPE_(\w+)/.exec(part)?.[1];
    if (name === undefined || (type !== 'DISCRETE_GPU' && type !== 'INTEGRATED_GPU')) return [];
    return [{ name, by: 'vulkan' as const, ...(type === 'INTEGRATED_GPU' ? { shared: true as const } : {}) }];
  });

const cardsOf = async (facts: SystemFacts, processes: Processes, signal: AbortSignal): Promise<GraphicsCard[]> => {
  if (facts.platform === 'darwin') {
    const memoryBytes = Math.round(facts.totalBytes * METAL_SHARE);
    return facts.arch === 'arm64' ? [{ name: facts.processor, by: 'metal', memoryBytes, shared: true }] : [];
  }
  const [cuda, rocm, vulkan] = await Promise.all([
    ask(processes, ['nvidia-smi', '--query-gpu=name,memory.total', '--format=csv,noheader,nounits'], signal),
    ask(processes, ['rocm-smi', '--showproductname', '--showmeminfo', 'vram', '--json'], signal),
    ask(processes, ['vulkaninfo', '--summary'], signal),
  ]);
  const known = [...cudaCards(cuda), ...rocmCards(rocm)];
  return known.length > 0 ? known : vulkanCards(vulkan);
};

export const describeMachine = async (
  processes: Processes,
  signal: AbortSignal,
  facts: SystemFacts = systemFacts(),
): Promise<Machine> => ({
  memoryBytes: facts.totalBytes,
  freeBytes: Math.min(facts.freeBytes, facts.totalBytes),
  cores: facts.cores,
  ...(facts.load === undefined ? {} : { load: facts.load }),
  processor: facts.processor,
  cards: await cardsOf(facts, processes, signal),
});

/** `tight`: it fits when other programs are closed. */
export type Fit = 'yes' | 'tight' | 'no';
/** The rest is left to everything else that runs. */
const USABLE_SHARE = 0.9;

export const fitOf = (bytes: number, { memoryBytes, freeBytes }: Pick<Machine, 'memoryBytes' | 'freeBytes'>): Fit => {
  if (bytes <= freeBytes * USABLE_SHARE) return 'yes';
  return bytes <= memoryBytes * USABLE_SHARE ? 'tight' : 'no';
};
