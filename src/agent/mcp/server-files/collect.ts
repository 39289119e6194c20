/**
 * Which files of the workspace a server is started from: those that its command names, what package managers and other
 * runners look up for it, and what these load by name. Found by reading, so a name that a program computes is not found.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isObject, type JsonValue } from '../../../core/json.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import { type Lookup, lookupIn, realPath, statOf, textOf } from './lookup.ts';
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

const PACKAGE_RUNNERS = /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|corepack|node|tsx|ts-node|nodemon|turbo|nx|lerna)$/;
/** Given a folder, they run what lies in it. */
const FOLDER_RUNNERS = /^(?:node|bun|deno|tsx|ts-node|nodemon|python[\d.]*|pypy[\d.]*|php|ruby|electron)$/;
const PYTHON_RUNNERS = /^(?:python[\d.]*|pypy[\d.]*|uv|uvx|poetry|pipenv|pdm|rye|hatch|pipx)$/;
/** What else decides about what a runner runs. */
const RUNNER_FILES: Readonly<Record<string, string>> = {
  make: 'GNUmakefile makefile Makefile',
  gmake: 'GNUmakefile makefile Makefile',
  just: 'justfile Justfile .justfile',
  task: 'Taskfile.yml Taskfile.yaml taskfile.yml',
  rake: 'Rakefile Gemfile',
  bundle: 'Gemfile',
  deno: 'deno.json deno.jsonc package.json',
  uv: 'pyproject.toml',
  uvx: 'pyproject.toml',
  poetry: 'pyproject.toml',
  pdm: 'pyproject.toml',
  hatch: 'pyproject.toml',
  rye: 'pyproject.toml',
  pipenv: 'Pipfile',
  docker: 'Dockerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml',
  podman: 'Dockerfile Containerfile docker-compose.yml compose.yml compose.yaml',
  nix: 'flake.nix shell.nix default.nix',
  mvn: 'pom.xml',
  gradle: 'build.gradle build.gradle.kts settings.gradle settings.gradle.kts',
  gradlew: 'build.gradle build.gradle.kts settings.gradle settings.gradle.kts',
};
/** They compile a whole tree and run what comes of it. */
const COMPILERS: Readonly<Record<string, RegExp>> = {
  go: /\.go$|^go\.(?:mod|work)$/,
  cargo: /\.rs$|^Cargo\.toml$/,
  dotnet: /\.(?:cs|fs|csproj|fsproj|props|targets)$/,
  mvn: /\.(?:java|kt)$|^pom\.xml$/,
  gradle: /\.(?:java|kt|gradle|kts)$/,
  gradlew: /\.(?:java|kt|gradle|kts)$/,
  swift: /\.swift$/,
  zig: /\.zig$/,
  stack: /\.hs$|\.cabal$/,
  cabal: /\.hs$|\.cabal$/,
};
const NOT_SOURCE = /^(?:node_modules|target|bin|obj|build|dist|\..*)$/;
const CODE =
  /\.(?:[mc]?[jt]sx?|py|pyc|rb|sh|bash|zsh|fish|php|lua|pl|pm|r|rs|go|java|jar|class|wasm|node|so|dylib|dll|exe|mk)$/i;

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
    const words = [command, ...args].flatMap(wordsIn);
    this.#enterFolders([...words, ...Object.values(env).flatMap(wordsIn)]);
    for (const word of [...words, ...Object.values(env).flatMap(wordsIn)]) this.#named(word);
    this.#program(command);
    const runners = new Set(words.map((word) => path.basename(word).replace(/\.(?:exe|cmd)$/i, '')));
    for (const runner of runners) this.#ofRunner(runner, words);
    if (FOLDER_RUNNERS.test(path.basename(command))) this.#folderToRun(args);
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
      for (const name of (Object.hasOwn(RUNNER_FILES, runner) ? (RUNNER_FILES[runner] ?? '') : '').split(' '))
        if (name !== '') this.#addIfThere(path.join(folder, name));
      if (isPackages && runner !== 'node') this.#manifest(folder, words);
      if (PYTHON_RUNNERS.test(runner))
        for (const word of words.filter((each) => /^[\w.]+$/.test(each))) this.#module(folder, word);
      const sources = Object.hasOwn(COMPILERS, runner) ? COMPILERS[runner] : undefined;
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
    const isInstalled = file.includes('/node_modules/');
    const names = (isInstalled ? importsIn(text) : namesIn(file, text)).filter((name) => PLACE.test(name));
    const [root = '/'] = this.#folders;
    for (const name of names) for (const base of new Set([folder, root])) this.#addCode(base, name);
    if (!isInstalled) this.#joined(folder, text, names);
  }

  #addCode(base: string, name: string): void {
    for (const found of this.#lookup.files(base, name)) if (isCode(found)) this.#add(found);
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

/** A text that may name a file: with a folder, or an ending. */
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
