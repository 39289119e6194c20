/**
 * Which files of the workspace a server is started from: those that its command names, what package managers and other
 * runners look up for it, and what these load by name. Found by reading, so a name that a program computes is not found.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isObject, type JsonValue } from '../../../core/json.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import { type Lookup, lookupIn, realPath, statOf, textOf } from './lookup.ts';
import { mountsIn, namedOutside } from './mounts.ts';
import { installedIn, shadowsIn } from './python-names.ts';
import {
  CONTAINER_RUNNERS,
  FOLDER_RUNNERS,
  PACKAGE_RUNNERS,
  PYTHON_RUNNERS,
  runnerFiles,
  sourcesOf,
} from './runners.ts';
import { isManifest, startedFields } from './started-part.ts';
import { importsIn, namesIn, pythonPath, quotedIn, wordsIn } from './words.ts';

export type StartedCommand = { command: string; args: readonly string[]; env: Readonly<Record<string, string>> };
export type StartedPlace = {
  /** Where it is started, and every other folder that tools may write to; without links. */
  roots: readonly string[];
  /** Folders in which programs are looked up. */
  programs: readonly string[];
};
/** Absolute, each as it was named and as it really is. `missing`: named, and not there yet. */
export type StartedFiles = { files: string[]; missing: string[]; isComplete: boolean };

const NOT_SOURCE = /^(?:node_modules|target|bin|obj|build|dist|\..*)$/;
const CODE =
  /\.(?:[mc]?[jt]sx?|pyc?|rb|rake|sh|bash|zsh|fish|php|lua|pl|pm|r|rs|go|c|cc|cpp|java|kts?|groovy|scala|jar|class|wasm|node|so|dylib|dll|exe|mk|just|exs?|ps1|psm1|cs|fs)$/i;
/** Settings name what is loaded whatever its ending is. */
const SETTINGS = /\.(?:jsonc?|ya?ml|toml)$|^(?:Docker|Container)file$/i;
const PYTHON_FILE = /\.py$/i;

export const collectStartedFiles = (server: StartedCommand, place: StartedPlace): StartedFiles =>
  new Collecting(server, place).all();

class Collecting {
  readonly #server: StartedCommand;
  readonly #place: StartedPlace;
  readonly #lookup: Lookup;
  readonly #files = new Set<string>();
  readonly #missing = new Set<string>();
  readonly #open: string[] = [];
  #folders: string[];

  constructor(server: StartedCommand, place: StartedPlace) {
    this.#server = server;
    this.#place = place;
    this.#lookup = lookupIn(place.roots);
    this.#folders = place.roots.slice(0, 1);
  }

