/** docs/reference/dialects.md, by the files of src/dialects. */
import { readFileSync } from 'node:fs';
import { dialectsAlike, offerTools, renderCall } from '../../src/dialects/index.ts';
import { DIALECT_ORDER } from '../../src/dialects/order.ts';

export const DIALECTS_REFERENCE_FILE = 'docs/reference/dialects.md';

/** The comment above a dialect's grammar says who writes it. */
const aboutOf = (name: string): string => {
  const text = readFileSync(new URL(`../../src/dialects/${name}.ts`, import.meta.url), 'utf8');
  const [, comment = ''] = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const grammar/.exec(text) ?? [];
  return comment
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
};

const CALL = { id: 'call_1', name: 'read_file', arguments: { path: 'a.md' } };
const TOOL = {
  type: 'function' as const,
  function: { name: 'read_file', description: 'Reads a file.', parameters: { type: 'object', properties: {} } },
};

const sectionOf = (name: string): string => {
  const told = offerTools(name, [TOOL]) !== '';
  const call = name === 'native' || !told ? '' : `\n\n${renderCall(name, CALL).replaceAll(/^/gm, '    ').trimEnd()}`;
  const others = dialectsAlike(name);
  const alike = others.length > 0 ? `\n\nA call in ${others.join(' and ')} is the same text.` : '';
  return `## ${name}\n\n${aboutOf(name)}${call}${alike}`;
};

export const dialectsReference = (): string => `# Dialects

A dialect is the notation in which a model writes its tool calls as text. halter reads these ${DIALECT_ORDER.length - 1}, and \`native\`, where the server reads the calls itself. \`auto\` reads all of them at once. \`--dialect NAME\`, the setting \`dialect\` and \`createParser({ dialect })\` take these names; without one the dialect follows from the model's chat template or its name. Where several write the very same text, \`auto\` names one of them, and \`halter parse\` the others as \`alike\`; a model's name (\`halter parse --model NAME\`, \`detectDialect\`) decides. Each example is the call \`read_file({"path": "a.md"})\` as halter writes it to such a model.

This page is made from the program by \`npm run reference\`.

${[...DIALECT_ORDER].sort().map(sectionOf).join('\n\n')}
`;
