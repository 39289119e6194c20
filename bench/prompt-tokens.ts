/**
 * What the first request costs before the person's words: instructions and tools, in both sizes.
 *   node bench/prompt-tokens.ts
 * The estimate is the one the program itself uses. Where the package gpt-tokenizer can be found (NODE_PATH, or installed
 * beside), the count with o200k stands beside it.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type PromptSize, systemPrompt } from '../src/core/system-prompt.ts';
import { toolSchema } from '../src/core/tool.ts';
import { offeredTools, prefixBudget } from '../src/core/window/tier.ts';
import { estimateTokens } from '../src/core/window/tokens.ts';
import { toolsTokens } from '../src/core/window.ts';
import { BUILT_IN_TOOLS } from '../src/tools/index.ts';

type Count = (text: string) => number;

const o200k = async (): Promise<Count | undefined> => {
  try {
    const file = createRequire(import.meta.url).resolve('gpt-tokenizer/encoding/o200k_base');
    const { encode } = (await import(pathToFileURL(file).href)) as { encode(text: string): number[] };
    return (text) => encode(text).length;
  } catch {
    return undefined;
  }
};

const count = await o200k();
const row = (label: string, text: string, estimate: number): number => {
  const counted = count === undefined ? '      –' : String(count(text)).padStart(7);
  console.log(`${label.padEnd(26)}${String(text.length).padStart(7)}${String(estimate).padStart(10)}${counted}`);
  return count?.(text) ?? estimate;
};

for (const tier of ['small', 'standard'] satisfies PromptSize[]) {
  console.log(`${tier}: at most ${prefixBudget(tier)} tokens\n${''.padEnd(26)}  bytes  estimate  o200k`);
  const schemas = offeredTools(tier, BUILT_IN_TOOLS, BUILT_IN_TOOLS.map(toolSchema)).head;
  const system = systemPrompt(tier);
  const instructions = row('instructions', system, estimateTokens(system));
  for (const schema of schemas) row(`  ${schema.function.name}`, JSON.stringify(schema), toolsTokens([schema]));
  const tools = row(`${schemas.length} tools`, JSON.stringify(schemas), toolsTokens(schemas));
  const together = instructions + tools;
  console.log(`${'together'.padEnd(26)}${''.padStart(17)}${String(together).padStart(7)}`);
  console.log(together <= prefixBudget(tier) ? 'within the budget\n' : 'OVER THE BUDGET\n');
  if (together > prefixBudget(tier)) process.exitCode = 1;
}
