/** docs/reference/presets.md: what each preset is, from its own data, and how the words of the documents are called here. */
import { readFileSync } from 'node:fs';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { PRESETS, type Preset } from '../../src/core/presets.ts';
import { TOOL_LIMITS } from '../../src/tools/limits.ts';

export const PRESETS_REFERENCE_FILE = 'docs/reference/presets.md';

const NOTES = new URL('./presets-notes.md', import.meta.url);

const limitsOf = ({ limits }: Preset): string =>
  Object.entries(limits)
    .map(([name, value]) => {
      const usual = (DEFAULT_LIMITS as Readonly<Record<string, number | undefined>>)[name];
      return `| \`${name}\` | ${value} | ${usual === undefined ? 'none' : usual === value ? 'the same' : usual} |`;
    })
    .join('\n');

const sectionOf = (preset: Preset): string => {
  const { name, summary, tools, dialect, reads, toolMode, results, strict } = preset;
  const written =
    dialect === undefined ? "the server's own field for calls" : `the dialect [\`${dialect}\`](dialects.md)`;
  const read = toolMode === 'native' ? 'auto' : (reads ?? dialect ?? 'auto');
  return `## ${name}

${summary[0]?.toUpperCase()}${summary.slice(1)}.

- Tools: ${tools === undefined ? 'all of halter’s' : tools.map((tool) => `\`${tool}\``).join(', ')}.
- Calls are written in ${written}; text is read with the parser of \`${read}\`.
- The model reads ${results === 'summary' ? 'a summary of each result' : 'each result whole'}.
- Arguments are ${strict ? 'checked strictly: nothing is converted, and a call has exactly its own keys' : 'repaired where that loses nothing'}.

| limit | here | without a preset |
|---|---|---|
${limitsOf(preset)}`;
};

export const presetsReference = (): string => `# Presets

\`--preset NAME\`, the setting \`preset\` and \`prompt: { preset: NAME }\` of \`createHarness\` make halter behave as one of five documented systems: their prompt, tools, limits, strictness and form of results. Flags come before what a preset says.

\`toolTimeoutMs\` is for tools that name no time of their own. A command of \`bash\` has ${TOOL_LIMITS.bashTimeoutMs / 1000} s, or what its \`timeout_ms\` says.

This page is made from the program by \`npm run reference\`.

${Object.values(PRESETS).map(sectionOf).join('\n\n')}

${readFileSync(NOTES, 'utf8').trim()}
`;