  all(): StartedFiles {
    const { command, args, env } = this.#server;
    const given = [command, ...args].flatMap(wordsIn).map((word) => word.replace(/^@(?=.*\.)/, ''));
    const isContained = given.some((word) => CONTAINER_RUNNERS.test(path.basename(word)));
    const words = isContained ? [...given, ...namedOutside(given, mountsIn(args))] : given;
    this.#enterFolders([...words, ...Object.values(env).flatMap(wordsIn)]);
    for (const word of [...words, ...Object.values(env).flatMap(wordsIn)]) this.#named(word);
    this.#program(command);
    const runners = new Set(words.map((word) => path.basename(word).replace(/\.(?:exe|cmd)$/i, '')));
    for (const runner of runners) this.#ofRunner(runner, words);
    if (FOLDER_RUNNERS.test(path.basename(command))) this.#folderToRun(args);
    if ([...runners].some((runner) => PYTHON_RUNNERS.test(runner)) || this.#open.some((file) => PYTHON_FILE.test(file)))
      this.#pythonFolders();
    for (let file = this.#open.pop(); file !== undefined; file = this.#open.pop()) this.#follow(file);
    const files = [...this.#files];
    return { files, missing: [...this.#missing], isComplete: files.length < AGENT_LIMITS.mcpStartedFiles };
  }

  /** Folders that the command names are ones that it may start from. */
  #enterFolders(words: readonly string[]): void {
    const [root = '/'] = this.#folders;
    const named = words.flatMap((word) => this.#lookup.folder(root, word) ?? []);
    this.#folders = [...new Set([root, ...named])].slice(0, AGENT_LIMITS.mcpStartedFolders);
  }

  #add(file: string): void {
    for (const each of new Set([file, realPath(file)])) {
      if (this.#files.size >= AGENT_LIMITS.mcpStartedFiles || this.#files.has(each) || !this.#lookup.isInside(each))
        continue;
      this.#files.add(each);
      this.#open.push(each);
    }
  }

  #named(word: string): void {
    for (const folder of this.#folders)
      for (const file of this.#lookup.files(folder, word)) if (isRun(file, word)) this.#add(file);
    const [root = '/'] = this.#folders;
    const place = path.resolve(root, word);
    if (CODE.test(word) && !word.includes('://') && this.#lookup.isInside(place) && statOf(place) === undefined)
      this.#missing.add(realPath(place));
  }

  /** One without a path is found in the folders of PATH, which may lie in the workspace. */
  #program(command: string): void {
    if (command.includes('/')) return;
    for (const folder of this.#place.programs) {
      const file = path.resolve(this.#folders[0] ?? '/', folder, command);
      if (statOf(file)?.isFile() !== true) continue;
      if (this.#lookup.isInside(file)) this.#add(file);
      return;
    }
  }

  #ofRunner(runner: string, words: readonly string[]): void {
    const isPackages = PACKAGE_RUNNERS.test(runner);
    for (const folder of this.#folders) {
      for (const name of runnerFiles(runner)) this.#addIfThere(path.join(folder, name));
      if (isPackages && runner !== 'node') this.#manifest(folder, words);
      if (PYTHON_RUNNERS.test(runner))
        for (const word of words.filter((each) => /^[\w.]+$/.test(each))) this.#module(folder, word);
      const sources = sourcesOf(runner);
      if (sources !== undefined) this.#tree(folder, sources);
    }
  }

  #addIfThere(file: string): void {
    if (statOf(file)?.isFile() === true) this.#add(file);
  }

  /** The package of a folder, the scripts that words name, and the packages whose programs they name. */
  #manifest(folder: string, words: readonly string[]): void {
    const file = path.join(folder, 'package.json');
    this.#addIfThere(file);
    const scripts = scriptsOf(file);
    const ran = new Set<string>();
    const run = (name: string): void => {
      const line = scripts[name];
      if (ran.has(name) || line === undefined) return;
      ran.add(name);
      const inside = wordsIn(line);
      for (const word of inside) {
        this.#named(word);
        run(word);
      }
      for (const word of inside) this.#ofPackage(folder, word);
      if (inside.some((word) => FOLDER_RUNNERS.test(word))) this.#folderToRun(inside);
      const runners = new Set(inside.map((word) => path.basename(word)).filter((word) => !PACKAGE_RUNNERS.test(word)));
      for (const runner of runners) this.#ofRunner(runner, inside);
    };
    for (const word of words) {
      for (const name of [`pre${word}`, word, `post${word}`]) run(name);
      this.#ofPackage(folder, word);
    }
  }

  #ofPackage(folder: string, word: string): void {
    const name = word.replace(/(.)@[^/]*$/, '$1');
    if (!/^(?:@[\w.-]+\/)?[\w.-]+$/.test(name) || name === '.' || name === '..') return;
    for (const base of upwards(folder, this.#lookup)) {
      this.#addIfThere(path.join(base, 'node_modules/.bin', name));
      this.#addIfThere(path.join(base, 'node_modules', name, 'package.json'));
    }
  }

  /** What lies where Python looks first, under the name of what lies elsewhere. */
  #pythonFolders(): void {
    const installed = new Set(this.#folders.flatMap(installedIn));
    const scripts = [...this.#files].filter((file) => PYTHON_FILE.test(file)).map((file) => path.dirname(file));
    for (const folder of new Set([...this.#folders, ...scripts]))
      for (const file of shadowsIn(folder, installed)) this.#addIfThere(file);
  }

  #module(folder: string, name: string): void {
    const base = path.join(folder, pythonPath(name));
    for (const file of [`${base}.py`, `${base}/__main__.py`, `${base}/__init__.py`]) this.#addIfThere(file);
  }

  /** `node .` runs what lies in the folder; of `node server.mjs .` the folder is only told. */
  #folderToRun(args: readonly string[]): void {
    const [root = '/'] = this.#folders;
    for (const word of args.filter((each) => !each.startsWith('-'))) {
      if (CODE.test(word) || this.#lookup.files(root, word).length > 0) return;
      const folder = this.#lookup.folder(root, word);
      if (folder === undefined) continue;
      for (const file of this.#lookup.entries(folder)) this.#add(file);
      return;
    }
  }

  #tree(folder: string, sources: RegExp): void {
    const open = [folder];
    for (let at = open.pop(); at !== undefined && this.#files.size < AGENT_LIMITS.mcpStartedFiles; at = open.pop()) {
      for (const entry of entriesOf(at)) {
        if (entry.isDirectory() && !NOT_SOURCE.test(entry.name)) open.push(path.join(at, entry.name));
        else if (sources.test(entry.name)) this.#addIfThere(path.join(at, entry.name));
      }
    }
  }

  /** What a file loads by name. */
  #follow(file: string): void {
    const folder = path.dirname(file);
    if (isManifest(file)) {
      for (const name of textsIn(startedFields(textOf(file)))) {
        if (/^\.|\.[mc]?[jt]sx?$/.test(name)) for (const found of this.#lookup.files(folder, name)) this.#add(found);
      }
      if (file.includes('/node_modules/')) this.#addIfThere(path.join(folder, 'index.js'));
      return;
    }
    // Python runs it before whatever else lies in the folder.
    if (file.endsWith('.py')) this.#addIfThere(path.join(folder, '__init__.py'));
    const text = textOf(file);
    if (text.includes('\0')) return;
    for (const name of importsIn(text)) {
      if (!/^[./]/.test(name))
        this.#ofPackage(
          folder,
          name
            .split('/')
            .slice(0, name.startsWith('@') ? 2 : 1)
            .join('/'),
        );
    }
    // Of an installed package what it imports is enough: its texts are many, and name nothing here.
    if (file.includes('/node_modules/')) this.#namedIn(folder, importsIn(text).filter(isPlace));
    else this.#loadedBy(file, text);
  }

  #loadedBy(file: string, text: string): void {
    const folder = path.dirname(file);
    const { places, modules, takenIn } = namesIn(file, text);
    const names = places.filter(isPlace);
    const isSettings = SETTINGS.test(path.basename(file));
    this.#namedIn(folder, names, isSettings);
    this.#namedIn(folder, takenIn, true);
    for (const base of this.#moduleFolders(folder, text)) for (const name of modules) this.#addCode(base, name);
    this.#joined(folder, text, [...names, ...modules]);
    if (isSettings) this.#buildFolders(folder, places);
  }

  /** Its own, those that the command and `PYTHONPATH` name, and those that it adds (`sys.path`, `use lib`). */
  #moduleFolders(folder: string, text: string): Set<string> {
    const [root = '/'] = this.#folders;
    const named = ADDS_FOLDERS.test(text) ? quotedIn(text) : [];
    const added = [folder, root].flatMap((base) =>
      [...named, 'src'].flatMap((name) => this.#lookup.folder(base, name) ?? []),
    );
    return new Set([folder, ...[...this.#folders, ...added].slice(0, AGENT_LIMITS.mcpStartedBases)]);
  }

  /** A place that begins with a stroke is most often one below the file's own folder: `__dirname + '/lib/x.js'`. */
  #namedIn(folder: string, names: readonly string[], whatever = false): void {
    const [root = '/'] = this.#folders;
    for (const name of names)
      for (const base of new Set([folder, root])) {
        this.#addCode(base, name, whatever);
        if (name.startsWith('/')) this.#addCode(base, `.${name}`, whatever);
      }
  }

  /** What a container is built from. */
  #buildFolders(folder: string, names: readonly string[]): void {
    for (const name of names.filter((each) => each.startsWith('.')).slice(0, AGENT_LIMITS.mcpStartedFolders)) {
      const place = this.#lookup.folder(folder, name);
      if (place !== undefined)
        for (const file of ['Dockerfile', 'Containerfile']) this.#addIfThere(path.join(place, file));
    }
  }

  #addCode(base: string, name: string, whatever = false): void {
    for (const found of this.#lookup.files(base, name)) if (whatever || isCode(found)) this.#add(found);
  }

  /** `path.join(here, 'lib', 'tools.js')` */
  #joined(folder: string, text: string, names: readonly string[]): void {
    const plain = names.filter((name) => !name.includes('/')).slice(0, AGENT_LIMITS.mcpStartedFolders);
    if (plain.length === 0) return;
    const folders = quotedIn(text).flatMap((name) =>
      /^[\w.-]{1,40}$/.test(name) ? (this.#lookup.folder(folder, name) ?? []) : [],
    );
    for (const base of new Set(folders.slice(0, AGENT_LIMITS.mcpStartedFolders)))
      for (const name of plain) this.#addCode(base, name);
  }
}

const ADDS_FOLDERS = /\bsys\.path\b|\buse\s+lib\b|\$LOAD_PATH|\$:|\bpackage\.c?path\b|\b_ROOT\b|\binclude_path\b/;

/** A text that may name a file: with a folder, or an ending. */
const isPlace = (name: string): boolean => PLACE.test(name);
const PLACE = /^\.{0,2}\/|^file:|\.\w{1,5}$|^[\w@.-]+\/[\w@./-]+$/;

/** A command may make an empty file of a plain name that it holds. */
const isRun = (file: string, word: string): boolean => isCode(file) || word.includes('/') || statOf(file)?.size !== 0;

const isCode = (file: string): boolean =>
  CODE.test(file) || (path.extname(file) === '' && ((statOf(file)?.mode ?? 0) & 0o111) !== 0);

const upwards = (folder: string, lookup: Lookup): string[] => {
  const found: string[] = [];
  for (let at = folder; lookup.isInside(at); at = path.dirname(at)) {
    if (path.basename(at) !== 'node_modules') found.push(at);
    if (at === path.dirname(at)) break;
  }
  return found;
};

const scriptsOf = (file: string): Record<string, string> => {
  try {
    const value: JsonValue = JSON.parse(textOf(file));
    const scripts = isObject(value) && isObject(value['scripts']) ? value['scripts'] : {};
    return Object.fromEntries(
      Object.entries(scripts).flatMap(([name, line]) => (typeof line === 'string' ? [[name, line]] : [])),
    );
  } catch {
    return {};
  }
};

const textsIn = (value: JsonValue): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};
