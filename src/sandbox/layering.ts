/** The layers of one confinement: found out once for each folder whether there can be one, made for each command. */
import { readFileSync, statfsSync } from 'node:fs';
import path from 'node:path';
import type { StartedFiles } from '../core/policy/started-files.ts';
import type {
  ChangedNames,
  HeldChange,
  MayKeep,
  NoteChanges,
  OpenedLayers,
  ProcessRequest,
  WithheldChange,
} from '../core/ports.ts';
import { Beginning, type Listings } from './beginning.ts';
import { createKnownRemotes } from './git-remotes.ts';
import { type Held, placeHeld } from './held.ts';
import type { RepositoryOptions } from './held-repositories.ts';
import { createJudge, type Judge } from './judge.ts';
import { KeptVersions } from './kept-versions.ts';
import {
  findLayerPrograms,
  type Layer,
  type LayerPrograms,
  makeLayer,
  removeLayer,
  tryLayer,
  writtenFolder,
} from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { createLinkedJudge } from './linked-judge.ts';
import type { LinkedWorktree } from './linked-worktree.ts';
import { LiveLayer } from './live-layer.ts';
import { ofOtherGroup } from './other-groups.ts';
import { reasonOf } from './outside-changes.ts';
import { MEMORY, type OwnPlaces, SHARED_MEMORY } from './own-places.ts';
import { type Settled, settleLayer } from './settle.ts';
import { unlessShort } from './shortage.ts';
import { createWorktreeJudge } from './worktree-judge.ts';

/** A layer, and what was in the folder when it was opened. */
export type OpenLayer = Layer & { beginning: Beginning };
export type Layering = {
  /** A layer for each folder that can have one. */
  open(): Promise<OpenLayer[]>;
  /** A folder that can have none: what a command writes there counts at once. Undefined where all have one. */
  without(): Promise<string | undefined>;
  /** Judges and applies what was written, asks about what may be asked about, and removes the layers. */
  settle(layers: readonly OpenLayer[], told?: Told): Promise<Finished>;
  /** Keeps the folders and the layers of a background command alike until `stop`, which removes the layers. */
  follow(layers: readonly OpenLayer[], pid: number, following: Following): Followed;
};

/** Who is asked and told when the changes of a command are put in place. */
export type Told = Pick<ProcessRequest, 'mayKeep' | 'noteChanges' | 'noteLayer'> & {
  /** What was noted before it began. */
  opened?: OpenedLayers | undefined;
  /** The command was ended before its own end. */
  isStopped?: boolean;
};
/** What was not kept, what was since the answer to a question said so, and files that were changed. */
export type Finished = {
  withheld: WithheldChange[];
  kept: string[];
  changed?: ChangedNames;
  /** The log of the session could not be written, so not everything was put in place. */
  dropped?: true;
};
export type Following = {
  onWithheld(withheld: WithheldChange): void;
  /** Asked before something is put in place. */
  mayWrite?: (() => Promise<boolean>) | undefined;
};
export type Followed = {
  /** What is held by then can still be asked about. */
  stop(): Promise<void>;
  /** Asks about what is held since the last time. */
  review(mayKeep: MayKeep): Promise<Finished>;
};

export type LayeringOptions = {
  roots: readonly string[];
  /** What the first of the roots is in a repository elsewhere, which commands write to through a layer or not at all. */
  worktree?: LinkedWorktree | undefined;
  home: string;
  places: OwnPlaces;
  /** The folder for versions of commands that could not be put in place. */
  keptVersions: string;
  startedFiles(): StartedFiles;
  /** Commands reach a network, or a part of it. */
  isNetworked: boolean;
};

