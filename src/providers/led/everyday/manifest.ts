/** What the file that describes a project says of it: its name, version, licence and what it depends on. Pure. */
import { isObject, type JsonObject } from '../../../core/json.ts';

/** Files that say what a project is, at the top of the folder, the first the most telling. */
export const MANIFESTS = [
  'package.json',
  'pyproject.toml',
  'Cargo.toml',
  'requirements.txt',
  'setup.cfg',
  'composer.json',
  'go.mod',
] as const;

export type ManifestField = 'name' | 'version' | 'license' | 'author';
export type Manifest = {
  field(name: ManifestField): string | undefined;
  /** Names with the versions that are asked for; undefined where this kind of file is not read that far. */
  dependencies: readonly (readonly [name: string, version: string])[] | undefined;
  scripts: readonly string[] | undefined;
  /** Programs that it runs under, with the versions that are asked for. */
  engines?: readonly (readonly [name: string, version: string])[];
};

const LINE_NUMBER = /^\d+: ?/;
const DEPENDENCIES = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
  'require',
  'require-dev',
];
/** The sections that speak of the project itself, and not of something that it uses. */
const OWN_SECTIONS: ReadonlySet<string> = new Set([
  'project',
  'package',
  'workspace.package',
  'tool.poetry',
  'metadata',
]);

/** `text`: as `read_file` gives it, with numbered lines. Undefined where it cannot be read: then nothing is known of it. */
export const readManifest = (path: string, text: string): Manifest | undefined => {
  const lines = text.split('\n').map((line) => line.replace(LINE_NUMBER, ''));
  if (path.endsWith('.json')) return ofJson(lines.join('\n'));
  if (path.endsWith('.toml') || path.endsWith('.cfg')) return ofSections(lines);
  return path.endsWith('go.mod') ? ofGoModule(lines) : undefined;
};

const ofJson = (text: string): Manifest | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const whole: JsonObject = value;
  return {
    field: (name) => wordOf(whole[name]),
    dependencies: DEPENDENCIES.flatMap((key) => entriesOf(whole[key])),
    engines: entriesOf(whole['engines']),
    scripts: Object.keys(isObject(whole['scripts']) ? whole['scripts'] : {}),
  };
};

const entriesOf = (value: unknown): [string, string][] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, version]): [string, string][] =>
        typeof version === 'string' ? [[name, version]] : [],
      )
    : [];

/** `"author": "Ann"` or `"author": {"name": "Ann"}`. */
const wordOf = (value: unknown): string | undefined => {
  const word = isObject(value) ? (value['name'] ?? value['type']) : value;
  return typeof word === 'string' && word !== '' ? word : undefined;
};

const ofSections = (lines: readonly string[]): Manifest => {
  const fields = new Map<string, string>();
  let isOwn = false;
  for (const line of lines) {
    const section = /^\s*\[+\s*([^\]]+?)\s*\]+/.exec(line)?.[1];
    if (section !== undefined) isOwn = OWN_SECTIONS.has(section.replaceAll(/["']/g, ''));
    const [, key, value] =
      /^\s*["']?([\w-]+)["']?\s*=\s*(?:\{\s*text\s*=\s*)?["']?([^"'#{}[\]]+?)["']?\s*\}?\s*(?:#.*)?$/.exec(line) ?? [];
    if (isOwn && key !== undefined && value !== undefined && !fields.has(key)) fields.set(key, value);
  }
  return { field: (name) => fields.get(name), dependencies: undefined, scripts: undefined };
};

const ofGoModule = (lines: readonly string[]): Manifest => {
  const module = lines.map((line) => /^module\s+(\S+)/.exec(line)?.[1]).find((name) => name !== undefined);
  return { field: (name) => (name === 'name' ? module : undefined), dependencies: undefined, scripts: undefined };
};
