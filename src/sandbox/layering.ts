/** The layers of one confinement: found out once for each folder whether there can be one, made for each command. */
import { readFileSync, statfsSync } from 'node:fs';
import type { StartedFiles } from '../core/policy/started-files.ts';
import type { MayKeep, NoteChanges } from '../core/ports.ts';
import { type Held, placeHeld } from './held.ts';
import { createJudge } from './judge.ts';
import { findLayerPrograms, type Layer, type LayerPrograms, makeLayer, removeLayer, tryLayer } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { LiveLayer } from './live-layer.ts';
import { MEMORY, type OwnPlaces, SHARED_MEMORY } from './own-places.ts';
import { type Settled, settleLayer, type Withheld } from './settle.ts';
import { unlessShort } from './shortage.ts';

export type Layering = {
  /** A layer for each folder that can have one. */
  open(): Promise<Layer[]>;
  /** A folder that can have none: what a command writes there counts at once. Undefined where all have one. */
  without(): Promise<string | undefined>;
  /** Judges and applies what was written, asks about what may be asked about, and removes the layers. */
  settle(layers: readonly Layer[], mayKeep?: MayKeep, note?: NoteChanges): Promise<Finished>;
  /** Keeps the folders and the layers of a background command alike until `stop`, which removes the layers. */
  follow(layers: readonly Layer[], pid: number, onWithheld: (withheld: Withheld) => void): Followed;
};

/** What was not kept, and what was since the answer to a question said so. */
export type Finished = { withheld: Withheld[]; kept: string[] };
export type Followed = {
  /** What is held by then can still be asked about. */
  stop(): Promise<void>;
  /** Asks about what is held since the last time. */
  review(mayKeep: MayKeep): Promise<Finished>;
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
    async without() {
      for (const root of roots) if ((await parentOf(root)) === undefined) return root;
      return undefined;
    },
    async settle(layers, mayKeep, note) {
      const withheld: Withheld[] = [];
      const held: Held[] = [];
      const noteIn = (layer: Layer): NoteChanges | undefined =>
        note &&
        ((changes, more) =>
          note(
            changes.map((each) => named(each, layer.root, roots[0])),
            more,
          ));
      for (const layer of layers) {
        try {
          const judge = createJudge(layer.root, roots, { home, started: startedFiles() });
          const found =
            programs === undefined ? [] : (await settleLayer(programs, layer, judge, noteIn(layer))).withheld;
          const asksAbout = mayKeep === undefined ? () => false : isAskedAbout;
          withheld.push(...found.filter((each) => !asksAbout(each)).map((each) => named(each, layer.root, roots[0])));
          held.push(...found.filter(asksAbout).flatMap((each) => each.held ?? []));
        } catch (error) {
          withheld.push({ path: layer.root, reason: `it could not be written: ${String((error as Error).message)}` });
        }
      }
      // Everything else that the command did is in its place while somebody thinks about these.
      const { kept, ...answered } = await askAbout(held, roots[0], mayKeep);
      for (const layer of layers) removeLayer(layer);
      return { withheld: [...withheld, ...answered.withheld], kept };
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
      let isStopped = false;
      /** A layer of which something is held stays until that is answered, or until the run ends. */
      const removeDone = (): void => {
        for (const { layer, each } of followed) if (isStopped && !each.holdsSomething) removeLayer(layer);
      };
      return {
        async stop() {
          for (const { each } of followed) {
            await each.stop();
            live.delete(each);
          }
          isStopped = true;
          removeDone();
        },
        async review(mayKeep) {
          const finished = await askAbout(
            followed.flatMap(({ each }) => each.takeHeld()),
            roots[0],
            mayKeep,
          );
          removeDone();
          return finished;
        },
      };
    },
  };
};

/** Installed packages bring such files along, and nobody opens them as a project. */
const OF_PACKAGES = /(?:^|\/)(?:node_modules|site-packages|vendor)\//;
const isAskedAbout = ({ path, held }: Settled['withheld'][number]): boolean =>
  held !== undefined && !OF_PACKAGES.test(path);

const askAbout = async (
  held: readonly Held[],
  workspace: string | undefined,
  mayKeep: MayKeep | undefined,
): Promise<Finished> => {
  const finished: Finished = { withheld: [], kept: [] };
  if (held.length === 0) return finished;
  const shown = held.map((each) => named(each, each.layer.root, workspace));
  const changes = shown.map(({ layer: _layer, way: _way, ...change }) => change);
  const isTooMuch = held.length > SANDBOX_LIMITS.heldFiles;
  const answers = isTooMuch || mayKeep === undefined ? [] : await mayKeep(changes);
  for (const [index, each] of shown.entries()) {
    const { path, reason } = each;
    if (answers[index] !== true) finished.withheld.push({ path, reason });
    else if (placeHeld(each)) finished.kept.push(path);
    else finished.withheld.push({ path, reason: 'it could not be written, or is another one by now' });
  }
  return finished;
};

const named = <T extends { path: string }>(withheld: T, root: string, workspace: string | undefined): T =>
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
