// halter's side of a comparison of agent libraries: one whole conversation, with nothing but what the README shows.
// The contract: load({ baseURL, tools }) → run({ model, system, prompt, maxSteps, onText }) → the final text.
import { createHarness, defineTool } from '../dist/index.js';

export async function load({ baseURL, tools }) {
  const own = tools.map(({ name, description, parameters, execute }) =>
    defineTool({ name, description, parameters, risk: 'safe', run: execute }),
  );
  return async function run({ model, system, prompt, maxSteps, onText }) {
    const agent = createHarness({
      model,
      provider: 'openai',
      baseUrl: baseURL,
      tools: own,
      systemPrompt: system,
      limits: { iterations: maxSteps },
    });
    const chat = agent.chat(prompt);
    for await (const update of chat) if (update.type === 'text_delta') onText(update.delta);
    const { answer } = await chat.result();
    await agent.close();
    return answer;
  };
}
