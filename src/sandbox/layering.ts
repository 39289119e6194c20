/** The layers of one confinement: found out once for each folder whether there can be one, made for each command. */
import { readFileSync, statfsSync } from 'node:fs';
import type { StartedFiles } from '../core/policy/started-files.ts';
import { createJudge } from './judge.ts';
import { findLayerPrograms, type Layer, type LayerPrograms, makeLayer, removeLayer, tryLayer } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { LiveLayer } from './live-layer.ts';
import { MEMORY, type OwnPlaces, SHARED_MEMORY } from './own-places.ts';
import { settleLayer, type Withheld } from './settle.ts';
import { unlessShort } from './shortage.ts';

export type Layering = {
  /** A layer for each folder that can have one. */
  open(): Promise<Layer[]>;
  /** Judges and applies what was written, and removes the layers. */
  settle(layers: readonly Layer[]): Promise<Withheld[]>;
  /** Keeps the folders and the layers of a background command alike until `stop`, which removes the layers. */
  follow(layers: readonly Layer[], pid: number, onWithheld: (withheld: Withheld) => void): { stop(): Promise<void> };
};

export type LayeringOptions = {
  roots: readonly string[];
  home: string;
  places: OwnPlaces;
  startedFiles(): StartedFiles;
};

export const createLayering = ({ roots, home, places, startedFiles }: LayeringOptions): Layering => {
  const programs = process.platform === 'linux' ? findLayerPrograms() : undefined;
  const parents = new Map<string, Promise<string | undefined>>();
  const parentOf = (root: string): Promise<string | undefined> => {
    const known = parents.get(root) ?? findParent(programs, root, places);
    parents.set(root, known);
    // What could not be tried is tried again at the next command.
    known.catch(() => parents.delete(root));
    return known;
  };
  const live = new Set<LiveLayer>();
  return {
    async open() {
      const layers: Layer[] = [];
      // The command is to find what others in the background have written.
      for (const each of live) await each.sweep();
      for (const root of roots) {
        const parent = await parentOf(root);
        const base = parent === undefined ? undefined : places.layer(parent);
        if (base !== undefined) layers.push(makeLayer(root, base));
      }
      return layers;
    },
    async settle(layers) {
      const withheld: Withheld[] = [];
      for (const layer of layers) {
        try {
          const judge = createJudge(layer.root, roots, { home, started: startedFiles() });
          const found = programs === undefined ? [] : await settleLayer(programs, layer, judge);
          withheld.push(...found.map((each) => named(each, layer.root, roots[0])));
        } catch (error) {
          withheld.push({ path: layer.root, reason: `it could not be written: ${String((error as Error).message)}` });
        } finally {
          removeLayer(layer);
        }
      }
      return withheld;
    },
    follow(layers, pid, onWithheld) {
      const followed = layers.map((layer) => {
        const tell = (withheld: Withheld): void => onWithheld(named(withheld, layer.root, roots[0]));
        return {
          layer,
          each: new LiveLayer(layer, createJudge(layer.root, roots, { home, started: startedFiles() }), tell),
        };
      });
      for (const { each } of followed) {
        each.start(pid);
        live.add(each);
      }
      return {
        async stop() {
          for (const { layer, each } of followed) {
            await each.stop();
            live.delete(each);
            removeLayer(layer);
          }
        },
      };
    },
  };
};

const named = (withheld: Withheld, root: string, workspace: string | undefined): Withheld =>
  root === workspace ? withheld : { ...withheld, path: `${root}/${withheld.path}` };

const findParent = async (
  programs: LayerPrograms | undefined,
  root: string,
  places: OwnPlaces,
): Promise<string | undefined> => {
  if (programs === undefined || root === '/' || holdsMounts(root)) return undefined;
  for (const parent of [places.cache, ...(hasRoom(SHARED_MEMORY) ? [MEMORY] : [])]) {
    const base = places.layer(parent);
    if (base === undefined) continue;
    const layer = makeLayer(root, base);
    const works = await tryLayer(programs, layer);
    removeLayer(layer);
    if (works) return parent;
  }
  return undefined;
};

/** Containers often have little memory there, and an installation would not fit. */
const hasRoom = (folder: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= SANDBOX_LIMITS.memoryRoomBytes;
  } catch {
    return false;
  }
};

/** A layer shows nothing of another file system that is mounted below its folder. */
const holdsMounts = (root: string): boolean => {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .some((line) => unescaped(line.split(' ')[4] ?? '').startsWith(`${root}/`));
  } catch (error) {
    return unlessShort(error, true);
  }
};

const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
