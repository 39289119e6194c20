/** The same with Zod (or Valibot, or ArkType: any Standard Schema that can say its JSON Schema). */
import assert from 'node:assert/strict';
import { createHarness, defineTool, fail, ok } from 'halter';
import { z } from 'zod';

const stock = new Map([['apple', 12]]);

const checkStock = defineTool({
  name: 'check_stock',
  description: 'How many of an article are in stock',
  parameters: z.object({ article: z.string().transform((text) => text.toLowerCase()) }),
  risk: 'safe',
  // Gets the transformed value. A failure is an answer too: the model reads it and can do better.
  run: ({ article }) => {
    const count = stock.get(article);
    return count === undefined ? fail('not_found', `no ${article}; there are ${[...stock.keys()]}`) : ok({ count });
  },
});

const harness = createHarness({ model: process.env['MODEL'] ?? 'ollama/qwen3:4b', tools: [checkStock] });
const { answer, toolCalls } = await harness.chat('How many Apples do we have?');
await harness.close();

console.log(answer);
assert.equal(toolCalls.at(-1)?.result.data, '{"count":12}');
