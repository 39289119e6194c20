/** Harnesses share nothing, so one can be the tool of another. */
import assert from 'node:assert/strict';
import { createHarness, defineTool } from 'halter';

const model = process.env['MODEL'] ?? 'ollama/qwen3:4b';

const askTranslator = defineTool({
  name: 'ask_translator',
  description: 'Have a text translated into a language',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string' }, language: { type: 'string' } },
    required: ['text', 'language'],
  },
  risk: 'safe',
  timeout_ms: 60_000,
  run: async ({ text, language }, { signal }) => {
    const translator = createHarness({
      model,
      systemPrompt: `You translate into ${language}. Answer with the translation.`,
    });
    try {
      return (await translator.chat(text, { signal })).answer;
    } finally {
      await translator.close();
    }
  },
});

const editor = createHarness({ model, tools: [askTranslator] });
const { answer, toolCalls } = await editor.chat('Have "good morning" translated into German and French.');
await editor.close();

console.log(answer);
assert.deepEqual(toolCalls.map((call) => call.arguments.language).sort(), ['French', 'German']);