export const createLayering = (options: LayeringOptions): Layering => {
  const { roots, worktree, home, places, keptVersions, startedFiles, isNetworked } = options;
  // A repository comes first: what becomes of the files in its worktree depends on it.
  const folders = worktree === undefined ? roots : [worktree.common, ...roots];
  const remotes = createKnownRemotes();
  const plainJudge = (root: string): Judge =>
    root === worktree?.common
      ? createWorktreeJudge(worktree, roots, remotes)
      : createJudge(root, roots, { home, started: startedFiles(), remotes });
  /** What leads from one folder into another is judged as well, so all of them are looked at. */
  const judgeOf = (layer: Layer, layers: readonly OpenLayer[]): Judge => {
    const judged = folders.map((root) => ({ root, judge: plainJudge(root) }));
    const own = judged.find(({ root }) => root === layer.root) ?? { root: layer.root, judge: plainJudge(layer.root) };
    const links = () => ({
      all: layers.flatMap(({ beginning }) => beginning.links()),
      isWhole: layers.every(({ beginning }) => beginning.isListed),
    });
    const writtenAt = (file: string): string | undefined => {
      const holder = layers.find(({ root }) => file.startsWith(`${root}/`));
      return holder && path.join(writtenFolder(holder), file.slice(holder.root.length));
    };
    return createLinkedJudge(own, { folders: judged, home, links }, writtenAt);
  };
  /** The files of a linked worktree lie elsewhere than its repository. */
  const repositoriesOf = (layer: Layer, layers: readonly OpenLayer[]): RepositoryOptions => {
    const isLinked = layer.root === worktree?.common;
    const root = isLinked ? (roots[0] ?? layer.root) : layer.root;
    let judge: Judge | undefined;
    return {
      isNetworked,
      isInRoots: (target) => folders.some((each) => target === each || target.startsWith(`${each}/`)),
      others: () => layers.flatMap(({ beginning }) => beginning.repositories()),
      workTreeOf(way) {
        judge ??= judgeOf({ ...layer, root }, layers);
        // Beside the repository; of a bare one there is no work tree, and autoloaded names count in every folder.
        return { root, judge, way: isLinked ? [] : way.slice(0, -1) };
      },
    };
  };
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
  const listings = new Map(folders.map((root): [string, Listings] => [root, new Map()]));
  return {
    async open() {
      const layers: OpenLayer[] = [];
      // The command is to find what others in the background have written.
      for (const each of live) await each.sweep();
      for (const root of folders) {
        const parent = await parentOf(root);
        const base = parent === undefined ? undefined : places.layer(parent);
        if (base === undefined) continue;
        layers.push({ ...makeLayer(root, base), beginning: new Beginning(root, base, listings.get(root)) });
      }
      return layers;
    },
    async without() {
      for (const root of roots) if ((await parentOf(root)) === undefined) return root;
      return undefined;
    },
    async settle(layers, { mayKeep: answer, noteChanges, noteLayer, opened, isStopped = false } = {}) {
      const withheld: WithheldChange[] = [];
      const held: Held[] = [];
      const mayKeep = answer && askedOnce(answer);
      const changed: ChangedNames = { names: [], more: 0 };
      let isApplying = false;
      /** What was said could not be kept: nothing more is put in place. */
      let isDropped = false;
      /** Work trees, by their whole paths, whose repository was kept apart. */
      const apart: string[] = [];
      const noteIn =
        (layer: Layer): NoteChanges =>
        async (changes, more) => {
          if (!isApplying) isDropped = (await noteLayer?.({ state: 'applying' })) === false;
          isApplying = true;
          const shown = changes.map((each) => named(each, layer.root, roots[0]));
          isDropped ||= (await noteChanges?.(shown, more)) === false;
          if (!isDropped) addNames(changed, shown);
          return !isDropped;
        };
      for (const layer of layers) {
        try {
          const openJudge = async (): Promise<Judge> => {
            for (const { beginning } of layers) await beginning.listed();
            return judgeOf(layer, layers);
          };
          const options = {
            layer,
            beginning: layer.beginning,
            kept: new KeptVersions(keptVersions),
            apart,
            openJudge,
            repositories: repositoriesOf(layer, layers),
            ask: mayKeep && ((all: readonly Held[]) => mayKeep(shownTo(all, roots[0]))),
            note: noteIn(layer),
          };
          const settled = programs === undefined ? undefined : await settleLayer({ ...options, programs });
          const found = settled?.withheld ?? [];
          apart.push(...(settled?.apart ?? []));
          const asksAbout = mayKeep === undefined ? () => false : isAskedAbout;
          const others = found.filter((each) => !asksAbout(each)).map(({ held: _, ...each }) => each);
          withheld.push(...others.map((each) => named(each, layer.root, roots[0])));
          held.push(...found.filter(asksAbout).flatMap((each) => each.held ?? []));
        } catch (error) {
          withheld.push({ path: layer.root, cause: 'not_written', reason: reasonOf(error) });
        }
      }
      const told = changed.names.length > 0 ? { changed } : {};
      if (layers.length > 0 && !isDropped)
        await noteLayer?.({ state: 'applied', ...told, ...(isStopped ? { stopped: true } : {}) });
      // What is in its place by then is told from the files.
      else if (isDropped && opened && changed.names.length === 0) await noteLayer?.({ ...opened, dropped: true });
      // Everything else that the command did is in its place while somebody thinks about these.
      const answered = await askAbout(held, roots[0], isDropped ? undefined : mayKeep);
      for (const layer of layers) closeLayer(layer);
      return { withheld: [...withheld, ...answered.withheld], kept: answered.kept, ...told, ...droppedIf(isDropped) };
    },
    follow(layers, pid, { onWithheld, mayWrite }) {
      const followed = layers.map((layer) => {
        const tell = (withheld: WithheldChange): void => onWithheld(named(withheld, layer.root, roots[0]));
        const judge = judgeOf(layer, layers);
        const kept = new KeptVersions(keptVersions);
        const repositories = repositoriesOf(layer, layers);
        const { beginning } = layer;
        const each = new LiveLayer({ layer, judge, beginning, kept, repositories, onWithheld: tell, mayWrite });
        return { layer, each };
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
          for (const { layer, each } of followed) {
            await each.stop();
            live.delete(each);
            layer.beginning.close();
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

const closeLayer = (layer: OpenLayer): void => {
  layer.beginning.close();
  removeLayer(layer);
};

const droppedIf = (isDropped: boolean): { dropped?: true } => (isDropped ? { dropped: true } : {});

const addNames = (changed: ChangedNames, shown: readonly { path: string }[]): void => {
  const room = SANDBOX_LIMITS.changedNamed - changed.names.length;
  changed.names.push(...shown.slice(0, room).map(({ path }) => path));
  changed.more += Math.max(0, shown.length - room);
};

/** The same change in the folder and in a commit is one question. */
const askedOnce = (mayKeep: MayKeep): MayKeep => {
  const answers = new Map<string, boolean>();
  const keyOf = ({ path, kind, before, after, executable }: HeldChange): string =>
    JSON.stringify([path, kind, before, after, executable]);
  return async (changes) => {
    const open = [...new Map(changes.map((each) => [keyOf(each), each]))].filter(([key]) => !answers.has(key));
    const given = open.length === 0 ? [] : await mayKeep(open.map(([, each]) => each));
    for (const [index, [key]] of open.entries()) answers.set(key, given[index] === true);
    return changes.map((each) => answers.get(keyOf(each)) === true);
  };
};

const shownTo = (held: readonly Held[], workspace: string | undefined): HeldChange[] =>
  held.map((each) => named(each, each.layer.root, workspace)).map(({ layer: _layer, way: _way, ...change }) => change);

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
  const changes = shownTo(held, workspace);
  const isTooMuch = held.length > SANDBOX_LIMITS.heldFiles;
  const answers = isTooMuch || mayKeep === undefined ? [] : await mayKeep(changes);
  for (const [index, each] of shown.entries()) {
    const { path, reason } = each;
    if (answers[index] !== true) finished.withheld.push({ path, cause: 'runs_later', reason });
    else if (placeHeld(each)) finished.kept.push(path);
    else {
      const changed = 'it was changed outside while it was asked about, or you may not write there';
      finished.withheld.push({ path, cause: 'not_written', reason: changed });
    }
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
  if (ofOtherGroup(root) !== undefined) return undefined;
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
