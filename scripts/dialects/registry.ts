/** The text of `src/dialects/registry.ts`, by the dialects' files and their order. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIALECT_ORDER } from '../../src/dialects/order.ts';

const ROOT = join(import.meta.dirname, '..', '..');
export const REGISTRY_FILE = 'src/dialects/registry.ts';
const FOLDER = join(ROOT, 'src', 'dialects');
const CORPUS = join(ROOT, 'tests', 'corpus');
export const CASES_PER_DIALECT = 10;

/** What a dialect's file exports. `grammar` is what makes it one; the others may be missing. */
type Part = 'grammar' | 'clues' | 'prompt';

const exportsOf = (file: string): Set<string> =>
  new Set(
    [...readFileSync(join(FOLDER, `${file}.ts`), 'utf8').matchAll(/^export const (\w+)/gm)].map(
      ([, name = '']) => name,
    ),
  );

/** By file name, what each exports. */
export const dialectFiles = (): Map<string, Set<string>> =>
  new Map(
    readdirSync(FOLDER)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => name.slice(0, -'.ts'.length))
      .map((name): [string, Set<string>] => [name, exportsOf(name)])
      .filter(([, names]) => names.has('grammar')),
  );

const caseCount = (dialect: string): number => {
  try {
    return (JSON.parse(readFileSync(join(CORPUS, dialect, 'cases.json'), 'utf8')) as unknown[]).length;
  } catch {
    return 0;
  }
};

/** A dialect whose calls the server reads has nothing to write and nothing to test. */
const READ_BY_THE_SERVER = 'native';

/** What a contributor still has to do, in words; empty where every dialect is complete. */
export const missingParts = (): string[] => {
  const files = dialectFiles();
  const missing: string[] = [];
  for (const name of DIALECT_ORDER) {
    if (!files.has(name))
      missing.push(`${name} is named in src/dialects/order.ts, but src/dialects/${name}.ts exports no \`grammar\`.`);
  }
  for (const [name, parts] of files) {
    const file = `src/dialects/${name}.ts`;
    if (!(DIALECT_ORDER as readonly string[]).includes(name))
      missing.push(`${file} is in no line of src/dialects/order.ts: add '${name}' there.`);
    if (name === READ_BY_THE_SERVER) continue;
    if (!parts.has('prompt'))
      missing.push(`${file} exports no \`prompt\`: how tools are offered, and calls and results written.`);
    const cases = caseCount(name);
    if (cases < CASES_PER_DIALECT) {
      missing.push(`tests/corpus/${name}/cases.json holds ${cases} cases: write at least ${CASES_PER_DIALECT}.`);
    }
  }
  return missing;
};

const variableOf = (name: string, part: Part): string => {
  const words = name.split(/[-.]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const own = words.join('').replace(/^./, (letter) => letter.toLowerCase());
  return part === 'grammar' ? own : own + part.charAt(0).toUpperCase() + part.slice(1);
};

/** Separate lists, so that a page that only parses loads no prompts. */
export const registryText = (): string => {
  const files = dialectFiles();
  const having = (part: Part): string[] => DIALECT_ORDER.filter((name) => files.get(name)?.has(part));
  const key = (name: string): string => (/^[a-z]\w*$/.test(name) ? name : `'${name}'`);
  const imports = [...DIALECT_ORDER].sort().map((name) => {
    const parts = (['clues', 'grammar', 'prompt'] as const).filter((part) => files.get(name)?.has(part));
    return `import { ${parts.map((part) => `${part} as ${variableOf(name, part)}`).join(', ')} } from './${name}.ts';`;
  });
  return `// Made by \`npm run dialects\` from the files of this folder that export a \`grammar\`, in the order of order.ts.
import type { Clues, Grammar } from './engine/grammar.ts';
import type { PromptWriter } from './engine/prompt.ts';
${imports.join('\n')}

export const GRAMMARS: readonly Grammar[] = [
${having('grammar')
  .map((name) => `  ${variableOf(name, 'grammar')},`)
  .join('\n')}
];

export const CLUES: readonly (readonly [dialect: string, clues: Clues])[] = [
${having('clues')
  .map((name) => `  ['${name}', ${variableOf(name, 'clues')}],`)
  .join('\n')}
];

export const PROMPTS: Readonly<Record<string, () => PromptWriter>> = {
${having('prompt')
  .map((name) => `  ${key(name)}: ${variableOf(name, 'prompt')},`)
  .join('\n')}
};
`;
};
